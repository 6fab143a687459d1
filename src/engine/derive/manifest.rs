//! The manifest of the derived files: what it lists, and when it is written.

use super::Outcome;
use super::ledger::{Ledger, Measures};
use super::outline::join;
use super::records::{Archive, Files};
use super::work::{EarlierWrite, Order, ReadImportance};
use crate::Stop;
use brv_base::content::ContentId;
use brv_base::fs::{self, NewFiles};
use brv_base::path::{ArchivePaths, MAX_PATH_BYTES, TreePath};
use brv_base::sorting;
use brv_text::derive::stamp::{self, Stamp};
use brv_text::derive::{self, Importance, Lanes, Made, ManifestContext, ManifestStub, ManifestSummary};

impl Order<'_> {
    /// Write it unless it is up to date.
    pub(super) fn manifest(
        &self,
        ledger: &mut Ledger,
        importance: &ReadImportance<'_>,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        let fingerprint = self.outline.fingerprint();
        let path = TreePath::parse(b"_manifest.json").expect("the name is portable");
        if self.outline.folders.is_empty() {
            self.remove(path.as_str(), outcome)?;
        } else {
            let manifest = manifest(fingerprint, ledger, &importance());
            let on_disk = fs::read_if_there(&path.on_disk(self.root))?.unwrap_or_default();
            // another importance alone is not a reason to write it
            if stamp::read(&on_disk) != (Stamp::Ours { key: manifest.key }) {
                let new = &mut NewFiles::below(self.root);
                self.write(&path, (&manifest.text, EarlierWrite::Before), new, outcome)?;
            }
        }
        ledger.fingerprint = Some(fingerprint);
        Ok(())
    }
}

pub(super) fn manifest(source_fingerprint: ContentId, ledger: &Ledger, importance: &Importance) -> Made {
    let summaries = ledger
        .folders
        .iter()
        .map(|(folder, known)| {
            let order = derive::condensation_order(folder);
            ManifestSummary { path: join(folder, "_index.md"), tokens: known.index_tokens, order }
        })
        .filter(|row| row.path.len() <= MAX_PATH_BYTES)
        .collect();
    let contexts = ledger
        .folders
        .iter()
        .flat_map(|(folder, known)| known.entries.measures().map(move |entry| (folder, entry)))
        .map(|(folder, (name, Measures { tokens, abstract_tokens, worth }))| {
            let path = join(folder, name);
            let has_room = path.len() + ".abstract".len() <= MAX_PATH_BYTES;
            ManifestContext { path, tokens, abstract_tokens: has_room.then_some(abstract_tokens), worth }
        })
        .collect();
    let stubs = stubs(&ledger.archive);
    derive::manifest_of(&Lanes { source_fingerprint, summaries, contexts, stubs, importance })
}

/// The stubs, by the time of archiving, then by path.
fn stubs(archive: &Archive) -> Vec<ManifestStub> {
    let mut stubs: Vec<(i64, ManifestStub)> = archive
        .iter()
        .filter_map(|(path, archived)| {
            let Files::Written(tokens) = archived.files else { return None };
            Some((archived.record.at, ManifestStub { path: ArchivePaths::of(path)?.stub, tokens }))
        })
        .collect();
    sorting::sort_by(&mut stubs, |(at, one), (other_at, other)| {
        at.cmp(other_at).then_with(|| one.path.cmp(&other.path))
    });
    stubs.into_iter().map(|(_, stub)| stub).collect()
}
