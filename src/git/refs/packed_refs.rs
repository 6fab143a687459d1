//! Writes thousands of new refs into `packed-refs` at once; gitoxide and git create a file for each, with a lock and a
//! log.
//!
//! The format is in `gitrepository-layout`, `packed-refs`: sorted lines of id and name, and below a tag a line with its
//! peeled object. Does not move existing refs.

use super::listing;
use crate::error::{During, Error};
use brv_base::fs;
use bstr::{BStr, BString, ByteSlice as _};
use gix::{ObjectId, Repository};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// How long to wait for another writer of the file.
const PATIENCE: Duration = Duration::from_secs(5);
const HEADER: &str = "# pack-refs with: peeled fully-peeled sorted \n";

/// A ref: its object, and the peeled object if it is a tag.
struct PackedRefLine {
    id: ObjectId,
    peeled: Option<ObjectId>,
}

/// Creates refs, all of them durably or none. Refs that exist by now, or that conflict with others (`a` and `a/b`), are
/// returned and not created.
pub(crate) fn create(
    repo: &Repository,
    new: Vec<(BString, ObjectId)>,
) -> Result<Vec<(BString, ObjectId)>, Error> {
    let act = "create refs";
    let path = repo.common_dir().join("packed-refs");
    let (_notice, lock) = crate::repository::locks::take(repo.common_dir(), &path, PATIENCE, act)?;
    let text = fs::read_if_there(&path).during(act)?.unwrap_or_default();
    let mut lines = read(repo, &text)?;
    let mut refused = Vec::new();
    for (name, id) in new {
        if lines.contains_key(&name) || is_in_the_way(repo.common_dir(), &lines, name.as_bstr()) {
            refused.push((name, id));
        } else {
            let peeled = peeled(repo, id)?;
            lines.insert(name, PackedRefLine { id, peeled });
        }
    }
    crate::repository::locks::replace(lock, &path, &written(&lines))?;
    Ok(refused)
}

/// Copies all refs that are not broken into a new folder, as a store for gitoxide's negotiation, which stops at a broken
/// one.
pub(crate) fn copy(repo: &Repository, folder: &Path) -> Result<gix::refs::file::Store, Error> {
    let act = "copy refs";
    let mut lines = BTreeMap::new();
    for mut reference in listing::all(repo, "list refs")? {
        let name = reference.name().as_bstr().to_owned();
        let Ok(id) = reference.follow_to_object().map(gix::Id::detach) else { continue };
        if let (true, Ok(peeled)) = (repo.has_object(id), peeled(repo, id)) {
            lines.insert(name, PackedRefLine { id, peeled });
        }
    }
    fs::create_folder(folder).during(act)?;
    fs::replace(&folder.join("packed-refs"), &written(&lines), fs::Durability::Later).during(act)?;
    Ok(gix::refs::file::Store::at(folder.to_path_buf(), repo.object_hash()))
}

fn written(lines: &BTreeMap<BString, PackedRefLine>) -> BString {
    let mut text = BString::from(HEADER);
    for (name, line) in lines {
        text.extend_from_slice(format!("{} ", line.id).as_bytes());
        text.extend_from_slice(name);
        text.push(b'\n');
        if let Some(peeled) = line.peeled {
            text.extend_from_slice(format!("^{peeled}\n").as_bytes());
        }
    }
    text
}

fn read(repo: &Repository, text: &[u8]) -> Result<BTreeMap<BString, PackedRefLine>, Error> {
    let act = "read packed refs";
    let mut lines = BTreeMap::new();
    let mut last: Option<BString> = None;
    let is_peeled = text.lines().next().is_some_and(|header| {
        header.starts_with(b"#") && header.split(|byte| *byte == b' ').any(|word| word == b"fully-peeled")
    });
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
        if let Some(hex) = line.strip_prefix(b"^") {
            let id = ObjectId::from_hex(hex).during(act)?;
            if let Some(tag) = last.take().and_then(|name| lines.get_mut(&name)) {
                let tag: &mut PackedRefLine = tag;
                tag.peeled = Some(id);
            }
            continue;
        }
        let (hex, name) = line.split_once_str(b" ").unwrap_or((line, b""));
        let id = ObjectId::from_hex(hex).during(act)?;
        let peeled = if is_peeled { None } else { peeled(repo, id)? };
        lines.insert(BString::from(name), PackedRefLine { id, peeled });
        last = Some(BString::from(name));
    }
    Ok(lines)
}

/// The object that a tag peels to; `None`: it is not a tag.
fn peeled(repo: &Repository, id: ObjectId) -> Result<Option<ObjectId>, Error> {
    let act = || format!("peel {id}");
    let Some(header) = repo.try_find_header(id).during(act())? else { return Ok(None) };
    if header.kind() != gix::object::Kind::Tag {
        return Ok(None);
    }
    let object = repo.find_object(id).during(act())?;
    Ok(Some(object.peel_tags_to_end().during(act())?.id))
}

/// Whether a name has another one above or below it: as files one would be a folder and a file at once.
fn is_in_the_way(folder: &Path, lines: &BTreeMap<BString, PackedRefLine>, name: &BStr) -> bool {
    let slashes = name.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    let above = slashes.skip(1).any(|at| {
        let parent = name[..at].as_bstr();
        let file = gix::path::from_bstr(parent).map(|path| folder.join(path));
        lines.contains_key(parent) || file.is_ok_and(|file| file.is_file())
    });
    let below = BString::from([name.as_ref(), b"/".as_slice()].concat());
    let packed = lines.range(below.clone()..).next().is_some_and(|(found, _)| found.starts_with(&below));
    let loose = gix::path::from_bstr(name).map(|path| folder.join(path));
    above || packed || loose.is_ok_and(|path| path.symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_refs_stand_beside_old_ones_and_what_cannot_is_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let repo = gix::init_bare(folder.path()).unwrap();
        let blob = repo.write_blob(b"x").unwrap().detach();
        let tag = repo.write_object(gix::objs::Tag {
            target: blob,
            target_kind: gix::objs::Kind::Blob,
            name: "v1".into(),
            tagger: None,
            message: "one".into(),
            signature: None,
        });
        let tag = tag.unwrap().detach();
        // written by an older git: without the note that tags are peeled
        let path = folder.path().join("packed-refs");
        std::fs::create_dir_all(folder.path().join("refs/remotes/o")).unwrap();
        fs::replace(&path, format!("{tag} refs/tags/old\n").as_bytes(), fs::Durability::Later).unwrap();
        fs::replace(
            &folder.path().join("refs/remotes/o/loose"),
            format!("{blob}\n").as_bytes(),
            fs::Durability::Later,
        )
        .unwrap();
        let name = |name: &str| (BString::from(name), blob);
        let new = vec![
            name("refs/remotes/o/z"),
            (BString::from("refs/tags/new"), tag),
            name("refs/remotes/o/a/b"),
            name("refs/remotes/o/a"),
            name("refs/remotes/o/a/b/c"),
            name("refs/remotes/o/loose/x"),
            name("refs/tags/old/x"),
            name("refs/tags/old"),
        ];
        let refused: Vec<_> = create(&repo, new).unwrap().into_iter().map(|(name, _)| name).collect();
        let expected = [
            "refs/remotes/o/a",
            "refs/remotes/o/a/b/c",
            "refs/remotes/o/loose/x",
            "refs/tags/old/x",
            "refs/tags/old",
        ];
        assert_eq!(refused, expected);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = format!(
            "{HEADER}{blob} refs/remotes/o/a/b\n{blob} refs/remotes/o/z\n{tag} refs/tags/new\n^{blob}\n{tag} refs/tags/old\n^{blob}\n"
        );
        assert_eq!(text, lines);
    }
}
