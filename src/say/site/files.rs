//! The files of a written site: which one has the page of which entry and folder.
//!
//! A site may be copied to a disk that ignores case, so no two names differ in case alone. The name of a folder never ends like
//! that of a page, so no page is in the way of a folder.

use brv_text::lint::secrets;
use std::collections::{BTreeMap, HashSet};

/// The page of the root.
pub const INDEX: &str = "index.html";

const END: &str = ".html";

/// The pages of a written site.
#[derive(Debug)]
pub struct SiteFiles {
    /// The commit that is shown.
    pub commit: String,
    /// The day of that commit.
    pub day: String,
    entries: BTreeMap<String, String>,
    /// The parts of each list.
    folders: BTreeMap<String, Vec<String>>,
}

impl SiteFiles {
    /// For these entries, and these folders with as many parts as their lists have; both sorted, so that the same paths always
    /// get the same names.
    pub fn of<'p>(
        (commit, day): (String, String),
        entries: impl Iterator<Item = &'p str>,
        folders: impl Iterator<Item = (&'p str, usize)>,
    ) -> Self {
        let mut taken = HashSet::new();
        let mut named = BTreeMap::new();
        for path in entries {
            let shown = shown(path);
            let stem = shown.strip_suffix(".md").unwrap_or(&shown);
            let (above, name) = stem.rsplit_once('/').unwrap_or(("", stem));
            named.insert(path.to_owned(), free(&mut taken, &format!("{}{name}", within("entry", above))));
        }
        let mut lists = BTreeMap::new();
        for (path, parts) in folders {
            let shown = shown(path);
            let (above, name) = shown.rsplit_once('/').unwrap_or(("", &shown));
            let stem = match path {
                "" => "index".to_owned(),
                _ => format!("{}{name}", within("tree", above)),
            };
            let part = |taken: &mut HashSet<String>, part: usize| match part {
                0 => free(taken, &stem),
                _ => free(taken, &format!("{stem}~p{}", part + 1)),
            };
            lists.insert(path.to_owned(), (0..parts.max(1)).map(|number| part(&mut taken, number)).collect());
        }
        Self { commit, day, entries: named, folders: lists }
    }

    /// The file of an entry, or of the folder of an overview.
    pub fn page(&self, path: &str) -> Option<&str> {
        let folder = || match path {
            "context.md" => self.folder(""),
            _ => self.folder(path.strip_suffix("/context.md")?),
        };
        self.entries.get(path).map(String::as_str).or_else(folder)
    }

    /// The file of a folder.
    pub fn folder(&self, path: &str) -> Option<&str> {
        self.folder_part(path, 0)
    }

    /// The file of a part of the list of a folder.
    pub fn folder_part(&self, path: &str, part: usize) -> Option<&str> {
        self.folders.get(path)?.get(part).map(String::as_str)
    }
}

/// The path without secrets, in characters that a disk takes.
fn shown(path: &str) -> String {
    secrets::masked(path).replace('*', "_")
}

/// The folder of pages for a folder of the tree, with a slash at its end.
fn within(kind: &str, folder: &str) -> String {
    let mut path = format!("{kind}/");
    for name in folder.split('/').filter(|name| !name.is_empty()) {
        path.push_str(name);
        if name.trim_end_matches('~').to_lowercase().ends_with(END) {
            path.push('~');
        }
        path.push('/');
    }
    path
}

/// The first name for this page that no other has.
fn free(taken: &mut HashSet<String>, stem: &str) -> String {
    let names =
        std::iter::once(format!("{stem}{END}")).chain((2..).map(|number| format!("{stem}~{number}{END}")));
    let mut free = names.filter(|name| taken.insert(name.to_lowercase()));
    free.next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn each_page_has_a_file_of_its_own_on_any_disk() {
        let mut entries = [
            "A/b.md",
            "a.html/b.md",
            "a.html~/b.md",
            "a.md",
            "a/B.md",
            "a/b.md",
            "a/b~2.md",
            "context/a.md",
            "é/Ü.md",
        ];
        entries.sort_unstable();
        let folders = [("", 2), ("A", 1), ("a", 3), ("a.html", 1), ("a~p2", 1), ("index", 1)];
        let files = SiteFiles::of(("c".into(), "d".into()), entries.into_iter(), folders.into_iter());
        let all: Vec<&str> =
            files.entries.values().chain(files.folders.values().flatten()).map(String::as_str).collect();
        let lower: HashSet<String> = all.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(lower.len(), entries.len() + 9, "{all:?}");
        for file in &all {
            let above = Path::new(file).ancestors().skip(1);
            for folder in above {
                assert!(!lower.contains(&folder.to_str().unwrap().to_lowercase()), "{file}");
            }
        }
        assert_eq!(files.page("a.md"), Some("entry/a.html"));
        assert_eq!(files.page("a.html/b.md"), Some("entry/a.html~/b.html"));
        assert_eq!(files.page("context.md"), Some("index.html"));
        assert_eq!(files.page("A/context.md"), Some("tree/A.html"));
        assert_eq!((files.folder_part("", 1), files.folder_part("", 2)), (Some("index~p2.html"), None));
        assert_eq!((files.page("gone.md"), files.folder("gone")), (None, None));
    }
}
