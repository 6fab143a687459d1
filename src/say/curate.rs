//! What operations of `curate` did inside entries, in words, and why some failed.

use super::words::{self, many};
use super::{Failure, warnings};
use brv_base::escape::{escape_line, quote_path};
use brv_commands::curate::{Code, Done, Fate, Outcome, SectionOutcome};
use brv_engine::FailureKind;

/// The most sections that are named for one kind of change.
const SHOWN: usize = 10;

/// A line for each kind of change, and one with the reasons for a review.
pub fn lines(one: &Done) -> Vec<String> {
    let fates = [Fate::Extended, Fate::Replaced, Fate::Added, Fate::Removed];
    let mut lines: Vec<String> = fates.iter().filter_map(|fate| sections(&one.sections, *fate)).collect();
    lines.extend(words::archive_records(&one.unrecorded));
    if !one.unsupported.is_empty() {
        lines.push(format!("not in the text: {}", one.unsupported.join(", ")));
    }
    if !one.replaced.is_empty() {
        lines.push(format!("replaced: {}", one.replaced.join(", ")));
    }
    let reasons: Vec<&str> = one.review.iter().map(|why| reason(why.as_str())).collect();
    if !reasons.is_empty() {
        lines.push(format!("review: {}", reasons.join(", ")));
    }
    lines
}

fn sections(all: &[SectionOutcome], fate: Fate) -> Option<String> {
    let found: Vec<&SectionOutcome> = all.iter().filter(|section| section.fate == fate).collect();
    let mut names: Vec<String> = found.iter().take(SHOWN).map(|section| named(section)).collect();
    if found.len() > SHOWN {
        names.push(format!("{} more", found.len() - SHOWN));
    }
    (!names.is_empty()).then(|| format!("{fate} {}", names.join(", ")))
}

/// `Rules (2 lines lost)`
fn named(section: &SectionOutcome) -> String {
    let name = match &section.headings[..] {
        [] => "the lead".to_owned(),
        headings => format!("`{}`", headings.join(" / ")),
    };
    let choice =
        section.nth.zip(section.of).map(|(nth, of)| format!("number {nth} of {of} with this heading"));
    let lost = (section.lost > 0).then(|| format!("{} lost", many(section.lost, "line", "lines")));
    let details: Vec<String> = choice.into_iter().chain(lost).collect();
    if details.is_empty() { name } else { format!("{name} ({})", details.join(", ")) }
}

/// Why a person should look at a change.
fn reason(why: &str) -> &str {
    match why {
        "merged" => "two entries became one",
        "fact_removed" => "a fact was removed",
        "body_removed" => "more than 30 % of the body was removed",
        "pinned" => "the entry is pinned",
        "model" => "a model wrote it",
        "again" => "earlier rules wrote it, and its commits were filed again",
        "unsupported" => "a fact is not in its source text",
        // of an entry or folder that is gone the line above says so
        other => other,
    }
}

/// Files that were written and are not committed, relations that were left out, and entries that are archived, too.
pub fn warnings(outcome: &Outcome) -> Vec<String> {
    let mut said = warnings::left(&outcome.uncommitted);
    let done = || outcome.applied.iter().filter_map(|one| one.result.as_ref().ok());
    for one in done().filter(|one| !one.dropped_relations.is_empty()) {
        let names: Vec<_> = one.dropped_relations.iter().map(|name| quote_path(name.as_bytes())).collect();
        let (file, names) = (quote_path(one.file.as_bytes()), names.join(", "));
        said.push(format!("`{file}`: relations were left out, since there is no such entry: {names}"));
    }
    for one in done().filter(|one| one.archived) {
        let file = quote_path(one.file.as_bytes());
        said.push(format!(
            "`{file}` is new, and an archived version of it exists: `brv archive show {file}` shows it; to restore it, \
             move the new entry away, then `brv archive restore {file}`"
        ));
    }
    said
}

/// What an agent is told of a change that was marked: looking at it is not its work.
pub const LEFT_TO_PERSON: &str =
    "a change is marked for review, and waits for a person: they see it with `brv review pending`";

/// Operations that failed; the others were applied.
pub fn failing(outcome: &Outcome) -> Option<Failure> {
    let failed = || outcome.applied.iter().filter_map(|one| Some((one, one.result.as_ref().err()?)));
    let blocked = || failed().filter(|(_, refused)| refused.code == Code::Blocked);
    let count = match failed().count() {
        0 => return None,
        count => many(count, "operation", "operations"),
    };
    // the message of what a rule blocked begins with the rule
    let has_secret = blocked().any(|(_, refused)| refused.message.starts_with("BRV006"));
    let message = match (has_secret, blocked().next()) {
        (true, _) => format!("BRV006: a secret was found; {count} failed"),
        (false, Some((_, refused))) => format!("{count} failed; {}", refused.message),
        (false, None) => format!("{count} failed"),
    };
    let details = failed().map(|(one, refused)| {
        let kind = escape_line(one.kind.as_deref().unwrap_or("?").as_bytes());
        let path = quote_path(one.path.as_deref().unwrap_or("?").as_bytes());
        format!("{kind} {path}: {}", refused.message)
    });
    let kind = if blocked().next().is_some() { FailureKind::Blocked } else { FailureKind::Failed };
    Some(Failure::new(kind, message).detailing(details))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::path::TreePath;
    use brv_commands::curate::Review;

    #[test]
    fn sections_are_named_by_what_became_of_them() {
        let section = |headings: &[&str], fate, lost, of: Option<usize>| SectionOutcome {
            headings: headings.iter().map(|&one| one.to_owned()).collect(),
            fate,
            lost,
            nth: of.map(|_| 1),
            of,
        };
        let one = Done {
            review: vec![Review::BodyRemoved, Review::Pinned],
            sections: vec![
                section(&["Rules"], Fate::Replaced, 1, None),
                section(&[], Fate::Extended, 0, None),
                section(&["Notes", "Old"], Fate::Replaced, 3, Some(2)),
                section(&["New"], Fate::Added, 0, None),
            ],
            ..Done::changed(&TreePath::parse(b"a/b.md").unwrap(), "r")
        };
        let expected = [
            "extended the lead",
            "replaced `Rules` (1 line lost), `Notes / Old` (number 1 of 2 with this heading, 3 lines lost)",
            "added `New`",
            "review: more than 30 % of the body was removed, the entry is pinned",
        ];
        assert_eq!(lines(&one), expected);
    }
}
