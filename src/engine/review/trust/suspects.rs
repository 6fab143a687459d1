//! The entries of the whole tree in which something is found, by their digests.

use super::{EntryBytesSource, Trust};
use brv_base::content::ContentId;
use brv_text::brain::Digest;
use brv_text::lint::Steering;
use serde::{Deserialize, Serialize};

/// A curated file in which something is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// Relative to the tree.
    pub path: String,
    /// Its version, in hexadecimal digits.
    blob: String,
    /// What is found, as a number.
    found: u8,
    /// What of it is withheld.
    withheld: u8,
}

impl Suspect {
    pub fn blob(&self) -> Option<ContentId> {
        ContentId::from_hex(&self.blob)
    }

    pub const fn found(&self) -> Steering {
        Steering::from_bits(self.found)
    }

    pub const fn withheld(&self) -> Steering {
        Steering::from_bits(self.withheld)
    }

    pub const fn is_withheld(&self) -> bool {
        self.withheld != 0
    }
}

impl Trust<'_> {
    /// Those among these files.
    pub fn suspects(&self, digests: &[Digest]) -> Vec<Suspect> {
        let suspects = digests.iter().filter(|digest| !digest.steering.is_none());
        let judged = |digest: &Digest| Suspect {
            path: digest.path.clone(),
            blob: digest.blob.to_string(),
            found: digest.steering.bits(),
            withheld: self
                .judge_found(&digest.path, digest.blob, digest.steering, EntryBytesSource::Disk)
                .bits(),
        };
        suspects.map(judged).collect()
    }

    /// Take the files that are withheld out of these, or put the version that was last reviewed in their place, and give all
    /// suspects.
    pub fn withhold(&self, digests: &mut Vec<Digest>) -> Vec<Suspect> {
        let suspects = self.suspects(digests);
        let withheld = suspects.iter().filter(|suspect| suspect.is_withheld());
        for suspect in withheld {
            let Some(at) = digests.iter().position(|digest| digest.path == suspect.path) else { continue };
            match self.reviewed_digest(&digests[at]) {
                Some(digest) => digests[at] = digest,
                None => drop(digests.remove(at)),
            }
        }
        suspects
    }

    /// The digest of the version that is read in place of one that is withheld. Its bytes are not those on disk.
    pub fn reviewed_digest(&self, digest: &Digest) -> Option<Digest> {
        let bytes = self.reviewed(&digest.path, digest.blob)?;
        Some(Digest::of(&digest.path, ContentId::of(&bytes), true, &bytes))
    }

    /// Whether these are withheld, or not, as they were.
    pub fn is_as_it_was(&self, suspects: &[Suspect]) -> bool {
        suspects.iter().all(|suspect| {
            let judge = |blob| self.judge_found(&suspect.path, blob, suspect.found(), EntryBytesSource::Disk);
            let now = suspect.blob().map(judge);
            now == Some(suspect.withheld())
        })
    }
}
