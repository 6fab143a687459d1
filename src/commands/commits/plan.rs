//! The operations of curation for what a commit teaches.

use super::covering::{Covering, covering, statements};
use super::written::Written;
use super::{HostCommit, Intake, Route, authors, place};
use brv_base::fs;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::query::search::SearchSession;
use brv_text::commits::{Lesson, Note, Stated, attribution};
use brv_text::curate::{self, KindWord, Operation, OperationInput, Parts, Read, slug};
use brv_text::doc::{Concept, Content, Document, Narrative, Statement, is_same_subject, normal};
use brv_text::lint::{self, Steering};
use bstr::ByteSlice as _;

/// The most files that an entry names.
const FILES: usize = 20;

/// The operations for a lesson: an update of each entry that covers a subject of it, and one entry for the rest.
pub(super) fn operations(
    intake: &Intake<'_>,
    session: &mut SearchSession<'_>,
    (commit, written): (&HostCommit, &Written),
    lesson: &Lesson,
) -> Result<Vec<Read>, Stop> {
    let speaker = Speaker { intake, commit, written };
    let mut updates: Vec<Update> = Vec::new();
    let (mut rest, mut instructing): (Vec<Statement>, Vec<Statement>) = Default::default();
    let context = place::words(lesson);
    for stated in &lesson.facts {
        let subject = stated.subject.as_deref();
        if speaker.instructs(&stated.statement) {
            instructing.push(speaker.statement(stated));
            continue;
        }
        let entries = match subject {
            Some(subject) => covering(intake, session, (subject, &context))?,
            None => Vec::new(),
        };
        let Some(subject) = subject.filter(|_| !entries.is_empty()) else {
            rest.push(speaker.statement(stated));
            continue;
        };
        // what is superseded is so wherever it stands
        let count = if stated.settles { entries.len() } else { 1 };
        for entry in entries.into_iter().take(count) {
            Update::of(&mut updates, entry).state(&speaker, (subject, stated))?;
        }
    }
    let reason = format!("{} (commit {})", lesson.task, commit.short());
    let mut all: Vec<Read> = updates.into_iter().map(|update| update.read(&reason)).collect();
    let notes = lesson.notes.iter().map(Note::written).collect::<Vec<_>>().join("\n\n");
    let prose = Some(notes).filter(|notes| !notes.is_empty()).map(|prose| speaker.attributed(&prose));
    let title = lesson.title.clone().unwrap_or_else(|| "Commit without a subject".to_owned());
    let (apart, prose) = match prose {
        Some(prose) if speaker.instructs(&prose) => (Some(prose), None),
        prose => (None, prose),
    };
    if !rest.is_empty() || prose.is_some() {
        let folder = place::folder(intake, session, commit, lesson)?;
        let text = New { title: title.clone(), facts: rest, prose };
        all.push(entry(&speaker, lesson, (folder, text, &reason))?);
    }
    if !instructing.is_empty() || apart.is_some() {
        let folder = place::folder(intake, session, commit, lesson)?;
        let title = format!("{title}, by {}", written.by.as_deref().unwrap_or_default());
        let text = New { title, facts: instructing, prose: apart };
        all.push(entry(&speaker, lesson, (folder, text, &reason))?);
    }
    Ok(all)
}

/// Who states something, and in which commit.
struct Speaker<'s> {
    intake: &'s Intake<'s>,
    commit: &'s HostCommit,
    written: &'s Written,
}

impl Speaker<'_> {
    /// Whether a text of somebody else instructs: it goes into an entry of its own, which waits as a whole.
    fn instructs(&self, text: &str) -> bool {
        let document = Document::parse(text.as_bytes());
        self.written.by.is_some() && Steering::instructs_anew(&document, [].into_iter())
    }

    fn statement(&self, stated: &Stated) -> Statement {
        Statement {
            subject: stated.subject.clone(),
            statement: self.attributed(&stated.statement),
            category: stated.category,
        }
    }

    /// The text of somebody else with the name behind it, where no commit of the tree can say it.
    fn attributed(&self, text: &str) -> String {
        let is_in_host = !self.intake.parts.scope().prefix().is_empty();
        match self.written.by.as_deref().filter(|_| is_in_host && self.written.is_named) {
            Some(name) => {
                let time = brv_base::clock::format_utc(self.commit.author.seconds);
                attribution::with(text, time.get(..7).unwrap_or_default(), name)
            }
            None => text.to_owned(),
        }
    }
}

/// What an entry gets.
struct New {
    title: String,
    facts: Vec<Statement>,
    prose: Option<String>,
}

/// What changes in one entry.
struct Update {
    entry: Covering,
    facts: Vec<Statement>,
    disputed: Vec<String>,
}

impl Update {
    /// The update of an entry: the one that is begun already, if there is one.
    fn of(updates: &mut Vec<Self>, entry: Covering) -> &mut Self {
        let at = updates.iter().position(|update| update.entry.path == entry.path).unwrap_or(updates.len());
        if at == updates.len() {
            updates.push(Self { entry, facts: Vec::new(), disputed: Vec::new() });
        }
        &mut updates[at]
    }

    /// State something about a subject. What the same author stated before is replaced, and all of it if the commit
    /// supersedes it; what others stated stays, and is disputed.
    fn state(&mut self, speaker: &Speaker<'_>, (subject, stated): (&str, &Stated)) -> Result<(), Stop> {
        let new = speaker.statement(stated);
        // a commit that a hook takes may be anybody's: it settles what its own author stated
        let settles = stated.settles && speaker.intake.route == Route::Import;
        let begun: Vec<Statement> = self.about(subject).cloned().collect();
        if !begun.is_empty() {
            // a second statement of the same commit
            if !begun.iter().any(|one| says(one, &new)) {
                self.facts.push(new);
            }
            return Ok(());
        }
        let standing = statements(&self.entry.bytes, subject);
        // the spelling of the entry stays
        let spelled = standing.first().and_then(|one| one.subject.clone());
        let new = Statement { subject: spelled.clone().or(new.subject), ..new };
        let others = match settles || standing.iter().any(|one| says(one, &new)) {
            true => Vec::new(),
            false => self.of_others(speaker, subject, standing.clone())?,
        };
        if !settles && standing.iter().any(|one| says(one, &new)) {
            return Ok(());
        }
        if !others.is_empty() {
            self.disputed.push(spelled.unwrap_or_else(|| subject.to_owned()));
        }
        self.facts.extend(others);
        self.facts.push(new);
        Ok(())
    }

    fn about<'s>(&'s self, subject: &'s str) -> impl Iterator<Item = &'s Statement> {
        let is_about =
            move |one: &&Statement| one.subject.as_deref().is_some_and(|own| is_same_subject(own, subject));
        self.facts.iter().filter(is_about)
    }

    /// The statements that somebody else made, as far as that is known.
    fn of_others(
        &self,
        speaker: &Speaker<'_>,
        subject: &str,
        standing: Vec<Statement>,
    ) -> Result<Vec<Statement>, Stop> {
        let Some(own) = &speaker.written.address else { return Ok(standing) };
        let authors = authors::of_statements(speaker.intake, &self.entry, subject)?;
        let text = |one: &Statement| {
            let category =
                one.category.map_or_else(String::new, |category| format!(" [{}]", category.as_str()));
            format!("{}{category}", one.statement)
        };
        Ok(standing.into_iter().filter(|one| authors.get(&text(one)) != Some(own)).collect())
    }

    fn read(self, reason: &str) -> Read {
        let content = Content { facts: self.facts, ..Content::default() };
        let base = brv_base::content::ContentId::of(&self.entry.bytes);
        let written = OperationInput::new(KindWord::Update, self.entry.path.to_string(), reason.to_owned());
        read(written, content, |operation| {
            operation.base = Some(base);
            operation.disputed = self.disputed;
        })
    }
}

/// Whether two statements say the same, as a check reads them.
fn says(one: &Statement, other: &Statement) -> bool {
    let plain = |one: &Statement| normal(attribution::without(&one.statement));
    let is_same_text = lint::says_same(&plain(one), &plain(other));
    is_same_text && (other.category.is_none() || one.category == other.category)
}

/// The entry for what no entry covers: a new one, or the one that has its name.
fn entry(
    speaker: &Speaker<'_>,
    lesson: &Lesson,
    (folder, new, reason): (String, New, &str),
) -> Result<Read, Stop> {
    let New { title, facts, prose } = new;
    let known = entry_named(speaker.intake, &folder, &title)?;
    let content = Content {
        narrative: Narrative {
            highlights: highlights(known.as_ref().map(|(_, bytes)| bytes.as_slice()), prose.as_deref()),
            ..Narrative::default()
        },
        facts,
        concept: if known.is_some() { Concept::default() } else { concept(speaker.commit, lesson) },
        ..Content::default()
    };
    Ok(match known {
        Some((path, bytes)) => {
            let written = OperationInput::new(KindWord::Update, path.to_string(), reason.to_owned());
            let base = brv_base::content::ContentId::of(&bytes);
            read(written, content, |operation| operation.base = Some(base))
        }
        None => {
            let written = OperationInput::new(KindWord::Add, folder, reason.to_owned());
            let written = OperationInput { title: Some(title), ..written };
            read(written, content, |_| {})
        }
    })
}

/// The entry of a folder that has the name that a title makes.
fn entry_named(intake: &Intake<'_>, folder: &str, title: &str) -> Result<Option<(TreePath, Vec<u8>)>, Stop> {
    let root = intake.parts.scope().root();
    let Some(name) = slug(title) else { return Ok(None) };
    let Ok(path) = TreePath::parse(format!("{folder}/{name}.md").as_bytes()) else { return Ok(None) };
    let bytes = fs::read_below(&root, &fs::below(&root, path.as_bytes().as_bstr())?)?;
    Ok(bytes.map(|bytes| (path, bytes)))
}

/// What stands below Highlights already, and what is new.
fn highlights(before: Option<&[u8]>, prose: Option<&str>) -> Option<String> {
    let known = before.and_then(|bytes| Content::of(&Document::parse(bytes)).narrative.highlights);
    match (known, prose) {
        (Some(known), Some(prose)) if known.contains(prose.trim()) => Some(known),
        (Some(known), Some(prose)) => Some(format!("{known}\n\n{prose}")),
        (None, Some(prose)) => Some(prose.to_owned()),
        (_, None) => None,
    }
}

fn concept(commit: &HostCommit, lesson: &Lesson) -> Concept {
    let files = commit.files.iter().map(|file| file.path.clone()).take(FILES);
    Concept {
        task: Some(lesson.task.clone()),
        files: files.collect(),
        timestamp: Some(brv_base::clock::format_utc(commit.author.seconds)),
        author: Some(commit.author.name.to_str_lossy().trim().to_owned()).filter(|name| !name.is_empty()),
        ..Concept::default()
    }
}

/// An operation with this content.
fn read(written: OperationInput, content: Content, more: impl FnOnce(&mut Operation)) -> Read {
    let (kind, path) = (written.kind, written.path.clone());
    let operation = Operation::of(written).map(|mut operation| {
        if !content.is_empty() {
            operation.parts = vec![Parts::Content(Box::new(content))];
        }
        more(&mut operation);
        operation
    });
    Read { kind: Some(curate::Kind::from(kind).as_str().to_owned()), path: Some(path), operation }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_in_another_unit_or_spelling_says_the_same() {
        let statement = |text: &str| Statement {
            subject: Some("ttl".to_owned()),
            statement: text.to_owned(),
            category: None,
        };
        let says_same = |one: &str, other: &str| says(&statement(one), &statement(other));
        assert!(says_same("60 s", "1 minute") && says_same("Ids are UUIDv7.", "ids are UUID v7"));
        assert!(!says_same("60 s", "60 ms") && !says_same("on", "off"));
    }
}
