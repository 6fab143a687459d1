//! A segment: a table with the postings of its pieces, of a part on disk or in memory.
//!
//! Both kinds answer alike, so that ranking does not know which it reads.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::io;
use std::sync::Arc;

use tantivy::InvertedIndexReader;
use tantivy::directory::OwnedBytes;
use tantivy::schema::IndexRecordOption;
use tantivy_fst::Automaton;

use super::super::item::{FIELDS, Item};
use super::table::{ItemTable, TableWriter};
use brv_text::words::stems::{Fnv, Stems};

pub struct Segment {
    pub table: ItemTable,
    postings: Postings,
}

enum Postings {
    Disk([Arc<InvertedIndexReader>; FIELDS]),
    /// For each term and field the pieces and how often it is in them.
    Memory(TermPostings),
}

type TermPostings = HashMap<String, [Vec<(u32, u32)>; FIELDS], BuildHasherDefault<Fnv>>;

impl Segment {
    pub fn on_disk(table: ItemTable, readers: [Arc<InvertedIndexReader>; FIELDS]) -> Self {
        Self { table, postings: Postings::Disk(readers) }
    }

    /// A segment in memory, of items with their folders, in the order of their paths.
    pub fn in_memory<'i>(items: impl Iterator<Item = (&'i Item, &'i str)>, stems: &mut Stems) -> Self {
        let mut writer = TableWriter::default();
        let mut postings = TermPostings::default();
        let mut number = 0;
        for (item, folder) in items {
            writer.push_into(folder, item, stems);
            for piece in &item.pieces {
                for (field, terms) in piece.terms.iter().enumerate() {
                    for term in terms.split_ascii_whitespace() {
                        match postings.get_mut(term).map(|fields| &mut fields[field]) {
                            Some(list) => add(list, number),
                            None => add(&mut postings.entry(term.to_owned()).or_default()[field], number),
                        }
                    }
                }
                number += 1;
            }
        }
        let table = ItemTable::open(OwnedBytes::new(writer.finish())).expect("it was just written");
        Self { table, postings: Postings::Memory(postings) }
    }

    /// Add each piece that has `term` in this field to `list`, in order, and how often.
    ///
    /// # Errors
    /// If the part on disk is damaged.
    pub fn read(&self, term: &str, field: usize, list: &mut Vec<(u32, u32)>) -> io::Result<()> {
        match &self.postings {
            Postings::Disk(readers) => {
                let Some(info) = readers[field].terms().get(term)? else { return Ok(()) };
                list.reserve(info.doc_freq as usize);
                let option = IndexRecordOption::WithFreqs;
                let mut block = readers[field].read_block_postings_from_terminfo(&info, option)?;
                while block.block_len() > 0 {
                    list.extend(block.docs().iter().copied().zip(block.freqs().iter().copied()));
                    block.advance();
                }
            }
            Postings::Memory(terms) => {
                list.extend(terms.get(term).into_iter().flat_map(|fields| &fields[field]))
            }
        }
        Ok(())
    }

    /// The terms that the automaton accepts, in any field.
    ///
    /// # Errors
    /// If the part on disk is damaged.
    pub fn accepted<A: Automaton>(&self, automaton: &A, found: &mut Vec<String>) -> io::Result<()>
    where
        A::State: Clone,
    {
        match &self.postings {
            Postings::Disk(readers) => {
                for reader in readers {
                    let mut terms = reader.terms().search(automaton).into_stream()?;
                    while terms.advance() {
                        found.push(String::from_utf8_lossy(terms.key()).into_owned());
                    }
                }
            }
            Postings::Memory(terms) => {
                let accepts = |term: &&String| {
                    let end = term.bytes().try_fold(automaton.start(), |state, byte| {
                        automaton.can_match(&state).then(|| automaton.accept(&state, byte))
                    });
                    end.is_some_and(|end| automaton.is_match(&end))
                };
                found.extend(terms.keys().filter(accepts).cloned());
            }
        }
        Ok(())
    }
}

/// Count a term once more in a piece, whose number is not below those before it.
fn add(list: &mut Vec<(u32, u32)>, piece: u32) {
    match list.last_mut() {
        Some((last, count)) if *last == piece => *count += 1,
        _ => list.push((piece, 1)),
    }
}
