//! Make the vectors of all passages that have none.

use super::question::other_size;
use super::sendable::Sendable;
use super::{Vector, VectorFile, VectorKey, passages, vector_file};
use crate::Stop;
use crate::agents::model::{Encoder, Error};
use crate::open::context::{Context, Opened};
use crate::query::search::{ScanFreshness, SearchSession};
use brv_base::fs::Busy;
use brv_base::progress::Stage;
use brv_git as git;
use brv_text::doc::Document;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// How many passages are sent at once.
const AT_ONCE: usize = 32;

/// How long passages are sent while nobody waits.
const IN_BACKGROUND: Duration = Duration::from_secs(60);

/// After how many vectors they are written.
const KEPT_TOGETHER: usize = 1_024;

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Filled {
    /// The entries whose passages may be sent, and those that may not.
    pub entries: usize,
    pub withheld: usize,
    /// The passages of those entries, and how many vectors were made for them.
    pub passages: usize,
    pub made: usize,
}

/// Make the vectors that are missing, of the tree as it is, by the encoder of the settings; until a moment, if one is named.
///
/// # Errors
/// No encoder is set; it gave none, or none that can be used; they could not be written; the search. What was done is
/// kept.
pub fn fill(
    cx: &Context<'_>,
    opened: &Opened,
    kept: &mut VectorFile,
    until: Option<Instant>,
) -> Result<Filled, Stop> {
    let setting = &cx.config.model;
    let own = setting.encoder().ok_or(Error::Unset)?;
    let encoder = Encoder::open(setting, &cx.environment, git::interrupt())?.ok_or(Error::Unset)?;
    let (mut filled, texts) = texts(opened, &SearchSession::open(opened, ScanFreshness::Look, cx.progress)?);
    let mut making = VectorBatch { name: own.title(), size: kept.size(), made: Vec::new(), kept };
    let missing: Vec<String> = texts.into_iter().filter(|text| !making.has(text)).collect();
    let total = missing.len() as u64;
    for some in missing.chunks(AT_ONCE) {
        cx.progress.update(Stage::Model, filled.made as u64, Some(total));
        if until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        let vectors = encoder.vectors_patiently(some, setting.timeout.value);
        if let Err(error) = vectors.and_then(|vectors| making.take(some, &vectors)) {
            // what came before is paid for
            making.keep()?;
            return Err(error.into());
        }
        filled.made += some.len();
        if making.made.len() >= KEPT_TOGETHER {
            making.keep()?;
        }
    }
    making.keep()?;
    Ok(filled)
}

/// The same while nobody waits: nothing unless `model.background` is set. What fails is tried again by the next one.
pub fn fill_in_background(cx: &Context<'_>, opened: &Opened) {
    let setting = &cx.config.model;
    if let Some(own) = setting.encoder().filter(|_| setting.background.value) {
        let until = Instant::now() + IN_BACKGROUND;
        let _ = fill(cx, opened, &mut vector_file(opened, &own), Some(until));
    }
}

/// Vectors that are not written yet.
struct VectorBatch<'k> {
    name: String,
    size: Option<usize>,
    made: Vec<(VectorKey, Vector)>,
    kept: &'k mut VectorFile,
}

impl VectorBatch<'_> {
    fn has(&self, text: &str) -> bool {
        self.size.is_some_and(|size| self.kept.get(&VectorKey::of(&self.name, size, text)).is_some())
    }

    fn take(&mut self, texts: &[String], vectors: &[Vec<f32>]) -> Result<(), Error> {
        let found = vectors.first().map_or(0, Vec::len);
        let size = *self.size.get_or_insert(found);
        if found != size {
            return Err(Error::Invalid(other_size(found, size)));
        }
        let keys = texts.iter().map(|text| VectorKey::of(&self.name, size, text));
        self.made.extend(keys.zip(vectors.iter().map(|vector| Vector::of(vector))));
        Ok(())
    }

    fn keep(&mut self) -> Result<(), Busy> {
        let made = std::mem::take(&mut self.made);
        self.kept.add(&made)
    }
}

/// The passages of all entries that may be sent, each once.
fn texts(opened: &Opened, sought: &SearchSession<'_>) -> (Filled, Vec<String>) {
    let (sendable, mut filled) = (Sendable::of(opened), Filled::default());
    let (mut seen, mut texts) = (HashSet::new(), Vec::new());
    for path in sought.paths() {
        let Some((bytes, is_in_conflict)) = sought.shown(&path) else { continue };
        if is_in_conflict || !sendable.has(path.as_str(), &bytes) {
            filled.withheld += 1;
            continue;
        }
        filled.entries += 1;
        let own = passages::all(path.as_str(), &Document::parse(bytes));
        texts.extend(own.into_iter().filter(|text| seen.insert(text.clone())));
    }
    filled.passages = texts.len();
    (filled, texts)
}
