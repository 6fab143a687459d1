//! `brv hooks status`: which hooks are installed, and what they have to do.

use super::Hook;
use crate::commits::again::Anew;
use crate::hooks::lines::overview::{self, Queue};
use crate::hooks::lines::site::HookSite;
use brv_engine::jobs::Store;
use brv_engine::open::context::Opened;
use brv_engine::open::hosting;
use brv_engine::{Context, Stop};
use brv_git::hooks::Ruler;
use brv_git::hooks::script::HookLines;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.hooks.status/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HooksStatus")]
pub struct Outcome {
    /// The repository of the code, if there is one around the project.
    pub host: Option<HookHost>,
    /// All hooks, the host's first.
    pub hooks: Vec<Hook>,
    /// The setting `hooks.enabled`: whether they do anything.
    pub enabled: bool,
    /// The jobs.
    pub queue: Queue,
    /// The process that works on them, if one runs.
    pub worker: Option<u32>,
    /// How many entries earlier rules wrote that `brv curate --commit --again` files anew.
    #[serde(skip_serializing_if = "is_none")]
    pub old_entries: usize,
}

const fn is_none(count: &usize) -> bool {
    *count == 0
}

/// The repository of the code.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HookHost")]
pub struct HookHost {
    /// Its work tree.
    pub folder: String,
    /// Where git looks for its hooks.
    pub hooks_path: String,
    /// The program that rules them: `husky`, `lefthook` or `pre-commit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manager: Option<&'static str>,
}

/// Look at the hooks of both repositories.
pub fn run(cx: &Context<'_>, lines: &'static HookLines) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let sites = HookSite::all(&opened, &cx.cwd, lines)?;
    let mut hooks = Vec::new();
    for site in &sites {
        for event in site.events() {
            hooks.push(site.see(event)?.hook);
        }
    }
    let host = sites.iter().find(|site| site.home == super::HookOwner::Host).map(|site| HookHost {
        folder: site.scope.work_tree().to_string_lossy().into_owned(),
        hooks_path: site.place.folder.to_string_lossy().into_owned(),
        manager: match &site.place.ruler {
            Some(Ruler::Manager(manager)) => Some(manager.name()),
            _ => None,
        },
    });
    let enabled = opened.config.hooks_enabled.value;
    let (queue, worker) = overview::jobs(&opened)?;
    let old_entries = old_entries(cx, &opened)?;
    Ok(Outcome { host, hooks, enabled, queue, worker, old_entries })
}

/// The entries of earlier rules whose commits are all here; none in a tree that is a folder of the code's repository.
fn old_entries(cx: &Context<'_>, opened: &Opened) -> Result<usize, Stop> {
    let host = hosting::Host::of(opened, &cx.cwd)?;
    let Some(host) = host.filter(|_| opened.scope.prefix().is_empty()) else { return Ok(0) };
    Ok(Anew::of((opened, &Store::of(opened)?, &host), None)?.goes.len())
}
