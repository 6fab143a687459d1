//! Operations that change what is set of branches and remotes, and with it tracking refs, but no file.

use super::recovery;
use super::reflog::{Reflog, signature};
use super::transition::{self, Error, Purpose};
use crate::clock::Clock;
use crate::fs::WriteGuard;
use crate::git::branch_settings::Followed;
use crate::git::refs::Move;
use crate::git::{Scope, settings_moves};
use crate::journal::{Kind, OperationId, RefMove, SettingsMove};
use crate::ops::FailureKind;
use crate::ops::context::Actor;
use crate::progress::Progress;

/// The parts of the context that it takes.
pub struct Hands<'a> {
    /// The repository.
    pub scope: &'a Scope,
    /// Time.
    pub clock: Clock,
    /// Where progress is shown.
    pub progress: &'a dyn Progress,
    /// Who calls.
    pub actor: &'a Actor,
}

/// Why it could not be set what branches follow, after all else was done.
#[derive(Debug, thiserror::Error)]
pub enum NotFollowed {
    /// Locked, or not recovered.
    #[error(transparent)]
    Lock(#[from] recovery::Error),
    /// Writing.
    #[error(transparent)]
    Write(#[from] Error),
}

impl NotFollowed {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Lock(error) => error.kind(),
            Self::Write(error) => error.kind(),
        }
    }
}

/// Carry it out, as an operation of this kind with this reason. `None`: nothing changed that may be told, as where an address
/// only got another password.
///
/// # Errors
/// [`Error`]; what was begun is finished by the next command.
pub fn carry_out(
    hands: &Hands<'_>,
    guard: &WriteGuard,
    (kind, reason): (Kind, String),
    (settings, moves): (Vec<SettingsMove>, Vec<Move>),
) -> Result<Option<OperationId>, Error> {
    let settings: Vec<SettingsMove> = settings.into_iter().filter(|one| !one.is_empty()).collect();
    if moves.is_empty() && settings.iter().all(SettingsMove::is_silent) {
        settings_moves::bring(hands.scope, &settings)?;
        return Ok(None);
    }
    let moves = moves.into_iter().map(RefMove::from).collect();
    let who = signature(hands.scope, hands.clock);
    let carried =
        transition::Hands { scope: hands.scope, clock: hands.clock, progress: hands.progress, who: &who };
    let purpose = Purpose {
        id: None,
        kind,
        reflog: Reflog::from(format!("{}: {reason}", kind.word())),
        reason,
        actor: hands.actor,
        undoes: None,
        discarded: Vec::new(),
    };
    transition::carry_out_moves(&carried, guard, (moves, settings), &purpose).map(Some)
}

/// What it takes to let branches follow, as an operation of this kind; the branches that did so already are left out.
///
/// # Errors
/// [`Error`]
pub fn follow(
    hands: &Hands<'_>,
    guard: &WriteGuard,
    kind: Kind,
    wanted: &[(String, Followed)],
) -> Result<Option<OperationId>, Error> {
    let mut settings = Vec::new();
    for (branch, followed) in wanted {
        settings.push(SettingsMove::follow(hands.scope, branch, followed)?);
    }
    let reason = match wanted {
        [(branch, followed)] => format!("{branch} follows {followed}"),
        several => format!("{} branches follow others", several.len()),
    };
    carry_out(hands, guard, (kind, reason), (settings, Vec::new()))
}
