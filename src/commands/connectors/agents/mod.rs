//! Connect coding agents: find their files, put brv into them, take it out, and tell how it stands.
//!
//! [`detect`], [`plan`] and [`install`] are all that a command needs that connects agents beside its own work.

mod carry;
mod health;
mod memory;
mod rivals;

pub use brv_engine::agents::connectors::{ConnectorType, Host, Scope};
pub use carry::{ConnectorPlan, install, plan, uninstall};

use brv_base::clock::{self, Clock};
use brv_base::environment::Environment;
use brv_base::fs::{self, Durability};
use brv_base::process;
use brv_engine::agents::connectors::{self, AgentFolders, Difference, Seen, Target};
use brv_engine::open::tree;
use brv_engine::{FailureKind, OrStop, Stop};
use memory::{ConnectorMemory, HostFileMemory};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The largest file of settings that is read.
const MOST: u64 = 64 << 20;

/// How an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ConnectorState")]
pub enum ConnectorState {
    Installed,
    Absent,
    /// It is brv's, and not as this brv writes it.
    Drifted,
    /// Something else has the name `brv`.
    Foreign,
    /// The host could not read the file.
    Unreadable,
    /// The host waits for the user's approval, or the user forbade it here.
    Untrusted,
    /// Another entry of the same name comes first.
    Shadowed,
    /// Switched off in the entry itself.
    Disabled,
    /// The program is missing, or of another version.
    StaleBinary,
}

impl ConnectorState {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Absent => "absent",
            Self::Drifted => "drifted",
            Self::Foreign => "foreign",
            Self::Unreadable => "unreadable",
            Self::Untrusted => "untrusted",
            Self::Shadowed => "shadowed",
            Self::Disabled => "disabled",
            Self::StaleBinary => "stale_binary",
        }
    }

    /// Whether brv's entry is in the file.
    pub const fn is_there(self) -> bool {
        !matches!(self, Self::Absent | Self::Foreign | Self::Unreadable)
    }
}

/// One file of a host, as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Connector")]
pub struct Connector {
    pub host: Host,
    /// Whether the host is found on this machine or in this project.
    pub found: bool,
    #[serde(rename = "type")]
    pub kind: ConnectorType,
    pub scope: Scope,
    /// Relative to the project, or absolute outside of it.
    pub file: String,
    pub state: ConnectorState,
    /// What is behind the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// When the host last called it, if it ever did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_fired: Option<String>,
    /// The difference of a drifted one: lines with `-` are there, lines with `+` are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// The machine and the project that hosts are connected on.
pub struct Site {
    pub folders: AgentFolders,
    /// Where the command was called.
    pub cwd: PathBuf,
    environment: Environment,
    /// The program that a user's own settings name.
    program: String,
    memory: Option<ConnectorMemory>,
}

impl Site {
    /// `cwd` is where the command was called; the project is the one around it, if there is one.
    pub fn of(cwd: &Path, environment: &Environment) -> Result<Self, Stop> {
        let project = project(cwd, environment)?;
        Ok(Self {
            folders: AgentFolders::of(environment, project),
            cwd: cwd.to_path_buf(),
            program: program(environment),
            memory: ConnectorMemory::of(environment),
            environment: environment.clone(),
        })
    }

    /// The files of a host for a type and a scope.
    pub fn targets(&self, host: Host, kind: ConnectorType, scope: Scope) -> Vec<Target> {
        connectors::targets(&self.folders, (host, kind, scope), &self.program, &|path| path.exists())
    }

    /// All files that brv could be in.
    pub fn all(&self, host: Host) -> impl Iterator<Item = Target> + '_ {
        let each = ConnectorType::ALL.into_iter().flat_map(|kind| Scope::ALL.map(|scope| (kind, scope)));
        each.flat_map(move |(kind, scope)| self.targets(host, kind, scope))
    }

    /// The scope that is meant where none is named.
    pub fn usual_scope(&self, host: Host, kind: ConnectorType) -> Option<Scope> {
        connectors::scopes(host, kind).first().copied()
    }

    /// The scopes that a host has files for, the usual one first.
    pub fn usual_scopes(&self, host: Host, kind: ConnectorType) -> &'static [Scope] {
        connectors::scopes(host, kind)
    }

    pub fn has_scope(&self, host: Host, kind: ConnectorType, scope: Scope) -> bool {
        connectors::scopes(host, kind).contains(&scope)
    }

    /// Whether a file that several hosts read was installed for others only.
    pub fn is_of_another(&self, target: &Target) -> bool {
        let is_shared = matches!(target.kind, ConnectorType::Rules | ConnectorType::Skill);
        is_shared && {
            // without a memory, it is claude's, as the first
            let known = self.known(target);
            known.map_or(target.host != Host::Claude, |known| !known.hosts.contains(&target.host))
        }
    }

    /// Whether brv's entry is in a file, or was put into it by `install` and nobody can tell what became of it.
    pub fn has_own(&self, target: &Target) -> bool {
        match self.look(target).state {
            ConnectorState::Unreadable => self.known(target).is_some(),
            state => state.is_there(),
        }
    }

    /// What is remembered of a file.
    fn known(&self, target: &Target) -> Option<HostFileMemory> {
        let place = self.place(target).ok()?;
        self.memory.as_ref()?.get(&place, target.kind)
    }

    /// Whether a host is on this machine, or used in this project. What only `install` made is not a sign of it.
    pub fn finds(&self, host: Host) -> bool {
        let is_made = |path: &Path| self.memory.as_ref().is_some_and(|memory| memory.made(path));
        let has_settings = || {
            let folder = self.folders.settings(host, "");
            let is_own = |folder: &PathBuf| folder.is_dir() && folder.parent().is_some() && !is_made(folder);
            folder.as_ref().is_some_and(is_own)
        };
        process::find_on_path(host.program(), &self.environment).is_some()
            || has_settings()
            || self
                .targets(host, ConnectorType::Mcp, Scope::Project)
                .iter()
                .any(|target| target.file.exists() && !is_made(&target.file))
    }

    /// Whether a path is that of this program.
    fn is_this(&self, path: &str) -> bool {
        let own = process::own_program().and_then(|own| own.canonicalize().ok());
        own.is_some() && own == Path::new(path).canonicalize().ok()
    }

    /// The state of one file, and the change that connecting it makes.
    pub fn look(&self, target: &Target) -> Connector {
        let (state, why, diff) = match self.read(target) {
            Err(stop) => (ConnectorState::Unreadable, Some(stop.message), None),
            Ok(bytes) => self.judge(target, bytes.as_deref()),
        };
        Connector {
            host: target.host,
            found: self.finds(target.host),
            kind: target.kind,
            scope: target.scope,
            file: self.name(target),
            state,
            why,
            last_fired: last_fired(&self.environment, target.host, target.kind),
            diff,
        }
    }

    /// The files that a host would have if its folder were known: nothing is in them.
    pub fn without(&self, host: Host, kind: ConnectorType, scope: Scope) -> Vec<Connector> {
        let mut folders = self.folders.clone();
        folders.project = Some(PathBuf::new());
        let targets = connectors::targets(&folders, (host, kind, scope), &self.program, &|_| false);
        let one = |target: Target| Connector {
            host,
            found: self.finds(host),
            kind,
            scope,
            file: target.file.display().to_string().replace('\\', "/"),
            state: ConnectorState::Absent,
            why: None,
            last_fired: last_fired(&self.environment, host, kind),
            diff: None,
        };
        targets.into_iter().map(one).collect()
    }

    fn judge(
        &self,
        target: &Target,
        bytes: Option<&[u8]>,
    ) -> (ConnectorState, Option<String>, Option<String>) {
        match connectors::look(&target.form, bytes) {
            Err(error) => (ConnectorState::Unreadable, Some(error.to_string()), None),
            Ok(Seen::Absent) => (ConnectorState::Absent, None, None),
            Ok(Seen::Foreign) => (ConnectorState::Foreign, None, None),
            Ok(seen) => {
                let differences = match seen {
                    Seen::Drifted(all) => own_differences(target, &all),
                    _ => Vec::new(),
                };
                if !differences.is_empty() {
                    let lines = differences.iter().flat_map(connectors::Difference::lines);
                    return (ConnectorState::Drifted, None, Some(lines.collect::<Vec<_>>().join("\n")));
                }
                let health = self.health(target, bytes.unwrap_or_default());
                health
                    .map_or((ConnectorState::Installed, None, None), |(state, why)| (state, Some(why), None))
            }
        }
    }

    /// Whether an entry that differs from what would be written works all the same.
    fn runs_as_is(&self, target: &Target, bytes: Option<&[u8]>, all: &[Difference]) -> bool {
        let health = || self.health(target, bytes.unwrap_or_default());
        own_differences(target, all).is_empty() && !matches!(health(), Some((ConnectorState::StaleBinary, _)))
    }

    /// The bytes of a file; `None` if there is none.
    pub fn read(&self, target: &Target) -> Result<Option<Vec<u8>>, Stop> {
        self.read_at(target, &self.place(target)?)
    }

    fn read_at(&self, target: &Target, place: &Path) -> Result<Option<Vec<u8>>, Stop> {
        let name = self.name(target);
        let refused = |why: &str| Stop::new(FailureKind::Refused, format!("`{name}` {why}"));
        match place.metadata() {
            Ok(found) if !found.is_file() => Err(refused("is not a file")),
            Ok(found) if found.len() > MOST => Err(refused("is larger than 64 MiB")),
            _ => Ok(fs::read_if_there(place)?),
        }
    }

    /// The file that has brv's part of a target: where the target itself is, or the instructions that it imports.
    fn place(&self, target: &Target) -> Result<PathBuf, Stop> {
        let place = self.own_place(target)?;
        Ok(self.imported(target, &place)?.unwrap_or(place))
    }

    /// The `AGENTS.md` that a `CLAUDE.md` without a part of brv's imports: claude reads it there.
    fn imported(&self, target: &Target, place: &Path) -> Result<Option<PathBuf>, Stop> {
        let folder = self.folders.project.as_ref();
        let Some(folder) = folder.filter(|folder| target.file == folder.join("CLAUDE.md")) else {
            return Ok(None);
        };
        let bytes = self.read_at(target, place)?.unwrap_or_default();
        if connectors::look(&target.form, Some(&bytes)) != Ok(Seen::Absent) {
            return Ok(None);
        }
        let agents = self.own_place(&Target { file: folder.join("AGENTS.md"), ..target.clone() })?;
        let is_agents = |path: &String| {
            let path = folder.join(path);
            path.canonicalize().is_ok_and(|path| path == agents) || path.components().eq(agents.components())
        };
        Ok(connectors::imports(&bytes).iter().any(is_agents).then_some(agents))
    }

    /// Where a file is, links followed; a file of the project is inside of it.
    fn own_place(&self, target: &Target) -> Result<PathBuf, Stop> {
        let name = self.name(target);
        let refused = |why: &str| Stop::new(FailureKind::Refused, format!("`{name}` {why}"));
        let place = match target.file.canonicalize() {
            Ok(place) => place,
            Err(_) if target.file.symlink_metadata().is_ok() => return Err(refused("is a broken link")),
            Err(_) => {
                // the folders above may be links, too
                let above = target.file.ancestors().skip(1).find_map(|above| {
                    Some((above.canonicalize().ok()?, target.file.strip_prefix(above).ok()?))
                });
                above.map_or_else(|| target.file.clone(), |(above, rest)| above.join(rest))
            }
        };
        if target.scope == Scope::Project
            && let Some(project) = self.folders.project.as_ref().and_then(|path| path.canonicalize().ok())
            && !place.starts_with(&project)
        {
            return Err(refused("is a link out of the project"));
        }
        Ok(place)
    }

    /// The name of a file, as it is shown.
    fn name(&self, target: &Target) -> String {
        let project = self.folders.project.as_ref();
        let below = project.and_then(|project| target.file.strip_prefix(project).ok());
        match below.filter(|_| target.scope == Scope::Project) {
            Some(below) => below.display().to_string().replace('\\', "/"),
            None => target.file.display().to_string(),
        }
    }
}

/// The project around a folder. In a linked work tree of the code the files are those of that work tree.
fn project(cwd: &Path, environment: &Environment) -> Result<Option<PathBuf>, Stop> {
    let places = match tree::discover(cwd, environment) {
        Ok(places) => places,
        Err(OrStop::This(_)) => return Ok(None),
        Err(OrStop::Stop(stop)) => return Err(stop),
    };
    let main = tree::host_work_tree(&places.project);
    let below = main.and_then(|main| places.project.strip_prefix(main).ok());
    let here = places.host_called_from(cwd)?;
    Ok(Some(match (here, below) {
        (Some(here), Some(below)) => here.join(below),
        _ => places.project,
    }))
}

/// The path of this program, as a user's settings name it. Where brv is embedded in another program, that on `PATH`.
fn program(environment: &Environment) -> String {
    let program = process::lasting_program(environment);
    let program = program.or_else(|| process::find_on_path("brv", environment));
    program.map_or_else(|| "brv".to_owned(), |program| program.display().to_string())
}

/// The differences that count: a user's own settings may name another brv.
fn own_differences(target: &Target, all: &[Difference]) -> Vec<Difference> {
    let is_program_only = |one: &&Difference| {
        target.scope == Scope::User
            && one.key == "command"
            && connectors::is_same_but_program(target.host, one)
    };
    all.iter().filter(|one| !is_program_only(one)).cloned().collect()
}

/// The hosts that are found here.
pub fn detect(site: &Site) -> Vec<Host> {
    Host::ALL.into_iter().filter(|host| site.finds(*host)).collect()
}

/// Note that a host called brv. What cannot be noted is not: nobody waits for it.
pub fn fired(environment: &Environment, host: Host, kind: ConnectorType, clock: Clock) {
    if let Some(file) = fired_file(environment, host, kind) {
        let now = clock::format_utc(clock.seconds());
        let _ = fs::replace(&file, now.as_bytes(), Durability::Later);
    }
}

fn last_fired(environment: &Environment, host: Host, kind: ConnectorType) -> Option<String> {
    let bytes = fs::read_if_there(&fired_file(environment, host, kind)?).ok()??;
    let text = String::from_utf8(bytes).ok()?;
    (text.len() < 40 && !text.contains(char::is_control)).then_some(text)
}

fn fired_file(environment: &Environment, host: Host, kind: ConnectorType) -> Option<PathBuf> {
    let name = format!("fired/{}-{}", host.id(), kind.word());
    Some(memory::folder(environment)?.join(name))
}
