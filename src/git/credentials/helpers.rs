//! git's credential helpers: which are asked, how they are run, what they may answer.
//!
//! Does not decide who may be told a password.

use crate::clock::Clock;
use crate::git::network::{Error, Network, Prompt};
use crate::git::patience::{Brought, GivenUp, Limits, Patience};
use crate::git::url_match::{Rule, is_http, truth, values};
use crate::process;
use bstr::{BStr, BString, ByteSlice as _};
use gix::credentials::protocol::{Context, ContextOptions};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A helper that nobody sees may not take longer. (One at a terminal may wait for a person.)
const LONGEST: Duration = Duration::from_secs(60);

/// An answer longer than this is none.
const MOST_BYTES: u64 = 64 << 10;

/// The helpers for one address.
pub(super) struct Helpers {
    programs: Vec<BString>,
    prompt: Prompt,
}

/// How asking them ended, beside what is in the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// All that were needed were asked.
    Done,
    /// One said that no other, and nobody, should be asked.
    Quit,
}

/// What a helper is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Store,
    Erase,
}

impl Verb {
    const fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Store => "store",
            Self::Erase => "erase",
        }
    }
}

impl Helpers {
    /// Those that the settings name for `url`; an empty name takes back all before it.
    pub fn of(repo: &gix::Repository, url: &gix::Url, prompt: Prompt) -> Self {
        let mut programs = Vec::new();
        for program in values(repo, "credential", "helper", url, Rule::All) {
            if program.trim().is_empty() {
                programs.clear();
            } else {
                programs.push(program);
            }
        }
        Self { programs, prompt }
    }

    /// Ask one after the other, until user and password are known.
    pub fn get(&self, context: &mut Context, patience: &Patience) -> Result<Asked, Error> {
        for program in &self.programs {
            if context.username.is_some() && context.password.is_some() {
                break;
            }
            // what a helper cannot say is as if it were not there
            let Some(bytes) = self.run(program, Verb::Get, context, patience)? else { continue };
            let Ok(answer) = Context::from_bytes(&bytes, context.options) else { continue };
            let quit = answer.quit == Some(true);
            take(context, answer);
            if quit {
                return Ok(Asked::Quit);
            }
        }
        Ok(Asked::Done)
    }

    /// Tell all of them what became of the credentials in `context`.
    pub fn tell(&self, verb: Verb, context: &Context, patience: &Patience) -> Result<(), Error> {
        for program in &self.programs {
            self.run(program, verb, context, patience)?;
        }
        Ok(())
    }

    /// Run one. `None`: it failed, or took too long.
    fn run(
        &self,
        program: &BString,
        verb: Verb,
        context: &Context,
        patience: &Patience,
    ) -> Result<Option<Vec<u8>>, Error> {
        let patience = &patience.afresh();
        let mut input = Vec::new();
        if context.write_to(&mut input).is_err() {
            return Ok(None);
        }
        let Some(mut command) = command(program.as_bstr(), verb) else { return Ok(None) };
        // one that leaves a daemon behind gives it no stream of ours
        let listened = if verb == Verb::Get { Stdio::piped() } else { Stdio::null() };
        command.stdin(Stdio::piped()).stdout(listened);
        if self.prompt == Prompt::Never {
            // it may not ask either, and its words are for people
            command.env("GIT_TERMINAL_PROMPT", "0").stderr(Stdio::null());
            process::lead_group(&mut command);
        }
        let Ok(mut child) = command.spawn() else { return Ok(None) };
        let answer = converse(&mut child, input, patience);
        if answer.is_err() || child.try_wait().ok().flatten().is_none() {
            process::end(&mut child, process::Led::from(self.prompt == Prompt::Never));
        }
        match answer {
            Ok(answer) => Ok(answer),
            Err(_) if patience.given_up() == Some(GivenUp::Interrupted) => Err(Error::Interrupted),
            Err(_) => Ok(None),
        }
    }
}

/// What the program says. `None`: it failed.
fn converse(child: &mut Child, input: Vec<u8>, patience: &Patience) -> std::io::Result<Option<Vec<u8>>> {
    if let Some(mut stdin) = child.stdin.take() {
        // a helper need not read what it is told
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let mut answer = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        Brought::by(stdout, patience.clone()).take(MOST_BYTES + 1).read_to_end(&mut answer)?;
    }
    if answer.len() as u64 > MOST_BYTES {
        return Err(std::io::ErrorKind::FileTooLarge.into());
    }
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success().then_some(answer));
        }
        let begun = Instant::now();
        std::thread::sleep(Duration::from_millis(1));
        patience.wait(begun.elapsed())?;
    }
}

/// The patience with helpers.
pub(super) fn patience(network: &Network<'_>) -> Patience {
    match network.credentials.prompt {
        Prompt::Never => {
            Patience::new(network.interrupt, Limits::silent_for(LONGEST.min(network.limits.silence)))
        }
        Prompt::Terminal => with_people(network.interrupt),
    }
}

/// The patience with people: only Ctrl-C ends it.
pub(super) fn with_people(interrupt: &'static AtomicBool) -> Patience {
    Patience::new(interrupt, Limits::silent_for(Duration::MAX))
}

/// What to ask, with what the address and the settings tell: protocol, host, user, path where the settings want it.
pub(super) fn question(repo: &gix::Repository, url: &gix::Url) -> Result<Context, Error> {
    let last_truth =
        |key| values(repo, "credential", key, url, Rule::All).pop().and_then(|value| truth(value.as_bstr()));
    let protect_protocol = last_truth("protectProtocol").unwrap_or(true);
    let mut context = Context::from_url(url.to_bstring(), ContextOptions { protect_protocol });
    let use_path = !is_http(url) || last_truth("useHttpPath") == Some(true);
    let unusable = |error| crate::git::Error::new("ask for credentials for this address", error);
    context.destructure_url_in_place(use_path).map_err(unusable)?;
    context.url = None;
    if context.username.is_none() {
        let name = values(repo, "credential", "username", url, Rule::All).pop();
        context.username = name.map(|name| name.to_str_lossy().into_owned()).filter(|name| !name.is_empty());
    }
    Ok(context)
}

/// What a helper said about user and password. Where they go is not its to say.
fn take(context: &mut Context, answer: Context) {
    let now = Clock::from_environment().seconds();
    context.username = answer.username.or(context.username.take());
    if answer.password.is_none() || answer.password_expiry_utc.is_some_and(|expiry| expiry < now) {
        return;
    }
    context.password = answer.password;
    context.password_expiry_utc = answer.password_expiry_utc;
    context.oauth_refresh_token = answer.oauth_refresh_token;
}

/// `!` and a line for the shell, the path of a program, or the end of the name of one of git's.
fn command(helper: &BStr, verb: Verb) -> Option<Command> {
    let text = helper.to_str().ok()?;
    let line = match text.strip_prefix('!') {
        Some(script) => script.to_owned(),
        None if std::path::Path::new(text.split(' ').next()?).is_absolute() => text.to_owned(),
        // without git its helpers may still be there
        None if process::find_on_path("git").is_none() => format!("git-credential-{text}"),
        None => format!("git credential-{text}"),
    };
    let mut command = process::command("sh");
    command.args(["-c", &format!("{line} {}", verb.word())]);
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(text: &str) -> (Option<String>, Option<String>) {
        let mut context = Context { username: Some("url".into()), ..Context::default() };
        take(&mut context, Context::from_bytes(text.as_bytes(), ContextOptions::default()).unwrap());
        (context.username, context.password)
    }

    #[test]
    fn an_expired_password_is_not_taken_and_the_user_is() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(answered("password=p\n"), (some("url"), some("p")));
        assert_eq!(answered("username=u\npassword=p\npassword_expiry_utc=1\n"), (some("u"), None));
        assert_eq!(answered("password=p\npassword_expiry_utc=99999999999\n").1, some("p"));
    }
}
