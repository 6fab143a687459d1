//! `brv hooks uninstall`: takes brv out of the hooks of both repositories, from files and from settings, and leaves no
//! trace.

use super::{Change, Changed, Changes, State};
use crate::hooks::lines::site::Site;
use brv_engine::jobs::Store;
use brv_engine::open::context::OpenError;
use brv_engine::{Context, Stop};
use brv_git::hooks::script::Lines;

/// Remove the hooks.
pub fn run(cx: &Context<'_>, lines: &'static Lines) -> Result<Changes, Stop> {
    let opened = cx.open()?;
    let _guard = opened.lock().map_err(OpenError::from)?;
    let sites = Site::all(&opened, &cx.cwd, lines)?;
    sites.iter().try_for_each(Site::check_removal)?;
    let mut hooks = Vec::new();
    for site in &sites {
        let before: Vec<State> =
            site.events().map(|event| Ok(site.see(event)?.hook.state)).collect::<Result<_, Stop>>()?;
        site.remove_files()?;
        site.remove_settings()?;
        for (before, event) in before.into_iter().zip(site.events()) {
            let hook = site.see(event)?.hook;
            let is_gone = before != hook.state && matches!(before, State::Installed | State::Outdated);
            hooks.push(Changed { hook, change: if is_gone { Change::Removed } else { Change::Kept } });
        }
    }
    let store = Store::of(&opened)?;
    if store.read(|state| state.has_marks())? {
        store.with(|state| state.forget_marks())?;
    }
    Ok(Changes { hooks })
}
