//! Reads a check back from its JSON, so that any of its pages can be made without the repository.
//!
//! Whoever wrote the JSON is not trusted. What no check prints is an error; all else is shown as text, as anything from a
//! tree is.

use super::{ChangedLines, Endpoint, FailOn, Finding, Outcome, Verdict};
use brv_base::content::ContentId;
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::outcome::envelope::{self, is_below, is_commit};
use brv_engine::read::history::changes::FileChange;
use brv_engine::read::history::knowledge::ChangeReport;
use brv_git::{FileMode, Version};
use brv_text::diff::knowledge::{Entry, What};
use brv_text::diff::{Equality, FileDiff, LineKind, Stat};
use brv_text::lint::Rule;
use bstr::ByteSlice as _;
use std::collections::HashMap;
use std::path::Path;

/// The largest file that is read, in bytes: a change of some thousand entries.
const MAX_BYTES: usize = 64 << 20;

/// The schema that the file must name.
const SCHEMA: &str = "brv.vc.check/1";

/// Read a file; `-` is standard input. `fail_on`: from which weight on the check fails; `None`: as it ended there.
///
/// # Errors
/// One that cannot be read, is too large, or is not what a check prints.
pub fn run(cx: &Context<'_>, file: &Path, fail_on: Option<FailOn>) -> Result<Outcome, Stop> {
    let bytes = cx.read_answer(file, MAX_BYTES)?;
    let shown = file.display();
    Outcome::read(&bytes, fail_on)
        .map_err(|why| Stop::usage(format!("`{shown}` is not the output of `brv vc check --json`: {why}")))
}

impl Outcome {
    /// The check that `brv vc check --json` printed. `fail_on`: from which weight on it fails; `None`: as it ended there.
    ///
    /// # Errors
    /// Why the bytes are not that output.
    pub fn read(bytes: &[u8], fail_on: Option<FailOn>) -> Result<Self, String> {
        let printed = envelope::read::<Self>(bytes, SCHEMA)?;
        let mut check = printed.data;
        check.told =
            ChangeReport { files: files(&check.entries, &check.files)?, entries: check.entries.clone() };
        check.plausible()?;
        let found = check.verdict.errors + check.verdict.warnings;
        if !printed.ok && found == 0 {
            return Err("it failed and found nothing".to_owned());
        }
        check.fails = match fail_on {
            None => !printed.ok,
            Some(FailOn::Never) => false,
            Some(FailOn::Error) => check.verdict.errors > 0,
            Some(FailOn::Warning) => found > 0,
        };
        Ok(check)
    }

    /// Whether all of it can be, and its numbers are those of its lists.
    fn plausible(&self) -> Result<(), String> {
        for state in [&self.before, &self.after] {
            plausible(state)?;
        }
        if !(self.prefix.is_empty() || self.prefix.strip_suffix('/').is_some_and(is_below)) {
            return Err("its prefix is not a folder".to_owned());
        }
        for found in &self.findings {
            match found.flaw() {
                Some(flaw) => return Err(format!("a finding {flaw}")),
                None if found.rule == Rule::StaleFact.id() => {
                    return Err(format!("it has a finding of {}", found.rule));
                }
                None => {}
            }
        }
        if !self.commits.iter().all(|source| is_commit(&source.commit) && is_date(&source.date)) {
            return Err("one of its commits is invalid".to_owned());
        }
        if self.has_verdict() { Ok(()) } else { Err("its verdict does not match its lists".to_owned()) }
    }

    fn has_verdict(&self) -> bool {
        let listed = self.counted();
        if self.cut == 0 {
            return self.verdict == listed;
        }
        // of those that are not listed only the number is known
        let Verdict { secrets, errors, warnings, .. } = self.verdict;
        let (few, more) = ((listed.errors, listed.warnings), (errors, warnings));
        let all = errors.checked_add(warnings);
        let counts = Verdict { secrets, errors, warnings, ..listed.clone() };
        all.is_some_and(|all| all.checked_sub(self.cut) == Some(few.0 + few.1) && secrets <= all)
            && (more.0 >= few.0 && more.1 >= few.1 && secrets >= listed.secrets)
            && self.verdict == counts
    }

    /// The numbers of what is listed.
    pub fn counted(&self) -> Verdict {
        let of = |fits: &dyn Fn(&Finding) -> bool| self.findings.iter().filter(|one| fits(one)).count();
        let mut counted = Verdict {
            secrets: of(&|found| found.rule == Rule::Secret.id()),
            errors: of(&|found| found.severity == "error"),
            warnings: of(&|found| found.severity == "warning"),
            ..Verdict::default()
        };
        self.told.entries.iter().for_each(|entry| counted.add(entry));
        counted
    }
}

fn plausible(state: &Endpoint) -> Result<(), String> {
    let is_one = state.commit.as_ref().is_none_or(|id| state.kind == "commit" && is_commit(id));
    if is_one { Ok(()) } else { Err("a state has an invalid commit".to_owned()) }
}

/// Whether it is a time as JSON has it: `2026-11-20T12:30:00Z`.
fn is_date(text: &str) -> bool {
    text.len() >= 20 && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-:TZ".contains(&byte))
}

/// The files of the entries, with their changed lines. Their content is not here.
fn files(entries: &[Entry], lines: &[ChangedLines]) -> Result<Vec<FileChange>, String> {
    let lines: HashMap<&str, &ChangedLines> = lines.iter().map(|file| (file.path.as_str(), file)).collect();
    let version = Version { mode: FileMode::Regular, id: ContentId::of(b"") };
    let file = |entry: &Entry| {
        let path = entry.after.as_ref().or(entry.before.as_ref()).map(|place| place.path.clone());
        let path = path.unwrap_or_default();
        let lines = path.to_str().ok().and_then(|path| lines.get(path));
        let diff = lines.map(|lines| lines.read()).transpose()?;
        let old = entry.before.as_ref().filter(|_| entry.what == What::Renamed);
        Ok::<_, String>(FileChange {
            path,
            renamed_from: old.map(|place| place.path.clone()),
            similarity: None,
            before: entry.before.as_ref().map(|_| version),
            after: entry.after.as_ref().map(|_| version),
            stat: diff.as_ref().map(stat),
            diff,
        })
    };
    entries.iter().map(file).collect()
}

fn stat(diff: &FileDiff) -> Stat {
    let lines = || diff.hunks().iter().flat_map(|hunk| &hunk.lines);
    let of = |kind| lines().filter(|line| line.kind == kind).count();
    Stat { added: of(LineKind::Added), removed: of(LineKind::Removed) }
}

impl ChangedLines {
    fn read(&self) -> Result<FileDiff, String> {
        match self.binary {
            true if self.hunks.is_empty() => Ok(FileDiff::Binary(Equality::Different)),
            true => Err(format!("`{}` is binary and has lines", self.path)),
            false => Ok(FileDiff::Text(self.hunks.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Consequences;
    use super::*;
    use serde_json::json;

    fn has_verdict(change: impl Fn(&mut Outcome)) -> bool {
        let finding = |rule, severity| {
            json!({
                "rule": rule, "severity": severity, "path": "a.md", "line": 1, "column": 1, "message": "wrong",
                "fingerprint": "00112233445566ff", "standing": "present",
            })
        };
        let mut check: Outcome = serde_json::from_value(json!({
            "before": { "kind": "commit" }, "after": { "kind": "index" },
            "verdict": Verdict { secrets: 1, errors: 1, warnings: 1, ..Verdict::default() },
            "findings": [finding("BRV006", "error"), finding("BRV004", "warning")],
            "baselined": 0, "cut": 0, "entries": [], "flagged": [], "consequences": Consequences::default(),
            "commits": [], "prefix": "",
        }))
        .unwrap();
        change(&mut check);
        check.has_verdict()
    }

    #[test]
    fn findings_that_are_not_listed_are_counted() {
        assert!(has_verdict(|_| {}));
        assert!(has_verdict(|check| (check.cut, check.verdict.warnings) = (3, 4)));
        assert!(has_verdict(|check| (check.cut, check.verdict.errors, check.verdict.secrets) = (1, 2, 2)));
        assert!(!has_verdict(|check| check.cut = 1));
        assert!(!has_verdict(|check| check.verdict.secrets = 0));
        assert!(!has_verdict(|check| (check.cut, check.verdict.errors) = (usize::MAX, usize::MAX)));
        assert!(!has_verdict(|check| (check.cut, check.verdict.warnings, check.verdict.errors) = (1, 3, 0)));
        assert!(
            !has_verdict(|check| (check.cut, check.verdict.warnings, check.verdict.disputed) = (1, 2, 1))
        );
    }

    #[test]
    fn a_time_has_no_words() {
        assert!(is_date("2026-11-20T12:30:00Z") && is_date("+12026-11-20T12:30:00Z"));
        assert!(!is_date("") && !is_date("2026-11-20") && !is_date("2026-11-20T12:30:00Z @everyone"));
    }
}
