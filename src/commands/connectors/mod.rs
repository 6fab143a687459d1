//! `brv connectors`: connect coding agents to brv.

pub mod agents;
pub mod bundle;
pub mod changes;
pub mod init_agents;
pub mod install;
pub mod list;
pub mod status;
pub mod test;
pub mod uninstall;

pub use brv_engine::agents::connectors::SKILL;

pub use changes::{Changed, Changes, ConnectorChange};

pub use crate::connectors::agents::{Connector, ConnectorState, ConnectorType, Host, Scope};
use brv_base::clock::Clock;
use brv_base::environment::Environment;

use crate::connectors::agents::Site;
use brv_engine::Stop;
use brv_engine::agents::connectors::{self, Target};
use brv_engine::open::tree::NoTree;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// Which files are meant.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// None: see the command.
    pub hosts: Vec<Host>,
    /// None: see the command.
    pub kinds: Vec<ConnectorType>,
    pub scope: Option<Scope>,
}

impl Selection {
    /// The types that are meant for a host.
    fn kinds_of(&self, host: Host) -> &[ConnectorType] {
        if self.kinds.is_empty() { connectors::usual_kinds(host) } else { &self.kinds }
    }
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Write,
    DryRun,
}

/// `brv.connectors.list/1` and `brv.connectors.status/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Connectors")]
pub struct Connectors {
    pub connectors: Vec<Connector>,
}

/// The files of the named hosts; each host must have some.
fn named(site: &Site, selection: &Selection) -> Result<Vec<Target>, Stop> {
    let mut targets = Vec::new();
    for host in &selection.hosts {
        for kind in selection.kinds_of(*host) {
            targets.extend(of(site, *host, *kind, selection.scope)?);
        }
    }
    Ok(targets)
}

fn of(site: &Site, host: Host, kind: ConnectorType, scope: Option<Scope>) -> Result<Vec<Target>, Stop> {
    let (host_word, kind_word) = (host.id(), kind.word());
    let Some(scope) = scope.or_else(|| site.usual_scope(host, kind)) else {
        let hint = "hooks are for claude and codex";
        return Err(Stop::usage(format!("{host_word} has no type {kind_word}")).hint(hint));
    };
    if !site.has_scope(host, kind, scope) {
        let message = format!("{host_word} has no {} file for the type {kind_word}", scope.word());
        return Err(Stop::usage(message));
    }
    let targets = site.targets(host, kind, scope);
    if targets.is_empty() && scope == Scope::Project {
        return Err(NoTree(site.cwd.clone()).into());
    }
    if targets.is_empty() {
        return Err(Stop::usage("there is no home folder: set HOME"));
    }
    Ok(targets)
}

/// Whether the hooks of the host that a client of this name belongs to tell it of the project in this folder, when a session
/// starts and before a file is edited.
pub fn brief(client: &str, folder: &Path, environment: &Environment) -> bool {
    let Some(host) = Host::of_client(client) else { return false };
    let Ok(site) = Site::of(folder, environment) else { return false };
    let mut hooks = site.all(host).filter(|target| target.kind == ConnectorType::Hook);
    // claude asks whether it may trust a folder before it starts a server there
    let runs = |state| {
        state == ConnectorState::Installed || host == Host::Claude && state == ConnectorState::Untrusted
    };
    hooks.any(|target| runs(site.look(&target).state))
}

/// Remember that a client of this name called the server now, if it is a host that brv knows.
pub fn called_by(client: &str, environment: &Environment, clock: Clock) {
    if let Some(host) = Host::of_client(client) {
        agents::fired(environment, host, ConnectorType::Mcp, clock);
    }
}
