//! The words for a check as a whole: whether it passes, the change in numbers, and the commands to run next.

use crate::say::knowledge::kinds;
use crate::say::page::ID_DIGITS;
use crate::say::page::phrases::grouped;
use crate::say::words::many;
use brv_commands::vc::check::{EntryCounts, Finding, Outcome as Check, Verdict};
use brv_engine::read::history::states::Endpoint;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Clean,
    /// Something was found, but nothing that fails the check.
    Passed,
    /// Something was found that fails it.
    Failed,
}

impl Ending {
    pub fn of(check: &Check) -> Self {
        match check.verdict.errors + check.verdict.warnings {
            _ if check.fails => Self::Failed,
            0 => Self::Clean,
            _ => Self::Passed,
        }
    }
}

/// `Knowledge check failed: 1 error, 2 warnings`
pub fn headline(check: &Check) -> String {
    let word = if check.fails { "failed" } else { "passed" };
    match counts(&check.verdict) {
        counts if counts.is_empty() => format!("Knowledge check {word}"),
        counts => format!("Knowledge check {word}: {counts}"),
    }
}

/// `1 error, 2 warnings`; empty if there are none.
pub fn counts(verdict: &Verdict) -> String {
    let counts = [(verdict.errors, "error", "errors"), (verdict.warnings, "warning", "warnings")];
    let there = counts.into_iter().filter(|(count, ..)| *count > 0);
    there.map(|(count, one, more)| many(count, one, more)).collect::<Vec<_>>().join(", ")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberPart {
    /// What divides it from the number before.
    pub between: &'static str,
    /// Its sign; empty if it is not a difference.
    pub sign: &'static str,
    pub number: u64,
    pub noun: &'static str,
}

/// The parts of the verdict line. A zero is left out, except for the two that a reader would miss: that no fact is new
/// tells a change of prose from one of facts, and that no secret was found is what a reviewer must know.
pub fn parts(verdict: &Verdict) -> Vec<NumberPart> {
    let Verdict { facts, entries, tokens, .. } = verdict;
    let part = |between, sign, number: usize, noun| NumberPart { between, sign, number: number as u64, noun };
    let difference = tokens.after.abs_diff(tokens.before);
    let sign = if tokens.after < tokens.before { "−" } else { "+" };
    let all = [
        part("", "+", facts.added, noun(facts.added, "fact", "facts")),
        part(" ", "~", facts.changed, "changed"),
        part(" ", "−", facts.removed, "removed"),
        part(" · ", "", entries.renamed, "moved"),
        part(" · ", "", verdict.disputed, "disputed"),
        part(" · ", "", verdict.secrets, noun(verdict.secrets, "secret", "secrets")),
        NumberPart { between: " · ", sign, number: difference, noun: noun(difference, "token", "tokens") },
    ];
    let is_shown =
        |part: &NumberPart| part.number > 0 || part.noun.starts_with("fact") || part.noun == "secrets";
    all.into_iter().filter(is_shown).collect()
}

fn noun<N: PartialEq + From<u8>>(count: N, one: &'static str, more: &'static str) -> &'static str {
    if count == N::from(1) { one } else { more }
}

/// `+3 facts ~2 changed −1 removed · 2 moved · 1 disputed · 0 secrets · +412 tokens`
pub fn line(verdict: &Verdict) -> String {
    let part =
        |part: NumberPart| format!("{}{}{} {}", part.between, part.sign, grouped(part.number), part.noun);
    parts(verdict).into_iter().map(part).collect()
}

/// `20 entries: 12 changed, 5 new, 3 deleted`
pub fn entries(counts: EntryCounts) -> String {
    let EntryCounts { added, modified, renamed, merged, deleted, archived } = counts;
    let kinds = kinds(&[
        (modified, "changed"),
        (added, "new"),
        (renamed, "moved"),
        (merged, "merged into others"),
        (archived, "archived"),
        (deleted, "deleted"),
    ]);
    match added + modified + renamed + merged + deleted + archived {
        0 => "No entry changed".to_owned(),
        all => format!("{}: {kinds}", many(all, "entry", "entries")),
    }
}

/// The message of a finding; if only an older commit has it, with that commit.
pub fn message(finding: &Finding) -> String {
    match standing(finding) {
        Some(standing) => format!("{} ({standing})", finding.message),
        None => finding.message.clone(),
    }
}

/// `corrected later, but still in commit 1a2b3c4`, for what only an older commit of the range has.
pub fn standing(finding: &Finding) -> Option<String> {
    let commit = || finding.commit.as_deref().map(|id| format!(" {}", short(id))).unwrap_or_default();
    let commit = finding.is_corrected().then(commit)?;
    Some(format!("corrected later, but still in commit{commit}"))
}

/// The first digits of a commit's id.
pub fn short(id: &str) -> &str {
    id.get(..ID_DIGITS).unwrap_or(id)
}

/// The commands that show the same check, and the changes that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckCommands {
    pub check: String,
    pub diff: String,
}

impl CheckCommands {
    /// The commands for these two states. Commits are named by their ids, which mean the same in every clone.
    pub fn of(check: &Check) -> Self {
        let (check, diff) = match (id(&check.before), id(&check.after), check.after.kind) {
            (Some(before), Some(after), _) => {
                (format!("check {before}..{after}"), format!("diff {before}..{after}"))
            }
            (None, Some(after), _) => (format!("check {after}"), format!("show {after}")),
            (_, None, "index") => ("check --staged".to_owned(), "diff --staged".to_owned()),
            (Some(before), None, _) => ("check --all".to_owned(), format!("diff {before}")),
            (None, None, _) => ("check --all".to_owned(), "diff".to_owned()),
        };
        Self { check: format!("brv vc {check}"), diff: format!("brv vc {diff} --format text") }
    }
}

/// Enough digits of a commit's id that other clones, which may have more objects, find no second one.
const CERTAIN: usize = 12;

fn id(state: &Endpoint) -> Option<&str> {
    state.commit.as_deref().map(|id| id.get(..CERTAIN).unwrap_or(id))
}

/// Number of findings that `brv vc check --fix` repairs.
pub fn fixable(check: &Check) -> usize {
    check.findings.iter().filter(|finding| finding.fix.is_some()).count()
}

/// The commands to run next, none of them destructive: the repairs if there are any, then all changes.
pub fn next(check: &Check) -> Vec<String> {
    // the fixes are made on disk, so only for what is checked out
    let is_here = check.after.kind != "commit" || check.after.name.as_deref() == Some("HEAD");
    let fix = (is_here && fixable(check) > 0).then(|| "brv vc check --fix".to_owned());
    let diff = (!check.told.entries.is_empty()).then(|| CheckCommands::of(check).diff);
    fix.into_iter().chain(diff).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::review::samples::{check, finding};
    use brv_commands::vc::check::{FactCounts, TokenChange};

    #[test]
    fn the_verdict_line_leaves_out_what_is_zero() {
        let verdict = Verdict {
            entries: EntryCounts { renamed: 2, ..EntryCounts::default() },
            facts: FactCounts { added: 3, changed: 2, removed: 1 },
            disputed: 1,
            tokens: TokenChange { before: 88, after: 500 },
            ..Verdict::default()
        };
        assert_eq!(
            line(&verdict),
            "+3 facts ~2 changed −1 removed · 2 moved · 1 disputed · 0 secrets · +412 tokens"
        );
        assert_eq!(line(&Verdict::default()), "+0 facts · 0 secrets");
        let verdict = Verdict {
            facts: FactCounts { added: 1, ..FactCounts::default() },
            secrets: 1,
            tokens: TokenChange { before: 2_000, after: 1 },
            ..Verdict::default()
        };
        assert_eq!(line(&verdict), "+1 fact · 1 secret · −1,999 tokens");
    }

    #[test]
    fn the_headline_tells_what_fails() {
        let mut check = check(&[]);
        assert_eq!(
            (headline(&check).as_str(), Ending::of(&check)),
            ("Knowledge check passed", Ending::Clean)
        );
        (check.verdict.errors, check.verdict.warnings, check.fails) = (1, 2, true);
        assert_eq!(headline(&check), "Knowledge check failed: 1 error, 2 warnings");
        (check.verdict.errors, check.fails) = (0, false);
        assert_eq!(
            (headline(&check).as_str(), Ending::of(&check)),
            ("Knowledge check passed: 2 warnings", Ending::Passed)
        );
        check.fails = true;
        assert_eq!(Ending::of(&check), Ending::Failed);
    }

    #[test]
    fn entries_are_counted_by_what_happened() {
        let counts = EntryCounts { added: 1, modified: 2, deleted: 1, ..EntryCounts::default() };
        assert_eq!(entries(counts), "4 entries: 2 changed, 1 new, 1 deleted");
        let counts = EntryCounts { archived: 3, ..EntryCounts::default() };
        assert_eq!(entries(counts), "3 entries: 3 archived");
        assert_eq!(entries(EntryCounts::default()), "No entry changed");
    }

    #[test]
    fn commands_mean_the_same_in_every_clone() {
        let mut check = check(&[]);
        assert_eq!(CheckCommands::of(&check).check, "brv vc check 111111111111..222222222222");
        assert_eq!(CheckCommands::of(&check).diff, "brv vc diff 111111111111..222222222222 --format text");
        (check.after.kind, check.after.commit) = ("index", None);
        assert_eq!(CheckCommands::of(&check).check, "brv vc check --staged");
        check.after.kind = "work_tree";
        assert_eq!(CheckCommands::of(&check).diff, "brv vc diff 111111111111 --format text");
    }

    #[test]
    fn what_was_corrected_names_the_commit_that_has_it() {
        let mut found = finding("BRV006", "a.md");
        assert_eq!(message(&found), "something is wrong");
        (found.standing, found.commit) = ("corrected", Some("3".repeat(40)));
        assert_eq!(message(&found), "something is wrong (corrected later, but still in commit 3333333)");
    }

    #[test]
    fn repairs_are_offered_before_anything_else() {
        let mut check = check(&[("a.md", None, Some("# A\n"))]);
        assert_eq!(next(&check), ["brv vc diff 111111111111..222222222222 --format text"]);
        check.findings.push(Finding { fix: Some("taken out".into()), ..finding("BRV008", "a.md") });
        assert_eq!(next(&check)[0], "brv vc check --fix");
    }
}
