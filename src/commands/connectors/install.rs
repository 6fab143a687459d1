//! `brv connectors install HOST…`: register brv with hosts.

use super::{Changed, Changes, ConnectorChange, Mode, Selection, named};
use crate::connectors::agents::{self, Connector, Site};
use brv_engine::{Context, Stop};

/// Put brv into the files of the named hosts.
///
/// # Errors
/// A file that its host could not read, or that has something else called `brv`: no file changes.
pub fn run(cx: &Context<'_>, selection: &Selection, mode: Mode) -> Result<Changes, Stop> {
    let site = Site::of(&cx.cwd, &cx.environment)?;
    let plan = agents::plan(&site, named(&site, selection)?)?;
    let before: Vec<Connector> = plan.targets().map(|target| site.look(target)).collect();
    let after = match mode {
        Mode::Write => agents::install(&site, &plan)?,
        Mode::DryRun => plan.outlook(&site),
    };
    let each = before.into_iter().zip(plan.is_changed()).zip(after);
    let connectors = each.map(|((before, is_changed), connector)| {
        let change = ConnectorChange::of(before.state, is_changed, connector.state);
        // what was mended
        let diff = connector.diff.or(before.diff);
        Changed { connector: Connector { diff, ..connector }, change }
    });
    Ok(Changes { connectors: connectors.collect(), dry_run: mode == Mode::DryRun })
}
