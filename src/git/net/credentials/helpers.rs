//! Runs git's credential helpers: which ones, how, and what they may answer.
//!
//! Does not decide which servers may get a password.

use super::fault::{Failure, LastWord, told};
use crate::net::network::{Error, Network};
use crate::net::timeouts::{GivenUp, Limits, Patience, TimedReader};
use crate::prompt::Prompt;
use crate::settings::url_match::{UrlMatchRule, is_http, truth, values};
use brv_base::clock::Clock;
use brv_base::environment::Environment;
use brv_base::process;
use bstr::{BStr, BString, ByteSlice as _};
use gix::credentials::protocol::{Context, ContextOptions};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The time limit for a helper without a terminal. (One at a terminal may wait for the user.)
const LONGEST: Duration = Duration::from_secs(60);

/// A longer answer is invalid.
const MOST_BYTES: u64 = 64 << 10;

pub(super) struct Helpers {
    programs: Vec<BString>,
    prompt: Prompt,
    environment: Environment,
    /// The report of the last helper that failed, free of secrets and control characters.
    pub fault: Option<String>,
}

/// How the helpers' run ended, beside what is in the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HelperOutcome {
    /// All helpers that were needed were run.
    Done,
    /// A helper answered `quit`: neither other helpers nor the user may be asked.
    Quit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HelperAction {
    Get,
    Store,
    Erase,
}

impl HelperAction {
    const fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Store => "store",
            Self::Erase => "erase",
        }
    }
}

impl Helpers {
    /// The helpers that the settings name for `url`; an empty name clears the list before it.
    pub fn of(repo: &gix::Repository, url: &gix::Url, network: &Network<'_>) -> Self {
        let mut programs = Vec::new();
        for program in values(repo, "credential", "helper", url, UrlMatchRule::All) {
            if program.trim().is_empty() {
                programs.clear();
            } else {
                programs.push(program);
            }
        }
        let prompt = network.credentials.prompt;
        Self { programs, prompt, environment: network.environment.clone(), fault: None }
    }

    /// Runs one after the other, until user and password are known.
    pub fn get(&mut self, context: &mut Context, patience: &Patience) -> Result<HelperOutcome, Error> {
        for program in &self.programs {
            if context.username.is_some() && context.password.is_some() {
                break;
            }
            // a failing helper is skipped, and reported if no other helps
            let Ran { answer, said } = self.run(program, HelperAction::Get, context, patience)?;
            let parsed = answer.and_then(|bytes| {
                Context::from_bytes(&bytes, context.options).map_err(|_| Failure::Nonsense)
            });
            let answer = match parsed {
                Ok(answer) => answer,
                Err(failure) => {
                    self.fault = told(&program.to_str_lossy(), Some(failure), said);
                    continue;
                }
            };
            if answer.password.is_none() {
                self.fault = told(&program.to_str_lossy(), None, said).or(self.fault.take());
            }
            let quit = answer.quit == Some(true);
            take(context, answer, Clock::from_environment(&self.environment));
            if quit {
                return Ok(HelperOutcome::Quit);
            }
        }
        Ok(HelperOutcome::Done)
    }

    /// Tells all of them whether the credentials in `context` worked.
    pub fn tell(&self, verb: HelperAction, context: &Context, patience: &Patience) -> Result<(), Error> {
        for program in &self.programs {
            self.run(program, verb, context, patience)?;
        }
        Ok(())
    }

    fn run(
        &self,
        program: &BString,
        verb: HelperAction,
        context: &Context,
        patience: &Patience,
    ) -> Result<Ran, Error> {
        let patience = &patience.afresh();
        let failed = |failure| Ok(Ran { answer: Err(failure), said: None });
        let mut input = Vec::new();
        if context.write_to(&mut input).is_err() {
            return failed(Failure::NotStarted);
        }
        let Some(mut command) = command(program.as_bstr(), verb, &self.environment) else {
            return failed(Failure::NotStarted);
        };
        // a daemon left by a helper must not hold our stream
        let listened = || if verb == HelperAction::Get { Stdio::piped() } else { Stdio::null() };
        command.stdin(Stdio::piped()).stdout(listened());
        if self.prompt == Prompt::Never {
            // it must not prompt either
            command.env("GIT_TERMINAL_PROMPT", "0").stderr(listened());
            process::lead_group(&mut command);
        }
        let Ok(mut child) = command.spawn() else { return failed(Failure::NotStarted) };
        let last_word = child.stderr.take().map(LastWord::of);
        let answer = converse(&mut child, input, patience);
        if answer.is_err() || child.try_wait().ok().flatten().is_none() {
            process::end(&mut child, process::Led::from(self.prompt == Prompt::Never));
        }
        let answer = match (answer, patience.given_up()) {
            (Ok(answer), _) => answer,
            (Err(_), Some(GivenUp::Interrupted)) => return Err(Error::Interrupted),
            (Err(_), Some(GivenUp::Silent(limit))) => Err(Failure::TooLong(limit)),
            (Err(_), _) => Err(Failure::Nonsense),
        };
        // output of a helper that succeeded is not reported
        let said = last_word.filter(|_| !answer.as_ref().is_ok_and(|text| text.contains_str("password=")));
        Ok(Ran { answer, said: said.and_then(LastWord::take) })
    }
}

struct Ran {
    answer: Result<Vec<u8>, Failure>,
    /// Its last line of output, unless a terminal got it.
    said: Option<String>,
}

fn converse(
    child: &mut Child,
    input: Vec<u8>,
    patience: &Patience,
) -> std::io::Result<Result<Vec<u8>, Failure>> {
    if let Some(mut stdin) = child.stdin.take() {
        // a helper need not read its input
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let mut answer = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        TimedReader::by(stdout, patience.clone()).take(MOST_BYTES + 1).read_to_end(&mut answer)?;
    }
    if answer.len() as u64 > MOST_BYTES {
        return Err(std::io::ErrorKind::FileTooLarge.into());
    }
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { Ok(answer) } else { Err(Failure::Ended(status.code())) });
        }
        let begun = Instant::now();
        std::thread::sleep(Duration::from_millis(1));
        patience.wait(begun.elapsed())?;
    }
}

pub(super) fn patience(network: &Network<'_>) -> Patience {
    match network.credentials.prompt {
        Prompt::Never => {
            Patience::new(network.interrupt, Limits::silent_for(LONGEST.min(network.limits.silence)))
        }
        Prompt::Terminal => with_people(network.interrupt),
    }
}

/// No time limit when a user answers: only Ctrl-C ends it.
pub(super) fn with_people(interrupt: &'static AtomicBool) -> Patience {
    Patience::new(interrupt, Limits::silent_for(Duration::MAX))
}

/// The request, with the data from the URL and the settings: protocol, host, user, and the path if the settings want
/// it.
pub(super) fn question(repo: &gix::Repository, url: &gix::Url) -> Result<Context, Error> {
    let last_truth = |key| {
        values(repo, "credential", key, url, UrlMatchRule::All).pop().and_then(|value| truth(value.as_bstr()))
    };
    let protect_protocol = last_truth("protectProtocol").unwrap_or(true);
    let mut context = Context::from_url(url.to_bstring(), ContextOptions { protect_protocol });
    let use_path = !is_http(url) || last_truth("useHttpPath") == Some(true);
    let unusable = |error| crate::Error::new("ask for credentials for this address", error);
    context.destructure_url_in_place(use_path).map_err(unusable)?;
    context.url = None;
    if context.username.is_none() {
        let name = values(repo, "credential", "username", url, UrlMatchRule::All).pop();
        context.username = name.map(|name| name.to_str_lossy().into_owned()).filter(|name| !name.is_empty());
    }
    Ok(context)
}

/// Takes user and password from a helper's answer. It must not change the host.
fn take(context: &mut Context, answer: Context, clock: Clock) {
    context.username = answer.username.or(context.username.take());
    if answer.password.is_none() || answer.password_expiry_utc.is_some_and(|expiry| expiry < clock.seconds())
    {
        return;
    }
    context.password = answer.password;
    context.password_expiry_utc = answer.password_expiry_utc;
    context.oauth_refresh_token = answer.oauth_refresh_token;
}

/// A helper is `!` and a shell command, the path of a program, or the end of the name of one of git's.
fn command(helper: &BStr, verb: HelperAction, environment: &Environment) -> Option<Command> {
    let text = helper.to_str().ok()?;
    let line = match text.strip_prefix('!') {
        Some(script) => script.to_owned(),
        None if std::path::Path::new(text.split(' ').next()?).is_absolute() => text.to_owned(),
        // without git its helpers may still exist
        None if process::find_on_path("git", environment).is_none() => format!("git-credential-{text}"),
        None => format!("git credential-{text}"),
    };
    let mut command = process::sh(environment);
    command.args(["-c", &format!("{line} {}", verb.word())]);
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(text: &str) -> (Option<String>, Option<String>) {
        let mut context = Context { username: Some("url".into()), ..Context::default() };
        take(
            &mut context,
            Context::from_bytes(text.as_bytes(), ContextOptions::default()).unwrap(),
            Clock::Wall,
        );
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
