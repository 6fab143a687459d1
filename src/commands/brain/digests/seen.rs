//! When the files were last looked at, and by what it is seen that brv or git changed something since. One small file,
//! which may be lost at any time; tabs separate its fields:
//!
//! ```text
//! brv brain seen 1
//! <milliseconds since 1970 of the walk> <epoch> <generation> <stats of the marks>
//! ```

use super::{Version, folder};
use brv_base::fs::{self, Durability, Form};
use brv_engine::open::context::Opened;
use brv_engine::query::search;
use std::path::PathBuf;

const HEADER: &str = "brv brain seen 1\n";

pub(super) struct DigestMoment {
    time: i64,
    marks: String,
}

impl DigestMoment {
    pub fn now(opened: &Opened) -> Self {
        Self { time: search::milliseconds(opened), marks: search::marks(opened) }
    }
}

fn file(opened: &Opened) -> PathBuf {
    folder(opened).join("seen")
}

/// What was seen, if it still holds.
pub(super) fn load(opened: &Opened) -> Option<Version> {
    let bytes = fs::read_shipped(&file(opened), Form::Table).ok()??;
    let line = std::str::from_utf8(&bytes).ok()?.strip_prefix(HEADER)?.strip_suffix('\n')?;
    let mut parts = line.splitn(4, '\t');
    let time: i64 = parts.next()?.parse().ok()?;
    let version = Version { epoch: parts.next()?.parse().ok()?, generation: parts.next()?.parse().ok()? };
    let now = DigestMoment::now(opened);
    let age = u64::try_from(now.time - time).ok()?;
    let is_young = u128::from(age) < opened.config.search_freshness.value.as_millis();
    (is_young && parts.next()? == now.marks).then_some(version)
}

/// Keep it. That it cannot be written only costs the next call a walk.
pub(super) fn save(opened: &Opened, moment: &DigestMoment, version: Version) {
    let DigestMoment { time, marks } = moment;
    let text = format!("{HEADER}{time}\t{}\t{}\t{marks}\n", version.epoch, version.generation);
    let _ = fs::replace(&file(opened), text.as_bytes(), Durability::Later);
}
