//! Detect paths that differ only in case, or are in folders that do: on macOS and Windows one would overwrite the
//! other.
//!
//! Compares text only; it does not matter whether the local disk is case-sensitive, since others' disks may not be.

use bstr::{BStr, BString, ByteSlice};
use std::collections::HashMap;

pub fn fold(path: &BStr) -> String {
    path.to_str_lossy().to_lowercase()
}

/// The end of each folder of a path, and of the path itself. Lower-casing neither adds nor removes slashes.
pub fn ends<T: AsRef<[u8]> + ?Sized>(path: &T) -> impl Iterator<Item = usize> {
    let path = path.as_ref();
    path.find_iter(b"/").chain([path.len()])
}

/// The first spelling of paths and their folders.
#[derive(Debug, Default)]
pub struct Spellings(HashMap<String, BString>);

impl Spellings {
    /// The spellings of these paths; the first one counts.
    pub fn of<'a>(paths: impl Iterator<Item = &'a BStr>) -> Self {
        let mut first = HashMap::new();
        let mut last_folder = BStr::new(b"");
        for path in paths {
            let folded = fold(path);
            let folder = path.rfind_byte(b'/').map_or(BStr::new(b""), |at| path[..at].as_bstr());
            let known = if folder == last_folder { ends(folder).count() } else { 0 };
            let known = if folder.is_empty() { 0 } else { known };
            for (end, folded_end) in ends(path).zip(ends(&folded)).skip(known) {
                first.entry(folded[..folded_end].to_owned()).or_insert_with(|| path[..end].into());
            }
            last_folder = folder;
        }
        Self(first)
    }

    /// The other spelling of the path or of a folder above it, if there is one.
    pub fn other(&self, path: &BStr) -> Option<&BString> {
        let folded = fold(path);
        ends(path).zip(ends(&folded)).find_map(|(end, folded_end)| {
            self.0.get(&folded[..folded_end]).filter(|first| first.as_slice() != path[..end])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_spelling_counts_for_files_and_folders() {
        let paths = ["notes/a.md", "notes/b.md", "x/y/c.md", "x/y/d.md", "top.md"];
        let spellings = Spellings::of(paths.iter().map(|path| BStr::new(*path)));
        let other = |path: &str| spellings.other(path.into()).map(ToString::to_string);
        assert_eq!(other("notes/B.md").as_deref(), Some("notes/b.md"));
        assert_eq!(other("Notes/new.md").as_deref(), Some("notes"));
        assert_eq!(other("x/Y/new.md").as_deref(), Some("x/y"));
        assert_eq!(other("TOP.md/new.md").as_deref(), Some("top.md"));
        for path in paths.into_iter().chain(["notes/new.md", "notesx/a.md"]) {
            assert_eq!(other(path), None, "{path}");
        }
    }
}
