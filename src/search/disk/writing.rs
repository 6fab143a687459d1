//! Write a part: tantivy's writer is fed with analysed items, in the order of their paths.
//!
//! Items are analysed on all cores while one thread writes: a part has one segment, whose pieces stand in the order of
//! the items. The files are made in memory and written as one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

use tantivy::directory::RamDirectory;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};
use tantivy::{Directory, Index, IndexSettings, SingleSegmentIndexWriter, TantivyDocument};

use super::super::item::{self, FIELDS, Item};
use super::part::{TABLE, pack};
use super::table::TableWriter;
use brv_base::path::TreePath;
use brv_base::progress::{Progress, Stage};
use brv_text::words::stems::Stems;

/// The name under which the tokenizer is registered.
const TERMS: &str = "terms";

/// The name of tantivy's description of an index.
const META: &str = "meta.json";

/// How many items are analysed at a time by a thread.
const BATCH: usize = 64;

pub struct PackedPart {
    pub bytes: Vec<u8>,
    pub items: usize,
}

/// Read, analyse and pack the files of `paths`, which are in order. A file that `read` does not find is left out.
///
/// # Errors
/// The errors of tantivy, which writes to memory only.
pub fn write(
    paths: &[&TreePath],
    read: &(dyn Fn(&TreePath) -> Option<Vec<u8>> + Sync),
    progress: &dyn Progress,
) -> tantivy::Result<PackedPart> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(8);
    let threads = threads.min(paths.len().div_ceil(BATCH)).max(1);
    let mut writer = PartWriter::new(paths.len())?;
    let next = AtomicUsize::new(0);
    let (sender, batches) = sync_channel::<(usize, Vec<Item>)>(threads * 4);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                let mut stems = Stems::default();
                loop {
                    let batch = next.fetch_add(1, Ordering::Relaxed);
                    let Some(paths) = paths.chunks(BATCH).nth(batch) else { break };
                    let analyse = |path: &&TreePath| Some(item::analyse(path, &read(path)?, &mut stems));
                    // an error is the writer's end
                    if sender.send((batch, paths.iter().filter_map(analyse).flatten().collect())).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // threads finish in any order
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (batch, items) in batches {
            waiting.insert(batch, items);
            while let Some(items) = waiting.remove(&due) {
                due += 1;
                writer.add(&items)?;
                progress.update(Stage::Index, writer.items as u64, Some(paths.len() as u64));
            }
        }
        Ok::<_, tantivy::TantivyError>(())
    })?;
    writer.finish()
}

struct PartWriter {
    directory: RamDirectory,
    inner: SingleSegmentIndexWriter,
    fields: Vec<Field>,
    table: TableWriter,
    stems: Stems,
    items: usize,
}

impl PartWriter {
    fn new(expected: usize) -> tantivy::Result<Self> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TERMS)
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(false);
        let options = TextOptions::default().set_indexing_options(indexing);
        let names = ["title", "body", "meta", "lead"];
        let fields = names.map(|name| schema.add_text_field(name, options.clone())).to_vec();
        let tokenizers = TokenizerManager::new();
        tokenizers.register(TERMS, TextAnalyzer::from(TermTokenizer::default()));
        let settings =
            IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
        let directory = RamDirectory::create();
        // decides the first size of the table of terms only
        let budget = (expected * 20_000).clamp(200_000, 100_000_000);
        let inner = Index::builder()
            .schema(schema.build())
            .settings(settings)
            .tokenizers(tokenizers)
            .single_segment_index_writer(directory.clone(), budget)?;
        Ok(Self {
            directory,
            inner,
            fields,
            table: TableWriter::default(),
            stems: Stems::default(),
            items: 0,
        })
    }

    fn add(&mut self, items: &[Item]) -> tantivy::Result<()> {
        for item in items {
            self.table.push(item, &mut self.stems);
            self.items += 1;
            for piece in &item.pieces {
                let mut document = TantivyDocument::default();
                for (field, terms) in self.fields.iter().zip(&piece.terms) {
                    if !terms.is_empty() {
                        document.add_text(*field, terms);
                    }
                }
                self.inner.add_document(document)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> tantivy::Result<PackedPart> {
        let index = self.inner.finalize()?;
        let all = index.load_metas()?.list_segment_files();
        let is_there = |name: &PathBuf| self.directory.exists(name).unwrap_or(false);
        let mut names: Vec<PathBuf> = all.into_iter().chain([META.into()]).filter(is_there).collect();
        names.sort_unstable();
        names.dedup();
        let mut files = vec![(TABLE.to_owned(), self.table.finish())];
        for name in names {
            let bytes = self.directory.open_read(&name)?.read_bytes()?;
            files.push((name.to_string_lossy().into_owned(), bytes.to_vec()));
        }
        Ok(PackedPart { bytes: pack(&files), items: self.items })
    }
}

const _: () = assert!(FIELDS == 4);

/// The terms of a text that consists of terms with a blank after each.
#[derive(Clone, Default)]
struct TermTokenizer {
    token: Token,
}

struct TermStream<'a> {
    rest: std::str::SplitAsciiWhitespace<'a>,
    token: &'a mut Token,
}

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream<'a> {
        self.token.reset();
        TermStream { rest: text.split_ascii_whitespace(), token: &mut self.token }
    }
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(term) = self.rest.next() else { return false };
        self.token.text.clear();
        self.token.text.push_str(term);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
