//! How each shell splits a command line into words, and how candidates are passed to it. bash gets words already
//! quoted, since it inserts them verbatim; zsh and fish quote by themselves, and PowerShell's script uses the quotes
//! made here.

use brv_base::escape::{escape_line, is_harmless};
use clap::ValueEnum;
use std::fmt::Write as _;

/// A completion of the typed word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The whole word.
    pub value: String,
    /// What it is, in a few words; may be empty.
    pub about: String,
}

/// The shells with completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU bash 3.2 or later
    Bash,
    /// zsh 5.0 or later
    Zsh,
    /// fish 3.0 or later
    Fish,
    /// PowerShell 5.1 or later
    #[value(name = "powershell")]
    PowerShell,
}

/// What is typed, up to the cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedLine {
    /// The words before the current one, the program's name first.
    pub words: Vec<String>,
    /// The current word without its quotes.
    pub current: String,
    /// The quote that is open.
    pub open: Option<char>,
    /// How many characters of the current word the shell keeps itself, because it breaks words there.
    pub kept: usize,
}

impl Shell {
    /// The script that `brv completions` prints.
    pub const fn script(self) -> &'static str {
        match self {
            Self::Bash => include_str!("scripts/brv.bash"),
            Self::Zsh => include_str!("scripts/brv.zsh"),
            Self::Fish => include_str!("scripts/brv.fish"),
            Self::PowerShell => include_str!("scripts/brv.ps1"),
        }
    }

    /// Parses what this shell's script passes.
    pub(super) fn typed(self, arguments: &[String]) -> Option<TypedLine> {
        let of_words = |words: &[String], current: &str| TypedLine {
            words: words.to_vec(),
            current: current.to_owned(),
            ..TypedLine::default()
        };
        match self {
            Self::Bash => {
                let [line, breaks] = arguments else { return None };
                Some(cut(line, breaks))
            }
            Self::Zsh => {
                let (current, words) = arguments.split_last()?;
                Some(of_words(words, current))
            }
            Self::Fish => {
                let (current, words) = arguments.split_last()?;
                // the last word is passed as it was typed
                Some(of_words(words, &cut(current, "").current))
            }
            Self::PowerShell => {
                // older versions drop empty arguments, so the script puts a sign before the current word
                let (current, words) = arguments.split_last()?;
                Some(of_words(words, current.strip_prefix('=')?))
            }
        }
    }

    /// The candidates in the format that this shell's script reads.
    pub(super) fn print(self, typed: &TypedLine, found: &[Candidate]) -> Vec<u8> {
        let mut out = String::new();
        for Candidate { value, about } in found {
            let about = escape_line(about.lines().next().unwrap_or_default().as_bytes()).into_owned();
            match self {
                Self::Bash => {
                    let rest: String = value.chars().skip(typed.kept).collect();
                    writeln!(out, "{}", bash(&rest, typed.open)).expect("memory takes all text");
                }
                Self::Zsh => {
                    let shown = escape_line(value.as_bytes());
                    write!(out, "{value}\0{shown}\0{about}\0").expect("memory takes all text");
                }
                // one candidate a line: names with line breaks or control characters cannot be passed
                Self::Fish if is_harmless(value) => {
                    writeln!(out, "{value}\t{about}").expect("memory takes all text");
                }
                Self::PowerShell if is_harmless(value) => {
                    writeln!(out, "{}\t{value}\t{about}", power_shell(value)).expect("memory takes all text");
                }
                Self::Fish | Self::PowerShell => {}
            }
        }
        out.into_bytes()
    }
}

/// Quotes `value` for bash, continuing an open quote if there is one.
fn bash(value: &str, open: Option<char>) -> String {
    if !is_harmless(value) && open.is_none() {
        return ansi_c(value);
    }
    let mut out = String::new();
    for char in value.chars() {
        match open {
            Some('\'') if char == '\'' => out.push_str("'\\''"),
            Some('"') if matches!(char, '"' | '\\' | '$' | '`') => out.extend(['\\', char]),
            None if !is_plain(char) => out.extend(['\\', char]),
            _ => out.push(char),
        }
    }
    if is_harmless(&out) { out } else { escape_line(out.as_bytes()).into_owned() }
}

/// Whether a shell takes the character literally. Letters of all scripts are plain.
fn is_plain(char: char) -> bool {
    char.is_alphanumeric() || !char.is_ascii() || "-_./:=@%+,^~".contains(char)
}

/// `$'…'` with an escape for everything that is not printable ASCII.
fn ansi_c(value: &str) -> String {
    let mut out = String::from("$'");
    for char in value.chars() {
        match char {
            '\'' | '\\' => out.extend(['\\', char]),
            ' '..='~' => out.push(char),
            other => {
                for byte in other.encode_utf8(&mut [0; 4]).bytes() {
                    write!(out, "\\{byte:03o}").expect("memory takes all text");
                }
            }
        }
    }
    out.push('\'');
    out
}

fn power_shell(value: &str) -> String {
    let plain = value.chars().all(|char| char.is_alphanumeric() || "-_./:=+^~".contains(char));
    if plain { value.to_owned() } else { format!("'{}'", value.replace('\'', "''")) }
}

/// A line of bash, or the word of another shell: its words, the last as far as it is typed. `breaks` are the
/// characters at which bash's line editor begins a new word (`COMP_WORDBREAKS`) though the shell does not.
fn cut(line: &str, breaks: &str) -> TypedLine {
    let mut typed = TypedLine::default();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match (typed.open, char) {
            (None, ' ' | '\t' | '\n') => {
                typed.words.extend(word.take());
                typed.kept = 0;
            }
            (None, '\'' | '"') => {
                typed.open = Some(char);
                // the line editor begins at the quote
                typed.kept = word.get_or_insert_default().chars().count();
            }
            (Some(quote), char) if quote == char => typed.open = None,
            (None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (Some('"'), '\\') => match chars.next() {
                Some(next @ ('"' | '\\' | '$' | '`')) => word.get_or_insert_default().push(next),
                Some(next) => word.get_or_insert_default().extend(['\\', next]),
                None => {}
            },
            (open, char) => {
                let word = word.get_or_insert_default();
                word.push(char);
                if open.is_none() && breaks.contains(char) {
                    typed.kept = word.chars().count();
                }
            }
        }
    }
    typed.current = word.unwrap_or_default();
    typed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BREAKS: &str = " \t\n\"'><=;|&(:";

    fn cut_at(line: &str) -> (Vec<String>, String, usize) {
        let typed = cut(line, BREAKS);
        (typed.words, typed.current, typed.kept)
    }

    #[test]
    fn a_line_is_cut_as_bash_does() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(cut_at("brv vc add "), (words(&["brv", "vc", "add"]), String::new(), 0));
        assert_eq!(cut_at("brv  a\\ b"), (words(&["brv"]), "a b".into(), 0));
        assert_eq!(cut_at("brv \"a b"), (words(&["brv"]), "a b".into(), 0));
        assert_eq!(cut_at("brv vc show HEAD:au"), (words(&["brv", "vc", "show"]), "HEAD:au".into(), 5));
        assert_eq!(cut_at("brv --color=al"), (words(&["brv"]), "--color=al".into(), 8));
        assert_eq!(cut_at("brv 'a'\\''b' x"), (words(&["brv", "a'b"]), "x".into(), 0));
    }

    #[test]
    fn what_bash_would_obey_is_quoted() {
        assert_eq!(bash("auth/a b.md", None), "auth/a\\ b.md");
        assert_eq!(bash("a$(rm x);b", None), "a\\$\\(rm\\ x\\)\\;b");
        assert_eq!(bash("a b", Some('"')), "a b");
        assert_eq!(bash("a$b", Some('"')), "a\\$b");
        assert_eq!(bash("a'b", Some('\'')), "a'\\''b");
        assert_eq!(bash("a\x1b\n", None), "$'a\\033\\012'");
        assert_eq!(bash("令牌.md", None), "令牌.md");
        assert_eq!(power_shell("it's here"), "'it''s here'");
        assert_eq!(power_shell("a$x"), "'a$x'");
    }

    #[test]
    fn lines_of_fish_and_powershell_hold_one_candidate() {
        let found = [("a b", "x"), ("a\nb", ""), ("a\x1bb", "")]
            .map(|(value, about)| Candidate { value: value.into(), about: about.into() });
        let typed = TypedLine::default();
        assert_eq!(Shell::Fish.print(&typed, &found), b"a b\tx\n");
        assert_eq!(Shell::PowerShell.print(&typed, &found), b"'a b'\ta b\tx\n");
        assert_eq!(Shell::Zsh.print(&typed, &found[2..]), b"a\x1bb\0a\\x1bb\0\0");
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn bash_reads_back_what_was_meant(value in "[ -~é令]{0,20}", open in prop::sample::select(vec![None, Some('"')])) {
            let quote = open.map(String::from).unwrap_or_default();
            let read = cut(&format!("brv {quote}{}", bash(&value, open)), "");
            prop_assert_eq!(read.current, value);
        }

        #[test]
        fn nothing_that_acts_is_printed_for_bash(value in any::<String>(), open in prop::sample::select(vec![None, Some('"'), Some('\'')])) {
            prop_assert!(is_harmless(&bash(&value, open)));
        }
    }
}
