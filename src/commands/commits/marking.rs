//! Marks on what stands in the tree: a commit that reverts another one, or supersedes a fact, changes no statement and says
//! that it holds no longer.
//!
//! Only text that is as it was filed gets a mark; edited text is reported. Reverting a revert removes its marks.

use super::{HostCommit, Intake};
use brv_base::clock::format_utc;
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::read::history::learned::filings::Filings;
use brv_engine::read::history::learned::{self, Learned, Marking, Same, StatementFate};
use brv_git as git;
use brv_git::history::{self, Range};
use brv_git::{CommitId, revision};
use brv_text::commits::{Reverted, is_called};
use brv_text::curate::{CurateKind, IntakeFiling, Operation, OperationInput, Parts, Read};
use brv_text::doc::item::{Mark, MarkFate};
use brv_text::doc::saying::{self, Saying, StatementForm};
use brv_text::doc::{Document, EntryBody, Item, ItemChange, Statement, is_same_subject};
use bstr::ByteSlice as _;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The most commits of a history in which a subject is looked for.
const MOST_COMMITS: usize = 20_000;

/// What changes in one entry.
#[derive(Debug, Default, PartialEq)]
pub struct EntryMarks {
    /// Items as they stand, and as they will.
    pub turn: Vec<(Item, Item)>,
    /// All facts of each subject that has a changed one.
    pub facts: Vec<Statement>,
}

/// What a commit does to marks.
#[derive(Debug, Default, PartialEq)]
pub struct CommitMarks {
    pub entries: BTreeMap<TreePath, EntryMarks>,
    /// Titles of what the reverted commit stated, and somebody changed since: it has no mark.
    pub edited: Vec<String>,
}

/// A statement and its mark from now on.
struct Turned {
    path: TreePath,
    saying: Saying,
    mark: Option<Mark>,
}

impl CommitMarks {
    /// The operations of curation that write them.
    pub fn operations(self, intake: &Intake<'_>, reason: &str) -> Result<Vec<Read>, Stop> {
        let root = intake.parts.scope().root();
        let mut all = Vec::new();
        for (path, marks) in self.entries {
            let Some(bytes) = fs::read_below(&root, &path.on_disk(&root))? else { continue };
            let written = OperationInput::new(CurateKind::Update, path.to_string(), reason.to_owned());
            let kind = Some(written.kind.as_str().to_owned());
            let operation = Operation::of(written).map(|mut operation| {
                if !marks.facts.is_empty() {
                    let content = EntryBody { facts: marks.facts, ..EntryBody::default() };
                    operation.parts = vec![Parts::Content(Box::new(content))];
                }
                let items = ItemChange { turn: marks.turn, ..ItemChange::default() };
                operation.filing = Some(Box::new(IntakeFiling { items, ..IntakeFiling::default() }));
                operation.base = Some(ContentId::of(&bytes));
                operation
            });
            all.push(Read { kind, path: Some(path.to_string()), operation });
        }
        Ok(all)
    }

    /// The marks that turn these statements.
    fn of(intake: &Intake<'_>, turned: Vec<Turned>, reason: Option<&str>) -> Result<Self, Stop> {
        let root = intake.parts.scope().root();
        let mut by_path: BTreeMap<TreePath, Vec<Turned>> = BTreeMap::new();
        for one in turned {
            by_path.entry(one.path.clone()).or_default().push(one);
        }
        let mut marks = Self::default();
        for (path, turned) in by_path {
            let Some(bytes) = fs::read_below(&root, &path.on_disk(&root))? else { continue };
            let changed = changed(&Document::parse(bytes), &turned, reason);
            if changed != EntryMarks::default() {
                marks.entries.insert(path, changed);
            }
        }
        Ok(marks)
    }
}

/// What these marks change in an entry.
fn changed(document: &Document, turned: &[Turned], reason: Option<&str>) -> EntryMarks {
    let new = |form: StatementForm, title: Option<&str>, statement: &str| -> Option<String> {
        let (_, text) = saying::unmarked(statement);
        let is_it = |one: &&Turned| {
            one.saying.form == form
                && one.saying.text == text
                && same_title(one.saying.title.as_deref(), title)
        };
        let found = turned.iter().find(is_it)?;
        let written = match &found.mark {
            Some(mark) => saying::marked(statement, mark, reason),
            None => text.to_owned(),
        };
        (written != statement).then_some(written)
    };
    let mut marks = EntryMarks::default();
    for item in document.items() {
        let Some(written) = new(StatementForm::Item, Some(&item.title), &item.statement()) else { continue };
        let turned = Item::read(&format!("- **{}**: {written}", item.title));
        marks.turn.extend(turned.filter(|one| one.title == item.title).map(|turned| (item, turned)));
    }
    let mut facts: Vec<(Statement, bool)> = Vec::new();
    for fact in document.facts().into_iter().filter(|fact| fact.subject.is_some()) {
        let category = fact.category.map(|category| format!(" [{}]", category.as_str())).unwrap_or_default();
        let whole = format!("{}{category}", fact.statement);
        let written = new(StatementForm::Fact, fact.subject.as_deref(), &whole);
        let bare = |text: &str| text.strip_suffix(&category).unwrap_or(text).to_owned();
        let statement = written.as_deref().map_or_else(|| fact.statement.clone(), bare);
        let is_changed = written.is_some();
        facts.push((Statement { subject: fact.subject, statement, category: fact.category }, is_changed));
    }
    let subjects: Vec<String> = facts
        .iter()
        .filter(|(_, is_changed)| *is_changed)
        .filter_map(|(fact, _)| fact.subject.clone())
        .collect();
    let is_of_them = |fact: &Statement| {
        fact.subject.as_deref().is_some_and(|own| subjects.iter().any(|one| is_same_subject(one, own)))
    };
    marks.facts = facts.into_iter().map(|(fact, _)| fact).filter(is_of_them).collect();
    marks
}

fn same_title(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => is_same_subject(one, other),
        (one, other) => one == other,
    }
}

/// What a commit that reverts others does to marks. `sentence`: what it says about why, if it says something.
///
/// # Errors
/// A history that cannot be read.
pub fn of_reverts(
    intake: &Intake<'_>,
    filings: &Filings,
    (commit, seconds, reverted): (&HostCommit, i64, &[Reverted]),
    sentence: Option<&str>,
) -> Result<CommitMarks, Stop> {
    let opened = intake.parts.opened;
    let mark = mark(MarkFate::Reverted, seconds);
    let (mut turned, mut edited): (Vec<Turned>, Vec<String>) = Default::default();
    for one in reverted {
        let Some(target) = resolved(intake, commit.id, one)? else { continue };
        let same = Same::of(opened, intake.host, (filings, target))?;
        let stated = learned::learned(opened, filings, &same)?.into_iter();
        for one in stated.filter(|one| !intake.is_aside(&one.path)) {
            let is_named = one.saying.form == StatementForm::Item || one.saying.title.is_some();
            match one.since {
                StatementFate::Unchanged(None) if is_named => turned.push(set(one, &mark)),
                StatementFate::Edited | StatementFate::Unchanged(None) => edited.push(title(one.saying)),
                StatementFate::Unchanged(Some(_)) | StatementFate::Gone => {}
            }
        }
        // what the reverted commit marked itself
        let marked = learned::marked(opened, filings, &same)?.into_iter();
        for one in marked.filter(|one| !intake.is_aside(&one.path)) {
            let mark = (one.marking == Marking::Taken).then(|| mark.clone());
            turned.push(Turned { path: one.path, saying: one.saying, mark });
        }
    }
    edited.sort();
    edited.dedup();
    Ok(CommitMarks { edited, ..CommitMarks::of(intake, turned, sentence)? })
}

/// The marks of what comes from the commits that stated these facts, which a commit supersedes: their items.
///
/// # Errors
/// A history that cannot be read.
pub fn of_superseded(
    intake: &Intake<'_>,
    filings: &Filings,
    seconds: i64,
    replaced: &[(TreePath, Saying)],
) -> Result<CommitMarks, Stop> {
    let opened = intake.parts.opened;
    let mark = mark(MarkFate::Superseded, seconds);
    let mut turned = Vec::new();
    for (path, fact) in replaced {
        let Some(source) = learned::source_of(opened, filings, path, fact)? else { continue };
        let same = Same::of(opened, intake.host, (filings, source.commit))?.with_patch(source.patch);
        let items = learned::learned(opened, filings, &same)?.into_iter();
        let items = items.filter(|one| !intake.is_aside(&one.path));
        let standing = items.filter(|one| {
            one.saying.form == StatementForm::Item && one.since == StatementFate::Unchanged(None)
        });
        turned.extend(standing.map(|one| set(one, &mark)));
    }
    CommitMarks::of(intake, turned, None)
}

fn set(one: Learned, mark: &Mark) -> Turned {
    Turned { path: one.path, saying: one.saying, mark: Some(mark.clone()) }
}

fn title(saying: Saying) -> String {
    saying.title.unwrap_or(saying.text)
}

/// The mark that a commit of this time sets: of its day, UTC.
fn mark(fate: MarkFate, seconds: i64) -> Mark {
    let time = format_utc(seconds);
    Mark { fate, day: time.get(..10).unwrap_or_default().to_owned() }
}

/// The commit that is meant: by its id if it is here, else the newest one of that subject before the commit that reverts it.
fn resolved(intake: &Intake<'_>, by: CommitId, reverted: &Reverted) -> Result<Option<CommitId>, Stop> {
    let scope = &intake.host.scope;
    if let Some(id) = &reverted.id
        && let Some(found) = revision::abbreviated(scope, id)?.filter(|found| *found != by)
    {
        return Ok(Some(found));
    }
    let Some(subject) = &reverted.subject else { return Ok(None) };
    let range = Range { tips: git::commit::read(scope, by)?.parents, ..Range::default() };
    let (mut found, mut seen) = (None, 0);
    history::walk(scope, &range, |walked| {
        seen += 1;
        let own = walked.commit.message.lines().next().unwrap_or_default().to_str_lossy();
        if is_called(&own, subject) {
            found = Some(walked.commit.id);
        }
        match found.is_some() || seen == MOST_COMMITS {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(text: &str, mark: Option<&str>) -> Vec<Turned> {
        let all = Document::parse(text).sayings().into_iter();
        let mark = mark.map(|day| Mark { fate: MarkFate::Reverted, day: day.to_owned() });
        let path = TreePath::parse(b"a/b.md").unwrap();
        all.map(|saying| Turned { path: path.clone(), saying, mark: mark.clone() }).collect()
    }

    const FILED: &str = "## Narrative\n### Highlights\n- **Retry**: rule: twice. (2026-01)\n\n## Facts\n- **ttl**: decision: 5 min [project]\n";

    fn lines(marks: &EntryMarks) -> Vec<String> {
        let items = marks.turn.iter().map(|(_, new)| new.line());
        items.chain(marks.facts.iter().map(|fact| fact.statement.clone())).collect()
    }

    #[test]
    fn items_and_facts_are_marked_in_their_places_and_unmarked_again() {
        let entry = FILED.replace("## Facts\n", "## Facts\n- **ttl**: 6 min\n- **x**: y\n");
        let marks =
            changed(&Document::parse(entry.clone()), &turned(FILED, Some("2026-02-04")), Some("It hangs."));
        let expected = [
            "- **Retry**: reverted 2026-02-04: It hangs; was: rule: twice. (2026-01)",
            "6 min",
            "reverted 2026-02-04: It hangs; was: decision: 5 min",
        ];
        assert_eq!(lines(&marks), expected);
        let mut document = Document::parse(entry.clone());
        let change = ItemChange { turn: marks.turn, ..ItemChange::default() };
        let _ = document.change_items(&change).unwrap();
        let _ = document.revise(&EntryBody { facts: marks.facts, ..EntryBody::default() }).unwrap();
        assert!(
            document.text().contains(
                "- **x**: y\n- **ttl**: reverted 2026-02-04: It hangs; was: decision: 5 min [project]"
            ),
            "{}",
            document.text()
        );
        let again = changed(&document, &turned(FILED, Some("2026-03-01")), None);
        assert_eq!(again, EntryMarks::default(), "what is marked stays as it is");
        let back = changed(&document, &turned(FILED, None), None);
        assert_eq!(lines(&back), ["- **Retry**: rule: twice. (2026-01)", "6 min", "decision: 5 min"]);
    }

    #[test]
    fn what_says_something_else_or_has_another_title_is_left() {
        let entry = FILED.replace("twice", "three times").replace("**ttl**", "**ttl of b**");
        let marks = changed(&Document::parse(entry), &turned(FILED, Some("2026-02-04")), None);
        assert_eq!(marks, EntryMarks::default());
    }
}
