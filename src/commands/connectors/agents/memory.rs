//! What `install` made, in one file of the user's state folder: without it, taking brv out leaves empty objects and files.

use brv_base::environment::Environment;
use brv_base::fs::{self, WriteGuard};
use brv_engine::agents::connectors::{ConnectorType, Host, Traces};
use brv_engine::{FailureKind, Stop};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another process that installs is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// brv's folder among those where programs keep what they remember.
pub(super) fn folder(environment: &Environment) -> Option<PathBuf> {
    Some(environment.user_folder("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA")?.join("brv"))
}

/// The file.
pub(super) struct ConnectorMemory {
    file: PathBuf,
}

/// What is known of one file of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct HostFileMemory {
    /// The hosts that it was installed for: several read the same instructions.
    pub hosts: BTreeSet<Host>,
    /// Whether the file did not exist.
    pub made: bool,
    /// What was done to it.
    #[serde(flatten)]
    pub traces: Traces,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct All {
    /// By file and type.
    files: BTreeMap<PathBuf, BTreeMap<ConnectorType, HostFileMemory>>,
    /// The folders that did not exist.
    folders: BTreeSet<PathBuf>,
}

impl All {
    fn made(&self, path: &Path) -> bool {
        if !path.is_dir() {
            return self.files.get(path).is_some_and(|kinds| kinds.values().any(|known| known.made));
        }
        let names = || fs::names(path).unwrap_or_default();
        self.folders.contains(path) && names().iter().all(|name| self.made(&path.join(name)))
    }
}

impl ConnectorMemory {
    pub fn of(environment: &Environment) -> Option<Self> {
        Some(Self { file: folder(environment)?.join("connectors.json") })
    }

    /// What is known of a file; a memory that cannot be read knows nothing.
    pub fn get(&self, file: &Path, kind: ConnectorType) -> Option<HostFileMemory> {
        self.read().files.get(file)?.get(&kind).cloned()
    }

    /// Whether all of a path came with `install`.
    pub fn made(&self, path: &Path) -> bool {
        let Ok(path) = path.canonicalize() else { return false };
        self.read().made(&path)
    }

    /// Remember what is known of a file, and the folders that are made for it.
    pub fn keep(
        &self,
        file: &Path,
        kind: ConnectorType,
        known: &HostFileMemory,
        folders: &[PathBuf],
    ) -> Result<(), Stop> {
        self.change(|all| {
            all.files.entry(file.to_path_buf()).or_default().insert(kind, known.clone());
            all.folders.extend(folders.iter().cloned());
        })
    }

    /// Forget a file, and remove the folders that were made and are empty.
    pub fn forget(&self, file: &Path, kind: ConnectorType) -> Result<(), Stop> {
        self.change(|all| {
            if let Some(kinds) = all.files.get_mut(file) {
                kinds.remove(&kind);
            }
            all.files.retain(|_, kinds| !kinds.is_empty());
            let made: Vec<PathBuf> = all.folders.iter().rev().cloned().collect();
            for folder in made.into_iter().filter(|folder| file.starts_with(folder)) {
                fs::prune_empty_folders(&folder, folder.parent().unwrap_or(&folder));
                if !folder.exists() {
                    all.folders.remove(&folder);
                }
            }
        })
    }

    fn change(&self, act: impl Fn(&mut All)) -> Result<(), Stop> {
        let _guard = WriteGuard::acquire(&self.file.with_extension("lock"), PATIENCE)
            .map_err(|busy| Stop::new(FailureKind::Busy, busy.to_string()))?;
        let before = self.read();
        let mut all = self.read();
        act(&mut all);
        if all == before {
            return Ok(());
        }
        let bytes = serde_json::to_vec_pretty(&all).unwrap_or_default();
        // entries that were mended may have keys of their user's in them
        Ok(fs::replace_private(&self.file, &bytes)?)
    }

    fn read(&self) -> All {
        let bytes = fs::read_if_there(&self.file).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}
