//! Which remotes the caller's own git credentials can read.
//!
//! A convenience for people who see more in the index than they can open. It protects nothing: whoever may read the index
//! reads all of it.

use super::mirror;
use crate::{FailureKind, Stop};
use brv_base::clock::Clock;
use brv_base::config;
use brv_base::environment::Environment;
use brv_base::{fs, parallel};
use brv_git::network::{Credentials, Network, Prompt};
use brv_git::{RemoteUrl, Scope, Target, offered};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// For how many seconds it is remembered whether a remote can be read.
const KEPT: i64 = 600;

/// What is remembered of a remote.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Access {
    at: i64,
    is_readable: bool,
}

/// Of these remotes those that can be read.
///
/// # Errors
/// The user interrupts; the cache cannot be written.
pub fn of(
    remotes: &BTreeSet<&str>,
    network: &Network<'_>,
    environment: &Environment,
    clock: Clock,
) -> Result<BTreeSet<String>, Stop> {
    let now = clock.seconds();
    let file = file(environment);
    let mut known = file.as_deref().map(read).unwrap_or_default();
    known.retain(|_, access| (access.at..access.at.saturating_add(KEPT)).contains(&now));
    let unknown: Vec<&str> = remotes.iter().copied().filter(|remote| !known.contains_key(*remote)).collect();
    if !unknown.is_empty() {
        let desk = mirror::desk(environment)?.to_shared();
        // a list of results is no place to ask for passwords
        let credentials = Credentials { prompt: Prompt::Never, ..network.credentials.clone() };
        let network = Network { credentials, ..*network };
        let answers = parallel::try_map_waiting(
            &unknown,
            || desk.to_local(),
            |desk, remote| is_readable(desk, remote, &network),
        )?;
        let asked = unknown.iter().zip(answers);
        known.extend(
            asked.map(|(remote, is_readable)| ((*remote).to_owned(), Access { at: now, is_readable })),
        );
        if let Some(file) = file {
            keep(&file, &known);
        }
    }
    let can_read = |remote: &&&str| known.get(**remote).is_some_and(|access| access.is_readable);
    Ok(remotes.iter().filter(can_read).map(|remote| (*remote).to_owned()).collect())
}

fn is_readable(desk: &Scope, remote: &str, network: &Network<'_>) -> Result<bool, Stop> {
    // the index says where it is: nothing is asked without encryption
    let is_plain = ["http://", "git://"].iter().any(|scheme| remote.to_lowercase().starts_with(scheme));
    let Ok(url) = RemoteUrl::parse(remote, Path::new("/")) else { return Ok(false) };
    if is_plain {
        return Ok(false);
    }
    match offered::branches(desk, &Target::Url(url), &[], network) {
        Ok(_) => Ok(true),
        Err(error) => {
            let stop = Stop::from(error);
            if stop.kind == FailureKind::Interrupted { Err(stop) } else { Ok(false) }
        }
    }
}

fn file(environment: &Environment) -> Option<PathBuf> {
    Some(config::user_cache(environment)?.join("readable-1.json"))
}

fn read(file: &Path) -> BTreeMap<String, Access> {
    let bytes = fs::read_if_there(file).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Keep the answers. What cannot be kept is asked for again.
fn keep(file: &Path, known: &BTreeMap<String, Access>) {
    let Ok(bytes) = serde_json::to_vec(known) else { return };
    let _ = file.parent().map_or(Ok(()), fs::create_folder).and_then(|()| fs::replace_private(file, &bytes));
}
