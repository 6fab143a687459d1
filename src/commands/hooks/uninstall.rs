//! `brv hooks uninstall`: takes brv out of the hooks of both repositories, from files and from settings, and leaves no
//! trace.

use super::{ChangedHook, HookChange, HookChanges, HookLineState};
use crate::hooks::lines::site::HookSite;
use brv_engine::jobs::Store;
use brv_engine::{Context, Stop};
use brv_git::hooks::script::HookLines;

/// Remove the hooks.
pub fn run(cx: &Context<'_>, lines: &'static HookLines) -> Result<HookChanges, Stop> {
    let opened = cx.open()?;
    let _guard = opened.lock()?;
    let sites = HookSite::all(&opened, &cx.cwd, lines)?;
    sites.iter().try_for_each(HookSite::check_removal)?;
    let mut hooks = Vec::new();
    for site in &sites {
        let before: Vec<HookLineState> =
            site.events().map(|event| Ok(site.see(event)?.hook.state)).collect::<Result<_, Stop>>()?;
        site.remove_files()?;
        site.remove_settings()?;
        for (before, event) in before.into_iter().zip(site.events()) {
            let hook = site.see(event)?.hook;
            let is_gone =
                before != hook.state && matches!(before, HookLineState::Installed | HookLineState::Outdated);
            hooks.push(ChangedHook {
                hook,
                change: if is_gone { HookChange::Removed } else { HookChange::Kept },
            });
        }
    }
    let store = Store::of(&opened)?;
    if store.read(|state| state.has_marks())? {
        store.with(|state| state.forget_marks())?;
    }
    Ok(HookChanges { hooks })
}
