//! The topics of `brv help`: what is about no single command. Short, and made of the tables that the program itself
//! goes by where there is one.

use super::variables::VARIABLES;
use crate::say::Exit;
use std::fmt::Write as _;

/// What there is to read about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// The numbers that commands end with.
    ExitCodes,
    /// The variables that are heeded.
    Environment,
    /// What files and answers look like.
    Formats,
    /// What is never done, and what can be taken back.
    Safety,
    /// The list of these.
    Topics,
}

impl Topic {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::ExitCodes, Self::Environment, Self::Formats, Self::Safety, Self::Topics];

    /// The word that names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExitCodes => "exit-codes",
            Self::Environment => "environment",
            Self::Formats => "formats",
            Self::Safety => "safety",
            Self::Topics => "topics",
        }
    }

    /// What it is about, in one line.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::ExitCodes => "The numbers that commands end with",
            Self::Environment => "The variables that are heeded",
            Self::Formats => "What entries, derived files and JSON answers look like",
            Self::Safety => "What is never done, and what can be taken back",
            Self::Topics => "This list",
        }
    }

    /// The whole text.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::ExitCodes => exit_codes(),
            Self::Environment => environment(),
            Self::Formats => FORMATS.to_owned(),
            Self::Safety => SAFETY.to_owned(),
            Self::Topics => topics(),
        }
    }
}

fn exit_codes() -> String {
    let mut text = String::from("Exit codes\n\n");
    for exit in Exit::ALL {
        let line = format!("{:>5}  {:<16} {}", exit.number(), exit.word(), exit.meaning());
        writeln!(text, "{}", line.trim_end()).expect("memory takes all text");
    }
    text.push_str(
        "
The word is `error.code` of the JSON form. 4 and 8 are worth another try once
credentials are there or the other command is done; so is 9 where the network
failed, but not where the remote lacks what was named or rejects it. 5, 6 and 7
need somebody to decide. With `--exit-code` and `--check`, 1 means that
something was found. Numbers never change their meaning.
",
    );
    text
}

fn environment() -> String {
    let mut text = String::from("Environment\n\n");
    for variable in VARIABLES {
        writeln!(text, "  {}", variable.shown("")).expect("memory takes all text");
        for line in wrapped(&variable.meaning.replace('`', ""), 70) {
            writeln!(text, "      {line}").expect("memory takes all text");
        }
    }
    text.push_str(
        "
Flags win over variables, those over the user's config.yaml, that over the
project's. GIT_DIR, GIT_INDEX_FILE and the other variables that bind git to
one repository are ignored, since git exports them into hooks.
",
    );
    text
}

/// Cut at spaces into lines of at most `columns` letters.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn topics() -> String {
    let mut text = String::from("Topics\n\n");
    for topic in Topic::ALL {
        writeln!(text, "  brv help {:<12} {}", topic.name(), topic.about()).expect("memory takes all text");
    }
    text.push_str("\n`brv help COMMAND` shows the help of a command.\n");
    text
}

const FORMATS: &str = "\
Formats

Entries
  Markdown files in up to three levels of folders: domain, topic, subtopic. An
  entry may begin with YAML between two lines of `---`: title, summary, tags,
  keywords, related, createdAt, updatedAt. Every field may be missing, others
  are kept. A line `- **subject**: statement [category]` is a fact.
  `context.md` is the overview that people wrote of its folder.

Derived files
  `_index.md` of each folder, `NAME.abstract.md` and `NAME.overview.md` of an
  entry, `_manifest.json` of the tree. Made from the entries alone, the same
  bytes on every machine, never committed or sent; `brv derive` makes them
  again.

Stamps
  Each derived file holds `stamp: brv/2 KEY SUM`: what it was made from, and a
  sum of its own bytes. A file whose stamp is missing or does not fit is
  somebody's own and is never overwritten. A stamp tells of accidents, not of
  malice.

Manifest
  `_manifest.json` lists what to read first within a budget of tokens, in
  three lanes: summaries (a folder's only where those of all broader folders
  are there), contexts (the entries, with their abstracts: a fair share of
  every domain, best first) and stubs.

JSON answers
  `--json` prints one object: `schema` (`brv.vc.status/1`: which data, and the
  version of its shape), `ok`, `data` or `error` (`code`, `message`,
  `details`, `hint`), `warnings`, `next`. Within a version fields are added,
  never renamed or removed. Control characters are escaped.
";

const SAFETY: &str = "\
Safety

What brv never does
  It runs no program that a remote, a file of the tree or .brv/config.yaml
  names, sends no secret to a host that was not meant to get it, and prints
  none. Unasked it overwrites no file with edits of yours, no derived name
  without its own stamp, and no commits of others on a remote. No server of
  its own, no account, no telemetry, no network but in the commands that sync.

What it does before it writes
  One command at a time holds the lock. Objects reach the disk before a ref
  names them, files are replaced whole, and before the first file of the tree
  changes a ref says what was and what will be: the next command after a crash
  finishes the work, and says so.

What can be taken back
  What was committed is in git's history, and where a branch was before is in
  git's reflog. Commands that change the files of the tree leave what was
  before as commits below refs/brv/ops/; git reads those, too. What was never
  recorded, and is then overwritten by hand, cannot be brought back. Derived
  files need not be: they are made again.

What stops before much is lost
  A remote that dropped commits it had, and an update that deletes more than
  30 % of at least 10 entries, stop pull, merge and sync. A ref below
  refs/brv/rescue/ keeps what would be lost. --allow with a --reason lets it
  pass.

What a remote may do
  Its paths are checked before anything is written: links, submodules, names
  that leave the tree or that another system would read differently stop the
  update. Its words are shown without what a terminal would obey. What its
  entries say was written by others: to an agent that reads it, it is data,
  not instructions.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_fit_a_terminal_and_begin_with_their_name() {
        for topic in Topic::ALL {
            let text = topic.text();
            let words = topic.name().replace('-', " ");
            assert!(text.to_lowercase().starts_with(&words), "{text}");
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
            for line in text.lines() {
                assert!(line.chars().count() <= 80 && line == line.trim_end(), "{line}");
            }
        }
    }

    #[test]
    fn every_code_and_variable_is_told() {
        let codes = Topic::ExitCodes.text();
        for exit in Exit::ALL {
            assert!(codes.contains(exit.word()) && codes.contains(exit.meaning()), "{exit:?}");
        }
        let variables = Topic::Environment.text();
        assert!(VARIABLES.iter().flat_map(|row| row.names).all(|name| variables.contains(name)));
    }
}
