//! What a model answered about a version of an entry: files of `cache/model/`, on this machine only, so that no answer is
//! paid for twice.
//!
//! A file is named by the blob and by what the answer depends on: the version of the prompt, the interface and the model.

use crate::open::context::Opened;
use brv_base::config;
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, Form};
use brv_text::doc::Document;
use brv_text::lint::Steering;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::path::PathBuf;

/// A prompt whose answers are kept. The number changes whenever the prompt does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerPrompt {
    /// The summary of an entry, which `brv derive --model` proposes.
    Summary,
    /// The overview of an entry, for this machine.
    Overview,
}

impl AnswerPrompt {
    const fn version(self) -> &'static str {
        match self {
            Self::Summary => "summary 1",
            Self::Overview => "overview 1",
        }
    }
}

/// The answers to one prompt by the model of the settings.
pub struct Answers {
    folder: PathBuf,
    suffix: String,
}

/// An answer about a version of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedAnswer {
    pub text: String,
    /// Whether it was proposed: where the entry is as before, that was taken back.
    #[serde(default)]
    pub is_proposed: bool,
}

impl Answers {
    pub fn of(opened: &Opened, prompt: AnswerPrompt) -> Self {
        let setting = &opened.config.model;
        let api = setting.interface().map_or("", config::Api::word);
        let mut suffix = String::new();
        for byte in Sha256::digest([prompt.version(), api, &setting.title()].join("\0")) {
            let _ = write!(suffix, "{byte:02x}");
        }
        Self { folder: folder(opened), suffix }
    }

    /// What is kept about a version. What may steer a reader was not written by brv.
    pub fn get(&self, blob: ContentId) -> Option<CachedAnswer> {
        let kept: CachedAnswer =
            serde_json::from_slice(&fs::read_shipped(&self.file(blob), Form::Json).ok()??).ok()?;
        Steering::of(&Document::parse(kept.text.as_str())).is_none().then_some(kept)
    }

    /// Keep an answer. If that fails, it will be asked for again.
    pub fn keep(&self, blob: ContentId, answer: &CachedAnswer) {
        if let Ok(bytes) = serde_json::to_vec(answer) {
            let _ = fs::replace(&self.file(blob), &bytes, Durability::Later);
        }
    }

    /// Forget an answer that cannot be used.
    pub fn forget(&self, blob: ContentId) {
        let _ = fs::remove_file(&self.file(blob));
    }

    fn file(&self, blob: ContentId) -> PathBuf {
        self.folder.join(format!("{blob}.{}", self.suffix))
    }
}

/// The overview of a version of an entry by the model of the settings, if this machine has one.
pub fn overview_of(opened: &Opened, blob: ContentId) -> Option<String> {
    if !opened.config.model.is_set() {
        return None;
    }
    Answers::of(opened, AnswerPrompt::Overview).get(blob).map(|kept| kept.text)
}

/// `cache/model/`, which may be deleted at any time.
pub fn folder(opened: &Opened) -> PathBuf {
    opened.places.cache().join("model")
}
