//! Warnings: what a reader should know beside the data of a command.

mod commands;

pub use commands::{init, preference, push, read, remote, rm, setting, sync, undo};

use super::escape::escape_line;
use super::words::many;
use crate::wire::{Finding, Recovered, Refreshed, Refused, Resolution, Withheld, Written};

/// What became of a command that writes, beside its own answer: files that are not as they should be, derived files.
#[must_use]
pub fn written(written: &Written) -> Vec<String> {
    let mut said: Vec<String> = not_written(&written.withheld).collect();
    said.extend(left_alone(&written.left_alone, &written.blocked));
    said.extend(remade(written.rewritten.derived.as_ref(), written.rewritten.outdated.as_deref()));
    said
}

fn remade(derived: Option<&Refreshed>, outdated: Option<&str>) -> Vec<String> {
    let failed = outdated.map(|why| format!("the derived files were not all made again: {why}"));
    let kept = derived.into_iter().flat_map(|done| &done.kept).map(|file| {
        format!("`{}` has the name of a derived file, but brv did not write it as it is", file.path)
    });
    failed.into_iter().chain(kept).collect()
}

/// What was put right before the command itself ran.
#[must_use]
pub fn recovery(recovered: Option<&Recovered>) -> Vec<String> {
    let Some(recovered) = recovered else { return Vec::new() };
    let way = match recovered.resolution {
        Resolution::Finished => "was finished".to_owned(),
        Resolution::PutOnRecord => "is left as it is, because HEAD has moved since".to_owned(),
        Resolution::Hindered => format!(
            "is left unfinished, because a reference cannot be moved; `brv op show {}` names what it moves",
            recovered.operation
        ),
    };
    let mut words = vec![format!("an interrupted `{}` {way}", recovered.kind)];
    let alone =
        |path: &String| format!("`{}` was edited since then and is left alone", escape_line(path.as_bytes()));
    words.extend(recovered.left_alone.iter().map(alone));
    words.extend(recovered.blocked.iter().map(|path| not_there(path.as_bytes())));
    words
}

/// That a file is missing, and why.
#[must_use]
fn not_there(path: &[u8]) -> String {
    let path = escape_line(path);
    format!(
        "`{path}` is not there: other files stand in its way; once they are moved, `brv vc restore` brings it"
    )
}

/// A line for each file that stays in the commit without being written.
pub fn not_written(withheld: &[Withheld]) -> impl Iterator<Item = String> {
    withheld.iter().map(|file| {
        format!(
            "`{}` is in the commit and not written here: it {}",
            escape_line(file.path.as_bytes()),
            file.reason
        )
    })
}

/// A line for each file that is not as it should be after the tree was brought over.
pub fn left_alone<P: AsRef<[u8]>>(saved: &[P], blocked: &[P]) -> impl Iterator<Item = String> {
    let saved = saved
        .iter()
        .map(|path| format!("`{}` was saved meanwhile and stays as it is", escape_line(path.as_ref())));
    saved.chain(blocked.iter().map(|path| not_there(path.as_ref())))
}

/// A line for each file that was left out.
pub fn refusals(refused: &[Refused]) -> impl Iterator<Item = String> {
    refused.iter().map(|file| format!("`{}`: {}", escape_line(file.path.as_bytes()), file.reason))
}

/// A line for each place that a push would stop at, and one for those that are too many to be named.
pub fn findings(findings: &[Finding]) -> impl Iterator<Item = String> {
    const NAMED: usize = 10;
    let line = |one: &Finding| {
        let (path, message) = (escape_line(one.path.as_bytes()), escape_line(one.message.as_bytes()));
        format!("{path}:{}:{}: {} {message}; a push stops at it", one.line, one.column, one.rule)
    };
    let more = findings.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {} more that a push stops at", many(more, "place", "places")));
    findings.iter().take(NAMED).map(line).chain(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recovered_command_and_the_files_it_left_are_named() {
        let recovered = Recovered {
            operation: "1".into(),
            kind: "pull",
            resolution: Resolution::Finished,
            left_alone: vec!["a\n.md".into()],
            blocked: vec!["b.md".into()],
        };
        assert_eq!(
            recovery(Some(&recovered)),
            [
                "an interrupted `pull` was finished",
                "`a\\n.md` was edited since then and is left alone",
                "`b.md` is not there: other files stand in its way; once they are moved, `brv vc restore` brings it",
            ]
        );
    }
}
