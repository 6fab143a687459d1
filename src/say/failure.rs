//! The failure of a command, as printed: exit code, message, details and hint.
//!
//! The hints of single commands are in [`super::hints`]. No hint prints a complete command that destroys something:
//! callers paste what they read.

use super::exit::Exit;
use super::unknown_name::unknown_name;
use crate::say::escape::escape_line;
use crate::wire;
use brv_base::messages::without_passwords;
use brv_commands::suggest::UnknownName;
use brv_engine::{FailureKind, Login, Stop};

/// Why a command exits with a code other than 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub exit: Exit,
    /// The `error.code`, where it says more than the name of the exit code.
    pub code: Option<&'static str>,
    /// What could not be done, on what, and why; lower case.
    pub message: String,
    /// The files, refs or findings it is about, one line each.
    pub details: Vec<String>,
    pub hint: Option<String>,
    /// The name that was not found, if that is the reason: a similar name makes a better hint.
    pub sought: Option<Box<UnknownName>>,
}

impl Failure {
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, code: None, message: message.into(), details: Vec::new(), hint: None, sought: None }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A failure with the message of `error` and of its causes.
    pub fn because(exit: Exit, error: &dyn std::error::Error) -> Self {
        Self::new(exit, brv_engine::outcome::stop::message(error))
    }

    /// A failure for the error of a command, with the hint for its kind.
    pub fn of(kind: FailureKind, error: &(dyn std::error::Error + 'static)) -> Self {
        Self::because(Exit::from(kind), error).hinting(hint(kind)).seeking(unknown_name(error))
    }

    /// A failure for the reason why a command stopped, without the hints for single errors.
    pub fn stopped(stop: &Stop) -> Self {
        let source = stop.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static));
        let failure = Self::new(Exit::from(stop.kind), &stop.message);
        Self { code: stop.code, ..failure }.hinting(hint(stop.kind)).seeking(source.and_then(unknown_name))
    }

    /// Add the name that was not found.
    pub fn seeking(mut self, sought: Option<UnknownName>) -> Self {
        self.sought = sought.map(Box::new).or(self.sought);
        self
    }

    /// Use the name that was probably meant as the hint, if `near` finds one.
    pub fn suggesting(mut self, near: impl FnOnce(&UnknownName) -> Option<String>) -> Self {
        let Some(sought) = self.sought.take() else { return self };
        match near(&sought) {
            Some(near) => self.hint = Some(format!("did you mean `{}`?", escape_line(near.as_bytes()))),
            None => self.hint = self.hint.take().or_else(|| Some(list(&sought)?.to_owned())),
        }
        self
    }

    /// Set the hint, if there is one.
    pub fn hinting(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into).or(self.hint);
        self
    }

    /// Set the files, refs or findings it is about.
    pub fn detailing(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }

    pub fn to_wire(&self) -> wire::Error {
        wire::Error {
            code: self.code.unwrap_or(self.exit.word()),
            message: without_passwords(&self.message),
            details: self.details.iter().map(|detail| without_passwords(detail)).collect(),
            hint: self.hint.as_deref().map(without_passwords),
        }
    }
}

/// The command that lists the names of this kind.
const fn list(sought: &UnknownName) -> Option<&'static str> {
    match sought {
        UnknownName::Revision(_) | UnknownName::RevisionOrPath(_) => {
            Some("`brv vc branch -a` lists the branches, `brv vc log` the commits")
        }
        UnknownName::Remote(_) => Some("`brv vc remote` lists the remotes"),
        UnknownName::RemoteBranch(_) => Some("`brv vc branch -r` lists the branches of remotes"),
        UnknownName::Path(_) | UnknownName::PathIn { .. } | UnknownName::GitSetting(_) => None,
    }
}

/// The hint for a kind of failure, independent of the command.
const fn hint(kind: FailureKind) -> Option<&'static str> {
    match kind {
        FailureKind::NotInitialised => {
            Some("create a context tree with `brv init`, or clone one with `brv vc clone URL`")
        }
        FailureKind::Authentication(login) => Some(match login {
            Login::Https => "set up a git credential helper, or set BRV_TOKEN and BRV_TOKEN_HOST",
            Login::PlainHttp => "set up a git credential helper, or use https with BRV_TOKEN",
            Login::Ssh => "ssh must be able to log in without a prompt, with a key file or an agent",
            Login::Insecure => {
                "use https; or, if you trust the connection, allow it with the setting `http.allowInsecureCredentials`"
            }
            Login::Model => "`brv help models` says where the key comes from",
            Login::Elsewhere => "if you trust the address it redirects to, make that the remote's address",
        }),
        FailureKind::Busy => {
            Some("try again when it is done; the setting `lock.timeout` sets how long to wait")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot read `a.md`")]
    struct Outer(#[source] Inner);

    #[derive(Debug, thiserror::Error)]
    #[error("permission denied")]
    struct Inner;

    #[derive(Debug, thiserror::Error)]
    #[error("failed: {0}")]
    struct Repeating(#[source] Inner);

    #[test]
    fn causes_follow_and_are_not_repeated() {
        let failure = Failure::because(Exit::Failed, &Outer(Inner));
        assert_eq!(failure.message, "cannot read `a.md`: permission denied");
        assert_eq!(brv_engine::outcome::stop::message(&Repeating(Inner)), "failed: permission denied");
    }
}
