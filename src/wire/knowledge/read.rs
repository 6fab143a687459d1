//! Reads changed entries back from their JSON, so that a page can be drawn of what another run found.
//!
//! Whoever wrote the JSON is not trusted: what no run prints is an error. Marks of changed words that JSON leaves out are
//! made again.

use super::{
    BLOCKS, BY_LINE, Block, DISPUTES, Dispute, Entry, EntryChange, FIELDS, FOLDS, Fact, Field, Folded, How,
};
use super::{Claim, Column, Piece, Section, Spot, Word};
use crate::wire::hunk;
use brv_text::diff;
use brv_text::diff::knowledge as model;
use brv_text::doc::Category;
use bstr::BString;

/// More tokens than this no document has.
const MOST_TOKENS: u64 = 1 << 32;

impl Entry {
    /// The change of which this is the JSON.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(in crate::wire) fn read(&self) -> Result<model::Entry, String> {
        let of = |why: &str| format!("the entry `{}` {why}", self.path);
        let what = match (&self.change, &self.merged_into) {
            (EntryChange::Added, None) => model::What::Added,
            (EntryChange::Deleted, None) => model::What::Deleted,
            (EntryChange::Archived, None) => model::What::Archived,
            (EntryChange::Merged, Some(into)) => model::What::MergedInto(into.as_str().into()),
            (EntryChange::Modified, None) => model::What::Modified,
            (EntryChange::Renamed, None) => model::What::Renamed,
            _ => return Err(of("was merged into nothing, or into another and not deleted")),
        };
        if self.renamed_from.is_some() != (what == model::What::Renamed) {
            return Err(of("has an old path and was not renamed, or the other way round"));
        }
        let place =
            |path: &str, title: &Option<String>| model::Place { path: path.into(), title: title.clone() };
        let is_new = what == model::What::Added;
        let is_gone =
            matches!(what, model::What::Deleted | model::What::Archived | model::What::MergedInto(_));
        let old_title = if self.old_title.is_some() { &self.old_title } else { &self.title };
        let before = place(self.renamed_from.as_deref().unwrap_or(&self.path), old_title);
        let source = |source: &super::Source| model::Source {
            path: source.path.as_str().into(),
            percent: source.percent,
            fate: if source.gone { model::Fate::Gone } else { model::Fate::Stays },
        };
        Ok(model::Entry {
            before: (!is_new).then_some(before),
            after: (!is_gone).then(|| place(&self.path, &self.title)),
            what,
            sources: self.sources.iter().map(source).collect(),
            content: self.content().map_err(|why| of(&why))?,
            dangling: self.dangling.clone(),
        })
    }

    fn content(&self) -> Result<model::Content, String> {
        if let Some(why) = &self.by_line {
            return Ok(model::Content::Lines(meant(&BY_LINE, why)?));
        }
        let tokens = self.tokens.as_ref().filter(|tokens| tokens.before.max(tokens.after) < MOST_TOKENS);
        let tokens = tokens.ok_or("has no number of tokens that a document can have")?;
        Ok(model::Content::Knowledge(Box::new(model::Knowledge {
            fields: self.fields.iter().map(field).collect::<Result<_, _>>()?,
            facts: self.facts.iter().map(fact).collect::<Result<_, _>>()?,
            sections: self.sections.iter().map(section).collect::<Result<_, _>>()?,
            disputes: self.disputes.iter().map(dispute).collect::<Result<_, _>>()?,
            folded: self.folded.iter().map(folded).collect::<Result<_, _>>()?,
            tokens: model::Tokens { before: tokens.before, after: tokens.after },
        })))
    }
}

/// The value of a word.
fn meant<T: Copy>(table: &[(&str, T)], word: &Word) -> Result<T, String> {
    let found = table.iter().find(|(one, _)| one == word);
    found.map(|(_, value)| *value).ok_or_else(|| format!("has `{word}` where another word stands"))
}

fn spot(spot: &Spot) -> Result<model::Spot, String> {
    let range = |range: &Option<hunk::Range>| match range {
        None => Ok(None),
        Some(range) => range.lines().map(Some).ok_or("has line numbers that do not exist"),
    };
    Ok(model::Spot { before: range(&spot.before)?, after: range(&spot.after)? })
}

fn pieces(pieces: &[Piece]) -> Vec<diff::Word> {
    let word = |piece: &Piece| diff::Word { kind: piece.kind.into(), text: piece.text.as_str().into() };
    pieces.iter().map(word).collect()
}

fn path(path: &Option<String>) -> Option<BString> {
    path.as_deref().map(Into::into)
}

/// What a kind of change must have.
fn given<T: Clone>(value: &Option<T>, what: &str) -> Result<T, String> {
    value.clone().ok_or_else(|| format!("has a change without {what}"))
}

fn field(field: &Field) -> Result<model::FieldChange, String> {
    let kind = meant(&FIELDS, &field.kind)?;
    let items = || model::FieldEdit::Items { added: field.added.clone(), removed: field.removed.clone() };
    let edit = match (&field.before, &field.after) {
        _ if kind == model::FieldKind::Unreadable => model::FieldEdit::Lines(hunk::hunks(&field.lines)),
        (Some(before), Some(after)) if before.len().max(after.len()) > model::MAX_BYTES => {
            return Err("has a field that no document has room for".to_owned());
        }
        (Some(before), Some(after)) => model::FieldEdit::Changed {
            words: diff::words(before.as_bytes(), after.as_bytes()),
            before: before.clone(),
            after: after.clone(),
        },
        (None, Some(after)) => model::FieldEdit::Added(after.clone()),
        (Some(before), None) => model::FieldEdit::Removed(before.clone()),
        (None, None) if field.lines.is_empty() => items(),
        (None, None) => model::FieldEdit::Lines(hunk::hunks(&field.lines)),
    };
    Ok(model::FieldChange { key: field.key.clone(), kind, edit, spot: spot(&field.at)? })
}

fn claim(claim: &Claim) -> Result<model::Claim, String> {
    let category = claim.category.as_ref().map(|word| {
        let known = Category::from_word(word).map(Category::as_str).filter(|known| known == word);
        known.ok_or_else(|| format!("has the category `{word}`"))
    });
    Ok(model::Claim {
        subject: claim.subject.clone(),
        statement: claim.statement.clone(),
        category: category.transpose()?,
    })
}

fn fact(fact: &Fact) -> Result<model::FactChange, String> {
    let side = |side: &Option<Claim>| match side {
        Some(one) => claim(one),
        None => Err("has a fact without a statement".to_owned()),
    };
    let edit = match fact.change {
        How::Added => model::FactEdit::Added { claim: side(&fact.after)?, from: path(&fact.elsewhere) },
        How::Removed => model::FactEdit::Removed { claim: side(&fact.before)?, to: path(&fact.elsewhere) },
        How::Changed => {
            let (before, after) = (side(&fact.before)?, side(&fact.after)?);
            let words = match (fact.words.is_empty(), before.statement == after.statement) {
                (true, true) => {
                    vec![diff::Word { kind: diff::LineKind::Context, text: after.statement.as_str().into() }]
                }
                (false, false) => pieces(&fact.words),
                _ => return Err("has a changed fact whose words do not fit it".to_owned()),
            };
            model::FactEdit::Changed { before, after, words }
        }
        How::Moved => model::FactEdit::Moved {
            claim: side(&fact.after)?,
            from: given(&fact.from, "the place before")?,
            to: given(&fact.to, "the place after")?,
        },
        How::Kept | How::Renamed => return Err("has a fact that did not change".to_owned()),
    };
    Ok(model::FactChange { edit, spot: spot(&fact.at)? })
}

fn section(section: &Section) -> Result<model::SectionChange, String> {
    let heading = match section.change {
        How::Kept => model::HeadingEdit::Kept,
        How::Added => model::HeadingEdit::Added,
        How::Removed => model::HeadingEdit::Removed,
        How::Renamed => model::HeadingEdit::Renamed { before: given(&section.was, "the old heading")? },
        How::Moved => model::HeadingEdit::Moved { from: given(&section.from, "the place before")? },
        How::Changed => return Err("has a section that was changed as a whole".to_owned()),
    };
    Ok(model::SectionChange {
        path: section.path.clone(),
        heading,
        spot: spot(&section.at)?,
        blocks: section.blocks.iter().map(block).collect::<Result<_, _>>()?,
    })
}

fn block(block: &Block) -> Result<model::BlockChange, String> {
    let text = || given(&block.text, "its text");
    let edit = match block.change {
        How::Added => model::BlockEdit::Added { text: text()?, from: path(&block.elsewhere) },
        How::Removed => model::BlockEdit::Removed { text: text()?, to: path(&block.elsewhere) },
        How::Changed => {
            let inside = inside(block)?;
            model::BlockEdit::Edited(inside.unwrap_or_else(|| model::Inside::Lines(Vec::new())))
        }
        How::Moved => model::BlockEdit::Moved {
            from: given(&block.from, "the place before")?,
            to: given(&block.to, "the place after")?,
            text: text()?,
            inside: inside(block)?,
        },
        How::Kept | How::Renamed => return Err("has a block that did not change".to_owned()),
    };
    Ok(model::BlockChange { kind: meant(&BLOCKS, &block.kind)?, edit, spot: spot(&block.at)? })
}

fn inside(block: &Block) -> Result<Option<model::Inside>, String> {
    let lines = || hunk::hunks(&block.lines);
    Ok(if !block.columns.is_empty() {
        let columns = block.columns.iter().map(column).collect::<Result<_, _>>()?;
        Some(model::Inside::Columns(model::Columns { columns, rest: lines() }))
    } else if !block.words.is_empty() {
        Some(model::Inside::Words(pieces(&block.words)))
    } else {
        (!block.lines.is_empty()).then(|| model::Inside::Lines(lines()))
    })
}

fn column(column: &Column) -> Result<model::Column, String> {
    let kind = match column.change {
        How::Added => diff::LineKind::Added,
        How::Removed => diff::LineKind::Removed,
        _ => return Err("has a column that is neither new nor gone".to_owned()),
    };
    Ok(model::Column { kind, name: column.name.clone(), cells: column.cells.clone() })
}

fn dispute(dispute: &Dispute) -> Result<model::Dispute, String> {
    let state = meant(&DISPUTES, &dispute.state)?;
    Ok(model::Dispute { subject: dispute.subject.clone(), statements: dispute.statements.clone(), state })
}

fn folded(folded: &Folded) -> Result<model::Fold, String> {
    Ok(model::Fold { what: meant(&FOLDS, &folded.what)?, spot: spot(&folded.at)? })
}
