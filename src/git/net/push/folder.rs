//! Pushes into a folder of this machine when git is not installed.
//!
//! Enforces the rules of `git receive-pack` that protect data; runs no hooks.

use super::decide::{Command, Decided};
use super::{Atomicity, Error, Outcome, RefOutcome, Status};
use crate::history::shallow::{Depth, Roots};
use crate::net::local::{LocalFetchRequest, LocalRemote, transfer};
use crate::net::network::Network;
use brv_base::progress::Stage;
use bstr::ByteSlice as _;

pub(super) fn push(
    repo: &gix::Repository,
    folder: &LocalRemote,
    decided: Decided,
    network: &Network<'_>,
) -> Result<Outcome, Error> {
    let Decided { mut refs, commands, atomicity, .. } = decided;
    let want: Vec<_> = commands.iter().map(|command| command.after).filter(|id| !id.is_null()).collect();
    let order = LocalFetchRequest { want: &want, depth: Depth::Unchanged, roots: Roots::Refuse };
    let copied = transfer(repo, &folder.repo, &order, Stage::Send, network)?;
    if copied.boundary.is_some() {
        for command in commands.iter().filter(|command| !command.after.is_null()) {
            refs[command.at].status = Status::Rejected("shallow update not allowed".into());
        }
        return Ok(Outcome { refs, objects: copied.objects, ..Outcome::default() });
    }
    match atomicity {
        Atomicity::EachRef => {
            for command in &commands {
                apply(folder, &mut refs, std::slice::from_ref(command));
            }
        }
        Atomicity::AllOrNothing => apply(folder, &mut refs, &commands),
    }
    Ok(Outcome { refs, objects: copied.objects, ..Outcome::default() })
}

/// Moves these refs together, or none of them.
fn apply(folder: &LocalRemote, refs: &mut [RefOutcome], commands: &[Command]) {
    let mut edits = Vec::new();
    let mut refused = false;
    for command in commands {
        let some = |id: gix::ObjectId| (!id.is_null()).then_some(id);
        let name = refs[command.at].destination.clone();
        match folder.edit(name.as_bstr(), some(command.before), some(command.after)) {
            Ok(edit) => edits.push(edit),
            Err(reason) => {
                refs[command.at].status = Status::Rejected(reason);
                refused = true;
            }
        }
    }
    let failure = if refused { Some("atomic push failure".to_owned()) } else { folder.apply(edits).err() };
    for command in commands {
        let status = &mut refs[command.at].status;
        if let Some(reason) = &failure
            && *status == Status::Ok
        {
            *status = Status::Rejected(reason.clone());
        }
    }
}
