//! The steps of `brv index check`.

use super::sample::{self, SampleEntry};
use super::{CheckedStep, LEAST_OVERLAP, Outcome};
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::query::index::asking::{self, FoundEntry};
use brv_engine::query::index::bulk::{BulkCount, BulkSender};
use brv_engine::query::index::document::{self, MadeDocument, PushStamp};
use brv_engine::query::index::engine::{EngineBody, SearchEngine};
use brv_engine::query::index::mark::{self, TreeMark};
use brv_engine::query::index::remote_list::RemoteTree;
use brv_engine::query::index::statistics::{self, EngineEffort};
use brv_engine::query::index::{listing, schema};
use brv_engine::{Context, FailureKind, Stop};
use brv_search::{
    Collection, CollectionQuery, CollectionResults, CollectionSnapshot, Each, EntryStanding, FileBeside,
    FoundFile, indexed,
};
use brv_text::words::stems::Stems;
use std::collections::HashSet;
use std::time::Instant;

/// A step that may fail: what the engine did instead.
type TriedStep<'a> = (&'static str, Box<dyn FnOnce() -> Result<(), Stop> + 'a>);

/// Try all steps, up to the first that fails; the index is removed in any case.
///
/// # Errors
/// The user interrupts.
pub(super) fn run(cx: &Context<'_>, engine: &SearchEngine, outcome: &mut Outcome) -> Result<(), Stop> {
    let (trees, entries) = (sample::trees(), sample::entries());
    let overlap = std::cell::Cell::new(None);
    let checked = Checked { cx, engine, trees: &trees, entries: &entries };
    let steps: [TriedStep<'_>; 8] = [
        ("create the index", Box::new(|| schema::ensure(engine, schema::SHARDS))),
        ("create it twice", Box::new(|| schema::ensure(engine, schema::SHARDS))),
        ("change a mark only as it was read", Box::new(|| checked.marks())),
        ("send entries", Box::new(|| checked.send())),
        ("refuse an older version", Box::new(|| checked.refuse_older())),
        ("list a tree", Box::new(|| checked.list())),
        ("find and rank as one local index", Box::new(|| checked.rank(&overlap))),
        ("mark as gone, and remove", Box::new(|| checked.remove())),
    ];
    let mut interrupted = None;
    for (name, step) in steps {
        if let Err(stop) = try_step(outcome, name, step) {
            interrupted = Some(stop).filter(|stop| stop.kind == FailureKind::Interrupted);
            break;
        }
    }
    outcome.overlap_at_10 = overlap.get();
    // also then
    engine.ignore_interrupts();
    let _ = try_step(outcome, "remove the index", || schema::remove(engine));
    interrupted.map_or(Ok(()), Err)
}

/// Note a step, and how it went.
fn try_step(
    outcome: &mut Outcome,
    name: &'static str,
    step: impl FnOnce() -> Result<(), Stop>,
) -> Result<(), Stop> {
    let start = Instant::now();
    let result = step();
    let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let message = result.as_ref().err().map(|stop| stop.message.clone());
    outcome.steps.push(CheckedStep { name, ok: result.is_ok(), ms, message });
    result
}

/// Fail with what the engine did instead.
fn must(is_so: bool, else_what: impl FnOnce() -> String) -> Result<(), Stop> {
    if is_so { Ok(()) } else { Err(Stop::failed(else_what())) }
}

struct Checked<'a> {
    cx: &'a Context<'a>,
    engine: &'a SearchEngine,
    trees: &'a [RemoteTree],
    entries: &'a [SampleEntry],
}

impl Checked<'_> {
    fn sending<'a>(&'a self, tree: usize, number: u64) -> PushStamp<'a> {
        let now = self.cx.clock.seconds();
        PushStamp { tree: &self.trees[tree], commit: "0000000", actor: "brv index check", number, now }
    }

    fn marks(&self) -> Result<(), Stop> {
        let tree = &self.trees[0];
        let first = mark::read(self.engine, tree)?;
        let count = |mark: &TreeMark| Some(TreeMark { number: mark.number + 1, ..mark.clone() });
        let one = mark::change(self.engine, tree, Some(first.clone()), count)?;
        // as another push that has read the same state
        let other = mark::change(self.engine, tree, Some(first), count)?;
        let numbers = (one.map(|read| read.mark.number), other.map(|read| read.mark.number));
        must(numbers == (Some(1), Some(2)), || format!("two pushes took the numbers {numbers:?}"))
    }

    fn send(&self) -> Result<(), Stop> {
        let count = self.send_as(2)?;
        must(count.sent == self.entries.len(), || format!("{count:?} of {}", self.entries.len()))
    }

    fn send_as(&self, number: u64) -> Result<BulkCount, Stop> {
        let (mut sender, mut stems) = (BulkSender::new(self.engine), Stems::default());
        for SampleEntry { tree, path, text } in self.entries {
            let blob = ContentId::of(text.as_bytes());
            let made =
                document::of_file(&self.sending(*tree, number), path, blob, text.as_bytes(), &mut stems);
            if let MadeDocument::Lines(lines) = made {
                sender.push(lines, false)?;
            }
        }
        sender.finish().map(|(count, _)| count)
    }

    fn refuse_older(&self) -> Result<(), Stop> {
        let count = self.send_as(1)?;
        must(count.newer == self.entries.len(), || {
            format!("{} of {} were accepted", count.sent, self.entries.len())
        })
    }

    fn list(&self) -> Result<(), Stop> {
        let listed = listing::of_tree(self.engine, &self.trees[0].name)?;
        let own = self.entries.iter().filter(|entry| entry.tree == 0);
        let is_there = |entry: &SampleEntry| {
            listed
                .get(entry.path.as_str())
                .is_some_and(|blob| *blob == ContentId::of(entry.text.as_bytes()).to_string())
        };
        let (count, is_all) = own.fold((0, true), |(count, all), entry| (count + 1, all && is_there(entry)));
        must(is_all && listed.len() == count, || format!("{} entries are listed, not {count}", listed.len()))
    }

    /// Rank what the engine finds, and all entries at once as one local index does.
    fn rank(&self, overlap: &std::cell::Cell<Option<f64>>) -> Result<(), Stop> {
        let files: Vec<FoundFile<'_>> = self.entries.iter().map(|entry| self.file(entry)).collect();
        let all = self.collection();
        let local = CollectionSnapshot::new(&files, &[], &all);
        let (mut shared, mut most) = (0, 0);
        for question in sample::questions() {
            let expected = first_ten(&local, &question, &files)?;
            let found = self.found(&question)?;
            shared += found.intersection(&expected).count();
            most += expected.len();
        }
        let share = shared as f64 / most.max(1) as f64;
        overlap.set(Some((share * 1e4).round() / 1e4));
        must(share >= LEAST_OVERLAP, || format!("{share:.3} of the first ten results are the same"))
    }

    fn file<'a>(&'a self, entry: &'a SampleEntry) -> FoundFile<'a> {
        let tree = &self.trees[entry.tree].name;
        FoundFile { tree, path: &entry.path, text: entry.text.as_bytes(), rest: "" }
    }

    /// The figures of all entries, counted here. Frequencies are those that are found, where all is found.
    fn collection(&self) -> Collection {
        let (mut all, mut stems, mut folders) = (Collection::default(), Stems::default(), HashSet::new());
        for SampleEntry { tree, path, text } in self.entries {
            let name = &self.trees[*tree].name;
            if let Some(file) = indexed(name, path, text.as_bytes(), &mut stems) {
                all.add(&file.figures, file.languages);
                folders.insert(schema::folder_key(name, path.as_str()));
            }
        }
        all.folders = folders.len() as u64;
        all
    }

    /// The first ten of what the engine finds.
    fn found(&self, question: &str) -> Result<HashSet<(String, TreePath, usize)>, Stop> {
        // not from the cache of another run
        let environment = brv_base::environment::Environment::default();
        let now = self.cx.clock.seconds();
        let mut effort = EngineEffort::default();
        let figures = statistics::for_question(self.engine, question, &environment, now, &mut effort)?;
        let collection = figures.collection();
        let sought = figures.probe(question).sought(&collection.frequency);
        let hits = asking::find(self.engine, &sought, None, &mut effort)?;
        let beside = asking::beside(self.engine, &hits.found, &sought, &mut effort)?;
        let files: Vec<FoundFile<'_>> = hits.found.iter().map(FoundEntry::file).collect();
        let beside: Vec<FileBeside<'_>> = beside.iter().map(asking::EntryBeside::file).collect();
        first_ten(&CollectionSnapshot::new(&files, &beside, &collection), question, &files)
    }

    fn remove(&self) -> Result<(), Stop> {
        let gone = self.entries.iter().filter(|entry| entry.tree == 0).take(10);
        let mut sender = BulkSender::new(self.engine);
        for entry in gone {
            sender.push(document::tombstone(&self.sending(0, 3), entry.path.as_str()), true)?;
        }
        let (count, _) = sender.finish()?;
        let later = self.cx.clock.seconds() + 1;
        let swept = listing::remove(self.engine, &self.trees[0].name, Some(later))?;
        let rest = listing::remove(self.engine, &self.trees[0].name, None)?;
        self.engine.ask("POST", "/_refresh", EngineBody::None, &[])?;
        let left = listing::of_tree(self.engine, &self.trees[0].name)?.len();
        must((count.gone, swept, left) == (10, 10, 0), || {
            format!("{} marked as gone, {swept} swept, {rest} removed, {left} left", count.gone)
        })
    }
}

/// The tree, path and line of the first ten results.
fn first_ten(
    snapshot: &CollectionSnapshot<'_>,
    question: &str,
    files: &[FoundFile<'_>],
) -> Result<HashSet<(String, TreePath, usize)>, Stop> {
    let neutral =
        |_: usize, _: Option<i64>| Some(EntryStanding { importance: 50.0, recency: 0.0, boost: 1.0 });
    let query = CollectionQuery { text: question, limit: 10, each: Each::Highlight, standing: &neutral };
    let found: CollectionResults =
        snapshot.search(&query).map_err(|error| Stop::failed(error.to_string()))?;
    let key = |(hit, file): (&brv_search::Hit, &usize)| {
        let line = hit.passage.map_or(0, |passage| passage.line);
        (files[*file].tree.to_owned(), hit.path.clone(), line)
    };
    Ok(found.results.hits.iter().zip(&found.files).map(key).collect())
}
