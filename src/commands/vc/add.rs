//! `brv vc add`: stage files of the work tree.

use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::open::naming::paths;
use brv_engine::open::survey;
use brv_engine::read::history::gc_advice::tidying;
use brv_engine::vc::work_tree::staging::{self, Wanted};
use brv_engine::write::operation::{Derived, Writing, index_only};
use brv_engine::write::written::Logged;
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::Mode;
pub use brv_engine::read::history::gc_advice::Tidying;
pub use brv_engine::vc::work_tree::staging::{
    RefusalCause, Refused, Selection, StagingContent, StagingResult, Unusual,
};
pub use brv_engine::write::overriding::{Allowed, Guard};

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// As typed; see [`paths::pathspecs`]. May be empty only if the selection is not [`Selection::Paths`].
    pub paths: Vec<String>,
    /// The whole tree, the tracked files, or what the paths name.
    pub selection: Selection,
    /// Whether ignored files and files not managed by brv are staged when they are named.
    pub unusual: Unusual,
    /// Whether their content is staged, too.
    pub content: StagingContent,
    /// Whether anything is written.
    pub mode: Mode,
    /// The secrets that may be staged (`--allow`).
    pub allowed: Allowed,
}

/// `brv.vc.add/1`; paths are relative to the tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Add")]
pub struct Outcome {
    #[serde(flatten)]
    pub staged: StagingResult,
    /// The operation, and a recovered command.
    #[serde(flatten)]
    pub written: Logged,
    /// The allowed secrets that no file has.
    #[serde(skip)]
    pub unused: Vec<Guard>,
    /// Whether `brv vc gc` is due.
    #[serde(skip)]
    pub tidying: Tidying,
}

/// Stage what the options name. Objects are durable before the index refers to them.
///
/// # Errors
/// A path matches nothing; a file that is refused is part of the outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let specs = paths::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let survey = writing.survey(|index| survey::survey_at(scope, index, &specs))?;
    let wanted = Wanted {
        specs,
        selection: options.selection,
        unusual: options.unusual,
        content: options.content,
        mode: options.mode,
        allowed: options.allowed.clone(),
        ..Wanted::default()
    };
    let (staged, edits) = staging::stage(scope, &survey, &wanted, cx.progress)?;
    if options.mode == Mode::Write && !edits.is_empty() {
        let told = |what: String| options.allowed.told(&what, &staged.opened);
        index_only::stage(&mut writing, survey, &edits, told)?;
    }
    let tidying =
        if options.mode == Mode::Write { tidying(scope, cx.clock.seconds()) } else { Tidying::NotDue };
    let unused = options.allowed.unused(&staged.opened);
    Ok(Outcome { staged, unused, tidying, written: Logged::from(&writing.finish(Derived::Leave)) })
}
