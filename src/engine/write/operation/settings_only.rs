//! Operations that change settings of branches and remotes, and the tracking refs with them, but no file.

use super::{Derived, Purpose, Work, Writing};
use crate::Stop;
use crate::journal::{OperationId, OperationKind, RefMove, SettingsMove, Transition};
use crate::open::context::Parts;
use brv_git::branch_settings::Followed;
use brv_git::refs::Move;
use brv_git::settings_moves;

/// Carry out the change, as an operation of this kind with this reason. Nothing is logged if nothing changed that may
/// be logged, for example if only the password in a URL changed.
///
/// # Errors
/// The next command finishes an interrupted operation.
pub fn carry_out(
    writing: &mut Writing<'_>,
    (kind, reason): (OperationKind, String),
    (settings, moves): (Vec<SettingsMove>, Vec<Move>),
) -> Result<(), Stop> {
    let settings: Vec<SettingsMove> = settings.into_iter().filter(|one| !one.is_empty()).collect();
    if moves.is_empty() && settings.iter().all(SettingsMove::is_silent) {
        return Ok(settings_moves::bring(writing.scope(), &settings)?);
    }
    let moves = moves.into_iter().map(RefMove::from).collect();
    let reflog = format!("{}: {reason}", kind.word());
    let transition = Transition { moves, settings, ..Transition::default() };
    let purpose = Purpose::new(kind, reason).logged(reflog);
    writing.carry_out(None, Work::exact(transition), &purpose)?;
    Ok(())
}

/// Set the upstreams of branches, as an operation of this kind; branches that already have theirs are left out. `told`
/// completes the reason.
///
/// # Errors
/// The next command finishes an interrupted operation.
pub fn follow(
    parts: Parts<'_>,
    kind: OperationKind,
    wanted: &[(String, Followed)],
    told: impl FnOnce(String) -> String,
) -> Result<Option<OperationId>, Stop> {
    let mut writing = Writing::begin(parts)?;
    let follow =
        |(branch, followed): &(String, Followed)| SettingsMove::follow(parts.scope(), branch, followed);
    let settings = wanted.iter().map(follow).collect::<Result<_, _>>()?;
    let reason = match wanted {
        [(branch, followed)] => format!("{branch} tracks {followed}"),
        several => format!("set the upstream of {} branches", several.len()),
    };
    carry_out(&mut writing, (kind, told(reason)), (settings, Vec::new()))?;
    Ok(writing.finish(Derived::Leave).operation)
}
