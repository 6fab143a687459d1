//! `brv connectors status`: what is installed, and whether the hosts use it.

use super::{ConnectorState, Connectors, Host, Selection};
use crate::connectors::agents::Site;
use brv_engine::{Context, Stop};

/// Look at all files that brv could be in, and show those that have something of it, or something of its name.
pub fn run(cx: &Context<'_>, selection: &Selection) -> Result<Connectors, Stop> {
    let site = Site::of(&cx.cwd, &cx.environment)?;
    let hosts = if selection.hosts.is_empty() { Host::ALL.to_vec() } else { selection.hosts.clone() };
    let mut connectors = Vec::new();
    for host in hosts {
        for target in site.all(host) {
            let is_asked = selection.kinds.is_empty() || selection.kinds.contains(&target.kind);
            if !is_asked || selection.scope.is_some_and(|scope| scope != target.scope) {
                continue;
            }
            if site.is_of_another(&target) {
                continue;
            }
            let connector = site.look(&target);
            if connector.state != ConnectorState::Absent {
                connectors.push(connector);
            }
        }
    }
    Ok(Connectors { connectors })
}
