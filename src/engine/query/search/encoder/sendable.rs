//! What an encoder may get of the tree.

use crate::open::context::Opened;
use crate::review::trust::{EntryBytesSource, Trust};
use crate::review::{self, Marks};
use brv_base::path::{PathKind, TreePath};

/// Decides what may be sent. Looks nothing up before the first call.
pub(super) struct Sendable<'a> {
    trust: Trust<'a>,
    pending: Marks,
}

impl<'a> Sendable<'a> {
    pub fn of(opened: &'a Opened) -> Self {
        Self { trust: Trust::of(opened), pending: review::marks(opened) }
    }

    /// Whether these bytes of an entry may be sent: nothing of it is withheld from agents, and no change waits for review. The
    /// overview of a folder names entries that may be withheld.
    pub fn has(&self, path: &str, bytes: &[u8]) -> bool {
        let is_entry = TreePath::parse(path.as_bytes()).is_ok_and(|path| path.kind() == PathKind::Entry);
        is_entry
            && !self.pending.contains_key(path)
            && self.trust.judge(path, bytes, EntryBytesSource::Disk).is_none()
    }
}
