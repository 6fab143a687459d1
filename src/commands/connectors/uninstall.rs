//! `brv connectors uninstall`: take brv out of the files of hosts.

use super::{Changed, Changes, ConnectorChange, Host, Mode, Selection};
use crate::connectors::agents::{self, Connector, Site};
use brv_engine::agents::connectors::Target;
use brv_engine::{Context, Stop};

/// Take brv out of the files of the named hosts, or of all. Without a type or a scope: of all types and scopes. Beside it,
/// why other files are left as they are: they cannot be read, if the host is named or brv wrote to them, or a file of a named
/// host has something else called `brv`.
///
/// # Errors
/// There are such files, and no others.
pub fn run(cx: &Context<'_>, selection: &Selection, mode: Mode) -> Result<(Changes, Option<Stop>), Stop> {
    let site = Site::of(&cx.cwd, &cx.environment)?;
    let hosts = if selection.hosts.is_empty() { Host::ALL.to_vec() } else { selection.hosts.clone() };
    let mut targets: Vec<Target> = hosts.into_iter().flat_map(|host| site.all(host)).collect();
    targets.retain(|target| {
        (selection.kinds.is_empty() || selection.kinds.contains(&target.kind))
            && selection.scope.is_none_or(|scope| scope == target.scope)
            // without a name, only what is brv's own
            && (!selection.hosts.is_empty() || site.has_own(target))
    });
    let (plan, refused) = agents::uninstall(&site, targets);
    let refused = together(refused);
    let refused = match refused {
        Some(stop) if plan.targets().next().is_none() => return Err(stop),
        refused => refused,
    };
    let before: Vec<Connector> = plan.targets().map(|target| site.look(target)).collect();
    let after = match mode {
        Mode::Write => plan.remove(&site)?,
        Mode::DryRun => plan.outlook(&site),
    };
    let each = before.into_iter().zip(plan.is_changed()).zip(after);
    let connectors = each.map(|((before, is_changed), connector)| {
        let change = ConnectorChange::of(before.state, is_changed, connector.state);
        let connector = match change {
            // what somebody else had written, before install mended it
            ConnectorChange::Updated => {
                let why = Some("it is as it was before `install` again".into());
                Connector { why, diff: None, ..connector }
            }
            _ => connector,
        };
        Changed { connector, change }
    });
    Ok((Changes { connectors: connectors.collect(), dry_run: mode == Mode::DryRun }, refused))
}

/// One stop for all files that are left as they are.
fn together(mut refused: Vec<Stop>) -> Option<Stop> {
    if refused.len() < 2 {
        return refused.pop();
    }
    let stop = Stop::refused(format!("{} files are left as they are", refused.len()));
    Some(stop.detailing(refused.into_iter().map(|one| one.message)))
}
