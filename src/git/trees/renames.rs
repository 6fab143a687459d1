//! Detects renames: joins additions and deletions of the same file.
//!
//! Selects the candidate files of a difference, their bytes and the settings; [`super::pairing`] chooses the pairs.

use super::pairing::{self, Blobs, File, Kinship, Limit, PairingSource, RenameFate};
use super::{Change, Renames};
use crate::Scope;
use crate::error::{During, Error};
use crate::id::{BlobId, object_id};
use crate::objects::convert::Converter;
use brv_base::fs;
use bstr::{BString, ByteSlice as _};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The default rename limit, git's own: this many files are compared with as many others.
const SIDE: u64 = 1000;

/// Work tree files that are not stored, by the id that their bytes would have.
pub type UnstoredFiles = BTreeMap<BlobId, BString>;

/// Joins each deletion with the addition that it became, if at least half of the bytes are the same.
pub(super) fn detect(scope: &Scope, changes: Vec<Change>, renames: Renames) -> Result<Vec<Change>, Error> {
    detect_in(scope, changes, renames, &mut Stored(scope))
}

/// As [`detect`]; additions may be files of the work tree.
pub(super) fn detect_on_disk(
    scope: &Scope,
    changes: Vec<Change>,
    renames: Renames,
    on_disk: &UnstoredFiles,
) -> Result<Vec<Change>, Error> {
    let stored = Stored(scope);
    detect_in(scope, changes, renames, &mut DiskBlobs { stored, on_disk, converter: Converter::of(scope) })
}

fn detect_in(
    scope: &Scope,
    changes: Vec<Change>,
    renames: Renames,
    blobs: &mut dyn Blobs,
) -> Result<Vec<Change>, Error> {
    let has = |side: fn(&Change) -> bool| changes.iter().any(side);
    if !has(|change| change.before.is_none()) || !has(|change| change.after.is_none()) {
        return Ok(changes);
    }
    let Some(limit) = limit(scope, renames) else { return Ok(changes) };
    let pairs = pairs(&changes, limit, blobs)?;
    if pairs.is_empty() {
        return Ok(changes);
    }
    let sources: HashSet<usize> = pairs.values().copied().collect();
    let mut joined = Vec::with_capacity(changes.len());
    for (position, change) in changes.iter().enumerate() {
        if sources.contains(&position) {
            continue;
        }
        let mut change = change.clone();
        if let Some(source) = pairs.get(&position).map(|source| &changes[*source]) {
            change.renamed_from = Some(source.path.clone());
            change.before = source.before;
        }
        joined.push(change);
    }
    Ok(joined)
}

/// Position of an addition → position of the deletion that it came from.
fn pairs(changes: &[Change], limit: Limit, blobs: &mut dyn Blobs) -> Result<HashMap<usize, usize>, Error> {
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    for (position, change) in changes.iter().enumerate() {
        let path = change.path.as_bstr();
        match (change.before, change.after) {
            (Some(version), None) => {
                gone.push(position);
                sources.push(PairingSource { file: File { path, version }, fate: RenameFate::Gone });
            }
            (None, Some(version)) => {
                new.push(position);
                targets.push(File { path, version });
            }
            _ => {}
        }
    }
    let found = pairing::pair(&sources, &targets, Kinship::Renamed, limit, blobs)?;
    Ok(new.into_iter().zip(found).filter_map(|(target, source)| Some((target, gone[source?]))).collect())
}

/// How many files are compared; `None`: renames are not detected.
fn limit(scope: &Scope, renames: Renames) -> Option<Limit> {
    let config = scope.repo.config_snapshot();
    let is_on = |key: &str| config.boolean(key);
    let number = |key: &str| config.integer(key);
    let (is_wanted, side) = match renames {
        Renames::Ignore => (false, None),
        Renames::Always => (true, number("diff.renameLimit")),
        Renames::Detect => (is_on("diff.renames").unwrap_or(true), number("diff.renameLimit")),
        Renames::DetectForStatus => (
            is_on("status.renames").or_else(|| is_on("diff.renames")).unwrap_or(true),
            number("status.renameLimit").or_else(|| number("diff.renameLimit")),
        ),
    };
    let limit = match side.map(u64::try_from) {
        None => Limit::Square(SIDE),
        Some(Ok(0) | Err(_)) => Limit::None,
        Some(Ok(side)) => Limit::Square(side),
    };
    is_wanted.then_some(limit)
}

pub(crate) struct Stored<'s>(pub &'s Scope);

impl Blobs for Stored<'_> {
    fn size(&mut self, id: BlobId) -> Result<u64, Error> {
        Ok(self.0.repo.find_header(object_id(id)).during(|| format!("read blob {id}"))?.size())
    }

    fn bytes(&mut self, id: BlobId) -> Result<Vec<u8>, Error> {
        super::blob(self.0, id)
    }
}

/// Files of the work tree, then of the repository.
struct DiskBlobs<'s> {
    stored: Stored<'s>,
    on_disk: &'s UnstoredFiles,
    converter: Converter,
}

impl Blobs for DiskBlobs<'_> {
    fn size(&mut self, id: BlobId) -> Result<u64, Error> {
        match self.on_disk.contains_key(&id) {
            true => Ok(self.bytes(id)?.len() as u64),
            false => self.stored.size(id),
        }
    }

    fn bytes(&mut self, id: BlobId) -> Result<Vec<u8>, Error> {
        let Some(path) = self.on_disk.get(&id) else { return self.stored.bytes(id) };
        let act = || format!("read `{path}`");
        let place = fs::below(&self.stored.0.root(), path.as_bstr()).during(act)?;
        // a file removed meanwhile is similar to nothing
        let bytes = fs::read_if_there(&place).during(act)?.unwrap_or_default();
        Ok(self.converter.to_git(path.as_bstr(), bytes.into())?.into_owned())
    }
}
