//! `brv hooks test`: fires the host's post-commit hook as git does after a commit, and looks whether brv was called.
//!
//! `brv hooks run` sees by a variable that it is a test: it writes a mark and does nothing else.

use super::{Event, HookLineState, Way};
use crate::hooks::lines::site::{HookSite, Seen};
use brv_base::fs;
use brv_base::process;
use brv_engine::{Context, FailureKind, Stop};
use brv_git::hooks::configured;
use brv_git::hooks::script::{self, HookLines};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The variable that tells `brv hooks run` what to do; `test` is for a test.
const VARIABLE: &str = "BRV_HOOKS";
/// The file that it then makes.
const MARK_VARIABLE: &str = "BRV_HOOKS_MARK";

/// `brv.hooks.test/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HooksTest")]
pub struct Outcome {
    /// Whether the hook called brv.
    pub fired: bool,
    /// How long the hook took.
    pub ms: u64,
}

/// Fire the hook.
pub fn run(cx: &Context<'_>, lines: &'static HookLines) -> Result<Outcome, Stop> {
    let refused = |message: &str| Stop::new(FailureKind::Refused, message);
    let opened = cx.open()?;
    let host = HookSite::host(&opened, &cx.cwd, lines)?.ok_or_else(|| {
        refused("there is no repository around the project, so there are no commits to hear of")
    })?;
    let seen = host.see(Event::PostCommit)?;
    if !matches!(seen.hook.state, HookLineState::Installed | HookLineState::Outdated) {
        return Err(refused("the post-commit hook is not installed").hint("run `brv hooks install`"));
    }
    let mark = opened.places.cache().join(format!("hook-test-{}", std::process::id()));
    fs::create_folder(&opened.places.cache())?;
    fs::remove_file(&mark)?;
    let mut command = hook(cx, &host, &seen)?;
    command
        .current_dir(host.scope.work_tree())
        .env("GIT_DIR", host.scope.git_dir())
        .env("GIT_INDEX_FILE", host.scope.index_file())
        .env(VARIABLE, "test")
        .env(MARK_VARIABLE, &mark)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let begun = Instant::now();
    let ran = command.status().map_err(fs::Error::during("start", &seen.file.path));
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let fired = fs::remove_file(&mark)?;
    ran?;
    Ok(Outcome { fired, ms })
}

/// What git starts.
fn hook(cx: &Context<'_>, host: &HookSite, seen: &Seen) -> Result<Command, Stop> {
    if seen.hook.via == Way::Config {
        let line = configured::read(&host.scope, Event::PostCommit)?.unwrap_or_default();
        let mut shell = process::sh(&cx.environment);
        shell.args(["-c", &line]);
        return Ok(shell);
    }
    let file: &Path = &seen.file.path;
    let text = fs::read_if_there(file)?;
    let Some(text) = text else {
        let message = format!("git finds no hook `{}`", file.display());
        return Err(Stop::new(FailureKind::Refused, message));
    };
    // what names no program is run by the shell
    if cfg!(windows) || script::interpreter(&text).is_none() && !text.contains(&0) {
        let mut shell = process::sh(&cx.environment);
        shell.arg(file);
        return Ok(shell);
    }
    Ok(process::command(file, &cx.environment))
}
