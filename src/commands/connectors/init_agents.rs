//! `brv init --agents`: register brv with every agent that is found here.

use super::{Changed, Changes, ConnectorChange, Mode};
use crate::connectors::agents::{self, Connector, ConnectorState, ConnectorType, Host, Site};
use brv_engine::agents::connectors;
use brv_engine::{Context, Stop};

/// What became of the files of the agents that are found, and why some are left alone: one that refuses keeps no other from
/// being written.
///
/// # Errors
/// A project that cannot be used.
pub fn run(cx: &Context<'_>, mode: Mode) -> Result<(Changes, Vec<Stop>), Stop> {
    let site = Site::of(&cx.cwd, &cx.environment)?;
    let (mut connectors, mut refused) = (Vec::new(), Vec::new());
    for host in agents::detect(&site) {
        for kind in connectors::usual_kinds(host) {
            match one(&site, host, *kind, mode) {
                Ok(changed) => connectors.extend(changed),
                Err(stop) => refused.push(stop),
            }
        }
    }
    Ok((Changes { connectors, dry_run: mode == Mode::DryRun }, refused))
}

/// The files of one host for one type; none where the host has no such type.
fn one(site: &Site, host: Host, kind: ConnectorType, mode: Mode) -> Result<Vec<Changed>, Stop> {
    let Some(scope) = site.usual_scope(host, kind) else { return Ok(Vec::new()) };
    let plan = agents::plan(site, site.targets(host, kind, scope))?;
    let before: Vec<ConnectorState> = plan.targets().map(|target| site.look(target).state).collect();
    let after: Vec<Connector> = match mode {
        Mode::Write => agents::install(site, &plan)?,
        Mode::DryRun => plan.outlook(site),
    };
    let each = before.into_iter().zip(plan.is_changed()).zip(after);
    Ok(each
        .map(|((before, is_changed), connector)| {
            let change = ConnectorChange::of(before, is_changed, connector.state);
            Changed { connector, change }
        })
        .collect())
}
