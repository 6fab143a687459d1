//! `brv status`: an overview of a project's tree.
//!
//! What `brv vc status` lists is counted here, from the same state.

use crate::hooks::lines::overview;
pub use crate::hooks::lines::overview::{Overview, Queue};
use brv_base::config::{Shown, Source};
use brv_base::path::Kind;
use brv_engine::Stop;
use brv_engine::derive;
use brv_engine::journal::{self, Record};
use brv_engine::open::context::Context;
use brv_engine::read::history::gc_advice::Tidying;
use brv_engine::review::{self, Extent};
use brv_engine::vc::work_tree::state::{self, State};
use brv_git as git;
use brv_git::hooks::script::Lines;
use brv_git::remotes::{self, Remote};
use brv_text::derive::FORMAT;
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Debug, Clone)]
pub struct Options {
    /// What brv's git hooks consist of.
    pub hook_lines: &'static Lines,
}

#[derive(Debug)]
pub struct Outcome {
    /// The folder that holds `.brv/`.
    pub project: PathBuf,
    pub tree: PathBuf,
    /// The work tree of the host repository, if the tree has no repository of its own.
    pub host: Option<PathBuf>,
    /// How many entries there are, tracked or not.
    pub entries: usize,
    /// How many folders have a `context.md` that describes them.
    pub overviews: usize,
    /// How many top-level folders contain knowledge.
    pub domains: usize,
    /// The state of branch, index and files.
    pub state: State,
    /// The remotes, ordered by name.
    pub remotes: Vec<Remote>,
    /// Settings that differ from the default.
    pub settings: Vec<Shown>,
    pub last: Option<Record>,
    /// An operation that was interrupted; the next command that writes recovers it.
    pub interrupted: Option<Record>,
    /// Whether so many objects are loose that `brv vc gc` is due.
    pub tidying: Tidying,
    /// How many changes wait for review.
    pub pending: usize,
    /// The hooks, if they were installed once.
    pub hooks: Option<Overview>,
    pub formats: Formats,
}

/// The versions of this program and of what it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formats {
    pub program: &'static str,
    pub derived: u32,
}

/// Look at the project. Writes nothing except refreshed stat data in the index.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let survey = derive::quick_survey(&opened, git::index::read(scope)?)?;
    let curated = derive::curated_paths(scope, &survey)?;
    let entries = curated.iter().filter(|path| path.kind() == Kind::Entry).count();
    let domains: BTreeSet<&str> =
        curated.iter().filter_map(|path| Some(path.as_str().split_once('/')?.0)).collect();
    let made = |shown: &Shown| shown.source != Source::Default;
    Ok(Outcome {
        project: opened.places.project.clone(),
        tree: scope.root(),
        host: (!scope.prefix().is_empty()).then(|| scope.work_tree().to_path_buf()),
        entries,
        overviews: curated.len() - entries,
        domains: domains.len(),
        state: state::of(&opened, &survey)?,
        remotes: remotes::list(scope)?,
        settings: opened.config.all().into_iter().filter(made).collect(),
        last: journal::latest(scope)?,
        interrupted: journal::pending(scope)?,
        tidying: if git::gc::is_due(scope) { Tidying::Due } else { Tidying::NotDue },
        pending: review::read(&opened, Extent::Outgoing)?.pending().count(),
        hooks: overview::of(&opened, &cx.cwd, options.hook_lines)?,
        formats: Formats { program: env!("CARGO_PKG_VERSION"), derived: FORMAT },
    })
}
