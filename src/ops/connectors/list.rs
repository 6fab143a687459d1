//! `brv connectors list`: the hosts, and whether they are found here.

use super::{Connectors, Host, Kind, Selection};
use crate::ops::steps::connecting::Site;
use crate::ops::{Context, Stop};

/// List the hosts, each by the file where the MCP server is registered.
pub fn run(cx: &Context<'_>, selection: &Selection) -> Result<Connectors, Stop> {
    let site = Site::of(&cx.cwd, &cx.environment)?;
    let kinds = if selection.kinds.is_empty() { vec![Kind::Mcp] } else { selection.kinds.clone() };
    let mut connectors = Vec::new();
    for host in Host::ALL {
        for kind in &kinds {
            // outside a project, the file of the user
            let usual = site.usual_scopes(host, *kind);
            let scopes =
                usual.iter().copied().filter(|scope| selection.scope.is_none_or(|one| one == *scope));
            let found = scopes.map(|scope| site.targets(host, *kind, scope)).find(|all| !all.is_empty());
            connectors.extend(found.unwrap_or_default().iter().map(|target| site.look(target)));
        }
    }
    Ok(Connectors { connectors })
}
