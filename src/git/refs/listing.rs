//! Lists references below a prefix, even while other processes create, remove and pack references. gitoxide stops at a
//! file that is removed before it reads it, and misses a reference that moves into `packed-refs` meanwhile.
//!
//! In both cases the list is read again.

use super::broken;
use crate::error::{ActionText, During, Error};
use brv_base::fs::{self, FileStat};
use bstr::{BStr, BString};
use gix::prelude::ReferenceExt as _;
use gix::{Reference, Repository};
use std::time::Duration;

/// How often to try: if it keeps changing, more tries do not help.
const TRIES: u32 = 20;

/// The pause between tries: removing and packing references takes a few milliseconds.
pub(super) const PAUSE: Duration = Duration::from_millis(3);

/// References, sorted by name. Symbolic ones are not resolved.
pub(crate) struct RefListing<'r> {
    /// Those that could be read.
    pub found: Vec<Reference<'r>>,
    /// The full names of those with broken content.
    pub broken: Vec<BString>,
}

/// All references of the repository that can be read, sorted by name. Symbolic ones are not resolved.
pub(crate) fn all<'r>(repo: &'r Repository, act: impl ActionText) -> Result<Vec<Reference<'r>>, Error> {
    Ok(listed(repo, None, act)?.found)
}

/// The references below `prefix` (`refs/heads/`) that can be read, sorted by name. Symbolic ones are not resolved.
pub(crate) fn below<'r>(
    repo: &'r Repository,
    prefix: &BStr,
    act: impl ActionText,
) -> Result<Vec<Reference<'r>>, Error> {
    Ok(listed(repo, Some(prefix), act)?.found)
}

/// The references below `prefix`, if there is one, and the names of those that are broken.
pub(crate) fn listed<'r>(
    repo: &'r Repository,
    prefix: Option<&BStr>,
    act: impl ActionText,
) -> Result<RefListing<'r>, Error> {
    for _ in 1..TRIES {
        let before = packed_refs(repo);
        let found = once(repo, prefix);
        if packed_refs(repo) == before
            && let Ok(found) = found
        {
            return Ok(found);
        }
        std::thread::sleep(PAUSE);
    }
    once(repo, prefix).during(act)
}

fn once<'r>(repo: &'r Repository, prefix: Option<&BStr>) -> gix::Result<RefListing<'r>> {
    let references = repo.references()?;
    let all = match prefix {
        Some(prefix) => references.prefixed(prefix)?,
        None => references.all()?,
    };
    let mut listed = RefListing { found: Vec::new(), broken: Vec::new() };
    for reference in all {
        match reference {
            Ok(reference) => listed.found.push(reference.detach().attach(repo)),
            // files of refs are replaced, never written in place: it will not become readable
            Err(error) => listed.broken.push(broken::undecodable(&error).ok_or(error)?),
        }
    }
    Ok(listed)
}

/// The identity of `packed-refs`; packing replaces the file, so that any change shows.
pub(super) fn packed_refs(repo: &Repository) -> Option<FileStat> {
    fs::stat(&repo.common_dir().join("packed-refs")).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bstr::ByteSlice as _;
    use std::io::Write as _;
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::time::SystemTime;

    const FOLDER: &str = "refs/brv/ops/";

    /// In a folder that is looked at last.
    const STAYS: &str = "z/stays";

    fn write(path: &Path, id: &str) {
        fs::replace(path, format!("{id}\n").as_bytes(), fs::Durability::Later).unwrap();
    }

    /// While `disturb` runs again and again, each of `listings` has `refs/brv/ops/z/stays`, which comes after `others` more.
    fn assert_listed_beside(others: usize, listings: usize, disturb: impl Fn(&Path) + Send + Sync) {
        let folder = tempfile::tempdir().unwrap();
        let repo = gix::init(folder.path()).unwrap();
        let path = |name: &str| repo.common_dir().join(FOLDER).join(name);
        let id = repo.object_hash().empty_blob().to_string();
        write(&path(STAYS), &id);
        (0..others).for_each(|number| write(&path(&format!("other/{number}")), &id));
        let is_done = AtomicBool::new(false);
        let operations = path("");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    disturb(&operations);
                }
            });
            for _ in 0..listings {
                let found = below(&repo, FOLDER.into(), "list operations");
                let stays = |one: &Reference<'_>| one.name().as_bstr().ends_with_str(STAYS);
                let is_there = found.as_ref().is_ok_and(|found| found.iter().any(stays));
                if !is_there {
                    is_done.store(true, Ordering::Relaxed);
                }
                assert!(is_there, "{found:?}");
            }
            is_done.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn references_that_come_and_go_meanwhile_hinder_no_listing() {
        assert_listed_beside(0, 1500, |operations| {
            let id = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
            for number in 0..8 {
                write(&operations.join(format!("deep/{number}")), id);
            }
            std::fs::remove_dir_all(operations.join("deep")).unwrap();
        });
    }

    #[test]
    fn a_reference_that_is_packed_meanwhile_is_listed() {
        let round = AtomicU64::new(1_000_000_000);
        // a listing takes as long as the reference is in one place only
        assert_listed_beside(200, 200, |operations| {
            let id = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
            let packed_refs = operations.ancestors().nth(3).unwrap().join("packed-refs");
            // each is a second newer: the clock of a file system ticks more slowly than this
            let pack = |line: &str| {
                let mut file = tempfile::NamedTempFile::new_in(packed_refs.parent().unwrap()).unwrap();
                write!(file, "# pack-refs with: peeled fully-peeled sorted \n{line}").unwrap();
                let seconds = round.fetch_add(1, Ordering::Relaxed);
                file.as_file().set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
                file.persist(&packed_refs).unwrap();
            };
            pack(&format!("{id} {FOLDER}{STAYS}\n"));
            fs::remove_file(&operations.join(STAYS)).unwrap();
            write(&operations.join(STAYS), id);
            pack("");
        });
    }
}
