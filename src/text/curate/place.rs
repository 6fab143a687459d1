//! Find the file that an operation names: `domain/topic[/subtopic]` and a title, or the file itself.
//!
//! New names are in `snake_case`. Names that the tree already has are used as they are spelled there, so that trees of
//! other tools, with `-` between words, get no second folder beside the first. Titles such as `C++` and `C#` make the
//! same name: an entry with another title is never taken for the one that is meant, and the second one gets another
//! name. Knows the tree only by what it is answered.

use super::input::CurateKind;
use super::names::{dashed, is_same_title, slug, spelled_out};
use super::operation::Operation;
use super::{Code, Refused};
use brv_base::content::ContentId;
use brv_base::path::{self, TreePath, Unportable};

/// What an operation asks about the tree. The folder `""` is the root.
pub trait TreeNames {
    /// How the tree spells the name in a folder: `None` if it has no such file or folder. Names that differ only in case
    /// are the same.
    fn spelled(&self, folder: &str, name: &str) -> Option<String>;

    /// The files in a folder that are called `{stem}_{number}.md`.
    fn numbered(&self, folder: &str, stem: &str) -> Vec<String>;

    /// The title of an entry: `None` if it has none, or none that can be read; then its name is its title.
    fn title(&self, path: &TreePath) -> Option<String>;

    /// Whether an entry has these bytes.
    fn is_version(&self, path: &TreePath, id: ContentId) -> bool;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CurateTarget {
    File {
        /// Where it is, or will be.
        path: TreePath,
        /// Whether it was found by its title: then the title is an address, and the one in the file stays.
        by_title: bool,
    },
    /// A folder (DELETE only).
    Folder(TreePath),
}

/// The most folders above an entry.
const MAX_LEVELS: usize = 3;

/// The file or folder that an operation names.
///
/// # Errors
/// [`Code::Invalid`], [`Code::TooDeep`], or [`Code::NotFound`] where only the tree could tell what is meant.
pub fn locate(operation: &Operation, tree: &dyn TreeNames) -> Result<CurateTarget, Refused> {
    let parts = parts(&operation.path)?;
    let makes = matches!(operation.kind, CurateKind::Add | CurateKind::Upsert);
    let finder = EntryFinder { tree, makes, expect: operation.expect };
    if is_file(&parts) {
        return file(&parts, &finder);
    }
    if let Some(title) = &operation.title {
        let folder = folder(&parts, tree)?;
        let path = finder.titled(&folder, title)?;
        return Ok(CurateTarget::File { path, by_title: true });
    }
    match operation.kind {
        CurateKind::Delete => match folder(&parts, tree) {
            Ok(folder) if !exists(&folder, tree) => reference(&parts, &finder),
            Ok(folder) if operation.recursive => tree_path(&folder).map(CurateTarget::Folder),
            Ok(folder) => {
                let message =
                    format!("`{folder}` is a folder: give a title, or `recursive` to delete all of it");
                Err(Refused::invalid(message))
            }
            Err(_) => reference(&parts, &finder),
        },
        CurateKind::Update => reference(&parts, &finder),
        CurateKind::Add | CurateKind::Upsert | CurateKind::Merge => {
            Err(Refused::invalid("the title is missing"))
        }
    }
}

/// The entry that goes into another one: `domain/topic/title`, with or without `.md`.
pub fn locate_source(source: &str, tree: &dyn TreeNames) -> Result<TreePath, Refused> {
    let parts = parts(source)?;
    let finder = EntryFinder { tree, makes: false, expect: None };
    let found = if is_file(&parts) { file(&parts, &finder)? } else { reference(&parts, &finder)? };
    match found {
        CurateTarget::File { path, .. } if path.file_name() != "context.md" => Ok(path),
        _ => Err(Refused::invalid(format!("`{source}` is an overview, which is not merged"))),
    }
}

/// The parts of a path as written, checked for what no tree has.
fn parts(written: &str) -> Result<Vec<&str>, Refused> {
    let path = written.trim();
    let wrong = |why: &str| Refused::invalid(format!("the path `{path}` {why}"));
    if path.starts_with('/') {
        return Err(wrong("is absolute: give a path in the tree, such as `auth/tokens`"));
    }
    if has_drive(path) {
        return Err(wrong("has the letter of a drive: give a path in the tree, such as `auth/tokens`"));
    }
    let path = path.strip_suffix('/').unwrap_or(path);
    match path::check(path.as_bytes()) {
        // a name for people, which becomes one for files
        Err(Unportable::Character) if !path.contains('\\') && !path.contains(char::is_control) => {}
        Err(Unportable::NotNormalized | Unportable::TooLong | Unportable::TrailingDotOrSpace) | Ok(_) => {}
        Err(why) => return Err(wrong(&why.to_string())),
    }
    let parts: Vec<&str> = path.split('/').collect();
    if parts.iter().any(|part| part.starts_with(['.', '_']) || part.trim().is_empty() || *part == "..") {
        return Err(wrong("has a part that cannot be the name of knowledge"));
    }
    let folders = parts.len() - usize::from(is_file(&parts));
    if folders > MAX_LEVELS + 1 {
        return Err(too_deep(path));
    }
    Ok(parts)
}

/// `C:/x`, `C:\x`, `C:x`. A letter and a colon before a blank are words.
fn has_drive(path: &str) -> bool {
    let rest =
        path.strip_prefix(|first: char| first.is_ascii_alphabetic()).and_then(|rest| rest.strip_prefix(':'));
    rest.is_some_and(|rest| !rest.starts_with(char::is_whitespace))
}

fn too_deep(path: &str) -> Refused {
    let message = format!("`{path}` is too deep: domain/topic/subtopic are all levels there are");
    Refused::new(Code::TooDeep, message)
}

fn is_file(parts: &[&str]) -> bool {
    parts.last().is_some_and(|name| name.len() > 3 && name.ends_with(".md"))
}

fn file(parts: &[&str], finder: &EntryFinder<'_>) -> Result<CurateTarget, Refused> {
    let written = parts.join("/");
    let (name, folders) = parts.split_last().ok_or_else(|| Refused::invalid("the path is empty"))?;
    if !path::kind_of(&written).is_curated() {
        return Err(Refused::invalid(format!("`{written}` is not an entry: brv writes it itself, or never")));
    }
    if folders.is_empty() && finder.tree.spelled("", name).is_none() {
        return Err(Refused::invalid(format!("`{written}` is in no domain")));
    }
    let folder = folder(folders, finder.tree)?;
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let path = match *name {
        "context.md" => tree_path(&joined(&folder, "context.md"))?,
        _ => finder.named(&folder, stem)?,
    };
    Ok(CurateTarget::File { path, by_title: false })
}

/// An entry that is named without `.md`: it must be there, else a folder would be meant.
fn reference(parts: &[&str], finder: &EntryFinder<'_>) -> Result<CurateTarget, Refused> {
    let missing = || Refused::new(Code::NotFound, format!("there is no entry `{}`", parts.join("/")));
    let (name, folders) =
        parts.split_last().filter(|(_, folders)| !folders.is_empty()).ok_or_else(missing)?;
    let folder = folder(folders, finder.tree)?;
    let path = finder.named(&folder, name)?;
    if finder.tree.spelled(path.folder(), path.file_name()).is_none() {
        return Err(missing());
    }
    Ok(CurateTarget::File { path, by_title: false })
}

/// A folder, each part as the tree spells it, or as a slug.
fn folder(parts: &[&str], tree: &dyn TreeNames) -> Result<String, Refused> {
    if parts.len() > MAX_LEVELS {
        return Err(too_deep(&parts.join("/")));
    }
    let mut folder = String::new();
    for part in parts {
        let spellings = spellings(part, "")?;
        let known = spellings.iter().find_map(|name| tree.spelled(&folder, name));
        let [_, slug, _] = spellings;
        // what no path can be is not looked for: the file system fails where a name is too long for it
        folder = tree_path(&joined(&folder, &known.unwrap_or(slug)))?.to_string();
    }
    Ok(folder)
}

/// Finds the entry that is meant.
struct EntryFinder<'a> {
    tree: &'a dyn TreeNames,
    /// Whether it is made if it is not there.
    makes: bool,
    /// The version that it must be, which tells which entry is meant.
    expect: Option<ContentId>,
}

impl EntryFinder<'_> {
    /// The entry that is called by the name of its file. A name such as `C#` is spelled as a title, and is one.
    fn named(&self, folder: &str, stem: &str) -> Result<TreePath, Refused> {
        let spellings = spellings(stem, ".md")?;
        let known = spellings.iter().find_map(|name| self.tree.spelled(folder, name));
        let is_name = |name: &str| is_same_title(bare(name), stem);
        match known {
            Some(name) if is_name(&name) => entry(folder, &name, stem),
            None if is_name(&spellings[1]) => entry(folder, &spellings[1], stem),
            _ => self.titled(folder, stem),
        }
    }

    /// The entry with a title: it has one of the names that its title makes.
    fn titled(&self, folder: &str, title: &str) -> Result<TreePath, Refused> {
        let spellings = spellings(title, ".md")?;
        let known = spellings.iter().find_map(|name| self.tree.spelled(folder, name));
        let name = known.as_ref().unwrap_or(&spellings[1]);
        let first = entry(folder, name, title)?;
        let clear = spelled_out(title);
        let others = || {
            let clear = clear.as_ref().and_then(|stem| self.tree.spelled(folder, &format!("{stem}.md")));
            let numbered = self.tree.numbered(folder, bare(&spellings[1]));
            clear.into_iter().chain(numbered).filter_map(|name| entry(folder, &name, title).ok())
        };
        let is_it = |path: &TreePath| match self.tree.title(path) {
            Some(found) => is_same_title(&found, title),
            // its title is not known: the name decides
            None => *path == first,
        };
        let is_first = known.is_some() && is_it(&first);
        let found = if is_first { Some(first.clone()) } else { others().find(is_it) };
        match (found, known.is_some()) {
            (Some(path), _) => Ok(path),
            (None, false) => Ok(first),
            (None, true) if self.is_meant(&first, title) => Ok(first),
            (None, true) if self.makes => self.free(folder, bare(&spellings[1]), clear),
            (None, true) => {
                let other = self.tree.title(&first).unwrap_or_default();
                let message = format!("`{folder}` has no entry `{title}`: `{first}` is `{other}`");
                Err(Refused::new(Code::NotFound, message))
            }
        }
    }

    /// Whether an entry with another title is meant all the same: it is the expected version, or is called by the name of
    /// its file, which is not the name that its own title makes.
    fn is_meant(&self, path: &TreePath, title: &str) -> bool {
        let stem = bare(path.file_name());
        let own = || self.tree.title(path).and_then(|own| slug(&own));
        let is_renamed = || is_same_title(stem, title) && own() != slug(stem);
        self.expect.is_some_and(|id| self.tree.is_version(path, id)) || !self.makes && is_renamed()
    }

    /// A name that no entry has.
    fn free(&self, folder: &str, stem: &str, clear: Option<String>) -> Result<TreePath, Refused> {
        let numbered = (2_usize..).map(|number| format!("{stem}_{number}"));
        let is_free = |stem: &String| {
            [stem.clone(), dashed(stem)]
                .iter()
                .all(|stem| self.tree.spelled(folder, &format!("{stem}.md")).is_none())
        };
        let stem = clear.into_iter().chain(numbered).find(is_free).unwrap_or_else(|| stem.to_owned());
        entry(folder, &format!("{stem}.md"), &stem)
    }
}

/// The entry of this file name; `title` is what it was made of.
fn entry(folder: &str, name: &str, title: &str) -> Result<TreePath, Refused> {
    if name == "context.md" {
        let message = format!(
            "`{title}` is the name of the overview: choose another title, or give `{folder}/context.md`"
        );
        return Err(Refused::invalid(message));
    }
    let path = tree_path(&joined(folder, name))?;
    match path.kind().is_curated() {
        true => Ok(path),
        false => Err(Refused::invalid(format!("`{path}` cannot be the name of an entry"))),
    }
}

/// How the tree may spell a name: as written, as a slug, or as a slug with dashes.
fn spellings(name: &str, suffix: &str) -> Result<[String; 3], Refused> {
    let slug = slug(name)
        .ok_or_else(|| Refused::invalid(format!("`{name}` has no letter or digit to make a name of")))?;
    Ok([name, &slug, &dashed(&slug)].map(|name| format!("{name}{suffix}")))
}

fn bare(name: &str) -> &str {
    name.strip_suffix(".md").unwrap_or(name)
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn exists(folder: &str, tree: &dyn TreeNames) -> bool {
    let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    tree.spelled(above, name).is_some()
}

fn tree_path(path: &str) -> Result<TreePath, Refused> {
    TreePath::parse(path.as_bytes()).map_err(|why| Refused::invalid(format!("the path `{path}` {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TREE: [(&str, &str); 5] = [
        ("auth", ""),
        ("auth/jwt-tokens", ""),
        ("auth/jwt-tokens/token-ttl.md", ""),
        ("auth/Keys", ""),
        ("auth/Keys/old.md", ""),
    ];

    /// Paths, each with a title.
    struct Titled<'a>(&'a [(&'a str, &'a str)]);

    impl TreeNames for Titled<'_> {
        fn spelled(&self, folder: &str, name: &str) -> Option<String> {
            let path = joined(folder, name);
            let (found, _) = self.0.iter().find(|(known, _)| known.to_lowercase() == path.to_lowercase())?;
            Some(found.rsplit('/').next().unwrap_or(found).to_owned())
        }

        fn numbered(&self, folder: &str, stem: &str) -> Vec<String> {
            let start = format!("{}_", joined(folder, stem));
            let all = self.0.iter().filter_map(|(path, _)| path.strip_prefix(&start));
            let numbered = all.filter(|rest| bare(rest).parse::<usize>().is_ok());
            numbered.map(|rest| format!("{stem}_{rest}")).collect()
        }

        fn title(&self, path: &TreePath) -> Option<String> {
            let (_, title) = self.0.iter().find(|(known, _)| *known == path.as_str())?;
            (!title.is_empty()).then(|| (*title).to_owned())
        }

        fn is_version(&self, path: &TreePath, id: ContentId) -> bool {
            ContentId::of(path.as_bytes()) == id
        }
    }

    fn operation(kind: &str, path: &str, title: &str) -> Operation {
        let recursive = kind == "DELETE" && path != "auth";
        let value =
            json!({"type": kind, "path": path, "title": title, "reason": "r", "recursive": recursive});
        super::super::operation::read(value).operation.unwrap()
    }

    fn placed(kind: &str, path: &str, title: &str) -> Result<String, Code> {
        placed_in(&TREE, &operation(kind, path, title))
    }

    fn placed_in(tree: &[(&str, &str)], operation: &Operation) -> Result<String, Code> {
        match locate(operation, &Titled(tree)) {
            Ok(CurateTarget::File { path, .. }) => Ok(path.to_string()),
            Ok(CurateTarget::Folder(path)) => Ok(format!("{path}/")),
            Err(refused) => Err(refused.code),
        }
    }

    #[test]
    fn new_names_are_snake_case() {
        assert_eq!(
            placed("ADD", "API Design/REST", "Error Codes?"),
            Ok("api_design/rest/error_codes.md".into())
        );
        assert_eq!(placed("ADD", "api/rest/", "x"), Ok("api/rest/x.md".into()));
        assert_eq!(placed("ADD", "api/rest/New File.md", ""), Ok("api/rest/new_file.md".into()));
        assert_eq!(placed("ADD", "a/b/c", "d"), Ok("a/b/c/d.md".into()));
        assert_eq!(placed("ADD", "a/b/c/context.md", ""), Ok("a/b/c/context.md".into()));
    }

    #[test]
    fn names_of_the_tree_are_used_as_they_are_spelled() {
        assert_eq!(
            placed("UPDATE", "Auth/JWT tokens", "Token TTL"),
            Ok("auth/jwt-tokens/token-ttl.md".into())
        );
        assert_eq!(placed("UPSERT", "auth/keys", "new"), Ok("auth/Keys/new.md".into()));
        assert_eq!(
            placed("UPDATE", "auth/jwt_tokens/token_ttl", ""),
            Ok("auth/jwt-tokens/token-ttl.md".into())
        );
        assert_eq!(
            placed("DELETE", "auth/jwt-tokens/token-ttl", ""),
            Ok("auth/jwt-tokens/token-ttl.md".into())
        );
        assert_eq!(placed("DELETE", "auth/keys", ""), Ok("auth/Keys/".into()));
    }

    #[test]
    fn paths_that_no_tree_has_are_rejected() {
        for path in [
            "/a/b",
            "a/../b",
            "../a",
            "a//b",
            "",
            " ",
            ".git/a",
            "a/.b",
            "_archived/a",
            "a\\b",
            "a/b\u{7}",
            "!/a",
            "x.md",
            "a/_index.md",
            "a/b.abstract.md",
            "README.md",
        ] {
            assert_eq!(placed("ADD", path, "T"), Err(Code::Invalid), "{path:?}");
        }
        for (path, title) in
            [("a/b", "?!"), ("a/b", "Context"), ("a/b", "con"), ("a/b", ""), ("a/b", &"x".repeat(300))]
        {
            assert_eq!(placed("ADD", path, title), Err(Code::Invalid), "{path:?} {title:?}");
        }
    }

    #[test]
    fn four_levels_are_too_deep() {
        for path in ["a/b/c/d", "a/b/c/d/e", "a/b/c/d/e.md", "a/b/c/d/context.md"] {
            assert_eq!(placed("ADD", path, "T"), Err(Code::TooDeep), "{path}");
        }
        assert_eq!(placed("DELETE", "a/b/c/d", ""), Err(Code::NotFound));
    }

    #[test]
    fn a_folder_is_deleted_only_where_that_is_said() {
        assert_eq!(placed("DELETE", "auth", ""), Err(Code::Invalid));
        assert_eq!(placed("DELETE", "auth/jwt_tokens", ""), Ok("auth/jwt-tokens/".into()));
        assert_eq!(placed("DELETE", "other", ""), Err(Code::NotFound));
    }

    #[test]
    fn a_source_is_an_entry_and_no_overview() {
        let source = |path: &str| {
            locate_source(path, &Titled(&TREE)).map(|path| path.to_string()).map_err(|no| no.code)
        };
        assert_eq!(source("auth/keys/old"), Ok("auth/Keys/old.md".into()));
        assert_eq!(source("auth/keys/old.md"), Ok("auth/Keys/old.md".into()));
        assert_eq!(source("auth/keys/none"), Err(Code::NotFound));
        assert_eq!(source("auth/context.md"), Err(Code::Invalid));
    }

    #[test]
    fn an_entry_with_another_title_is_not_the_one_that_is_meant() {
        let mut tree = vec![("l", ""), ("l/c.md", "C++")];
        let at =
            |tree: &[(&str, &str)], kind: &str, title: &str| placed_in(tree, &operation(kind, "l", title));
        for kind in ["ADD", "UPSERT"] {
            assert_eq!(at(&tree, kind, "C#"), Ok("l/c_sharp.md".into()));
            assert_eq!(at(&tree, kind, "C"), Ok("l/c_2.md".into()));
            assert_eq!(at(&tree, kind, "c++"), Ok("l/c.md".into()));
            assert_eq!(placed_in(&tree, &operation(kind, "l/C#.md", "")), Ok("l/c_sharp.md".into()));
            assert_eq!(placed_in(&tree, &operation(kind, "l/c.md", "C#")), Ok("l/c.md".into()));
        }
        for kind in ["UPDATE", "DELETE"] {
            assert_eq!(at(&tree, kind, "C#"), Err(Code::NotFound));
            assert_eq!(at(&tree, kind, "C"), Err(Code::NotFound));
            assert_eq!(at(&tree, kind, "C++"), Ok("l/c.md".into()));
            assert_eq!(placed_in(&tree, &operation(kind, "l/C#", "")), Err(Code::NotFound));
            assert_eq!(placed_in(&tree, &operation(kind, "l/c", "")), Ok("l/c.md".into()));
        }
        assert_eq!(locate_source("l/C#", &Titled(&tree)).map_err(|no| no.code), Err(Code::NotFound));
        // found again wherever it is, also when the short name is free
        tree.extend([("l/c_2.md", "C"), ("l/c_3.md", "<C>"), ("l/c_sharp.md", "C#")]);
        for kept in [&tree[..], &tree[2..]] {
            assert_eq!(at(kept, "UPSERT", "c"), Ok("l/c_2.md".into()));
            assert_eq!(at(kept, "UPSERT", "<C>"), Ok("l/c_3.md".into()));
            assert_eq!(at(kept, "UPDATE", "C#"), Ok("l/c_sharp.md".into()));
            assert_eq!(placed_in(kept, &operation("DELETE", "l/C#", "")), Ok("l/c_sharp.md".into()));
        }
        assert_eq!(at(&tree, "UPSERT", "(C)"), Ok("l/c_4.md".into()));
        assert_eq!(at(&tree[2..], "UPSERT", "(C)"), Ok("l/c.md".into()));
    }

    #[test]
    fn a_file_that_is_called_otherwise_than_its_title_is_found_by_its_name() {
        let tree = [("l", ""), ("l/token-ttl.md", "How long tokens live"), ("l/plain.md", "")];
        let of = |kind: &str, title: &str| placed_in(&tree, &operation(kind, "l", title));
        assert_eq!(of("UPDATE", "Token TTL"), Ok("l/token-ttl.md".into()));
        assert_eq!(of("UPDATE", "Token TTL?"), Err(Code::NotFound));
        // but its text is kept apart from that of another title
        assert_eq!(of("UPSERT", "Token TTL"), Ok("l/token_ttl_2.md".into()));
        assert_eq!(of("UPSERT", "Plain!"), Ok("l/plain.md".into()));
        let mut expecting = operation("UPSERT", "l", "Token TTL");
        expecting.expect = Some(ContentId::of(b"l/token-ttl.md"));
        assert_eq!(placed_in(&tree, &expecting), Ok("l/token-ttl.md".into()));
    }
}
