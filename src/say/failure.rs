//! The failure of a command, as printed: exit code, message, details and hint.
//!
//! A [`Stop`] says what stopped the command; here it gets its exit code, and the hint of its kind if it has no other.

use super::envelope;
use super::exit::Exit;
use brv_base::escape::escape_line;
use brv_base::messages::without_passwords;
use brv_engine::outcome::unknown_name::UnknownName;
use brv_engine::{FailureKind, Login, Stop};

/// Why a command exits with a code other than 0: the code, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub exit: Exit,
    pub stop: Stop,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Stop::new(kind, message).into()
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Stop::usage(message).into()
    }

    /// A failure with the message of `error` and of its causes.
    pub fn because(kind: FailureKind, error: &dyn std::error::Error) -> Self {
        Stop::because(kind, error).into()
    }

    /// Use the name that was probably meant as the hint, if `near` finds one.
    pub fn suggesting(mut self, near: impl FnOnce(&UnknownName) -> Option<String>) -> Self {
        let Some(sought) = self.stop.sought.take() else { return self };
        match near(&sought) {
            Some(near) => self.stop.hint = Some(format!("did you mean `{}`?", escape_line(near.as_bytes()))),
            None => self.stop.hint = self.stop.hint.take().or_else(|| Some(list(&sought)?.to_owned())),
        }
        self
    }

    /// Set the `error.code`.
    pub fn code(self, code: &'static str) -> Self {
        Self { stop: self.stop.code(code), ..self }
    }

    /// Replace the message.
    pub fn saying(mut self, message: String) -> Self {
        self.stop.message = message;
        self
    }

    /// Set the hint, if there is one.
    pub fn hinting(self, hint: Option<impl Into<String>>) -> Self {
        Self { stop: self.stop.hinting(hint), ..self }
    }

    /// Add the files, refs or findings it is about.
    pub fn detailing(self, details: impl IntoIterator<Item = String>) -> Self {
        Self { stop: self.stop.detailing(details), ..self }
    }

    /// Its JSON.
    pub fn to_json(&self) -> envelope::Error {
        let Stop { code, message, details, hint, .. } = &self.stop;
        envelope::Error {
            code: code.unwrap_or(self.exit.word()),
            message: without_passwords(message),
            details: details.iter().map(|detail| without_passwords(detail)).collect(),
            hint: hint.as_deref().map(without_passwords),
        }
    }
}

impl From<Stop> for Failure {
    fn from(mut stop: Stop) -> Self {
        stop.hint = stop.hint.or_else(|| hint(stop.kind).map(str::to_owned));
        Self { exit: Exit::from(stop.kind), stop }
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
            Login::Engine => "`brv help organisation` says where the key comes from",
            Login::Elsewhere => "if you trust the address it redirects to, make that the remote's address",
        }),
        FailureKind::Busy => {
            Some("try again when it is done; the setting `lock.timeout` sets how long to wait")
        }
        _ => None,
    }
}
