//! Moves loose refs into `packed-refs`, as `git pack-refs --all` does.
//!
//! Safe beside git run by hand: the file is written under its lock before a loose ref is removed, and a loose ref is
//! removed under its own lock and only if it is unchanged.

use crate::Scope;
use crate::error::{During, Error};
use crate::repository::locks::{self, Notice};
use brv_base::fs;
use bstr::{BString, ByteSlice as _};
use gix::ObjectId;
use gix::lock::acquire::Fail;
use gix::refs::Target;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

/// How long to wait for another writer of the file.
const PATIENCE: Duration = Duration::from_secs(2);

const HEADER: &[u8] = b"# pack-refs with: peeled fully-peeled sorted \n";

/// Refs that belong to one work tree are never packed.
const OF_ONE_WORK_TREE: [&str; 3] = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];

/// A packed ref: its object, and the peeled object if it is a tag.
struct PackedRef {
    id: ObjectId,
    peeled: Option<ObjectId>,
}

/// The loose refs to pack, with their objects.
pub(super) fn loose(scope: &Scope) -> Result<Vec<(BString, ObjectId)>, Error> {
    let act = "list refs";
    let mut found = Vec::new();
    for reference in scope.repo.refs.loose_iter().during(act)? {
        // refs that cannot be read are skipped
        let Ok(reference) = reference else { continue };
        let name = reference.name.as_bstr().to_owned();
        let is_shared = name.starts_with(b"refs/")
            && !OF_ONE_WORK_TREE.iter().any(|prefix| name.starts_with(prefix.as_bytes()));
        if let Target::Object(id) = reference.target
            && is_shared
            // a broken ref must stay where people look for it
            && scope.repo.has_object(id)
        {
            found.push((name, id));
        }
    }
    Ok(found)
}

/// Packs all loose refs. Returns how many were removed.
pub(super) fn pack(scope: &Scope) -> Result<usize, Error> {
    let act = "pack the refs";
    let path = scope.repo.refs.packed_refs_path();
    let loose_now = loose(scope)?.into_iter().filter_map(|(name, _)| {
        gix::path::from_bstr(name.as_bstr()).ok().map(|relative| scope.common_dir().join(relative))
    });
    let mut locked: Vec<PathBuf> = loose_now.collect();
    locked.push(path.clone());
    let mut notice = locks::announce(scope.common_dir(), locked.iter().map(PathBuf::as_path))?;
    let mut lock = locks::acquire(scope.common_dir(), &path, PATIENCE, act)?;
    let loose = loose(scope)?;
    if loose.is_empty() {
        return Ok(0);
    }
    let mut all = packed(scope)?;
    for (name, id) in &loose {
        let peeled = peeled(scope, *id)?;
        all.insert(name.clone(), PackedRef { id: *id, peeled });
    }
    let text = text(&all);
    lock.with_mut(|file| file.write_all(&text).and_then(|()| file.sync_all())).during(act)?;
    lock.commit().during(act)?;
    fs::sync_folder(scope.common_dir()).during(act)?;
    let mut gone = 0;
    for (name, id) in &loose {
        gone += usize::from(remove_loose(scope, &mut notice, name, *id)?);
    }
    Ok(gone)
}

fn packed(scope: &Scope) -> Result<BTreeMap<BString, PackedRef>, Error> {
    let act = "read the packed refs";
    let Some(buffer) = scope.repo.refs.open_packed_buffer().during(act)? else { return Ok(BTreeMap::new()) };
    let mut all = BTreeMap::new();
    for reference in buffer.iter().during(act)? {
        let reference = reference.during(act)?;
        let id = reference.target();
        let object = reference.object();
        let peeled = if reference.object.is_some() { Some(object) } else { peeled(scope, id)? };
        all.insert(reference.name.as_bstr().to_owned(), PackedRef { id, peeled });
    }
    Ok(all)
}

/// The object that a tag peels to; `None` if it is not a tag.
fn peeled(scope: &Scope, id: ObjectId) -> Result<Option<ObjectId>, Error> {
    let act = || format!("read object {id}");
    let Some(header) = scope.repo.try_find_header(id).during(act)? else { return Ok(None) };
    if header.kind() != gix::object::Kind::Tag {
        return Ok(None);
    }
    let object = scope.repo.find_object(id).during(act)?;
    Ok(Some(object.peel_tags_to_end().during(act)?.id))
}

fn text(all: &BTreeMap<BString, PackedRef>) -> Vec<u8> {
    let mut text = HEADER.to_vec();
    for (name, packed) in all {
        text.extend_from_slice(packed.id.to_string().as_bytes());
        text.push(b' ');
        text.extend_from_slice(name);
        text.push(b'\n');
        if let Some(peeled) = packed.peeled {
            text.extend_from_slice(format!("^{peeled}\n").as_bytes());
        }
    }
    text
}

/// Removes a loose ref that is packed now. A ref that another process is writing, or has changed, is kept.
fn remove_loose(scope: &Scope, notice: &mut Notice, name: &BString, id: ObjectId) -> Result<bool, Error> {
    let act = || format!("pack {name}");
    let Ok(relative) = gix::path::from_bstr(name.as_bstr()) else { return Ok(false) };
    let path: PathBuf = scope.common_dir().join(relative);
    let Ok(_lock) = gix::lock::Marker::acquire_to_hold_resource(&path, Fail::Immediately, None, 0) else {
        return Ok(false);
    };
    notice.note_taken(&path);
    let Some(now) = fs::read_if_there(&path).during(act)? else { return Ok(false) };
    if now.trim_ascii() != id.to_string().as_bytes() {
        return Ok(false);
    }
    fs::remove_file(&path).during(act)
}
