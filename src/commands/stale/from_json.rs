//! What `brv stale` found elsewhere, read from its JSON. Whoever made the file is not trusted: it may be an artifact of
//! a pull request, and a job with more rights makes a page from it.

use super::findings;
use super::list::{Outcome, StaleEntry};
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::outcome::envelope::{self, is_commit};
use brv_engine::vc::check::Reported;
use brv_text::stale::State;
use std::path::Path;

/// The largest file that is read.
pub const MAX_BYTES: usize = 4 << 20;

/// The schema that the file must name.
const SCHEMA: &str = "brv.stale/1";

/// Read a file; `-` is standard input.
///
/// # Errors
/// One that cannot be read, is too large, or does not have the form of the answer.
pub fn run(cx: &Context<'_>, file: &Path) -> Result<Outcome, Stop> {
    let bytes = cx.read_answer(file, MAX_BYTES)?;
    let shown = file.display();
    read(&bytes)
        .map_err(|why| Stop::usage(format!("`{shown}` is not the output of `brv stale --json`: {why}")))
}

fn read(bytes: &[u8]) -> Result<Outcome, String> {
    let mut outcome = envelope::read::<Outcome>(bytes, SCHEMA)?.data;
    outcome.entries.iter().try_for_each(check_entry)?;
    outcome.findings.iter().try_for_each(check_finding)?;
    let commits = outcome.unmerged.iter().map(|one| &one.commit);
    if !commits.chain(outcome.reverts_edited.iter().map(|one| &one.commit)).all(|commit| is_commit(commit)) {
        return Err("a commit is invalid".into());
    }
    let of = |state| outcome.entries.iter().filter(|entry| entry.freshness.state == state).count();
    if (outcome.counts.changed, outcome.counts.gone) != (of(State::Changed), of(State::Gone)) {
        return Err("its counts are not those of its entries".into());
    }
    outcome.sort();
    Ok(outcome)
}

fn check_entry(entry: &StaleEntry) -> Result<(), String> {
    let freshness = &entry.freshness;
    let of_files = freshness.files.iter().filter_map(|file| file.commit.as_ref());
    if !freshness.base.iter().chain(of_files).all(|commit| is_commit(commit)) {
        return Err(format!("a commit of `{}` is invalid", entry.path));
    }
    let has_file = freshness.files.iter().any(|file| file.state == freshness.state);
    if !freshness.state.is_stale() || !has_file {
        return Err(format!("`{}` is not stale", entry.path));
    }
    Ok(())
}

fn check_finding(found: &Reported) -> Result<(), String> {
    if found.rule != findings::RULE.id() {
        return Err(format!("it has a finding of {}", found.rule));
    }
    match found.flaw() {
        Some(flaw) => Err(format!("a finding {flaw}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn answer() -> Value {
        json!({"schema": "brv.stale/1", "ok": true, "warnings": [], "next": [], "data": {
            "entries": [{
                "path": "auth/a.md", "title": null,
                "freshness": {"state": "changed", "base": "3".repeat(40), "files": [
                    {"path": "src/a.rs", "state": "changed", "names": ["MAX"], "commit": "4".repeat(40), "changes": [
                        {"name": "MAX", "state": "altered", "before": "MAX = 1", "after": "MAX = 2"},
                    ]},
                ]},
                "facts": [{"line": 3, "text": "uses MAX", "name": "MAX", "state": "altered", "before": "MAX = 1", "after": "MAX = 2"}],
            }],
            "findings": [{
                "rule": "BRV016", "severity": "warning", "path": "src/a.rs", "line": 7, "column": 1, "subject": "MAX",
                "message": "changed", "fingerprint": "00112233445566ff", "standing": "present",
            }],
            "counts": {"fresh": 1, "touched": 0, "changed": 1, "gone": 0, "unknown": 0, "uncited": 2},
        }})
    }

    #[test]
    fn an_answer_is_read_as_it_was_printed() {
        let value = answer();
        let outcome = read(value.to_string().as_bytes()).unwrap();
        assert_eq!(serde_json::to_value(&outcome).unwrap(), value["data"]);
        assert_eq!(outcome.entries[0].freshness.line().unwrap(), "changed since 3333333: MAX in src/a.rs");
    }

    #[test]
    fn what_has_another_form_is_refused() {
        for (place, wrong) in [
            ("/schema", json!("brv.vc.check/1")),
            ("/data/entries/0/path", json!("../a.md")),
            ("/data/entries/0/path", json!("/a.md")),
            ("/data/entries/0/freshness/base", json!("é".repeat(20))),
            ("/data/entries/0/freshness/state", json!("fresh")),
            ("/data/entries/0/freshness/files", json!([])),
            ("/data/entries/0/freshness/files/0/commit", json!("x")),
            ("/data/entries/0/facts/0/line", json!(-1)),
            ("/data/entries/0/facts/0/state", json!("other")),
            ("/data/entries/0/freshness/files/0/changes/0/before", json!(1)),
            ("/data/findings/0/rule", json!("BRV006")),
            ("/data/findings/0/rule", json!("BRV999")),
            ("/data/findings/0/severity", json!("fatal")),
            ("/data/findings/0/standing", json!("\n::error::")),
            ("/data/findings/0/fingerprint", json!("<b>")),
            ("/data/findings/0/path", json!("/etc/passwd")),
            ("/data/findings/0/path", json!("a/../../b")),
            ("/data/findings/0/line", json!(0)),
            ("/data/counts/fresh", json!("many")),
            ("/data", Value::Null),
            ("/data/entries/0/facts/0/more", json!(1)),
        ] {
            let mut value = answer();
            match value.pointer_mut(place) {
                Some(found) => *found = wrong,
                None => value.pointer_mut(&place[..place.len() - 5]).unwrap()["more"] = wrong,
            }
            assert!(read(value.to_string().as_bytes()).is_err(), "{place}");
        }
        assert!(read(b"[").is_err() && read(b"").is_err() && read(b"\xff").is_err());
        assert!(read("[".repeat(100_000).as_bytes()).is_err(), "no stack is overrun");
    }
}
