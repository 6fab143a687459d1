//! The gist of a changed entry: a few phrases, for a line about it.
//!
//! Names only headings and subjects of the entry. Knows no screen and no markup; who prints the phrases escapes them.

use crate::say::knowledge;
use crate::say::words::{many, short};
use brv_text::diff::knowledge::{Content, Entry, FieldKind, How, Knowledge, What};

/// Number of headings or subjects listed by name; the rest is only counted.
const NAMED: usize = 3;

/// What happened to the entry beside its being new or deleted: `2 facts changed, 1 added`, `Rules edited`.
pub fn gist(entry: &Entry) -> Vec<String> {
    let mut phrases = Vec::new();
    let short = |path: &[u8]| knowledge::lossy(knowledge::short(path));
    if let Some(target) = &entry.merged_into {
        return vec![format!("merged into {}", short(target))];
    }
    match entry.what {
        What::Renamed => {
            phrases.extend(entry.before.as_ref().map(|place| format!("was {}", short(&place.path))));
        }
        What::Archived => phrases.push("archived".to_owned()),
        What::Added | What::Deleted | What::Modified | What::Merged => {}
    }
    for (gone, words) in [(true, "merged from"), (false, "split off from")] {
        let sources = entry.sources.iter().filter(|source| source.gone == gone);
        let paths: Vec<String> = sources.map(|source| short(&source.path)).collect();
        if !paths.is_empty() {
            phrases.push(format!("{words} {}", named(&paths)));
        }
    }
    match &entry.content {
        Content::Knowledge(knowledge) if entry.what == What::Added => phrases.extend(size(knowledge)),
        Content::Knowledge(knowledge) if entry.after.is_some() => phrases.extend(inside(knowledge)),
        _ => {}
    }
    phrases
}

/// `4 facts`
fn size(knowledge: &Knowledge) -> Option<String> {
    let facts = knowledge.facts.len();
    (facts > 0).then(|| many(facts, "fact", "facts"))
}

fn inside(knowledge: &Knowledge) -> Vec<String> {
    let mut phrases = Vec::new();
    phrases.extend(knowledge::counted(knowledge.counts().facts, "fact", "facts"));
    if let ([one], Some(last)) = (&knowledge.facts[..], phrases.last_mut())
        && let Some(subject) = one.subject()
    {
        *last = format!("{last} ({subject})");
    }
    phrases.extend(sections(knowledge));
    phrases.extend(confirmed(knowledge));
    let fields = knowledge.telling_fields().filter(|field| !field.is_confirmation());
    let fields: Vec<String> = fields.map(|field| field.key.clone()).filter(|key| !key.is_empty()).collect();
    if !fields.is_empty() {
        phrases.push(format!("{} changed", named(&fields)));
    } else if knowledge.fields.iter().any(|field| field.kind == FieldKind::Unreadable) {
        phrases.push("frontmatter changed".into());
    }
    if phrases.is_empty() && !knowledge.folded.is_empty() {
        phrases.push(format!("in form only: {}", knowledge::folds(&knowledge.folded).join(", ")));
    } else if phrases.is_empty() && knowledge.times().next().is_some() {
        phrases.push("times only".into());
    }
    phrases
}

/// `confirmed against 3f2a91c`
fn confirmed(knowledge: &Knowledge) -> Option<String> {
    let change = knowledge.fields.iter().find(|field| field.is_confirmation())?;
    Some(match change.confirmed() {
        Some(commit) => format!("confirmed against {}", short(&commit)),
        None => "no longer confirmed".into(),
    })
}

/// `Rules edited, Flow added`
fn sections(knowledge: &Knowledge) -> Vec<String> {
    let title = |path: &[String]| path.last().cloned().unwrap_or_else(|| knowledge::TOP.into());
    let of = |how: How, is_rearranged: bool| -> Vec<String> {
        let told = knowledge.sections.iter().filter(|section| {
            let is_only_moved = section.blocks.iter().all(|block| block.change == How::Moved);
            section.change == how && (how != How::Kept || is_only_moved == is_rearranged)
        });
        told.map(|section| title(&section.path)).collect()
    };
    let groups = [
        (of(How::Kept, false), "edited"),
        (of(How::Kept, true), "rearranged"),
        (of(How::Added, false), "added"),
        (of(How::Removed, false), "removed"),
        (of(How::Renamed, false), "renamed"),
        (of(How::Moved, false), "moved"),
    ];
    groups
        .into_iter()
        .filter(|(titles, _)| !titles.is_empty())
        .map(|(titles, word)| format!("{} {word}", named(&titles)))
        .collect()
}

/// `a, b, c and 4 more`
fn named(names: &[String]) -> String {
    if names.len() <= NAMED {
        return names.join(", ");
    }
    format!("{} and {} more", names[..NAMED].join(", "), names.len() - NAMED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_text::diff::knowledge::{Gone, Version, entry};

    fn phrases(before: Option<&str>, after: Option<&str>) -> Vec<String> {
        let version = |text| Version { path: "a.md".into(), bytes: str::as_bytes(text) };
        gist(&entry(before.map(version), after.map(version), &Gone::default()))
    }

    #[test]
    fn a_change_is_told_by_facts_sections_and_fields() {
        let before = "---\ntags: [a]\n---\n## Rules\n\n- one\n\n## Facts\n\n- **ttl**: 24 hours\n";
        let after = before.replace("24", "12").replace("- one", "- two").replace("[a]", "[b]");
        assert_eq!(
            phrases(Some(before), Some(&after)),
            ["1 fact changed (ttl)", "Rules edited", "tags changed"]
        );
    }

    #[test]
    fn a_confirmation_is_told_with_its_commit() {
        let before = "---\ntitle: t\n---\nText.\n";
        let with = |value: &str| before.replace("t\n---", &format!("t\nverified: {value}\n---"));
        let after = with("3f2a91c05d7e8b6a4c1f2e3d4b5a69788796a5b4 2026-01-02T03:04:05Z");
        assert_eq!(phrases(Some(before), Some(&after)), ["confirmed against 3f2a91c"]);
        assert_eq!(phrases(Some(&after), Some(before)), ["no longer confirmed"]);
        assert_eq!(phrases(Some(&after), Some(&with("yes"))), ["no longer confirmed"]);
    }

    #[test]
    fn a_new_entry_is_told_by_its_size_and_a_deleted_one_not_at_all() {
        let text = "# T\n\n## Facts\n\n- a\n- b\n";
        assert_eq!(phrases(None, Some(text)), ["2 facts"]);
        assert_eq!(phrases(Some(text), None), [""; 0]);
    }

    #[test]
    fn many_names_are_counted() {
        let names = ["a", "b", "c", "d", "e"].map(str::to_owned);
        assert_eq!([named(&names[..3]), named(&names)], ["a, b, c", "a, b, c and 2 more"]);
    }
}
