//! A command that did not do what it was asked for, as it is told: what, why, and what may help.
//!
//! The hints of single commands stand in [`super::hints`]. No hint prints a complete command that
//! destroys something: callers paste what they read.

use super::exit::Exit;
use super::sought::sought;
use crate::ops::suggest::Sought;
use crate::ops::{FailureKind, Login};
use crate::say::escape::escape_line;
use crate::wire;

/// Why a command ends with another code than 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What could not be done, on what, and why; lower case.
    pub message: String,
    /// The files, refs or findings it is about, one line each.
    pub details: Vec<String>,
    /// What may help.
    pub hint: Option<String>,
    /// The name that leads nowhere, if it failed for that: a name that is near makes a better hint.
    pub sought: Option<Box<Sought>>,
}

impl Failure {
    /// A failure with these words.
    #[must_use]
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), details: Vec::new(), hint: None, sought: None }
    }

    /// Arguments that make no sense together.
    #[must_use]
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// The words of `error` and of what caused it.
    #[must_use]
    pub fn because(exit: Exit, error: &dyn std::error::Error) -> Self {
        Self::new(exit, wire::message(error))
    }

    /// An error of a use case, with the hint that fits its kind.
    #[must_use]
    pub fn of(kind: FailureKind, error: &(dyn std::error::Error + 'static)) -> Self {
        Self::because(Exit::from(kind), error).hinting(hint(kind)).seeking(sought(error))
    }

    /// With the name that leads nowhere.
    #[must_use]
    pub fn seeking(mut self, sought: Option<Sought>) -> Self {
        self.sought = sought.map(Box::new).or(self.sought);
        self
    }

    /// With the name that was probably meant as the hint, if `near` finds one.
    #[must_use]
    pub fn suggesting(mut self, near: impl FnOnce(&Sought) -> Option<String>) -> Self {
        if let Some(near) = self.sought.take().and_then(|sought| near(&sought)) {
            self.hint = Some(format!("did you mean `{}`?", escape_line(near.as_bytes())));
        }
        self
    }

    /// With a hint, if there is one.
    #[must_use]
    pub fn hinting(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into).or(self.hint);
        self
    }

    /// With the files, refs or findings it is about.
    #[must_use]
    pub fn detailing(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }

    /// The JSON form.
    #[must_use]
    pub fn to_wire(&self) -> wire::Error {
        wire::Error {
            code: self.exit.word(),
            message: self.message.clone(),
            details: self.details.clone(),
            hint: self.hint.clone(),
        }
    }
}

/// What helps whatever the command was.
const fn hint(kind: FailureKind) -> Option<&'static str> {
    match kind {
        FailureKind::NotInitialised => {
            Some("`brv init` makes a context tree here; `brv vc clone URL` brings one from elsewhere")
        }
        FailureKind::Authentication(login) => Some(match login {
            Login::Https => "a git credential helper may answer, or BRV_TOKEN together with BRV_TOKEN_HOST",
            Login::PlainHttp => "a git credential helper may answer; over https also BRV_TOKEN",
            Login::Ssh => "ssh must be able to log in by itself: with a key, or one that its agent holds",
            Login::Insecure => {
                "use https; if you trust the way, the setting `http.allowInsecureCredentials` lets them go"
            }
            Login::Elsewhere => "if you trust the address to which it leads, make that the remote's address",
        }),
        FailureKind::Busy => {
            Some("try again when it is done; the setting `lock.timeout` says how long to wait")
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
        assert_eq!(wire::message(&Repeating(Inner)), "failed: permission denied");
    }
}
