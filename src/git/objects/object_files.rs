//! Copies the object files of a repository on this machine: by hard links if possible.
//!
//! Knows git's names for such files, not their content. Copies neither refs nor settings.

use brv_base::fs;
use std::io::{Error, ErrorKind, Read as _, Result, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Copies every object file of `from` (an `objects` folder) to `to`, which has none, durably: all of them or none.
/// Returns how many objects were copied.
///
/// `None`: the repository has alternates or is partial, so that its files alone are not enough.
///
/// # Errors
/// A file that is not a regular file (a symlink), that vanished meanwhile, or that cannot be copied.
pub(crate) fn bring(from: &Path, to: &Path) -> Result<Option<usize>> {
    let git_dir = from.parent().unwrap_or(from);
    let lacks_some =
        [from.join("info/alternates"), from.join("info/http-alternates"), git_dir.join("shallow")];
    if lacks_some.iter().any(|file| file.symlink_metadata().is_ok()) {
        return Ok(None);
    }
    // loose objects first: those packed meanwhile are found with the packs
    let mut names = loose(from)?;
    let Some(packs) = packs(from)? else { return Ok(None) };
    names.extend(packs);
    let mut brought = Vec::with_capacity(names.len());
    for name in &names {
        if let Err(error) = bring_file(&from.join(name), &to.join(name)) {
            brought.iter().for_each(|name: &&PathBuf| drop(std::fs::remove_file(to.join(name))));
            return Err(error);
        }
        brought.push(name);
    }
    let files: Vec<_> = names.iter().map(|name| to.join(name)).collect();
    fs::sync_work_tree(to, files.iter().map(PathBuf::as_path)).map_err(|error| error.source)?;
    files.iter().map(|file| objects_in(file)).sum::<Result<usize>>().map(Some)
}

/// How many objects a file provides: one if loose, those of an index, and none for other files.
fn objects_in(file: &Path) -> Result<usize> {
    match file.extension().and_then(|end| end.to_str()) {
        None => Ok(1),
        Some("idx") => {
            // after the header of eight bytes: how many ids begin with at most 0, 1, … 255
            let mut total = [0; 4];
            let mut index = std::fs::File::open(file)?;
            index.seek(SeekFrom::Start(8 + 255 * 4))?;
            index.read_exact(&mut total)?;
            Ok(u32::from_be_bytes(total) as usize)
        }
        Some(_) => Ok(0),
    }
}

fn loose(objects: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in names_in(objects)?.into_iter().filter(|name| is_hex(name, 2)) {
        let files = names_in(&objects.join(&folder))?;
        found.extend(files.iter().filter(|name| is_hex(name, 38)).map(|name| Path::new(&folder).join(name)));
    }
    Ok(found)
}

/// The packs with their indexes, each index last: git ignores a pack without one. `None`: there are promisor packs,
/// which lack objects.
fn packs(objects: &Path) -> Result<Option<Vec<PathBuf>>> {
    let mut found = Vec::new();
    for name in names_in(&objects.join("pack"))? {
        if name.ends_with(".promisor") {
            return Ok(None);
        }
        let id = name.strip_prefix("pack-").and_then(|rest| rest.strip_suffix(".idx"));
        if let Some(id) = id.filter(|id| is_hex(id, 40)) {
            found.extend(["pack", "idx"].map(|end| Path::new("pack").join(format!("pack-{id}.{end}"))));
        }
    }
    Ok(Some(found))
}

fn is_hex(name: &str, length: usize) -> bool {
    name.len() == length && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn names_in(folder: &Path) -> Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if fs::is_absence(&error) => return Ok(Vec::new()),
        other => other?,
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

fn bring_file(from: &Path, to: &Path) -> Result<()> {
    if !from.symlink_metadata()?.is_file() {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            format!("`{}` is not a regular file", from.display()),
        ));
    }
    let linked = match std::fs::hard_link(from, to) {
        Err(error) if fs::is_absence(&error) => {
            std::fs::create_dir_all(to.parent().unwrap_or(to))?;
            std::fs::hard_link(from, to)
        }
        other => other,
    };
    // another file system, or one without hard links
    if linked.is_err() { std::fs::copy(from, to).map(drop) } else { linked }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::fs::{Durability, replace};

    fn objects() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from/objects"), folder.path().join("to/objects"));
        fs::create_folder(&to).unwrap();
        let put = |name: &str| replace(&from.join(name), name.as_bytes(), Durability::Later).unwrap();
        let id = "0123456789abcdef0123456789abcdef01234567";
        put(&format!("01/{}", &id[2..]));
        put(&format!("pack/pack-{id}.pack"));
        let mut index = [0; 8 + 256 * 4];
        index[8 + 255 * 4..].copy_from_slice(&[0, 0, 1, 2]);
        replace(&from.join(format!("pack/pack-{id}.idx")), &index, Durability::Later).unwrap();
        put("pack/tmp_pack_abc");
        put("info/commit-graph");
        put("xy/other");
        (folder, from, to)
    }

    #[test]
    fn objects_and_packs_come_and_nothing_else() {
        let (_folder, from, to) = objects();
        assert_eq!(bring(&from, &to).unwrap(), Some(1 + 258));
        assert_eq!(names_in(&to.join("01")).unwrap().len(), 1);
        assert_eq!(names_in(&to.join("pack")).unwrap().len(), 2);
        assert_eq!(names_in(&to).unwrap().len(), 2);
    }

    #[test]
    fn a_repository_that_has_not_all_of_its_objects_is_left_to_the_protocol() {
        for file in ["info/alternates", "../shallow", "pack/pack-1.promisor"] {
            let (_folder, from, to) = objects();
            replace(&from.join(file), b"", Durability::Later).unwrap();
            assert_eq!(bring(&from, &to).unwrap(), None, "{file}");
            assert!(names_in(&to).unwrap().is_empty());
        }
    }

    #[test]
    #[cfg(unix)]
    fn when_one_does_not_come_none_does() {
        let (_folder, from, to) = objects();
        let link = from.join("ff/00000000000000000000000000000000000000");
        fs::create_folder(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
        assert!(bring(&from, &to).is_err());
        assert!(loose(&to).unwrap().is_empty());
        assert!(packs(&to).unwrap().unwrap().is_empty());
    }
}
