//! Finds the key for a server: in the variable or by the command of the settings, else in the variable of its own host.
//!
//! A key is not stored, nor shown.

use super::{Error, program};
use brv_base::config::{self, Api};
use brv_base::environment::Environment;
use brv_base::process;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long a command that gives the key may take.
const TIME: Duration = Duration::from_secs(10);

/// The most bytes that it may write.
const LONGEST: usize = 4 << 10;

/// The fewest characters of a key that is a secret.
const SHORTEST: usize = 8;

/// The variables that are read without a setting, each for its own host only.
const OWN: [(&str, &str); 2] =
    [("api.openai.com", "OPENAI_API_KEY"), ("api.anthropic.com", "ANTHROPIC_API_KEY")];

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    Variable(String),
    Command,
    None,
}

impl std::fmt::Display for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "env:{name}"),
            Self::Command => f.write_str("command"),
            Self::None => f.write_str("none"),
        }
    }
}

/// Where the settings of one server say that its key is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyPlace<'a> {
    /// The settings' family, as in `model.key_env`.
    pub family: &'static str,
    /// The variable that has it.
    pub variable: Option<&'a str>,
    /// The setting or flag that names this variable, if it is not that of the family.
    pub flag: Option<&'static str>,
    /// The command that writes it.
    pub command: Option<&'a str>,
}

impl KeyPlace<'_> {
    fn source(&self) -> KeySource {
        match (self.variable, self.command) {
            (Some(name), _) => KeySource::Variable(name.to_owned()),
            (None, Some(_)) => KeySource::Command,
            (None, None) => KeySource::None,
        }
    }
}

impl KeySource {
    /// Where the key for the settings' server comes from. A variable that is not set has none.
    pub fn of(setting: &config::ModelConfig, environment: &Environment) -> Self {
        if setting.interface() == Some(Api::Command) {
            return Self::None;
        }
        place(setting, environment).source()
    }
}

/// Where the key of a model is; without a setting in the variable of its own host, if that is set.
pub(super) fn place<'a>(setting: &'a config::ModelConfig, environment: &Environment) -> KeyPlace<'a> {
    let (variable, command) = (setting.key_env.value.as_deref(), setting.key_command.value.as_deref());
    let host = setting.host().unwrap_or_default();
    let own = OWN.iter().find(|(own, _)| host.eq_ignore_ascii_case(own));
    let own = own.filter(|(_, name)| environment.get_filled(name).is_some()).map(|(_, name)| *name);
    let variable = variable.or_else(|| own.filter(|_| command.is_none()));
    KeyPlace { family: "model", variable, flag: None, command }
}

/// A key; it is not shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ApiKey(String);

impl ApiKey {
    /// For a header.
    pub fn value(&self) -> &str {
        &self.0
    }

    /// A text from outside, without the key.
    pub fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, "****")
    }

    /// Whether it is a secret: for a server that wants any key it may be a word, such as `none`.
    pub fn is_secret(&self) -> bool {
        self.0.len() >= SHORTEST
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

/// The key that is at a place, if any is named.
///
/// # Errors
/// One is named and cannot be had.
pub(crate) fn find(
    place: &KeyPlace<'_>,
    environment: &Environment,
    interrupt: &AtomicBool,
) -> Result<Option<ApiKey>, Error> {
    let family = place.family;
    let text = match place.source() {
        KeySource::None => return Ok(None),
        KeySource::Variable(name) => environment.get(&name).map(str::trim).unwrap_or_default().to_owned(),
        KeySource::Command => of_command(place, environment, interrupt)?,
    };
    if text.is_empty() {
        return Err(Error::Login(match place.source() {
            KeySource::Variable(name) => {
                let setting = place.flag.map_or_else(|| format!("{family}.key_env"), str::to_owned);
                format!("no key: `{name}` (`{setting}`) is not set")
            }
            _ => format!("no key: `{family}.key_command` wrote none"),
        }));
    }
    if text.contains(|character: char| !character.is_ascii() || character.is_ascii_control()) {
        return Err(Error::Login(format!("the key of `{family}` has characters that no key has")));
    }
    Ok(Some(ApiKey(text)))
}

/// The first line that the command writes.
fn of_command(
    place: &KeyPlace<'_>,
    environment: &Environment,
    interrupt: &AtomicBool,
) -> Result<String, Error> {
    let failed = |why: &str| Error::Login(format!("no key: `{}.key_command` {why}", place.family));
    let mut command = process::shell(place.command.unwrap_or_default(), environment);
    command.env("BRV_HOOKS", "0");
    match program::run(command, &[], LONGEST, TIME, interrupt) {
        Ok(output) if output.status.success() => {
            let text =
                String::from_utf8(output.bytes).map_err(|_| failed("wrote something that is not text"))?;
            Ok(text.lines().next().unwrap_or_default().trim().to_owned())
        }
        Ok(_) => Err(failed("failed")),
        Err(program::Fault::Interrupted) => Err(Error::Interrupted),
        Err(program::Fault::Late) => Err(failed("took longer than 10 s")),
        Err(program::Fault::TooLong) => Err(failed("wrote more than 4 KB")),
        Err(program::Fault::Unstarted(error)) => Err(failed(&format!("cannot be run: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::ApiKey;

    #[test]
    fn a_key_is_hidden_and_a_word_is_no_secret() {
        let key = ApiKey("sk-0123456789".into());
        assert_eq!(key.hidden_in("Bearer sk-0123456789!"), "Bearer ****!");
        assert!(key.is_secret() && !ApiKey("none".into()).is_secret());
    }
}
