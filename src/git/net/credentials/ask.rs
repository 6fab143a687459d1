//! Asks the user for credentials: by the askpass program in the settings, else at the terminal.
//!
//! Does not check whether a user is there.

use super::helpers::with_people;
use crate::net::network::{Error, Network};
use crate::net::timeouts::{GivenUp, TimedReader};
use crate::printable;
use brv_base::environment::Environment;
use brv_base::process;
use gix::credentials::protocol::Context;
use std::io::Read as _;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secret {
    User,
    Password,
}

pub(super) struct CredentialPrompt {
    /// `GIT_ASKPASS`, `core.askPass`, or `SSH_ASKPASS`
    program: Option<String>,
    /// `None` with `GIT_TERMINAL_PROMPT=0`.
    terminal: bool,
    /// A line printed at the terminal before a question.
    preface: Option<String>,
    interrupt: &'static AtomicBool,
    environment: Environment,
}

impl CredentialPrompt {
    /// As set in the settings and the environment.
    pub fn of(repo: &gix::Repository, preface: Option<String>, network: &Network<'_>) -> Self {
        let variable = |name| network.environment.get_filled(name).map(str::to_owned);
        let config = repo.config_snapshot();
        let setting = || {
            config
                .trusted_program("core.askPass")
                .ok()
                .flatten()
                .map(|path| path.to_string_lossy().into_owned())
        };
        let program = variable("GIT_ASKPASS")
            .or_else(|| setting().filter(|program| !program.is_empty()))
            .or_else(|| variable("SSH_ASKPASS"));
        let asked = variable("GIT_TERMINAL_PROMPT");
        let terminal =
            asked.is_none_or(|value| crate::settings::url_match::truth(value.as_str().into()) != Some(false));
        let interrupt = network.interrupt;
        Self { program, terminal, preface, interrupt, environment: network.environment.clone() }
    }

    /// Asks for what `context` lacks. `None`: no answer.
    pub fn ask(&mut self, secret: Secret, context: &Context) -> Result<Option<String>, Error> {
        let text = prompt(secret, context);
        if let Some(program) = &self.program
            && let Some(answer) = self.by_program(program, &text)?
        {
            return Ok(Some(answer).filter(|answer| !answer.is_empty()));
        }
        if !self.terminal {
            return Ok(None);
        }
        let preface = self.preface.take().map(|line| format!("{line}\n")).unwrap_or_default();
        terminal::ask(&format!("{preface}{text}"), secret, self.interrupt)
    }

    fn by_program(&self, program: &str, text: &str) -> Result<Option<String>, Error> {
        let mut command = process::command_line(program.as_ref(), &self.environment);
        command.arg(text).stdin(Stdio::null()).stdout(Stdio::piped());
        let Ok(mut child) = command.spawn() else { return Ok(None) };
        let stdout = child.stdout.take().expect("it was asked for");
        let patience = with_people(self.interrupt);
        let mut answer = Vec::new();
        let read = TimedReader::by(stdout, patience.clone()).take(64 << 10).read_to_end(&mut answer);
        if read.is_err() {
            process::end(&mut child, process::Led::No);
        }
        if patience.given_up() == Some(GivenUp::Interrupted) {
            return Err(Error::Interrupted);
        }
        let succeeded = child.wait().is_ok_and(|status| status.success());
        let line = String::from_utf8(answer).ok();
        Ok(line.filter(|_| succeeded).map(|line| line.trim_end_matches(['\n', '\r']).to_owned()))
    }
}

/// In git's wording, so that programs recognise it.
fn prompt(secret: Secret, context: &Context) -> String {
    let mut place = Context { path: None, ..context.clone() };
    place.password = None;
    if secret == Secret::User {
        place.username = None;
    }
    let url = place.to_url().unwrap_or_default();
    let word = match secret {
        Secret::User => "Username",
        Secret::Password => "Password",
    };
    format!("{word} for '{}': ", printable(&url))
}

#[cfg(unix)]
mod terminal {
    use super::Secret;
    use crate::net::network::Error;
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
    use std::fs::File;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    /// Turns off the terminal's echo until this is dropped.
    struct EchoGuard<'a>(&'a File, Termios);

    impl<'a> EchoGuard<'a> {
        fn new(terminal: &'a File) -> Option<Self> {
            let before = tcgetattr(terminal).ok()?;
            let mut modes = before.clone();
            modes.local_modes &= !LocalModes::ECHO;
            modes.local_modes |= LocalModes::ECHONL;
            tcsetattr(terminal, OptionalActions::Flush, &modes).ok()?;
            Some(Self(terminal, before))
        }
    }

    impl Drop for EchoGuard<'_> {
        fn drop(&mut self) {
            // the terminal is gone, so nothing is echoed either
            let _ = tcsetattr(self.0, OptionalActions::Flush, &self.1);
        }
    }

    pub(super) fn ask(text: &str, secret: Secret, interrupt: &AtomicBool) -> Result<Option<String>, Error> {
        let opened = File::options().read(true).write(true).open("/dev/tty");
        let Ok(mut terminal) = opened else { return Ok(None) };
        let Ok(reader) = terminal.try_clone() else { return Ok(None) };
        if terminal.write_all(text.as_bytes()).is_err() {
            return Ok(None);
        }
        let silent = if secret == Secret::Password { Some(EchoGuard::new(&terminal)) } else { None };
        if matches!(silent, Some(None)) {
            // do not ask for a password that would be visible
            return Ok(None);
        }
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = BufReader::new(reader).read_line(&mut line);
            // the command may have been interrupted
            let _ = sender.send(read.map(|_| line));
        });
        loop {
            match receiver.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => {
                    let line = line.unwrap_or_default();
                    return Ok(
                        Some(line.trim_end_matches(['\n', '\r']).to_owned()).filter(|line| !line.is_empty())
                    );
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if interrupt.load(Ordering::Relaxed) => {
                    drop(silent);
                    // the cursor is after the question
                    let _ = terminal.write_all(b"\n");
                    return Err(Error::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

#[cfg(not(unix))]
mod terminal {
    use super::Secret;
    use crate::net::network::Error;
    use std::sync::atomic::AtomicBool;

    /// Other platforms use helpers and programs.
    pub(super) fn ask(
        _text: &str,
        _secret: Secret,
        _interrupt: &AtomicBool,
    ) -> Result<Option<String>, Error> {
        Ok(None)
    }
}
