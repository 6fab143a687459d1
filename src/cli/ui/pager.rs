//! Pager: chooses and starts the program that shows long output page by page.

use brv_base::environment::Environment;
use brv_base::process;
use std::io::{self, Write};
use std::process::{Child, ChildStdin, Stdio};

/// The pager if none is configured. Unless `LESS` says otherwise, it quits at once if the text fits, keeps colours, and
/// leaves the text on the screen.
const DEFAULT: &str = "less";

/// The pager's command line: brv's setting, else `GIT_PAGER`, else `of_git` (the user's `core.pager`), else `PAGER`,
/// else [`DEFAULT`]. `None` if the choice is not a pager (empty, or `cat`).
pub(super) fn choice(
    setting: Option<&str>,
    environment: &Environment,
    of_git: impl FnOnce() -> Option<String>,
) -> Option<String> {
    let variable = |name| environment.get(name).map(str::to_owned);
    let chosen = setting
        .map(str::to_string)
        .or_else(|| variable("GIT_PAGER"))
        .or_else(of_git)
        .or_else(|| variable("PAGER"))
        .unwrap_or_else(|| DEFAULT.into());
    let chosen = chosen.trim();
    (!chosen.is_empty() && chosen != "cat").then(|| chosen.to_string())
}

/// A running pager; dropping it closes its input and waits until it exits.
pub(super) struct Pager {
    child: Child,
    input: Option<ChildStdin>,
}

impl Pager {
    /// Start `command_line`; `None` if it cannot be started: the output is then not paged.
    pub(super) fn start(command_line: &str, environment: &Environment) -> Option<Self> {
        if is_missing(command_line, |program| process::find_on_path(program, environment).is_some()) {
            return None;
        }
        let mut command = process::shell(command_line, environment);
        // as git: less quits when the text fits, keeps colours and the screen; lv keeps colours
        for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if environment.get_os(name).is_none() {
                command.env(name, value);
            }
        }
        let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
        // the pager survives Ctrl-C, and so must brv, or the shell would print its prompt below it
        process::leave_interrupts_to_child();
        let input = child.stdin.take();
        Some(Self { child, input })
    }
}

/// Whether the command line begins with the plain name of a program that does not exist. The shell would report that
/// only after the output was lost.
fn is_missing(command_line: &str, is_there: impl Fn(&str) -> bool) -> bool {
    let program = command_line.split_whitespace().next().unwrap_or_default();
    let is_plain =
        program.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.'));
    is_plain && !is_there(program)
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.input {
            Some(input) => input.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.input.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_that_is_not_there_is_not_started() {
        let is_there = |program: &str| program == "less";
        assert!(!is_missing("less -R", is_there));
        assert!(is_missing("moar --colour", is_there));
        assert!(!is_missing("LESS=R less", is_there));
        assert!(!is_missing("/opt/pager", is_there));
    }

    #[test]
    fn the_first_choice_that_was_made_counts() {
        let variables = |names: &[(&str, &str)]| names.iter().copied().collect::<Environment>();
        let choice = |setting, variables: Environment, of_git: Option<&str>| {
            choice(setting, &variables, || of_git.map(str::to_string))
        };
        assert_eq!(choice(None, variables(&[]), None).as_deref(), Some("less"));
        assert_eq!(choice(None, variables(&[("PAGER", "more")]), None).as_deref(), Some("more"));
        assert_eq!(choice(None, variables(&[("PAGER", "more")]), Some("delta")).as_deref(), Some("delta"));
        let both = &[("PAGER", "more"), ("GIT_PAGER", "most")];
        assert_eq!(choice(None, variables(both), Some("delta")).as_deref(), Some("most"));
        assert_eq!(choice(Some("less -S"), variables(both), None).as_deref(), Some("less -S"));
        assert_eq!(choice(Some(""), variables(both), None), None);
        assert_eq!(choice(None, variables(&[("PAGER", "cat")]), None), None);
    }
}
