//! Text that instructs and that no person wrote: an agent's, a hook's, a model's. It waits for a person, whoever wrote it, and
//! until then agents read the file as it was last reviewed.
//!
//! The commit that made such a version says so, also after a rebase. Where no commit is made, the state remembers it.

use crate::Stop;
use crate::jobs::Store;
use crate::open::context::Opened;
use brv_base::content::ContentId;
use std::collections::HashMap;

/// What the review of a change says that waits for this reason.
pub const WHY: &str = "instructions";

/// The versions that wait, or waited, each with the one before.
#[derive(Debug, Default)]
pub(super) struct UnreviewedVersions(HashMap<ContentId, Option<ContentId>>);

impl UnreviewedVersions {
    /// Those that this clone wrote; none where they cannot be read.
    pub fn read(opened: &Opened) -> Self {
        let read = || Store::of(opened).ok()?.read(|state| state.unreviewed()).ok();
        let id = |text: &str| ContentId::from_hex(text);
        let version =
            |(blob, before): (String, Option<String>)| Some((id(&blob)?, before.and_then(|one| id(&one))));
        Self(read().unwrap_or_default().into_iter().filter_map(version).collect())
    }

    pub fn has(&self, blob: ContentId) -> bool {
        self.0.contains_key(&blob)
    }

    /// The version before one that waits.
    pub fn before(&self, blob: ContentId) -> Option<ContentId> {
        self.0.get(&blob).copied().flatten()
    }
}

/// Remember versions that wait, each with the one before. This comes before they are written: a version that is in no file
/// does no harm.
///
/// # Errors
/// The state cannot be written.
pub fn note(opened: &Opened, versions: &[(ContentId, Option<ContentId>)]) -> Result<(), Stop> {
    if versions.is_empty() {
        return Ok(());
    }
    let text = |(blob, before): &(ContentId, Option<ContentId>)| {
        (blob.to_string(), before.map(|one| one.to_string()))
    };
    let versions: Vec<_> = versions.iter().map(text).collect();
    Store::of(opened)?.with(|state| state.note_unreviewed(&versions))
}
