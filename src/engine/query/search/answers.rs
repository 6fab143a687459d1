//! Earlier answers, shared by all processes: at most 50, in one small file, until they are too old.
//!
//! Two processes that write at once may lose one of their answers, which costs time only.

use super::{folder, stem};
use crate::open::context::Opened;
use crate::query::{self, Likeness, Reply};
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, Form};
use brv_base::path::TreePath;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How many answers are kept.
const MOST: usize = 50;

const VERSION: u32 = 4;

pub struct SearchAnswerCache {
    kept: Vec<CachedSearchAnswer>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CachedSearchAnswer {
    key: String,
    /// The question in the form in which questions are compared; empty for one that is not.
    question: String,
    options: String,
    fingerprint: String,
    /// When it was made, in milliseconds since 1970.
    made: i64,
    /// The sessions that were given it.
    told: Vec<String>,
    reply: Reply,
}

#[derive(Serialize, Deserialize)]
struct AnswerCacheFile {
    version: u32,
    answers: Vec<CachedSearchAnswer>,
}

/// A lookup among earlier answers.
#[derive(Debug, Clone)]
pub struct Cached {
    /// The question in the form in which questions are compared.
    pub question: String,
    /// Options that change the answer, as text.
    pub options: String,
    pub fingerprint: String,
    /// The present moment, in milliseconds since 1970.
    pub now: i64,
}

fn file(opened: &Opened) -> PathBuf {
    folder(opened).join("answers")
}

impl SearchAnswerCache {
    /// Read them, without those that are too old. Nothing that can be read means that there are none.
    pub fn read(opened: &Opened, now: i64) -> Self {
        let bytes = fs::read_shipped(&file(opened), Form::Json).ok().flatten().unwrap_or_default();
        let found =
            serde_json::from_slice::<AnswerCacheFile>(&bytes).ok().filter(|found| found.version == VERSION);
        let mut kept = found.map(|found| found.answers).unwrap_or_default();
        let most = i64::try_from(opened.config.query_cache.value.as_millis()).unwrap_or(i64::MAX);
        kept.retain(|one| (0..most).contains(&(now - one.made)));
        Self { kept }
    }

    /// The answer to this question, or to one that is nearly the same if `most_tier` is at least 1: its tier, the answer,
    /// and whether this session was given it before. An answer that names an entry which is not as it was is none.
    pub fn find(
        &self,
        opened: &Opened,
        asked: &Cached,
        most_tier: u8,
        session: &str,
    ) -> Option<(u8, Reply, bool)> {
        let fits =
            |one: &&CachedSearchAnswer| one.fingerprint == asked.fingerprint && one.options == asked.options;
        let key = query::key(&asked.question, &asked.options);
        let same = self.kept.iter().rev().filter(fits).find(|one| one.key == key).map(|one| (0, one));
        let alike = || {
            let question = Likeness::of(&asked.question, &stem)?;
            let is_like = |one: &&CachedSearchAnswer| question.is_like(&one.question);
            self.kept.iter().rev().filter(fits).find(is_like).map(|one| (1, one))
        };
        let (tier, one) = same.or_else(|| (most_tier > 0).then(alike).flatten())?;
        let mut named = one.reply.outcome.paths().zip(&one.reply.ids);
        let was_told = one.told.iter().any(|told| told == session);
        let is_current = named.all(|(path, id)| is_as_it_was(opened, path, id));
        is_current.then(|| (tier, one.reply.clone(), was_told))
    }

    /// Keep an answer. That it cannot be written only costs time.
    pub fn keep(mut self, opened: &Opened, asked: &Cached, session: &str, reply: Reply) {
        if opened.config.query_cache.value.is_zero() {
            return;
        }
        let key = query::key(&asked.question, &asked.options);
        self.kept.retain(|one| one.key != key);
        let Cached { mut question, options, fingerprint, now } = asked.clone();
        if question.len() > query::LONGEST {
            // it is found by its key, or not at all
            question.clear();
        }
        let told = vec![session.to_owned()];
        self.kept.push(CachedSearchAnswer { key, question, options, fingerprint, made: now, told, reply });
        let first = self.kept.len().saturating_sub(MOST);
        let file_of_all = AnswerCacheFile { version: VERSION, answers: self.kept.split_off(first) };
        let Ok(bytes) = serde_json::to_vec(&file_of_all) else { return };
        let _ = fs::replace(&file(opened), &bytes, Durability::Later);
    }
}

fn is_as_it_was(opened: &Opened, path: &str, id: &str) -> bool {
    let Ok(path) = TreePath::parse(path.as_bytes()) else { return false };
    let bytes = super::walk::bytes(opened, &path, None);
    bytes.is_some_and(|bytes| ContentId::of(&bytes).to_string() == id)
}
