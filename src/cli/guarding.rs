//! The `--allow` and `--reason` flags, which override a guard.

use brv_commands::vc::merge::{Allowed, Guard};
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use std::ffi::OsStr;
use std::fmt::Debug;
use std::marker::PhantomData;

/// The guards of a command that can be overridden.
pub trait Guarded: Debug + Clone + Send + Sync + 'static {
    /// Their names: [`Guard::word`].
    const GUARDS: &'static [&'static str];
    /// The help of `--allow`.
    const HELP: &'static str;
    /// Values of `--allow` that need another flag, with the flag.
    const NEEDS: &'static [(&'static str, &'static str)] = &[];
}

/// The guards of a command that takes in what others changed.
#[derive(Debug, Clone)]
pub struct Losses;

impl Guarded for Losses {
    const GUARDS: &'static [&'static str] = &["rewrite", "mass-delete"];
    const HELP: &'static str = "Override a guard: rewrite, when the remote has dropped commits; mass-delete, when an \
        update deletes a large part of the entries. May be repeated";
}

/// The guards of a dream, which removes merged and archived entries.
#[derive(Debug, Clone)]
pub struct Removing;

impl Guarded for Removing {
    const GUARDS: &'static [&'static str] = &["mass-delete"];
    const HELP: &'static str = "Override a guard: mass-delete, to let dreams remove more than 30 % of the entries in 30 \
        days; not for agents";
}

/// The guards of a command that also sends what is here.
#[derive(Debug, Clone)]
pub struct SyncingGuards;

impl Guarded for SyncingGuards {
    const GUARDS: &'static [&'static str] = &["rewrite", "mass-delete", "review", "secret"];
    const HELP: &'static str = "Override a guard: rewrite, when the remote has dropped commits; mass-delete, when an \
        update deletes a large part of the entries; review, to push changes that nobody has reviewed; \
        secret:FINGERPRINT, to push this one secret. May be repeated";
}

/// The guards of a command that sends.
#[derive(Debug, Clone)]
pub struct SendingGuards;

impl Guarded for SendingGuards {
    const GUARDS: &'static [&'static str] = &["review", "secret"];
    const HELP: &'static str = "Override a guard: review, to push changes that nobody has reviewed; \
        secret:FINGERPRINT, to push this one secret. May be repeated";
}

/// The guards of a command that stages.
#[derive(Debug, Clone)]
pub struct StagingGuards;

impl Guarded for StagingGuards {
    const GUARDS: &'static [&'static str] = &["secret"];
    const HELP: &'static str =
        "Override a guard: secret:FINGERPRINT, to let this one secret pass. May be repeated";
}

/// The overrides of `commit`, which stages, and amends.
#[derive(Debug, Clone)]
pub struct Amending;

impl Guarded for Amending {
    const GUARDS: &'static [&'static str] = &["rewrite", "secret"];
    const HELP: &'static str = "Override a guard: rewrite, to amend a commit that a remote already has; \
        secret:FINGERPRINT, to let this one secret pass. May be repeated";
    const NEEDS: &'static [(&'static str, &'static str)] = &[("rewrite", "amend")];
}

/// The flags that override the guards of a command.
#[derive(Debug, Args)]
pub struct Doors<C: Guarded> {
    #[arg(
        long,
        value_name = "GUARD",
        value_parser = GuardNameParser::<C>(PhantomData),
        requires = "reason",
        requires_ifs = C::NEEDS.iter().copied(),
        hide_possible_values = true,
        help = C::HELP
    )]
    allow: Vec<Guard>,
    /// Why the guard is overridden, for the operation log; requires --allow
    #[arg(long, value_name = "TEXT", requires = "allow", value_parser = words_of_a_reason)]
    reason: Option<String>,
    #[arg(skip)]
    command: PhantomData<C>,
}

impl<C: Guarded> Doors<C> {
    /// Convert to the type that the command takes.
    pub fn allowed(&self) -> Allowed {
        Allowed { guards: self.allow.clone(), reason: self.reason.clone().unwrap_or_default() }
    }
}

/// Reads the name of a guard that the command has.
#[derive(Debug, Clone)]
struct GuardNameParser<C>(PhantomData<C>);

impl<C: Guarded> TypedValueParser for GuardNameParser<C> {
    type Value = Guard;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Guard, clap::Error> {
        guard::<C>.parse_ref(command, argument, value)
    }

    /// For completions; a fingerprint cannot be completed.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(C::GUARDS.iter().filter(|name| **name != "secret").map(PossibleValue::new)))
    }
}

fn guard<C: Guarded>(text: &str) -> Result<Guard, String> {
    let guard = text.parse().ok().filter(|guard: &Guard| C::GUARDS.contains(&guard.word()));
    guard.ok_or_else(|| {
        let form = |name: &&str| match *name {
            "secret" => "`secret:` with the 16 lower-case hexadecimal digits of a fingerprint".to_owned(),
            name => format!("`{name}`"),
        };
        format!("must be {}", C::GUARDS.iter().map(form).collect::<Vec<_>>().join(" or "))
    })
}

fn words_of_a_reason(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Err("the reason must not be empty"),
        text => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_words() {
        assert_eq!(words_of_a_reason(" the old notes moved "), Ok("the old notes moved".to_owned()));
        assert!(words_of_a_reason(" \t").is_err());
    }

    #[test]
    fn each_command_takes_its_own_guards() {
        assert_eq!(guard::<Losses>("mass-delete"), Ok(Guard::MassDelete));
        assert!(guard::<Losses>("secret:0123456789abcdef").is_err());
        assert!(guard::<StagingGuards>("secret:0123456789abcdef").is_ok());
        assert_eq!(
            guard::<Amending>("secret:0123456789ABCDEF").unwrap_err(),
            "must be `rewrite` or `secret:` with the 16 lower-case hexadecimal digits of a fingerprint"
        );
    }
}
