//! Finds the argument being typed: parses the words before it as the command line parser does.
//!
//! Accepts incomplete command lines without errors; reads no repository.

use clap::{Arg, Command};

/// The position of the current word.
#[derive(Debug)]
pub struct Position<'c> {
    /// The command selected by the words.
    pub command: &'c Command,
    /// Its name, word by word: `["vc", "remote", "add"]`.
    pub path: Vec<&'c str>,
    /// The positional arguments typed so far.
    pub given: Vec<String>,
    /// The last `-C`.
    pub directory: Option<String>,
    /// What the current word may be.
    pub slot: Slot<'c>,
}

/// What a word at some position may be.
#[derive(Debug)]
pub enum Slot<'c> {
    /// A flag.
    Flag,
    /// The value of a flag; `inline` is the text before it in the same word (`--color=`).
    Value {
        /// The flag.
        flag: &'c Arg,
        /// `--color=`, or nothing.
        inline: String,
    },
    /// A subcommand or a positional argument.
    Word {
        /// The argument.
        argument: Option<&'c Arg>,
        /// Whether a subcommand is allowed here.
        commands: bool,
    },
}

/// Parses `words` (without the program's name) and finds what `current` may be.
pub fn find<'c>(root: &'c Command, words: &[String], current: &str) -> Position<'c> {
    let mut position = Position {
        command: root,
        path: Vec::new(),
        given: Vec::new(),
        directory: None,
        slot: Slot::Word { argument: None, commands: true },
    };
    let mut waiting: Option<&Arg> = None;
    let mut escaped = false;
    for word in words {
        if let Some(flag) = waiting.take() {
            position.note(flag, word);
        } else if !escaped && word == "--" {
            escaped = true;
        } else if !escaped && word.starts_with('-') && word.len() > 1 {
            waiting = position.flag(word);
        } else if let Some(below) = position.below(word).filter(|_| !escaped) {
            position.path.push(below.get_name());
            position.command = below;
        } else {
            position.given.push(word.clone());
        }
    }
    position.slot = position.slot(waiting, escaped, current);
    position
}

/// The names of the commands that `words` select.
pub fn names(root: &clap::Command, words: &[String]) -> Vec<String> {
    find(root, words, "").path.into_iter().map(str::to_owned).collect()
}

impl<'c> Position<'c> {
    fn below(&self, word: &str) -> Option<&'c Command> {
        if self.given.is_empty() { self.command.find_subcommand(word) } else { None }
    }

    fn note(&mut self, flag: &Arg, value: &str) {
        if flag.get_short() == Some('C') {
            self.directory = Some(value.to_owned());
        }
    }

    /// Parses a word with flags; returns the flag that takes the next word as its value, if any.
    fn flag(&mut self, word: &str) -> Option<&'c Arg> {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let flag = long_flag(self.command, name)?;
            return (value.is_none() && takes_next(flag)).then_some(flag);
        }
        for (at, short) in word.char_indices().skip(1) {
            let flag = self.command.get_arguments().find(|arg| arg.get_short() == Some(short))?;
            if takes_value(flag) {
                let rest = &word[at + short.len_utf8()..];
                if rest.is_empty() {
                    return takes_next(flag).then_some(flag);
                }
                self.note(flag, rest);
                return None;
            }
        }
        None
    }

    fn slot(&self, waiting: Option<&'c Arg>, escaped: bool, current: &str) -> Slot<'c> {
        if let Some(flag) = waiting {
            return Slot::Value { flag, inline: String::new() };
        }
        if !escaped && current.starts_with('-') {
            let inline = current.strip_prefix("--").and_then(|long| long.split_once('='));
            return match inline.and_then(|(name, _)| Some((name, long_flag(self.command, name)?))) {
                Some((name, flag)) if takes_value(flag) => Slot::Value { flag, inline: format!("--{name}=") },
                _ => Slot::Flag,
            };
        }
        let commands = !escaped && self.given.is_empty() && self.command.has_subcommands();
        Slot::Word { argument: self.argument(escaped), commands }
    }

    /// The argument that takes the next positional word.
    fn argument(&self, escaped: bool) -> Option<&'c Arg> {
        let last = self.command.get_positionals().find(|arg| arg.is_last_set());
        if let Some(last) = last.filter(|_| escaped) {
            return Some(last);
        }
        let mut free = self.command.get_positionals().filter(|arg| !arg.is_last_set());
        let mut before = self.given.len();
        free.find(|arg| {
            let takes = arg.get_num_args().map_or(1, |range| range.max_values());
            let here = before < takes;
            before = before.saturating_sub(takes);
            here
        })
    }
}

fn long_flag<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| {
        arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
    })
}

fn takes_value(flag: &Arg) -> bool {
    !flag.is_positional() && flag.get_action().takes_values()
}

/// Whether the value is the next word; not if the value is optional.
fn takes_next(flag: &Arg) -> bool {
    takes_value(flag)
        && !flag.is_require_equals_set()
        && flag.get_num_args().is_none_or(|range| range.min_values() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table::root;

    fn at<'c>(root: &'c Command, line: &str) -> Position<'c> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (current, words) = words.split_last().unwrap();
        find(root, words, current)
    }

    fn argument<'c>(position: &Position<'c>) -> Option<&'c str> {
        match &position.slot {
            Slot::Word { argument, .. } => argument.map(|arg| arg.get_id().as_str()),
            _ => None,
        }
    }

    #[test]
    fn words_lead_to_a_command_and_to_its_arguments() {
        let root = root();
        let position = at(&root, "-C there vc push -u origin ");
        assert_eq!(position.path, ["vc", "push"]);
        assert_eq!(position.given, ["origin"]);
        assert_eq!(position.directory.as_deref(), Some("there"));
        assert_eq!(argument(&position), Some("refspecs"));
        assert_eq!(argument(&at(&root, "vc push ")), Some("remote"));
        assert_eq!(
            argument(&at(&root, "vc push a b c ")),
            Some("refspecs"),
            "the last takes all that follow"
        );
        assert_eq!(argument(&at(&root, "vc log -- ")), Some("paths"));
    }

    #[test]
    fn a_flag_that_waits_for_its_value_gets_it() {
        let root = root();
        let flag = |line: &str| match at(&root, line).slot {
            Slot::Value { flag, inline } => Some((flag.get_id().as_str(), inline)),
            _ => None,
        };
        assert_eq!(flag("vc clone --branch "), Some(("branch", String::new())));
        assert_eq!(flag("vc clone -b "), Some(("branch", String::new())));
        assert_eq!(flag("vc clone --branch=ma"), Some(("branch", "--branch=".into())));
        assert_eq!(flag("vc clone --branch=main "), None);
        assert_eq!(flag("vc clone -bmain "), None);
        assert_eq!(at(&root, "-C/tmp vc ").directory.as_deref(), Some("/tmp"));
    }

    #[test]
    fn commands_stand_before_other_words_only() {
        let root = root();
        let commands = |line: &str| matches!(at(&root, line).slot, Slot::Word { commands: true, .. });
        assert!(commands("vc "));
        assert!(commands("vc remote "));
        assert!(!commands("vc config user.name "));
        assert!(matches!(at(&root, "vc --qu").slot, Slot::Flag));
    }
}
