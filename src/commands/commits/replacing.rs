//! What a writer replaces: the words that the rules found in a commit of the code, when an agent, a person or a model files
//! what the same commit says.

use super::{Authors, HostCommit};
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::curate::{self, Options, Outranked};
use brv_engine::journal::{OperationId, SourceCommit};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::hosting::Host;
use brv_engine::read::history::learned::filings::{Filings, Writer};
use brv_engine::read::history::learned::{Learned, Same, StatementFate, learned};
use brv_git::{CommitId, history, revision};
use brv_text::commits::{CommitNote, Reading};
use brv_text::doc::Item;
use brv_text::doc::saying::StatementForm;

/// What is filed of the commits of the code, and by whom.
pub struct Ranks<'a> {
    opened: &'a Opened,
    host: &'a Host,
    authors: Authors<'a>,
    filings: Filings,
}

impl<'a> Ranks<'a> {
    pub fn of(opened: &'a Opened, host: &'a Host) -> Result<Self, Stop> {
        let filings = Filings::of(&opened.scope)?;
        Ok(Self { opened, host, authors: Authors::of(host), filings })
    }

    /// Whether a writer of no lower rank has filed what a commit says.
    pub fn has(&self, commit: CommitId, writer: Writer) -> bool {
        let mut filed = self.filings.standing().filter(|filing| filing.source.commit == commit);
        filed.any(|filing| rank(filing.writer) >= rank(writer))
    }

    /// The commit that an operation of the tree filed, and who did.
    fn filed_by(&self, operation: &str) -> Option<(SourceCommit, Writer)> {
        let mut filed = self.filings.standing();
        let found = filed.find(|filing| filing.operation.as_deref() == Some(operation))?;
        Some((found.source, found.writer))
    }

    /// What goes when this writer files what a commit says: nothing unless it is the user's own and `HEAD` has it.
    pub fn outranked(&self, commit: CommitId, writer: Writer) -> Result<Vec<Outranked>, Stop> {
        let head = self.host.scope.head()?.commit();
        let is_reached =
            head.is_some_and(|head| history::is_ancestor(&self.host.scope, commit, head).unwrap_or(false));
        if rank(writer) == rank(Writer::Rules) || !is_reached {
            return Ok(Vec::new());
        }
        let read = HostCommit::read(self.host, commit)?;
        if !self.authors.is_own(&read) {
            return Ok(Vec::new());
        }
        let trailers: Vec<CommitNote> = match read.reading(self.opened.scope.prefix()) {
            Reading::Lesson(lesson) => lesson.notes.into_iter().filter(|note| !note.is_prose).collect(),
            Reading::Declined(_) => Vec::new(),
        };
        // text from a trailer is its author's own
        let same = Same::of(self.opened, self.host, (&self.filings, commit))?;
        let is_of_trailer =
            |item: &Item| trailers.iter().any(|note| note.prefix == item.prefix && note.text == item.text);
        let mut items = of_rules(self.opened, &self.filings, &same)?;
        items.retain(|(_, item)| !is_of_trailer(item));
        Ok(by_entry(items))
    }
}

/// An agent writes for a person: nobody of the two outranks the other.
const fn rank(writer: Writer) -> u8 {
    match writer {
        Writer::Rules => 0,
        Writer::Model => 1,
        Writer::Agent | Writer::Person => 2,
    }
}

/// The items that rules wrote of these commits, and that nobody changed or marked since, by their entries.
pub(super) fn of_rules(
    opened: &Opened,
    filings: &Filings,
    same: &Same,
) -> Result<Vec<(TreePath, Item)>, Stop> {
    let is_plain = |one: &Learned| {
        one.writer == Writer::Rules
            && one.saying.form == StatementForm::Item
            && one.since == StatementFate::Unchanged(None)
    };
    let item = |one: Learned| {
        let title = one.saying.title.as_deref()?;
        Some((one.path, Item::read(&format!("- **{title}**: {}", one.saying.text))?))
    };
    Ok(learned(opened, filings, same)?.into_iter().filter(is_plain).filter_map(item).collect())
}

/// What goes, entry by entry. Items of one entry stand together.
pub(super) fn by_entry(items: Vec<(TreePath, Item)>) -> Vec<Outranked> {
    let mut found: Vec<Outranked> = Vec::new();
    for (path, item) in items {
        match found.last_mut().filter(|last| last.path == path) {
            Some(last) => last.items.push(item),
            None => found.push(Outranked { path, items: vec![item] }),
        }
    }
    found
}

/// Remove what these operations outrank and left standing while they waited: a person has approved them.
pub fn approved(cx: &Context<'_>, opened: &Opened, operations: &[OperationId]) -> Result<(), Stop> {
    let Some(host) = Host::of(opened, &cx.cwd)?.filter(|_| !operations.is_empty()) else { return Ok(()) };
    let ranks = Ranks::of(opened, &host)?;
    for operation in operations {
        let Some((source, writer)) = ranks.filed_by(&operation.to_string()) else { continue };
        let replacing = ranks.outranked(source.commit, writer)?;
        if replacing.is_empty() {
            continue;
        }
        let short = revision::shorten(&host.scope, source.commit)?;
        let subject = Some(format!("curate: approved statements replace what brv filed from {short}"));
        let options = Options { replacing, source_commit: Some(source), subject, ..Options::default() };
        curate::curate(cx.parts(opened), &options)?;
    }
    Ok(())
}
