//! `brv hooks`: the git hooks that call brv. `brv agent-hook`: what the hooks of coding agents call.

pub mod agent;
pub mod install;
pub mod log;
pub mod run;
pub mod status;
pub mod test;
pub mod uninstall;

use super::ui::{Screen, Style};
use brv_commands::hooks::{ChangedHook, Hook, HookChange, HookLineState, HookLines};

/// The lines that git's hooks get, in the order of the events.
pub static LINES: HookLines = [
    include_str!("../../../hooks/post-commit"),
    include_str!("../../../hooks/post-rewrite"),
    include_str!("../../../hooks/post-merge"),
    include_str!("../../../hooks/post-checkout"),
    include_str!("../../../hooks/pre-push"),
];

/// Draw what became of hooks, one per line.
pub fn rows(screen: &mut Screen, hooks: &[ChangedHook]) {
    for ChangedHook { hook, change } in hooks {
        let style = match change {
            HookChange::Added | HookChange::Updated => Style::Good,
            HookChange::Removed => Style::Bad,
            HookChange::Kept => Style::Dim,
        };
        row(screen, hook, style, change.word());
    }
}

/// Draw one hook, beginning with this word.
fn row(screen: &mut Screen, hook: &Hook, style: Style, word: &str) {
    screen.text(style, format!("{word:<10}"));
    screen.plain(format!("{:<14}{:<6}{:<8}", hook.event.name(), hook.home.word(), hook.via.word()));
    screen.word(Style::Dim, &hook.file).end();
    if let Some(why) = &hook.why {
        screen.plain("  ").word(Style::Dim, why).end();
    }
}

const fn style(state: HookLineState) -> Style {
    match state {
        HookLineState::Installed => Style::Good,
        HookLineState::Absent => Style::Dim,
        HookLineState::Outdated => Style::Notable,
        HookLineState::Foreign => Style::Bad,
    }
}
