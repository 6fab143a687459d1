//! `brv brain`: what an agent should know at the start of a session, within a budget of tokens.

mod assembly;
pub mod digests;
pub mod file;
pub mod for_files;
pub mod kept;
mod left;
mod pack;
pub mod served;
mod session;
mod since;
pub mod sources;
mod task;

use crate::brain::digests::{CurrentDigests, Version};
use assembly::Inputs;
use brv_engine::open::context::Opened;
use brv_engine::open::naming::resolve;
use brv_engine::open::signals;
use brv_engine::query::search;
use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_engine::read::stale;
use brv_engine::review::trust::{Suspect, Trust};
use brv_engine::review::{self, Marks};
use brv_engine::{Audience, Context, FailureKind, Stop};
use brv_text::brain::{self, Left, Passage, Since};
use brv_text::lifecycle;
use std::collections::{BTreeMap, BTreeSet};

pub use brv_text::brain::{Budgets, Outcome};

/// The request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    pub budgets: Budgets,
    /// Whether to leave out layer 0.
    pub no_brief: bool,
    pub task: Option<String>,
    /// A hash that was served here, `last`, or a revision.
    pub since: Option<String>,
    /// Only in this folder, as typed.
    pub scope: Option<String>,
    pub session: Option<String>,
    pub summary: bool,
    /// The hash that the caller has.
    pub if_none_match: Option<String>,
    /// Whether to say of each entry why it is in, out or cut.
    pub explain: bool,
    /// Whether it is not remembered as given: a person looks at what an agent would get.
    pub unnoted: bool,
}

impl Options {
    /// Whether the document depends on the files and what is known of them alone.
    const fn is_plain(&self) -> bool {
        self.task.is_none() && self.since.is_none() && self.session.is_none() && !self.explain
    }

    /// Those that change the document, as text.
    fn text(&self) -> String {
        let Self { budgets, no_brief, task, scope, summary, .. } = self;
        let Budgets { total, layers } = budgets.capped();
        let scope = scope.as_deref().map(|scope| scope.trim_matches('/'));
        format!("{total} {layers:?} {no_brief} {summary} {scope:?} {task:?}")
    }
}

/// The document, and warnings.
///
/// # Errors
/// An unknown folder, a task without a word; the disk or git.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<(Outcome, Vec<String>), Stop> {
    let (mut outcome, said) = answered(cx, options)?;
    if cx.audience == Audience::Agent && !outcome.not_modified {
        let of_layers = outcome.layers.iter().flat_map(|layer| &layer.items).map(|item| item.path.clone());
        let of_task = outcome.passages.iter().flatten().map(|needed| needed.path.clone());
        let paths: Vec<String> = of_layers.chain(of_task).collect();
        outcome.last_changes = search::grouped(cx.keep_open()?, cx.clock, &paths);
    }
    Ok((outcome, said))
}

fn answered(cx: &Context<'_>, options: &Options) -> Result<(Outcome, Vec<String>), Stop> {
    let opened = cx.keep_open()?;
    let call = BrainCall::new(cx, opened, options);
    if let Some(version) = digests::version(opened).filter(|_| options.is_plain())
        && let Some(outcome) = call.repeated(version)
    {
        return Ok((call.served(outcome, Some(version)), Vec::new()));
    }
    let current = call.seen()?;
    let scope = scope(&current.digests, options.scope.as_deref())?;
    let find = |name: &str| {
        let since = since::find(opened, &current.digests, current.version, options, name)?;
        Ok(current.without_withheld(since))
    };
    let (since, warning) = match options.since.as_deref().map(find).transpose() {
        Ok(since) => (since, None),
        Err(warning) => (None, Some(warning)),
    };
    let outcome = match &options.session {
        Some(session) => call.of_session(session, &current, scope.as_deref(), since)?,
        None => call.anew(&current, scope.as_deref(), since.as_ref())?,
    };
    Ok((call.served(outcome, current.version), warning.into_iter().collect()))
}

/// Too many entries are new for a call that ends soon.
fn time_is_up() -> Stop {
    let message = "more entries are new than are read in the time of a hook; what was read is kept, and the next call \
                   goes on from there (`brv brain` reads all of them)";
    Stop::new(FailureKind::Busy, message)
}

/// The summary, without entries whose change waits for review.
fn summary(cx: &Context<'_>, opened: &Opened, options: &Options) -> Result<String, Stop> {
    let call = BrainCall::new(cx, opened, options);
    let mut current = call.seen()?;
    current.digests.retain(|digest| !call.marks.contains_key(&digest.path));
    Ok(call.inputs(None, None, None).assemble(&current.digests).document)
}

/// A call, with what does not depend on the files.
struct BrainCall<'a> {
    cx: &'a Context<'a>,
    opened: &'a Opened,
    options: &'a Options,
    now: i64,
    marks: Marks,
    trust: Trust<'a>,
    unmerged: Unmerged,
    left: BTreeMap<String, Vec<Left>>,
}

/// The files as they are, without those that are withheld.
struct BrainSnapshot {
    digests: Vec<brain::Digest>,
    version: Option<Version>,
    suspects: Vec<Suspect>,
}

impl BrainSnapshot {
    fn withheld(&self) -> impl Iterator<Item = &Suspect> {
        self.suspects.iter().filter(|suspect| suspect.is_withheld())
    }

    /// Names nothing that is withheld.
    fn without_withheld(&self, mut since: Since) -> Since {
        let is_shown = |path: &String| !self.withheld().any(|suspect| suspect.path == *path);
        [&mut since.added, &mut since.changed].into_iter().for_each(|paths| paths.retain(is_shown));
        since.comments.retain(|comment| is_shown(&comment.path));
        since
    }
}

impl<'a> BrainCall<'a> {
    fn new(cx: &'a Context<'a>, opened: &'a Opened, options: &'a Options) -> Self {
        let (now, marks, trust) = (cx.clock.seconds(), review::marks(opened), Trust::of(opened));
        let unmerged = Unmerged::known(opened, &cx.cwd, now);
        let left = left::by_path(&unmerged, now);
        Self { cx, opened, options, now, marks, trust, unmerged, left }
    }

    fn seen(&self) -> Result<BrainSnapshot, Stop> {
        let current = digests::current_by(self.opened, self.cx.ends_at)?.ok_or_else(time_is_up)?;
        let CurrentDigests { mut digests, version } = current;
        let suspects = self.trust.withhold(&mut digests);
        Ok(BrainSnapshot { digests, version, suspects })
    }

    fn inputs<'b>(
        &'b self,
        scope: Option<&'b str>,
        passages: Option<&'b [Passage]>,
        since: Option<&'b Since>,
    ) -> Inputs<'b> {
        let BrainCall { cx, opened, options, now, marks, left, .. } = self;
        Inputs { opened, cwd: &cx.cwd, now: *now, options, scope, marks, left, passages, since }
    }

    /// A document made from the files as they are.
    fn anew(
        &self,
        current: &BrainSnapshot,
        scope: Option<&str>,
        since: Option<&Since>,
    ) -> Result<Outcome, Stop> {
        let is_plain = self.options.is_plain();
        let version = current.version.filter(|_| is_plain);
        if let Some(outcome) = version.and_then(|version| self.repeated(version)) {
            return Ok(outcome);
        }
        let key = version.map(|version| self.key(version));
        let words = self.options.task.as_deref();
        let is_withheld = |path: &str| current.withheld().any(|suspect| suspect.path == path);
        let passages = words.map(|words| {
            let known = (&self.marks, &self.unmerged);
            task::passages((self.cx, self.opened), words, self.options, known, &is_withheld)
        });
        let passages = passages.transpose()?;
        let mut outcome = self.inputs(scope, passages.as_deref(), since).assemble(&current.digests);
        self.tell_withheld(current, scope, &mut outcome);
        // the bytes of a file in conflict are not those on disk
        if let Some(key) = key.filter(|_| !current.digests.iter().any(|digest| digest.is_ours)) {
            kept::keep(self.opened, &self.options.text(), (key, &current.suspects), &outcome);
        }
        Ok(Outcome { since: since.cloned(), ..outcome })
    }

    /// How many entries of the scope are withheld, and why with `explain`.
    fn tell_withheld(&self, current: &BrainSnapshot, scope: Option<&str>, outcome: &mut Outcome) {
        for suspect in current.withheld().filter(|suspect| is_inside(&suspect.path, scope)) {
            outcome.withheld += 1;
            outcome.explain.iter_mut().for_each(|rows| {
                rows.push(brain::EntryExplanation {
                    path: suspect.path.clone(),
                    layer: 3,
                    state: "withheld".to_owned(),
                    why: format!("{}; nobody here approved it", suspect.withheld().words().join(", ")),
                });
            });
        }
    }

    /// An earlier document that was made from the same, if the code that it is about is as it was, and what was withheld
    /// still is.
    fn repeated(&self, version: Version) -> Option<Outcome> {
        let (outcome, suspects): (Outcome, _) =
            kept::made(self.opened, &self.options.text(), &self.key(version))?;
        if !self.trust.is_as_it_was(&suspects) {
            return None;
        }
        let items = outcome.layers.iter().flat_map(|layer| &layer.items);
        let items: BTreeMap<&str, _> = items.map(|item| (item.path.as_str(), &item.freshness)).collect();
        let now = stale::of_files(self.opened, &self.cx.cwd, items.keys().copied(), None);
        let is_same = items.values().zip(&now).all(|(then, now)| *then == now);
        is_same.then_some(outcome)
    }

    /// All that a document is made from, but for the code.
    fn key(&self, version: Version) -> String {
        let day = self.now.div_euclid(lifecycle::DAY);
        let signals = signals::stamp(self.opened);
        let unmerged = self.unmerged.stamp(self.now);
        format!("{version:?} {day} {} {signals} {:?} {unmerged}", self.options.text(), self.marks)
    }

    /// Remember that a document is served. Nothing of it is sent to a caller who has it.
    fn served(&self, outcome: Outcome, version: Option<Version>) -> Outcome {
        if let Some(version) = version.filter(|_| !self.options.unnoted) {
            let (hash, session) = (outcome.brain_hash.clone(), self.options.session.clone());
            kept::serve(self.opened, kept::Served { hash, session, version, at: self.now });
        }
        if self.options.if_none_match.as_deref() != Some(&outcome.brain_hash) {
            return outcome;
        }
        Outcome { document: String::new(), token_estimate: 0, not_modified: true, ..outcome }
    }
}

fn is_inside(path: &str, scope: Option<&str>) -> bool {
    scope.is_none_or(|scope| path.strip_prefix(scope).is_some_and(|rest| rest.starts_with('/')))
}

/// The folder of the tree that is meant.
fn scope(digests: &[brv_text::brain::Digest], typed: Option<&str>) -> Result<Option<String>, Stop> {
    let Some(typed) = typed else { return Ok(None) };
    let wanted = typed.trim_matches('/');
    if wanted.is_empty() || wanted == "." {
        return Ok(None);
    }
    let folders: BTreeSet<&str> = digests
        .iter()
        .flat_map(|digest| digest.path.match_indices('/').map(|(end, _)| &digest.path[..end]))
        .collect();
    if folders.contains(wanted) {
        return Ok(Some(wanted.to_owned()));
    }
    let inside: Vec<String> = folders.iter().map(|folder| format!("{folder}/context.md")).collect();
    let mut nearest = resolve::meant(wanted, inside.iter().map(String::as_str));
    nearest.iter_mut().for_each(|name| *name = name.trim_end_matches("/context.md").to_owned());
    nearest.dedup();
    Err(Stop::usage(format!("the context tree has no folder `{typed}`")).nearest(&nearest))
}
