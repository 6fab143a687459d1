//! Reports a credential helper that failed: its name, how it ended, and its last line of output.
//!
//! Runs nothing. Never reports a helper's options or a shell command: they may hold a secret.

use brv_base::messages::Lines;
use std::io::Read as _;
use std::process::ChildStderr;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A daemon started by a helper may keep its stream open, so do not wait for the end of the stream.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// The longest reported line, in characters.
const MOST_CHARACTERS: usize = 200;

/// How much of the end of the stream is searched for the last line.
const MOST_BYTES: usize = 4 << 10;

/// Why a helper gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    NotStarted,
    /// The exit code, unless a signal ended it.
    Ended(Option<i32>),
    TooLong(Duration),
    /// Too long, or unreadable.
    Nonsense,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotStarted => f.write_str("could not be started"),
            Self::Ended(Some(code)) => write!(f, "failed with exit code {code}"),
            Self::Ended(None) => f.write_str("was killed by a signal"),
            Self::TooLong(limit) => write!(f, "did not answer within {} seconds", limit.as_secs()),
            Self::Nonsense => f.write_str("sent an invalid answer"),
        }
    }
}

/// The message about `helper`, if there is anything to report.
pub(super) fn told(helper: &str, failure: Option<Failure>, said: Option<String>) -> Option<String> {
    let name = name(helper);
    match (failure, said) {
        (None, None) => None,
        (None, Some(said)) => Some(format!("{name} said: {said}")),
        (Some(failure), None) => Some(format!("{name} {failure}")),
        (Some(failure), Some(said)) => Some(format!("{name} {failure}: {said}")),
    }
}

/// The program alone, if it is one.
fn name(helper: &str) -> String {
    let helper = helper.trim();
    let first = helper.strip_prefix('!').unwrap_or(helper).split_whitespace().next().unwrap_or_default();
    let is_plain = |character: char| character.is_alphanumeric() || "/\\._-+:".contains(character);
    match first.chars().all(is_plain) && first.chars().count() <= MOST_CHARACTERS {
        true => format!("the credential helper `{first}`"),
        false => "a credential helper (a shell command)".to_owned(),
    }
}

/// The last line that a program writes to standard error.
pub(super) struct LastWord {
    /// The end of the stream so far.
    kept: Arc<Mutex<Vec<u8>>>,
    /// Closed at the end of the stream.
    listening: Receiver<()>,
}

impl LastWord {
    pub fn of(mut stderr: ChildStderr) -> Self {
        let (kept, (until, listening)) = (Arc::new(Mutex::new(Vec::new())), channel::<()>());
        let keeping = Arc::clone(&kept);
        std::thread::spawn(move || {
            let mut piece = [0; MOST_BYTES];
            while let Ok(read @ 1..) = stderr.read(&mut piece) {
                let mut kept = keeping.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&piece[..read]);
                let spare = kept.len().saturating_sub(MOST_BYTES);
                kept.drain(..spare);
            }
            drop(until);
        });
        Self { kept, listening }
    }

    /// The line, once the program has ended.
    pub fn take(self) -> Option<String> {
        // only the close of the channel matters
        let _ = self.listening.recv_timeout(LONGEST_WAIT);
        last_line(&self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Without control characters, and not too long.
fn last_line(text: &[u8]) -> Option<String> {
    let mut lines = Lines::default();
    let complete = lines.push(text);
    let mut line = lines.finish().or_else(|| complete.into_iter().next_back())?;
    if let Some((at, _)) = line.char_indices().nth(MOST_CHARACTERS) {
        line.truncate(at);
        line.push('…');
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_is_named_without_what_may_be_a_secret() {
        for (helper, named) in [
            ("/usr/lib/helper --token s3krit", "the credential helper `/usr/lib/helper`"),
            ("store --file=s3krit", "the credential helper `store`"),
            ("!/usr/bin/gh auth git-credential", "the credential helper `/usr/bin/gh`"),
            ("!f() { echo password=s3krit; }; f", "a credential helper (a shell command)"),
            ("!TOKEN=s3krit helper", "a credential helper (a shell command)"),
        ] {
            assert_eq!(name(helper), named);
        }
    }

    #[test]
    fn the_last_word_is_one_harmless_line() {
        assert_eq!(last_line(b"one\n\x1b[31mtwo\x1b[0m\x07\n\n").unwrap(), "two");
        assert_eq!(last_line(b"one\nrest").unwrap(), "rest");
        assert_eq!(last_line(&[b'x'; 999]).unwrap().chars().count(), MOST_CHARACTERS + 1);
        assert_eq!(last_line(b"\n"), None);
    }
}
