//! A question that is embedded while it is searched for.

use super::order::{self, HitLikeness};
use super::passages;
use super::sendable::Sendable;
use super::{Vector, VectorFile, VectorKey, place};
use crate::agents::model::Encoder;
use crate::open::context::{Context, Opened};
use crate::query::search::{HITS, Hits};
use crate::query::{Ordered, item};
use brv_base::messages::{brief, printable};
use brv_git as git;
use brv_search::{Hit, Passage};
use brv_text::doc::Document;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How many passages are sent at once while a question waits: what came of a slow encoder is kept, so that the next question
/// needs less.
const AT_ONCE: usize = 4;

/// The vector of a question, on its way.
#[derive(Debug)]
pub struct Encoding {
    name: String,
    wait: Duration,
    until: Instant,
    coming: Receiver<Result<Ready, String>>,
    ready: OnceCell<Result<Ready, String>>,
    /// The vectors that were made for this question.
    made: RefCell<HashMap<VectorKey, Vector>>,
}

/// What a question is compared with.
#[derive(Debug)]
struct Ready {
    encoder: Encoder,
    question: Vec<f32>,
    kept: VectorFile,
}

impl Encoding {
    /// Begin to embed a question; `None` if no encoder is set.
    pub fn begin(cx: &Context<'_>, opened: &Opened, question: &str) -> Option<Self> {
        let own = cx.config.model.encoder()?;
        let wait = cx.config.model.embed_wait.value;
        let (sender, coming) = channel();
        let (setting, environment) = (cx.config.model.clone(), cx.environment.clone());
        let (file, question, name) = (place(opened), question.to_owned(), own.title());
        let until = Instant::now() + wait;
        let work = move || {
            // nobody may wait any more
            let _ = sender.send(ready(&setting, &environment, &file, question, wait));
        };
        // without a thread there is no vector; the caller reports that
        let _ = std::thread::Builder::new().name("encoder".into()).spawn(work);
        let (ready, made) = (OnceCell::new(), RefCell::default());
        Some(Self { name, wait, until, coming, ready, made })
    }

    /// Put the first hits into the order by words and meaning, if all that this needs is there in time.
    pub fn order(&self, opened: &Opened, hits: &mut Hits) -> Ordered {
        let reason = match self.likeness(opened, hits) {
            Ok(likeness) => {
                hits.by_meaning = order::reorder(&mut hits.found.hits, &likeness);
                None
            }
            Err(why) => Some(why),
        };
        Ordered { name: self.name.clone(), ordered: reason.is_none(), reason }
    }

    /// Keep the vectors that were made. That they cannot be written only costs time.
    pub fn keep(self) {
        let made: Vec<(VectorKey, Vector)> = self.made.into_inner().into_iter().collect();
        if let Some(Ok(mut ready)) = self.ready.into_inner() {
            let _ = ready.kept.add(&made);
        }
    }

    /// How like the question each hit is that still holds, in their order. The vectors of the first ten must be there in time;
    /// of the others those count that are kept.
    ///
    /// # Errors
    /// Why that is not known.
    pub fn likeness(&self, opened: &Opened, hits: &Hits) -> Result<HitLikeness, String> {
        let ready = self.ready.get_or_init(|| self.arrived()).as_ref().map_err(Clone::clone)?;
        let size = ready.question.len();
        if let Some(other) = ready.kept.size().filter(|other| *other != size) {
            return Err(other_size(size, other));
        }
        let sendable = Sendable::of(opened);
        let open = hits.found.hits.iter().take_while(|hit| holds(hits, hit));
        let passages: Vec<Vec<String>> = open.map(|hit| sent(hits, hit, &sendable)).collect();
        self.embed(ready, passages.iter().take(HITS).flatten())?;
        let made = self.made.borrow();
        let likeness = |passage: &String| {
            let key = VectorKey::of(&self.name, size, passage);
            let vector = ready.kept.get(&key).or_else(|| made.get(&key).cloned())?;
            Some(vector.likeness(&ready.question))
        };
        let of = passages.iter().map(|passages| order::likeness(passages.iter().filter_map(likeness)));
        HitLikeness::of(of.collect()).ok_or_else(|| "nothing that is found may be sent to it".to_owned())
    }

    /// The vector of the question, once it is there.
    fn arrived(&self) -> Result<Ready, String> {
        match self.coming.recv_timeout(self.left()) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(self.late()),
            Err(RecvTimeoutError::Disconnected) => Err("it could not be asked".to_owned()),
        }
    }

    /// Make the vectors that are missing.
    fn embed<'p>(&self, ready: &Ready, passages: impl Iterator<Item = &'p String>) -> Result<(), String> {
        let size = ready.question.len();
        let mut missing: Vec<(VectorKey, String)> = Vec::new();
        for passage in passages {
            let key = VectorKey::of(&self.name, size, passage);
            let is_there = ready.kept.get(&key).is_some() || self.made.borrow().contains_key(&key);
            if !is_there && !missing.iter().any(|(own, _)| *own == key) {
                missing.push((key, passage.clone()));
            }
        }
        for some in missing.chunks(AT_ONCE) {
            let texts: Vec<String> = some.iter().map(|(_, text)| text.clone()).collect();
            let left = self.left();
            if left.is_zero() {
                return Err(self.late());
            }
            let vectors =
                ready.encoder.vectors(&texts, left).map_err(|error| match self.left().is_zero() {
                    true => self.late(),
                    false => said(&error),
                })?;
            if let Some(other) = vectors.iter().map(Vec::len).find(|other| *other != size) {
                return Err(other_size(other, size));
            }
            let vectors = vectors.iter().map(|vector| Vector::of(vector));
            self.made.borrow_mut().extend(some.iter().map(|(key, _)| *key).zip(vectors));
        }
        Ok(())
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    fn late(&self) -> String {
        format!("no answer within {} s (`model.embed_wait`)", self.wait.as_secs_f64())
    }
}

/// Why vectors of two sizes cannot be compared.
pub(super) fn other_size(new: usize, old: usize) -> String {
    format!(
        "its vectors have {new} numbers, those before {old}: run `brv derive --embed --all` to embed everything again"
    )
}

fn said(error: &impl ToString) -> String {
    brief(printable(error.to_string().as_bytes()))
}

fn ready(
    setting: &brv_base::config::ModelConfig,
    environment: &brv_base::environment::Environment,
    file: &Path,
    question: String,
    wait: Duration,
) -> Result<Ready, String> {
    let encoder = Encoder::open(setting, environment, git::interrupt()).map_err(|error| said(&error))?;
    let (Some(encoder), Some(own)) = (encoder, setting.encoder()) else {
        return Err("none is set".to_owned());
    };
    // of a large tree the file takes as long as a near encoder
    let (vectors, kept) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| VectorFile::read(file, &own.title()));
        (encoder.vectors(&[question], wait), reading.join())
    });
    let kept = kept.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let vectors = vectors.map_err(|error| said(&error))?;
    let question = vectors.into_iter().next().ok_or("it gave no vector")?;
    Ok(Ready { encoder, question, kept })
}

/// Whether a hit is a text that still holds: highlights that were reverted or superseded stay the last.
fn holds(hits: &Hits, hit: &Hit) -> bool {
    let is_marked = |passage: Passage| {
        let marked = || item(&Document::parse(hits.bytes_of(hit)), passage.line)?.mark;
        passage.is_highlight && marked().is_some()
    };
    hit.passage.is_some_and(|passage| !is_marked(passage))
}

/// The passages of a hit that may be sent.
fn sent(hits: &Hits, hit: &Hit, sendable: &Sendable<'_>) -> Vec<String> {
    let bytes = hits.bytes_of(hit);
    match hits.is_in_conflict(hit.path.as_str()) || !sendable.has(hit.path.as_str(), bytes) {
        true => Vec::new(),
        false => passages::of_hit(hit, &Document::parse(bytes)),
    }
}
