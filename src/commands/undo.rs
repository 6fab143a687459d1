//! `brv undo`: revert an operation, any operation of any actor, or all operations of a session.

use crate::undo::work::undo::{self, UndoRequest};
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::open::naming::paths;
use brv_engine::write::operation;

pub use crate::undo::work::UndoMode;
pub use crate::undo::work::undo::{
    Extent, OnConflict, OperationId, Outcome, PassedOver, RevertedOnRemote, UndoOrigin, Undone, UndoneSession,
};
pub use brv_engine::Mode;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The operation, as typed; `None`: the caller's last one.
    pub operation: Option<String>,
    /// Instead of one operation: all of this session, as typed.
    pub session: Option<String>,
    /// Only these files, as typed.
    pub paths: Vec<String>,
    /// What to do about changes that need a person's decision.
    pub on_conflict: OnConflict,
    /// Whether anything is written.
    pub mode: Mode,
}

/// Undo an operation.
///
/// # Errors
/// No such operation, or one that cannot be undone as things stand; conflicts are an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |locking| {
        let opened = cx.open()?;
        let request = UndoRequest {
            operation: options.operation.as_deref(),
            session: options.session.as_deref(),
            paths: &paths::pathspecs(&opened.scope.root(), &cx.cwd, &options.paths)?,
            on_conflict: options.on_conflict,
            mode: options.mode,
            ..UndoRequest::LAST
        };
        undo::undo(cx.parts(&opened), &request, locking)
    })
}

pub mod work;
