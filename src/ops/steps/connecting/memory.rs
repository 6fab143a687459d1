//! What `install` made, in one file of the user's state folder: without it, taking brv out leaves empty objects and files.

use crate::connect::{Host, Kind};
use crate::environment::Environment;
use crate::fs::{self, Durability, WriteGuard};
use crate::ops::{FailureKind, Stop};
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
pub(super) struct Memory {
    file: PathBuf,
}

/// What is known of one file of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Known {
    /// The hosts that it was installed for: several read the same instructions.
    pub hosts: BTreeSet<Host>,
    /// Whether the file did not exist.
    pub made: bool,
    /// The folders that did not exist, outermost first.
    pub folders: Vec<PathBuf>,
    /// What was added, in this order.
    pub inserted: Vec<String>,
}

/// By file and type.
#[derive(Debug, Default, Serialize, Deserialize)]
struct All {
    #[serde(default)]
    files: BTreeMap<PathBuf, BTreeMap<Kind, Known>>,
}

impl Memory {
    pub fn of(environment: &Environment) -> Option<Self> {
        Some(Self { file: folder(environment)?.join("connectors.json") })
    }

    /// What is known of a file; a memory that cannot be read knows nothing.
    pub fn get(&self, file: &Path, kind: Kind) -> Option<Known> {
        self.read().files.get(file)?.get(&kind).cloned()
    }

    /// Remember something of a file, or forget it.
    pub fn set(&self, file: &Path, kind: Kind, known: Option<Known>) -> Result<(), Stop> {
        let before = self.read();
        if before.files.get(file).and_then(|kinds| kinds.get(&kind)) == known.as_ref() {
            return Ok(());
        }
        let _guard = WriteGuard::acquire(&self.file.with_extension("lock"), PATIENCE)
            .map_err(|busy| Stop::new(FailureKind::Busy, busy.to_string()))?;
        let mut all = self.read();
        let kinds = all.files.entry(file.to_path_buf()).or_default();
        match known {
            Some(known) => drop(kinds.insert(kind, known)),
            None => drop(kinds.remove(&kind)),
        }
        all.files.retain(|_, kinds| !kinds.is_empty());
        let bytes = serde_json::to_vec_pretty(&all).unwrap_or_default();
        Ok(fs::replace(&self.file, &bytes, Durability::Now)?)
    }

    fn read(&self) -> All {
        let bytes = fs::read_if_there(&self.file).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}
