//! What changes in one entry that is there.

use super::Route;
use super::authors;
use super::covering::{Covering, statements};
use super::speaker::Speaker;
use brv_engine::Stop;
use brv_text::commits::CommitFact;
use brv_text::curate::{CurateKind, IntakeFiling, Operation, OperationInput, Parts, Read};
use brv_text::doc::saying::{Saying, StatementForm};
use brv_text::doc::{Document, EntryBody, Statement, is_same_subject};
use brv_text::lint::Relation;
use brv_text::{commits::attribution, lint};

/// What changes in one entry.
pub(super) struct EntryUpdate {
    entry: Covering,
    facts: Vec<Statement>,
    disputed: Vec<String>,
    pub filing: IntakeFiling,
}

impl EntryUpdate {
    /// The update of an entry: the one that is begun already, if there is one.
    pub fn of(updates: &mut Vec<Self>, entry: Covering) -> &mut Self {
        let at = updates.iter().position(|update| update.entry.path == entry.path).unwrap_or(updates.len());
        if at == updates.len() {
            let (facts, disputed, filing) = Default::default();
            updates.push(Self { entry, facts, disputed, filing });
        }
        &mut updates[at]
    }

    /// A fact whose subject the entry does not have.
    pub fn add(&mut self, statement: Statement) {
        self.facts.push(statement);
    }

    /// State something about a subject. What the same author stated before is replaced, and all of it if the commit
    /// supersedes it; what others stated stays, and is disputed.
    pub fn state(
        &mut self,
        speaker: &Speaker<'_>,
        (subject, stated): (&str, &CommitFact),
    ) -> Result<(), Stop> {
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
        let is_said = standing.iter().any(|one| says(one, &new));
        if !settles && is_said {
            return Ok(());
        }
        let others = match settles {
            true => Vec::new(),
            false => self.kept(speaker, subject, (standing, &new))?,
        };
        if others.iter().any(|one| disputes(one, &new)) {
            self.disputed.push(spelled.unwrap_or_else(|| subject.to_owned()));
        }
        self.facts.extend(others);
        self.facts.push(new);
        Ok(())
    }

    /// The facts about a subject that the entry has and will not have.
    pub fn replaced(&self, subject: &str) -> Vec<Saying> {
        let is_about = |one: &Saying| one.title.as_deref().is_some_and(|own| is_same_subject(own, subject));
        let goes = |one: &Saying| !self.about(subject).any(|kept| said(kept) == one.text);
        let all = Document::parse(self.entry.bytes.as_slice()).sayings().into_iter();
        all.filter(|one| one.form == StatementForm::Fact && one.mark.is_none() && is_about(one) && goes(one))
            .collect()
    }

    fn about<'s>(&'s self, subject: &'s str) -> impl Iterator<Item = &'s Statement> {
        let is_about =
            move |one: &&Statement| one.subject.as_deref().is_some_and(|own| is_same_subject(own, subject));
        self.facts.iter().filter(is_about)
    }

    /// The statements that stay: those that somebody else made, as far as that is known, and those that the new one is contrary
    /// to by its prefix or that are marked.
    fn kept(
        &self,
        speaker: &Speaker<'_>,
        subject: &str,
        (standing, new): (Vec<Statement>, &Statement),
    ) -> Result<Vec<Statement>, Stop> {
        let authors = match &speaker.written.address {
            Some(_) => authors::of_statements(speaker.intake, &self.entry, subject)?,
            None => Default::default(),
        };
        let is_own = |one: &Statement| {
            speaker.written.address.as_ref().is_some_and(|own| authors.get(&said(one)) == Some(own))
        };
        let stays = |one: &Statement| {
            !is_own(one) || matches!(relation(one, new), Relation::Contrary | Relation::Apart)
        };
        Ok(standing.into_iter().filter(stays).collect())
    }

    pub fn read(self, reason: &str) -> Read {
        let content = EntryBody { facts: self.facts, ..EntryBody::default() };
        let base = brv_base::content::ContentId::of(&self.entry.bytes);
        let written = OperationInput::new(CurateKind::Update, self.entry.path.to_string(), reason.to_owned());
        read(written, content, |operation| {
            operation.base = Some(base);
            operation.disputed = self.disputed;
            operation.filing = Some(Box::new(self.filing));
        })
    }
}

/// A statement with its category.
fn said(one: &Statement) -> String {
    let category = one.category.map_or_else(String::new, |category| format!(" [{}]", category.as_str()));
    format!("{}{category}", one.statement)
}

/// How a statement stands to a new one, whoever is named behind them.
fn relation(one: &Statement, new: &Statement) -> Relation {
    lint::relation(attribution::without(&one.statement), attribution::without(&new.statement))
}

/// Whether a statement that stays is against a new one: it holds, and says something else.
fn disputes(one: &Statement, new: &Statement) -> bool {
    match relation(one, new) {
        Relation::Contrary | Relation::Rivals => true,
        Relation::Same => !says(one, new),
        Relation::Apart => false,
    }
}

/// Whether two statements say the same, as a check reads them.
fn says(one: &Statement, other: &Statement) -> bool {
    relation(one, other) == Relation::Same && (other.category.is_none() || one.category == other.category)
}

/// An operation with this content.
pub(super) fn read(written: OperationInput, content: EntryBody, more: impl FnOnce(&mut Operation)) -> Read {
    let (kind, path) = (written.kind, written.path.clone());
    let operation = Operation::of(written).map(|mut operation| {
        if !content.is_empty() {
            operation.parts = vec![Parts::Content(Box::new(content))];
        }
        more(&mut operation);
        operation
    });
    Read { kind: Some(kind.as_str().to_owned()), path: Some(path), operation }
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
