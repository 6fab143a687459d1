//! `brv curate --model`: have a model make operations of a text, of files, or of a folder.

mod pdf;
mod sources;

use crate::curate::Outcome;
use crate::curate::propose::{self, ProposalRequest, ProposalSettings};
use brv_engine::jobs::{self, Store, start_worker};
use brv_engine::open::context::Context;
use brv_engine::open::hosting;
use brv_engine::open::models;
use brv_engine::open::state::NewJob;
use brv_engine::{Mode, Stop};

pub use sources::Given;

/// What a model is to do.
#[derive(Debug, Clone)]
pub struct Options {
    pub given: Given,
    /// The folder that the user suggests.
    pub into: Option<String>,
    /// The subject of the commit.
    pub reason: Option<String>,
    pub mode: Mode,
}

/// Ask the model now, and apply what it proposes. Returns warnings, too.
///
/// # Errors
/// [`Stop`]: then nothing was written. An operation that fails is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<(Outcome, Vec<String>), Stop> {
    let opened = cx.open()?;
    let (request, warnings) = request(cx, options)?;
    let mut model = models::needed(cx)?;
    let code_head = hosting::code_head(&opened, &cx.cwd);
    let setting = ProposalSettings { mode: options.mode, code_head, job: None };
    let parts = cx.parts(&opened);
    let proposed = propose::propose(parts, &mut model, &request, setting)?;
    let outcome = match options.mode {
        Mode::Write => propose::apply(parts, &proposed)?,
        Mode::DryRun => proposed.tried,
    };
    let warnings = warnings.into_iter().chain(proposed.warnings).chain(model.take_warnings()).collect();
    let operations = (options.mode == Mode::DryRun).then_some(proposed.operations);
    let model = Some(model.spent());
    Ok((Outcome { operations, model, ..Outcome::of(outcome, options.mode) }, warnings))
}

/// Leave it to the worker. What the model is given is read now. Returns the name of the job, and warnings.
///
/// # Errors
/// No model is set, the text cannot be read, or the state cannot be written: then nothing is queued.
pub fn queue(cx: &Context<'_>, options: &Options) -> Result<(String, Vec<String>), Stop> {
    let opened = cx.open()?;
    let (request, warnings) = request(cx, options)?;
    models::needed(cx)?;
    let store = Store::of(&opened)?;
    let input = serde_json::to_string(&request).expect("texts are JSON");
    let job = NewJob {
        kind: jobs::MODEL.to_owned(),
        event: "curate".to_owned(),
        actor: cx.actor.name.clone(),
        session: cx.actor.session.clone(),
        input: Some(input),
        ..NewJob::default()
    };
    let now = store.now();
    let made = store.with(|state| state.enqueue(std::slice::from_ref(&job), now))?;
    start_worker(&store, &cx.cwd, &cx.environment);
    let id = made.first().copied().expect("a job of no commit is always new");
    Ok((jobs::name(id), warnings))
}

/// What the model is given, and warnings about what it is not.
fn request(cx: &Context<'_>, options: &Options) -> Result<(ProposalRequest, Vec<String>), Stop> {
    let (sources, warnings) = sources::read(cx, &options.given)?;
    Ok((ProposalRequest::new(sources, options.into.clone(), options.reason.clone())?, warnings))
}
