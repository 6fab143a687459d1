//! The part of a project's overview about its hooks: the queue, the last outcome, and hooks that are not as they should
//! be.

use super::site::HookSite;
use super::{Hook, HookLineState};
use brv_engine::Stop;
use brv_engine::jobs::{Job, Store, is_held};
use brv_engine::open::context::Opened;
use brv_engine::open::state::JobCounts;
use brv_git::hooks::script::HookLines;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// How many jobs there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "HookQueue")]
pub struct Queue {
    pub queued: u64,
    pub running: u64,
    pub failed: u64,
}

/// The hooks of a project where they were installed once.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "HooksOverview")]
pub struct Overview {
    /// The setting `hooks.enabled`: whether they do anything.
    pub enabled: bool,
    /// The jobs.
    pub queue: Queue,
    /// The job that ended last.
    pub last: Option<Job>,
    /// Hooks that are outdated or gone, or that brv would not write.
    pub amiss: Vec<Hook>,
}

/// The jobs, and the process that works on them.
pub fn jobs(opened: &Opened) -> Result<(Queue, Option<u32>), Stop> {
    let store = Store::of(opened)?;
    let (counts, worker) = store.read(|state| Ok((state.job_counts()?, state.worker()?)))?;
    let worker = worker.filter(|_| is_held(&store)).map(|(pid, _)| pid);
    let JobCounts { queued, running, failed } = counts;
    Ok((Queue { queued, running, failed }, worker))
}

/// The overview; `None` in a project where hooks were never installed, or were uninstalled.
pub fn of(opened: &Opened, cwd: &Path, lines: &'static HookLines) -> Result<Option<Overview>, Stop> {
    let store = Store::of(opened)?;
    if !store.read(|state| state.has_marks())? {
        return Ok(None);
    }
    let mut amiss = Vec::new();
    for site in HookSite::all(opened, cwd, lines)? {
        for event in site.events() {
            let hook = site.see(event)?.hook;
            amiss.extend((hook.state != HookLineState::Installed).then_some(hook));
        }
    }
    let last = store.read(|state| state.ended_jobs(1))?.pop().map(Job::of);
    let (queue, _) = jobs(opened)?;
    Ok(Some(Overview { enabled: opened.config.hooks_enabled.value, queue, last, amiss }))
}
