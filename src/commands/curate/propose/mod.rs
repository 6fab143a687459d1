//! Have a model propose operations of curation from a text, and apply them.
//!
//! The model is given the text, what the tree has near it, and the form of the operations. They are tried without writing;
//! those that fail go back to it once; what then stands is written as one operation and one commit. What the text does not
//! support waits for review. Knows no files: where the text is from is the caller's matter.

mod asking;
mod nearby;
mod reading;
mod share;

use asking::ProposalAsker;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::agents::model::{Error, Model};
use brv_engine::curate::{self, Options, Outcome};
use brv_engine::journal::CodeHead;
use brv_engine::open::context::Parts;
use brv_engine::write::landing;
use brv_engine::{FailureKind, Mode, Stop};
use brv_text::curate::{CurateKind, Grounds};
use brv_text::lint::secrets;
use reading::Proposal;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many texts are shown to the model at once.
pub const BATCH: usize = 5;

/// A text, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// The name of its file, if it is one.
    pub name: Option<String>,
    pub text: String,
}

/// What a model is to make operations of. It has no values of secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalRequest {
    pub sources: Vec<SourceText>,
    /// The folder that the user suggests.
    pub into: Option<String>,
    /// The subject of the commit.
    pub reason: Option<String>,
}

/// What a model proposed, and what would become of it.
#[derive(Debug)]
pub struct Proposed {
    options: Options,
    /// What applying them without writing led to.
    pub tried: Outcome,
    /// The operations, in the form of `--ops`.
    pub operations: Vec<Value>,
    pub warnings: Vec<String>,
}

/// How the operations are made.
#[derive(Debug, Clone)]
pub struct ProposalSettings {
    /// Whether they are to be written.
    pub mode: Mode,
    /// The head of the code, with which the lines of entries are compared later.
    pub code_head: Option<CodeHead>,
    /// The job that asks.
    pub job: Option<String>,
}

impl ProposalRequest {
    /// A request without the values of secrets.
    ///
    /// # Errors
    /// A reason that has one: it would stand in the history.
    pub fn new(sources: Vec<SourceText>, into: Option<String>, reason: Option<String>) -> Result<Self, Stop> {
        let mask = |text: String| secrets::masked(&text).into_owned();
        let reason = reason.map(|reason| reason.split_whitespace().collect::<Vec<_>>().join(" "));
        if reason.as_ref().is_some_and(|reason| mask(reason.clone()) != *reason) {
            return Err(Stop::new(FailureKind::Blocked, "BRV006: the reason has a secret"));
        }
        let sources = sources.into_iter();
        let sources =
            sources.map(|one| SourceText { name: one.name.map(mask), text: mask(one.text) }).collect();
        Ok(Self { sources, into: into.map(mask), reason: reason.filter(|reason| !reason.is_empty()) })
    }

    /// What facts are looked up in: the texts as they are, never a summary.
    fn grounds(&self) -> Grounds {
        let texts = self.sources.iter().flat_map(|one| one.name.iter().chain([&one.text]));
        Grounds::of(texts.map(String::as_str))
    }
}

/// Ask the model, and try what it proposes. Writes nothing.
///
/// # Errors
/// No usable answer; what keeps operations from being written.
pub fn propose(
    parts: Parts<'_>,
    model: &mut Model,
    request: &ProposalRequest,
    setting: ProposalSettings,
) -> Result<Proposed, Stop> {
    if setting.mode == Mode::Write {
        // a merge in progress stops the command before it costs anything
        landing::commit_mode(&parts)?;
    }
    let mut asking = ProposalAsker { model, warnings: Vec::new() };
    let (mut proposal, mut versions) = (Proposal::default(), ShownVersions::new());
    for batch in request.sources.chunks(BATCH) {
        let known = nearby::of(&parts, batch, &proposal);
        for (path, version) in &known.versions {
            versions.entry(path.clone()).or_insert(*version);
        }
        proposal.add(asking.operations(batch, request.into.as_deref(), &known)?);
    }
    let mut options = Options {
        code_head: setting.code_head,
        grounds: Some(Arc::new(request.grounds())),
        subject: request.reason.clone(),
        model: Some(asking.model.spent().name).filter(|name| !name.is_empty()),
        job: setting.job,
        operations: proposal.reads.clone(),
        mode: Mode::DryRun,
        ..Options::default()
    };
    let mut tried = trial(parts, &mut options, &versions)?;
    if tried.refusals().next().is_some() {
        match asking.again(&proposal, &tried) {
            Ok(corrected) => {
                options.operations.clone_from(&corrected.reads);
                proposal = corrected;
                tried = trial(parts, &mut options, &versions)?;
            }
            Err(Error::Interrupted) => return Err(Error::Interrupted.into()),
            Err(why) => asking.warnings.push(format!("the operations that failed were not corrected: {why}")),
        }
    }
    let warnings = asking.warnings;
    Ok(Proposed { options, tried, operations: proposal.shown(), warnings })
}

/// The entries that the model was shown, each in the version that it saw.
type ShownVersions = BTreeMap<TreePath, ContentId>;

/// Apply the operations without writing. Each expects its entry as the model saw it, or else as it stands now: somebody may
/// change it while the model thinks.
fn trial(parts: Parts<'_>, options: &mut Options, versions: &ShownVersions) -> Result<Outcome, Stop> {
    let tried = curate::curate(parts, options)?;
    share::limit(parts.opened, options, &tried)?;
    let mut touched = BTreeSet::new();
    for (read, one) in options.operations.iter_mut().zip(&tried.applied) {
        let (Ok(operation), Ok(done)) = (&mut read.operation, &one.result) else { continue };
        let now = done.before.and_then(|id| ContentId::from_hex(&id.to_string()));
        if touched.insert(done.file.clone()) && operation.kind != CurateKind::Add && now.is_some() {
            operation.expect = versions.get(&done.file).copied().or(now);
        }
    }
    curate::curate(parts, options)
}

/// Write what was proposed.
///
/// # Errors
/// What stops `brv curate` as a whole; then nothing was written. An operation that fails is an outcome.
pub fn apply(parts: Parts<'_>, proposed: &Proposed) -> Result<Outcome, Stop> {
    curate::curate(parts, &Options { mode: Mode::Write, ..proposed.options.clone() })
}
