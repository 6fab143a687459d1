//! `brv connectors list`: the hosts, and whether they are found here.

use super::{ConnectorType, Connectors, Host, Selection};
use crate::connectors::agents::Site;
use brv_engine::{Context, Stop};

/// List the hosts, each by the file where the MCP server is registered; outside a project, a host that has files in projects
/// only by the one that it would have.
pub fn run(cx: &Context<'_>, selection: &Selection) -> Result<Connectors, Stop> {
    let site = Site::of(&cx.cwd, &cx.environment)?;
    let kinds = if selection.kinds.is_empty() { vec![ConnectorType::Mcp] } else { selection.kinds.clone() };
    let mut connectors = Vec::new();
    for host in Host::ALL {
        for kind in &kinds {
            // outside a project, the file of the user
            let usual = site.usual_scopes(host, *kind);
            let scopes =
                usual.iter().copied().filter(|scope| selection.scope.is_none_or(|one| one == *scope));
            let mut each = scopes.clone().map(|scope| site.targets(host, *kind, scope));
            match each.find(|all| !all.is_empty()) {
                Some(all) => connectors.extend(all.iter().map(|target| site.look(target))),
                None => connectors.extend(scopes.take(1).flat_map(|scope| site.without(host, *kind, scope))),
            }
        }
    }
    Ok(Connectors { connectors })
}
