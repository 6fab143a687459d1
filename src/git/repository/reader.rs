//! Reads many objects one after the other in bounded memory.
//!
//! Packs are mapped into memory, and what was read of a mapping counts as memory of the process until the pack is closed. A
//! reader closes its packs after so many bytes, and opens them again.

use super::scope::{Scope, SharedScope};
use crate::error::{During, Error};
use std::ops::Deref;

/// So many bytes of content are read before packs are opened again.
const MOST_READ: usize = 4 << 20;

/// So many before a reader has packs of its own: what it reads of the shared ones stays mapped.
const MOST_SHARED: usize = 1 << 20;

/// The size of the cache of delta bases of a reader.
const DELTA_BASES_BYTES: usize = 8 << 20;

/// A scope for work that reads each object once: what it read is not kept.
pub struct ObjectReader {
    scope: Scope,
    read: usize,
}

impl SharedScope {
    /// As [`SharedScope::to_local`], for work that reads each object once.
    pub fn to_reader(&self) -> ObjectReader {
        let mut scope = self.to_local();
        set_caches(&mut scope);
        ObjectReader { scope, read: MOST_READ - MOST_SHARED }
    }
}

impl Deref for ObjectReader {
    type Target = Scope;

    fn deref(&self) -> &Scope {
        &self.scope
    }
}

impl ObjectReader {
    /// Note that so many bytes of content were read.
    ///
    /// # Errors
    /// The folder of the objects cannot be opened again.
    pub fn has_read(&mut self, bytes: usize) -> Result<(), Error> {
        self.read += bytes;
        if self.read < MOST_READ {
            return Ok(());
        }
        self.read = 0;
        self.scope.reopen_objects()?;
        set_caches(&mut self.scope);
        Ok(())
    }
}

fn set_caches(scope: &mut Scope) {
    scope.repo.objects.unset_object_cache();
    scope
        .repo
        .objects
        .set_pack_cache(|| Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(DELTA_BASES_BYTES)));
}

impl Scope {
    /// Open the object store anew, apart from all other scopes. Objects that are only in memory stay.
    fn reopen_objects(&mut self) -> Result<(), Error> {
        let objects = &mut self.repo.objects;
        let store = objects.store_ref();
        let options = gix::odb::store::init::Options {
            use_multi_pack_index: store.use_multi_pack_index(),
            ..Default::default()
        };
        let replaced: Vec<_> = store.replacements().collect();
        let opened = gix::odb::at_opts(store.path(), store.object_hash(), replaced, options);
        let mut handle =
            opened.during(|| format!("open the objects in `{}`", store.path().display()))?.into_inner();
        handle.refresh = objects.refresh;
        handle.max_recursion_depth = objects.max_recursion_depth;
        handle.ignore_replacements = objects.ignore_replacements;
        ***objects = handle;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::store::write_blobs;
    use crate::open;
    use crate::trees::blob;
    use crate::trees::drafts::Drafts;
    use brv_base::content::ContentId;
    use brv_base::environment::Environment;

    #[test]
    fn what_was_read_of_a_pack_is_closed_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        gix::init(folder.path()).unwrap();
        let scope = open(folder.path(), "", &Environment::default()).unwrap();
        let texts: Vec<Vec<u8>> = (0..200).map(|at| format!("entry {at}\n").into_bytes()).collect();
        let ids = write_blobs(&scope, &texts).unwrap();
        let mut drafts = Drafts::over(&scope);
        let draft = ContentId::of(b"draft");
        drafts.add_blobs([(draft, b"draft".to_vec())]);
        let mut reader = drafts.scope().to_shared().to_reader();
        for round in 0..3 {
            let store = reader.repo.objects.store();
            for (id, text) in ids.iter().zip(&texts) {
                assert_eq!(blob(&reader, *id).unwrap(), *text);
                reader.has_read(MOST_READ / texts.len() + 1).unwrap();
            }
            assert!(!std::ptr::eq(&*store, reader.repo.objects.store_ref()), "round {round}");
            assert_eq!(blob(&reader, draft).unwrap(), b"draft", "what is only in memory stays");
        }
        std::fs::rename(folder.path().join(".git/objects"), folder.path().join("away")).unwrap();
        assert!(reader.has_read(MOST_READ).is_err());
    }
}
