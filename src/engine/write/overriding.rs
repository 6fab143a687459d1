//! The guards that a user overrides with `--allow`, and the reason for it.
//!
//! Knows the guards by name; each command asks for its own.

use crate::{Fails, FailureKind};
use brv_text::lint::{Fingerprint, secrets};
use std::fmt;
use std::str::FromStr;

/// Something that stops a command until it is overridden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The remote has dropped commits that it had.
    Rewrite,
    /// A large part of the entries would be deleted.
    MassDelete,
    /// Changes that wait for review would leave.
    Review,
    Secret(Fingerprint),
}

impl Guard {
    /// The name of the guard; that of a secret goes before its fingerprint.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rewrite => "rewrite",
            Self::MassDelete => "mass-delete",
            Self::Review => "review",
            Self::Secret(_) => "secret",
        }
    }
}

/// As `--allow` takes it: `rewrite`, `secret:0123456789abcdef`.
impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret(fingerprint) => write!(f, "{}:{fingerprint}", self.word()),
            _ => f.write_str(self.word()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoGuard;

impl FromStr for Guard {
    type Err = NoGuard;

    fn from_str(text: &str) -> Result<Self, NoGuard> {
        let secret = |text: &str| Fingerprint::parse(text.strip_prefix("secret:")?).map(Self::Secret);
        let plain =
            [Self::Rewrite, Self::MassDelete, Self::Review].into_iter().find(|guard| guard.word() == text);
        plain.or_else(|| secret(text)).ok_or(NoGuard)
    }
}

/// The guards that the user overrides, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    pub guards: Vec<Guard>,
    /// The reason, in the user's words.
    pub reason: String,
}

/// An agent wants to override what only a person may.
#[derive(Debug, thiserror::Error)]
#[error("only a person may push what nobody has reviewed: ask a person to review it")]
pub struct ByAgent;

impl Fails for ByAgent {
    fn kind(&self) -> FailureKind {
        FailureKind::Refused
    }
}

impl Allowed {
    /// Refuse that an agent sends what waits for a person.
    ///
    /// # Errors
    /// [`ByAgent`]: it does.
    pub fn check_caller(&self, is_by_agent: bool) -> Result<(), ByAgent> {
        if is_by_agent && self.lets(Guard::Review) { Err(ByAgent) } else { Ok(()) }
    }

    pub fn lets(&self, guard: Guard) -> bool {
        self.guards.contains(&guard)
    }

    /// The reason to log for an operation that needed overrides; each is named once.
    pub fn told(&self, what: &str, needed: &[Guard]) -> String {
        if needed.is_empty() {
            return what.to_owned();
        }
        let mut doors: Vec<String> = Vec::new();
        for guard in needed.iter().map(ToString::to_string) {
            if !doors.contains(&guard) {
                doors.push(guard);
            }
        }
        format!("{what} (allowed {}: {})", doors.join(" and "), secrets::masked(&self.reason))
    }

    /// The secrets that were allowed and are not among those that were met.
    pub fn unused(&self, met: &[Guard]) -> Vec<Guard> {
        let is_unused = |guard: &&Guard| matches!(guard, Guard::Secret(_)) && !met.contains(guard);
        self.guards.iter().filter(is_unused).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_is_read_as_it_is_shown() {
        for text in ["rewrite", "mass-delete", "review", "secret:0123456789abcdef"] {
            assert_eq!(text.parse::<Guard>().map(|guard| guard.to_string()), Ok(text.to_owned()));
        }
        for text in
            ["", "secret", "secret:", "secret:0123456789ABCDEF", "secret:0123", "secrets:0123456789abcdef"]
        {
            assert_eq!(text.parse::<Guard>(), Err(NoGuard), "{text}");
        }
    }

    #[test]
    fn no_agent_lets_pass_what_waits_for_a_person() {
        let secret = Guard::Secret(Fingerprint::parse("0123456789abcdef").unwrap());
        let allowed = |guard| Allowed { guards: vec![guard], reason: String::new() };
        assert!(allowed(Guard::Review).check_caller(true).is_err());
        assert!(allowed(Guard::Review).check_caller(false).is_ok());
        assert!(allowed(secret).check_caller(true).is_ok());
    }

    #[test]
    fn a_reason_with_a_secret_is_masked_in_the_log() {
        let secret = ["ghp_", "vZwnZuDMjJxyZLLKcgTAOGSf9uih4vmuGMGK"].concat();
        let guards = vec![Guard::Rewrite];
        let allowed = Allowed { reason: format!("it is {secret} that was shared"), guards: guards.clone() };
        let told = allowed.told("sync", &guards);
        assert_eq!(told, "sync (allowed rewrite: it is **** that was shared)");
    }
}
