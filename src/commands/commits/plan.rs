//! The operations of curation for what a commit teaches.

use super::Intake;
use super::covering::{Covering, covering, statements};
use super::placing::CommitPlace;
use super::speaker::Speaker;
use super::update::{EntryUpdate, read};
use brv_base::fs;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::jobs::{Filed, FiledItem};
use brv_engine::query::search::{ScanFreshness, SearchSession};
use brv_text::brain::for_files::cited;
use brv_text::commits::{CommitFact, CommitNote, Lesson};
use brv_text::curate::{CurateKind, IntakeFiling, OperationInput, Read};
use brv_text::doc::item::stated;
use brv_text::doc::saying::Saying;
use brv_text::doc::{Category, Concept, Document, EntryBody, Item, ItemChange, Narrative, Statement, normal};
use brv_text::judge::NoteKind;
use brv_text::words::Runs;

/// How much of the three-word runs of two items of one title are the same, if the new one replaces the other.
const SAME: f64 = 0.8;

/// The operations for a lesson, and what they file.
#[derive(Default)]
pub(super) struct LessonPlan {
    pub operations: Vec<Read>,
    pub filed: Filed,
    /// The facts that the commit supersedes, as they stand.
    pub replaced: Vec<(TreePath, Saying)>,
}

/// Plan what a lesson changes: an update of each entry that states a subject of it, and items in the entry of its topic.
///
/// # Errors
/// The tree cannot be read or searched.
pub(super) fn plan(speaker: &Speaker<'_>, lesson: &Lesson, place: CommitPlace) -> Result<LessonPlan, Stop> {
    let mut planning = LessonPlanner::of(speaker, lesson, place)?;
    lesson.facts.iter().try_for_each(|stated| planning.fact(stated))?;
    lesson.notes.iter().for_each(|note| planning.note(note));
    Ok(planning.done())
}

struct LessonPlanner<'s> {
    speaker: &'s Speaker<'s>,
    lesson: &'s Lesson,
    place: CommitPlace,
    title: String,
    /// The entry at the place, if it is there.
    known: Option<Covering>,
    session: Option<SearchSession<'s>>,
    updates: Vec<EntryUpdate>,
    rest: Vec<Statement>,
    items: ItemChange,
    /// What somebody else states and what instructs: it gets an entry of its own.
    instructing: (Vec<Statement>, Vec<Item>),
    filed: Filed,
    replaced: Vec<(TreePath, Saying)>,
}

impl<'s> LessonPlanner<'s> {
    fn of(speaker: &'s Speaker<'s>, lesson: &'s Lesson, place: CommitPlace) -> Result<Self, Stop> {
        let known = known(speaker.intake, &place)?;
        let title = lesson.title.clone().unwrap_or_else(|| place.title.clone());
        let weight = lesson.notes.iter().map(|note| note.weight).max();
        let (session, updates, rest, items, instructing, replaced) = Default::default();
        let filed = Filed { weight, ..Filed::default() };
        Ok(Self {
            speaker,
            lesson,
            place,
            title,
            known,
            session,
            updates,
            rest,
            items,
            instructing,
            filed,
            replaced,
        })
    }

    fn fact(&mut self, stated: &CommitFact) -> Result<(), Stop> {
        let statement = self.speaker.statement(stated);
        if self.speaker.instructs(&stated.statement) {
            self.tell(self.apart(), &statement);
            self.instructing.0.push(statement);
            return Ok(());
        }
        let entries = match stated.subject.as_deref() {
            Some(subject) => self.stating(subject)?,
            None => Vec::new(),
        };
        let Some(subject) = stated.subject.as_deref().filter(|_| !entries.is_empty()) else {
            self.tell(self.place.path.to_string(), &statement);
            self.rest.push(statement);
            return Ok(());
        };
        // what is superseded is so wherever it stands
        let count = if stated.settles { entries.len() } else { 1 };
        for entry in entries.into_iter().take(count) {
            self.tell(entry.path.to_string(), &statement);
            let (path, update) = (entry.path.clone(), EntryUpdate::of(&mut self.updates, entry));
            update.state(self.speaker, (subject, stated))?;
            if stated.settles {
                self.replaced.extend(update.replaced(subject).into_iter().map(|one| (path.clone(), one)));
            }
        }
        Ok(())
    }

    /// The entries that state a subject already and are about the same: they cite what the commit changed, or the subject says
    /// enough. Where the entry of the commit's topic states it, that is the first.
    fn stating(&mut self, subject: &str) -> Result<Vec<Covering>, Stop> {
        let own = self.known.as_ref().filter(|entry| !statements(&entry.bytes, subject).is_empty()).cloned();
        let context = words(self.lesson, &self.title);
        let opened = self.speaker.intake.parts.opened;
        if self.session.is_none() {
            let progress = self.speaker.intake.parts.progress;
            self.session = Some(SearchSession::open(opened, ScanFreshness::Window, progress)?);
        }
        let Some(session) = &mut self.session else { return Ok(Vec::new()) };
        let found = covering(self.speaker.intake, session, (subject, &context))?;
        let says_enough = subject.split_whitespace().count() >= 2;
        let files: Vec<&str> = self.speaker.commit.files.iter().map(|file| file.path.as_str()).collect();
        let is_other = |entry: &Covering| own.as_ref().is_none_or(|own| own.path != entry.path);
        let fitting =
            found.into_iter().filter(|entry| says_enough || cites(&entry.bytes, &files)).filter(is_other);
        let fitting: Vec<Covering> = fitting.collect();
        Ok(own.clone().into_iter().chain(fitting).collect())
    }

    fn note(&mut self, note: &CommitNote) {
        let item = self.speaker.item(&self.title, note);
        let path = match self.speaker.instructs(&note.text) {
            true => self.apart(),
            false => self.place.path.to_string(),
        };
        self.filed.items.push(FiledItem {
            path,
            title: item.title.clone(),
            text: item.text.clone(),
            kind: note.kind.as_str().to_owned(),
            date: item.month.clone(),
        });
        if self.speaker.instructs(&note.text) {
            self.instructing.1.push(item);
        } else {
            self.file(item);
        }
    }

    /// Bring an item into the entry of the topic: in the place of one that says nearly the same under the same title.
    fn file(&mut self, item: Item) {
        let standing = self.known.as_ref().map(|entry| Document::parse(entry.bytes.as_slice()).items());
        let is_near = |one: &Item| {
            normal(&one.title) == normal(&item.title)
                && one.mark.is_none()
                && one.prefix == item.prefix
                && near(&one.text, &item.text)
        };
        match standing.into_iter().flatten().find(|one| is_near(one)) {
            Some(old) if old.text == item.text => {}
            Some(old) => self.items.turn.push((old, item)),
            None => self.items.add.push(item),
        }
    }

    /// The title of the entry for what instructs.
    fn apart_title(&self) -> String {
        let by = self.speaker.written.by.as_deref().unwrap_or_default();
        format!("{}, by {by}", self.title)
    }

    /// Where that entry will be.
    fn apart(&self) -> String {
        let name = brv_text::curate::slug(&self.apart_title()).unwrap_or_else(|| "instructions".to_owned());
        format!("{}/{name}.md", self.place.path.folder())
    }

    /// Remember what a fact says for those who ask about the commit.
    fn tell(&mut self, path: String, statement: &Statement) {
        self.filed.items.push(FiledItem {
            path,
            title: statement.subject.clone().unwrap_or_default(),
            text: statement.statement.clone(),
            kind: kind_of_fact(&statement.statement, statement.category).as_str().to_owned(),
            date: None,
        });
    }

    fn done(mut self) -> LessonPlan {
        let reason = format!("{} (commit {})", self.lesson.task, self.speaker.commit.short());
        let filing = IntakeFiling {
            items: std::mem::take(&mut self.items),
            files: Some(self.place.files.clone()),
            keywords: self.place.keywords.clone(),
            written: Some(self.speaker.seconds),
        };
        let (rest, mut operations) = (std::mem::take(&mut self.rest), Vec::new());
        if !rest.is_empty() || !filing.items.is_empty() {
            match self.known.take() {
                Some(entry) => {
                    let update = EntryUpdate::of(&mut self.updates, entry);
                    rest.into_iter().for_each(|statement| update.add(statement));
                    update.filing = filing;
                }
                None => operations.push(self.created(filing, rest, &reason)),
            }
        }
        if !self.instructing.0.is_empty() || !self.instructing.1.is_empty() {
            operations.push(self.created_apart(&reason));
        }
        let updates = std::mem::take(&mut self.updates).into_iter().map(|update| update.read(&reason));
        LessonPlan {
            operations: updates.chain(operations).collect(),
            filed: self.filed,
            replaced: self.replaced,
        }
    }

    fn created(&self, filing: IntakeFiling, facts: Vec<Statement>, reason: &str) -> Read {
        let written = OperationInput::new(CurateKind::Add, self.place.path.to_string(), reason.to_owned());
        let written = OperationInput { title: Some(sentence_case(&self.place.title)), ..written };
        created(written, facts, filing)
    }

    fn created_apart(&mut self, reason: &str) -> Read {
        let (facts, add) = std::mem::take(&mut self.instructing);
        let filing = IntakeFiling {
            items: ItemChange { add, ..ItemChange::default() },
            files: Some(self.place.files.clone()),
            keywords: Vec::new(),
            written: Some(self.speaker.seconds),
        };
        let written = OperationInput::new(CurateKind::Upsert, self.apart(), reason.to_owned());
        let written = OperationInput { title: Some(self.apart_title()), ..written };
        created(written, facts, filing)
    }
}

/// An operation that makes an entry of facts and items.
fn created(written: OperationInput, facts: Vec<Statement>, filing: IntakeFiling) -> Read {
    let IntakeFiling { items, files, .. } = &filing;
    let lines: Vec<String> = items.add.iter().map(Item::line).collect();
    let highlights = Some(lines.join("\n")).filter(|text| !text.is_empty());
    let content = EntryBody {
        concept: Concept { files: files.clone().unwrap_or_default(), ..Concept::default() },
        narrative: Narrative { highlights, ..Narrative::default() },
        facts,
        ..EntryBody::default()
    };
    let filing = IntakeFiling { items: ItemChange::default(), files: None, ..filing };
    read(written, content, |operation| operation.filing = Some(Box::new(filing)))
}

/// The entry at a place.
fn known(intake: &Intake<'_>, place: &CommitPlace) -> Result<Option<Covering>, Stop> {
    if intake.is_aside(&place.path) {
        return Ok(None);
    }
    let root = intake.parts.scope().root();
    let bytes = fs::read_below(&root, &place.path.on_disk(&root))?;
    Ok(bytes.map(|bytes| Covering {
        path: place.path.clone(),
        title: Document::parse(bytes.as_slice()).title().unwrap_or_default(),
        bytes,
        relevance: 0.0,
        ratio: 0.0,
        statements: Vec::new(),
    }))
}

/// Whether an entry cites one of these files, or a folder that one is in.
fn cites(bytes: &[u8], files: &[&str]) -> bool {
    let is_of = |cited: &String| {
        files.iter().any(|file| {
            *file == cited || file.strip_prefix(cited.as_str()).is_some_and(|rest| rest.starts_with('/'))
        })
    };
    cited(&Document::parse(bytes)).iter().any(is_of)
}

fn near(one: &str, other: &str) -> bool {
    let (a, b) = (Runs::of(one), Runs::of(other));
    one == other || (!a.is_empty() && !b.is_empty() && a.likeness(&b) >= SAME)
}

/// The kind of a fact: its prefix, else its category.
pub(super) fn kind_of_fact(statement: &str, category: Option<Category>) -> NoteKind {
    let prefix = stated(statement).prefix;
    prefix.map_or_else(
        || match category {
            Some(Category::Convention) => NoteKind::Rule,
            Some(Category::Environment) => NoteKind::Limit,
            _ => NoteKind::Note,
        },
        NoteKind::of_prefix,
    )
}

fn sentence_case(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// How many words of a lesson are searched for.
const WORDS: usize = 60;

/// The first words of what a lesson says.
fn words(lesson: &Lesson, title: &str) -> String {
    let facts = lesson.facts.iter().flat_map(|fact| fact.subject.iter().chain([&fact.statement]));
    let notes = lesson.notes.iter().map(|note| &note.text);
    let texts = facts.chain(notes).map(String::as_str);
    let words = [title].into_iter().chain(texts).flat_map(str::split_whitespace).take(WORDS);
    // what is in quotes would be searched for as a phrase
    words.map(|word| word.replace('"', "")).collect::<Vec<_>>().join(" ")
}
