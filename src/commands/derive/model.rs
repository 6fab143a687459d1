//! `brv derive --model`: have a model propose summaries, and write overviews for this machine.
//!
//! There is one request for each entry. Each answer is kept by the version of the entry, so that an interrupted run
//! pays for nothing twice. The summaries land together, as one curation that waits for review; an entry that changed
//! since it was read is left for the next run. No text of a model gets into a derived file: clones would differ.

use super::writing::{self, Subject};
use crate::dream::work::{DreamPlace, Ground};
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::{PathKind, TreePath};
use brv_base::progress::Stage;
use brv_engine::agents::model::{self, Model, Request, Spent};
use brv_engine::curate;
use brv_engine::derive::{self, Companion};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::models::{self, AnswerPrompt, Answers, CachedAnswer};
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::read::history::source::Reading;
use brv_engine::review::trust::{self, Trust};
use brv_engine::write::landing::Saved;
use brv_engine::{FailureKind, Stop};
use brv_text::curate::{Act, Code, CurateKind, Operation, OperationInput, Read, Why};
use brv_text::derive::Input;
use brv_text::doc::{Document, Frontmatter};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// After so many entries in a row without a usable answer, the model is not asked any more.
const MOST_INVALID: usize = 3;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Entries and folders, as typed; empty: the whole tree.
    pub names: Vec<String>,
    /// Whether overviews are written, too.
    pub overviews: bool,
}

/// `brv.derive.model/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeriveModel")]
pub struct Outcome {
    /// The entries that needed a summary.
    pub summaries: Vec<Row>,
    /// With `--overviews`: the entries that needed an overview on this machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overviews: Vec<Row>,
    /// What was written.
    #[serde(flatten)]
    pub saved: Saved,
    /// What was asked of the model.
    pub model: Spent,
    /// Why the model was not asked about the rest.
    #[serde(skip)]
    pub ended: Option<Stop>,
    /// What the user should know about the model.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// An entry, and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeriveModelEntry")]
pub struct Row {
    pub path: TreePath,
    pub status: Status,
    /// The text that the model wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why it was left, or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DeriveModelStatus")]
pub enum Status {
    /// The summary is in the tree, and waits for review.
    Proposed,
    /// The overview is on this machine.
    Kept,
    /// The entry says so already.
    Unchanged,
    /// The entry was left as it is; the next run takes it up.
    Left,
    /// The model gave no usable answer.
    Failed,
}

impl Row {
    fn new(path: &TreePath, status: Status, reason: impl Into<Option<String>>) -> Self {
        Self { path: path.clone(), status, text: None, reason: reason.into() }
    }
}

/// Ask the model about entries.
///
/// # Errors
/// No model; an unknown name; a model that answered nothing at all; the disk or git.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let model = models::needed(cx)?;
    let _alone = alone(&opened)?;
    let chosen = RequestedEntries::of(cx, &opened, &options.names)?;
    let mut asking =
        DeriveAsker { cx, opened: &opened, model, trust: Trust::of(&opened), ended: None, invalid: 0 };
    let (summaries, saved) = asking.summaries(&chosen)?;
    let overviews = match options.overviews && asking.ended.is_none() {
        true => asking.overviews(&chosen)?,
        false => Vec::new(),
    };
    let warnings = asking.model.take_warnings();
    let is_made = |row: &Row| matches!(row.status, Status::Proposed | Status::Kept | Status::Unchanged);
    if let Some(stop) = asking.ended.take_if(|_| !summaries.iter().chain(&overviews).any(is_made)) {
        return Err(stop);
    }
    Ok(Outcome { summaries, overviews, saved, model: asking.model.spent(), ended: asking.ended, warnings })
}

/// Two runs at once would pay for the same answers.
fn alone(opened: &Opened) -> Result<fs::WriteGuard, Stop> {
    let held = || Stop::new(FailureKind::Busy, "another `brv derive --model` runs here");
    fs::WriteGuard::acquire(&models::folder(opened).join("lock"), Duration::ZERO).map_err(|busy| match busy {
        fs::Busy::Held { .. } => held(),
        fs::Busy::File(error) => error.into(),
    })
}

/// The requested entries.
struct RequestedEntries {
    /// Entries that are named.
    files: Vec<TreePath>,
    /// The folders below which entries count, each empty or with `/` at its end.
    folders: Vec<String>,
}

impl RequestedEntries {
    fn of(cx: &Context<'_>, opened: &Opened, names: &[String]) -> Result<Self, Stop> {
        let reading = Reading::on_disk(opened.scope.root());
        let mut chosen = Self { files: Vec::new(), folders: Vec::new() };
        if names.is_empty() {
            chosen.folders.push(String::new());
        }
        for typed in names {
            match reading.resolve(&cx.cwd, typed)? {
                Some(Named::Folder(folder)) if folder.is_empty() => chosen.folders.push(folder),
                Some(Named::Folder(folder)) => chosen.folders.push(format!("{folder}/")),
                Some(Named::File(path) | Named::Abstract(path) | Named::Overview(path))
                    if path.kind() == PathKind::Entry =>
                {
                    chosen.files.push(path);
                }
                Some(_) => return Err(Stop::usage(format!("`{typed}` is not an entry"))),
                None => {
                    let paths = reading.curated_paths(opened)?;
                    let nearest = resolve::meant(typed, paths.iter().map(TreePath::as_str));
                    let unknown = format!("`{typed}` is not in the context tree");
                    return Err(Stop::usage(unknown).nearest(&nearest));
                }
            }
        }
        Ok(chosen)
    }

    fn is_named(&self, path: &TreePath) -> bool {
        self.files.contains(path)
    }

    fn has(&self, path: &TreePath) -> bool {
        self.is_named(path) || self.folders.iter().any(|folder| path.as_str().starts_with(folder.as_str()))
    }

    /// Named entries that are not as a commit has them: somebody is at work on them.
    fn unfinished<'c>(&'c self, ground: &'c Ground) -> impl Iterator<Item = Row> + 'c {
        let files = self.files.iter().filter(|path| !ground.entries.contains_key(*path));
        files.map(|path| Row::new(path, Status::Left, "it has uncommitted changes".to_owned()))
    }
}

struct DeriveAsker<'a> {
    cx: &'a Context<'a>,
    opened: &'a Opened,
    model: Model,
    trust: Trust<'a>,
    ended: Option<Stop>,
    /// How many of the last entries got no usable answer.
    invalid: usize,
}

/// An entry to ask about.
struct PromptEntry {
    path: TreePath,
    id: ContentId,
    document: Document,
}

/// The question about an entry, and how to read the answer.
struct DeriveQuestion {
    prompt: AnswerPrompt,
    request: fn(&Subject<'_>) -> Request,
    read: fn(&Subject<'_>, Value) -> Result<String, String>,
}

const SUMMARY: DeriveQuestion = DeriveQuestion {
    prompt: AnswerPrompt::Summary,
    request: writing::summary_request,
    read: writing::summary,
};
const OVERVIEW: DeriveQuestion = DeriveQuestion {
    prompt: AnswerPrompt::Overview,
    request: writing::overview_request,
    read: writing::overview,
};

impl DeriveAsker<'_> {
    /// Propose summaries, as one curation.
    fn summaries(&mut self, chosen: &RequestedEntries) -> Result<(Vec<Row>, Saved), Stop> {
        let ground = Ground::of(self.opened, DreamPlace::Disk)?;
        let answers = Answers::of(self.opened, AnswerPrompt::Summary);
        let mut rows: Vec<Row> = chosen.unfinished(&ground).collect();
        let mut open = Vec::new();
        for entry in entries(&ground, chosen) {
            let entry = entry?;
            let is_named = chosen.is_named(&entry.path);
            if entry.document.meta().summary.is_some_and(|summary| !summary.trim().is_empty()) && !is_named {
                continue;
            }
            let kept = answers.get(entry.id);
            let why = match kept.is_some_and(|kept| kept.is_proposed) {
                true if is_named => {
                    answers.forget(entry.id);
                    self.hindrance(&entry)
                }
                true => Some("its summary was proposed and rejected before: name the entry to ask again"),
                false => self.hindrance(&entry),
            };
            match why {
                Some(why) => rows.push(Row::new(&entry.path, Status::Left, why.to_owned())),
                None => open.push(entry),
            }
        }
        let written = self.all(&SUMMARY, open, &mut rows);
        let saved = self.propose(&answers, &written, &mut rows)?;
        rows.sort_by(|one, other| one.path.cmp(&other.path));
        Ok((rows, saved))
    }

    /// Write overviews for this machine, of the entries as they are now.
    fn overviews(&mut self, chosen: &RequestedEntries) -> Result<Vec<Row>, Stop> {
        let ground = Ground::of(self.opened, DreamPlace::Disk)?;
        let answers = Answers::of(self.opened, AnswerPrompt::Overview);
        let mut rows: Vec<Row> = chosen.unfinished(&ground).collect();
        let mut open = Vec::new();
        for entry in entries(&ground, chosen) {
            let entry = entry?;
            if answers.get(entry.id).is_some() || is_too_short(&entry) {
                continue;
            }
            match self.hindrance(&entry) {
                Some(why) => rows.push(Row::new(&entry.path, Status::Left, why.to_owned())),
                None => open.push(entry),
            }
        }
        for (entry, text) in self.all(&OVERVIEW, open, &mut rows) {
            rows.push(Row { text: Some(text), ..Row::new(&entry.path, Status::Kept, None) });
        }
        rows.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(rows)
    }

    /// Why an entry is not asked about.
    fn hindrance(&self, entry: &PromptEntry) -> Option<&'static str> {
        let document = &entry.document;
        if !document.is_utf8() || matches!(document.frontmatter(), Frontmatter::Opaque { .. }) {
            return Some("its frontmatter cannot be edited");
        }
        if !document.conflicts().is_empty() {
            return Some("it has conflict markers");
        }
        if !document.body().contains(char::is_alphanumeric) {
            return Some("it has no text");
        }
        let judged =
            self.trust.judge(entry.path.as_str(), document.as_bytes(), trust::EntryBytesSource::Disk);
        (!judged.is_none())
            .then_some("it came from elsewhere, may steer a model, and nobody here has accepted it")
    }

    /// The answers about entries, one after the other. `rows` gets the failures.
    fn all(
        &mut self,
        question: &DeriveQuestion,
        entries: Vec<PromptEntry>,
        rows: &mut Vec<Row>,
    ) -> Vec<(PromptEntry, String)> {
        let answers = Answers::of(self.opened, question.prompt);
        let total = entries.len() as u64;
        let mut written = Vec::new();
        for (done, entry) in entries.into_iter().enumerate() {
            self.cx.progress.update(Stage::Model, done as u64, Some(total));
            if let Some(kept) = answers.get(entry.id) {
                written.push((entry, kept.text));
                continue;
            }
            if self.ended.is_some() {
                rows.push(Row::new(&entry.path, Status::Left, "the model was not asked about it".to_owned()));
                continue;
            }
            match self.one(question, &entry) {
                Ok(text) => {
                    answers.keep(entry.id, &CachedAnswer { text: text.clone(), is_proposed: false });
                    written.push((entry, text));
                }
                Err(error) => rows.push(Row::new(&entry.path, Status::Failed, error.to_string())),
            }
        }
        written
    }

    /// The answer about one entry. A model that fails is not asked again.
    fn one(&mut self, question: &DeriveQuestion, entry: &PromptEntry) -> Result<String, model::Error> {
        let subject = Subject { path: entry.path.as_str(), document: &entry.document };
        let request = (question.request)(&subject);
        let answered = self.model.ask_for(request, |answer| (question.read)(&subject, answer));
        match answered {
            Err(model::Error::Invalid(_)) => self.invalid += 1,
            _ => self.invalid = 0,
        }
        answered.inspect_err(|error| {
            if !matches!(error, model::Error::Invalid(_)) || self.invalid >= MOST_INVALID {
                self.ended = Some(stop_of(error));
            }
        })
    }

    /// Land the summaries as one curation that waits for review.
    fn propose(
        &self,
        answers: &Answers,
        written: &[(PromptEntry, String)],
        rows: &mut Vec<Row>,
    ) -> Result<Saved, Stop> {
        // whoever interrupts wants no commit; the answers are kept
        if let Some(stop) = self.ended.as_ref().filter(|stop| stop.kind == FailureKind::Interrupted) {
            return Err(Stop::new(stop.kind, &stop.message));
        }
        if written.is_empty() {
            return Ok(Saved::default());
        }
        let name = self.model.spent().name;
        let options = curate::Options {
            operations: written.iter().map(operation).collect(),
            subject: (written.len() > 1).then(|| "propose summaries of entries".to_owned()),
            model: Some(name),
            review: Some(Why::Model),
            ..curate::Options::default()
        };
        let outcome = curate::curate(self.cx.parts(self.opened), &options)?;
        for ((entry, text), applied) in written.iter().zip(&outcome.applied) {
            let text = Some(text.clone());
            rows.push(match &applied.result {
                Ok(done) => {
                    let is_same = done.act == Act::Unchanged;
                    answers.keep(
                        entry.id,
                        &CachedAnswer { text: text.clone().unwrap_or_default(), is_proposed: !is_same },
                    );
                    let status = if is_same { Status::Unchanged } else { Status::Proposed };
                    Row { text, ..Row::new(&entry.path, status, None) }
                }
                Err(why) if matches!(why.code, Code::Changed | Code::NotFound) => {
                    Row::new(&entry.path, Status::Left, "it changed meanwhile".to_owned())
                }
                Err(why) => {
                    answers.forget(entry.id);
                    Row { text, ..Row::new(&entry.path, Status::Failed, why.message.clone()) }
                }
            });
        }
        let curate::Outcome { commit, uncommitted, written, .. } = outcome;
        Ok(Saved { commit, uncommitted, differed: Vec::new(), written })
    }
}

/// The requested entries that are committed.
fn entries<'g>(
    ground: &'g Ground,
    chosen: &'g RequestedEntries,
) -> impl Iterator<Item = Result<PromptEntry, Stop>> + 'g {
    let asked = ground.entries.iter().filter(|(path, _)| chosen.has(path));
    asked.filter_map(|(path, id)| {
        let document = ground.document(path).transpose()?;
        Some(document.map(|document| PromptEntry { path: path.clone(), id: *id, document }))
    })
}

/// Whether an entry is so short that nothing shorter says it.
fn is_too_short(entry: &PromptEntry) -> bool {
    let input = Input { path: &entry.path, id: entry.id, bytes: entry.document.as_bytes() };
    let made = derive::companion_of(&input, Companion::Overview);
    made.text.split_once("\n---\n").is_none_or(|(_, body)| body.trim().is_empty())
}

/// The operation that proposes a summary for exactly the version that was read.
fn operation((entry, text): &(PromptEntry, String)) -> Read {
    let path = entry.path.to_string();
    let reason = "a summary, proposed by a model".to_owned();
    let operation = Operation::of(OperationInput {
        summary: Some(text.clone()),
        expect: Some(entry.id.to_string()),
        ..OperationInput::new(CurateKind::Update, path.clone(), reason)
    });
    Read { kind: Some("UPDATE".to_owned()), path: Some(path), operation }
}

fn stop_of(error: &model::Error) -> Stop {
    use brv_engine::Fails as _;
    Stop { code: error.code(), ..Stop::new(error.kind(), error.to_string()) }
}
