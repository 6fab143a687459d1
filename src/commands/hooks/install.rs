//! `brv hooks install`: makes git call brv.
//!
//! Everything is checked before the first byte is written: if one repository refuses, neither changes.

use super::{ChangedHook, Hook, HookChange, HookChanges, HookLineState, Way};
use crate::hooks::lines::refusal;
use crate::hooks::lines::site::{HookSite, Seen};
use brv_base::environment::Environment;
use brv_engine::jobs::{Store, look};
use brv_engine::open::hosting::Host;
use brv_engine::{Context, FailureKind, Stop};
use brv_git::hooks::configured;
use brv_git::hooks::script::HookLines;

/// The way to make git run brv.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Via {
    /// By files; where these are not brv's to change, by settings if git knows such. Hooks that are in the settings
    /// stay there.
    #[default]
    Auto,
    File,
    Config,
}

/// What is done in one repository.
enum HookInstallPlan {
    Files(Vec<Seen>),
    Settings,
}

/// Install the hooks, or bring them up to date. Returns those files of hooks that are in the work tree of a
/// repository, too, where git shows the change.
pub fn run(
    cx: &Context<'_>,
    lines: &'static HookLines,
    via: Via,
) -> Result<(HookChanges, Vec<String>), Stop> {
    let opened = cx.open()?;
    let _guard = opened.lock()?;
    let sites = HookSite::all(&opened, &cx.cwd, lines)?;
    let plans: Vec<HookInstallPlan> =
        sites.iter().map(|site| plan(site, via, &cx.environment)).collect::<Result<_, _>>()?;
    let (mut hooks, mut shared) = (Vec::new(), Vec::new());
    for (site, plan) in sites.iter().zip(plans) {
        let before = hooks_of(site)?;
        match plan {
            HookInstallPlan::Files(seen) => site.write_files(&seen)?,
            HookInstallPlan::Settings => site.write_settings()?,
        }
        let after = hooks_of(site)?;
        hooks.extend(before.into_iter().zip(after).map(|(before, hook)| {
            let change = change(&before, &hook);
            ChangedHook { hook, change }
        }));
        let is_shared = site.place.is_in_work_tree;
        let written = hooks.iter().filter(|one| one.change != HookChange::Kept && one.hook.via == Way::File);
        shared.extend(
            written.filter(|one| is_shared && one.hook.home == site.home).map(|one| one.hook.file.clone()),
        );
    }
    if let Some(host) = Host::of(&opened, &cx.cwd)? {
        // what was committed before is history, which `brv curate --commit` takes in
        look::begin(&Store::of(&opened)?, &host.scope)?;
    }
    Ok((HookChanges { hooks }, shared))
}

fn hooks_of(site: &HookSite) -> Result<Vec<Hook>, Stop> {
    site.events().map(|event| Ok(site.see(event)?.hook)).collect()
}

fn change(before: &Hook, after: &Hook) -> HookChange {
    match before.state {
        HookLineState::Installed if before.via == after.via => HookChange::Kept,
        HookLineState::Absent | HookLineState::Foreign => HookChange::Added,
        HookLineState::Installed | HookLineState::Outdated => HookChange::Updated,
    }
}

fn plan(site: &HookSite, via: Via, environment: &Environment) -> Result<HookInstallPlan, Stop> {
    let version = || configured::version(environment);
    let is_known = || version().is_some_and(|version| version >= configured::SINCE);
    match via {
        Via::File => refusal::check_files(site).map(HookInstallPlan::Files),
        Via::Config => match version() {
            Some(version) if version >= configured::SINCE => settings(site),
            version => Err(too_old(version)),
        },
        Via::Auto if site.is_configured()? && is_known() => settings(site),
        Via::Auto => match refusal::check_files(site) {
            Err(stop) if stop.kind == FailureKind::Refused && is_known() => settings(site),
            checked => checked.map(HookInstallPlan::Files),
        },
    }
}

/// Hooks in the settings run beside any file; only those of another tree, a half of brv's lines, and a call of brv that
/// somebody wrote are in the way.
fn settings(site: &HookSite) -> Result<HookInstallPlan, Stop> {
    site.check_removal()?;
    for event in site.events() {
        let Seen { hook, file } = site.see(event)?;
        let (reason, hint) = match (hook.via, hook.state) {
            (Way::Config, HookLineState::Foreign) => (
                format!("`hook.brv-{event}` calls brv for a tree in another folder"),
                "run `brv hooks uninstall` there first",
            ),
            (Way::File, HookLineState::Installed) if site.is_others(&file) => (
                format!("`{}` calls brv already, and it would be called twice", hook.file),
                "remove that call first, or keep it and add the others with `brv hooks install --via file`",
            ),
            _ => continue,
        };
        let message = format!("no hook was changed: {reason}");
        return Err(Stop::new(FailureKind::Refused, message).hint(hint));
    }
    Ok(HookInstallPlan::Settings)
}

fn too_old(version: Option<configured::GitVersion>) -> Stop {
    let since = configured::SINCE;
    let found = match version {
        Some(version) => format!("the git on PATH is version {version}"),
        None => "there is no git on PATH".into(),
    };
    Stop::new(FailureKind::Refused, format!("hooks in settings need git {since} or later; {found}"))
        .hint("nothing was changed; `--via file` writes the hooks' files")
}
