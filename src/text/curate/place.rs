//! Find the file that an operation names: `domain/topic[/subtopic]` and a title, or the file itself.
//!
//! New names are in `snake_case`. Names that the tree already has are used as they are spelled there, so that trees of
//! other tools, with `-` between words, get no second folder beside the first. Knows the tree only by what it is
//! answered.

use super::input::CurateKind;
use super::names::{dashed, slug};
use super::operation::Operation;
use super::{Code, Refused};
use brv_base::path::{self, TreePath, Unportable};

/// How the tree spells the name in a folder: `None` if it has no such file or folder. Names that differ only in case are
/// the same; the folder `""` is the root.
pub type Spelling<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

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
pub fn locate(operation: &Operation, spelling: Spelling<'_>) -> Result<CurateTarget, Refused> {
    let parts = parts(&operation.path)?;
    if is_file(&parts) {
        return file(&parts, spelling);
    }
    if let Some(title) = &operation.title {
        let folder = folder(&parts, spelling)?;
        let path = entry(&folder, title, spelling)?;
        return Ok(CurateTarget::File { path, by_title: true });
    }
    match operation.kind {
        CurateKind::Delete => match folder(&parts, spelling) {
            Ok(folder) if !exists(&folder, spelling) => reference(&parts, spelling),
            Ok(folder) if operation.recursive => tree_path(&folder).map(CurateTarget::Folder),
            Ok(folder) => {
                let message =
                    format!("`{folder}` is a folder: give a title, or `recursive` to delete all of it");
                Err(Refused::invalid(message))
            }
            Err(_) => reference(&parts, spelling),
        },
        CurateKind::Update => reference(&parts, spelling),
        CurateKind::Add | CurateKind::Upsert | CurateKind::Merge => {
            Err(Refused::invalid("the title is missing"))
        }
    }
}

/// The entry that goes into another one: `domain/topic/title`, with or without `.md`.
pub fn locate_source(source: &str, spelling: Spelling<'_>) -> Result<TreePath, Refused> {
    let parts = parts(source)?;
    let found = if is_file(&parts) { file(&parts, spelling)? } else { reference(&parts, spelling)? };
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

fn file(parts: &[&str], spelling: Spelling<'_>) -> Result<CurateTarget, Refused> {
    let written = parts.join("/");
    let (name, folders) = parts.split_last().ok_or_else(|| Refused::invalid("the path is empty"))?;
    if !path::kind_of(&written).is_curated() {
        return Err(Refused::invalid(format!("`{written}` is not an entry: brv writes it itself, or never")));
    }
    if folders.is_empty() && spelling("", name).is_none() {
        return Err(Refused::invalid(format!("`{written}` is in no domain")));
    }
    let folder = folder(folders, spelling)?;
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let path = match *name {
        "context.md" => tree_path(&joined(&folder, "context.md"))?,
        _ => entry(&folder, stem, spelling)?,
    };
    Ok(CurateTarget::File { path, by_title: false })
}

/// An entry that is named without `.md`: it must be there, else a folder would be meant.
fn reference(parts: &[&str], spelling: Spelling<'_>) -> Result<CurateTarget, Refused> {
    let missing = || Refused::new(Code::NotFound, format!("there is no entry `{}`", parts.join("/")));
    let (name, folders) =
        parts.split_last().filter(|(_, folders)| !folders.is_empty()).ok_or_else(missing)?;
    let folder = folder(folders, spelling)?;
    let path = entry(&folder, name, spelling)?;
    if spelling(path.folder(), path.file_name()).is_none() {
        return Err(missing());
    }
    Ok(CurateTarget::File { path, by_title: false })
}

/// A folder, each part as the tree spells it, or as a slug.
fn folder(parts: &[&str], spelling: Spelling<'_>) -> Result<String, Refused> {
    if parts.len() > MAX_LEVELS {
        return Err(too_deep(&parts.join("/")));
    }
    let mut folder = String::new();
    for part in parts {
        let name = known(&folder, part, "", spelling)?;
        // what no path can be is not looked for: the file system fails where a name is too long for it
        folder = tree_path(&joined(&folder, &name))?.to_string();
    }
    Ok(folder)
}

fn entry(folder: &str, title: &str, spelling: Spelling<'_>) -> Result<TreePath, Refused> {
    let name = known(folder, title, ".md", spelling)?;
    if name == "context.md" {
        let message = format!(
            "`{title}` is the name of the overview: choose another title, or give `{folder}/context.md`"
        );
        return Err(Refused::invalid(message));
    }
    let path = tree_path(&joined(folder, &name))?;
    match path.kind().is_curated() {
        true => Ok(path),
        false => Err(Refused::invalid(format!("`{path}` cannot be the name of an entry"))),
    }
}

/// The name as the tree spells it: as written, as a slug, or as a slug with dashes; else the slug.
fn known(folder: &str, name: &str, suffix: &str, spelling: Spelling<'_>) -> Result<String, Refused> {
    let slug = slug(name)
        .ok_or_else(|| Refused::invalid(format!("`{name}` has no letter or digit to make a name of")))?;
    let spellings = [name, &slug, &dashed(&slug)].map(|name| format!("{name}{suffix}"));
    let known = spellings.iter().find_map(|name| spelling(folder, name));
    let [_, slug, _] = spellings;
    Ok(known.unwrap_or(slug))
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn exists(folder: &str, spelling: Spelling<'_>) -> bool {
    let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    spelling(above, name).is_some()
}

fn tree_path(path: &str) -> Result<TreePath, Refused> {
    TreePath::parse(path.as_bytes()).map_err(|why| Refused::invalid(format!("the path `{path}` {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TREE: [&str; 5] =
        ["auth", "auth/jwt-tokens", "auth/jwt-tokens/token-ttl.md", "auth/Keys", "auth/Keys/old.md"];

    fn spelled(folder: &str, name: &str) -> Option<String> {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let found = TREE.iter().find(|known| known.to_lowercase() == path.to_lowercase())?;
        Some(found.rsplit('/').next().unwrap_or(found).to_owned())
    }

    fn operation(kind: &str, path: &str, title: &str) -> Operation {
        let recursive = kind == "DELETE" && path != "auth";
        let value =
            json!({"type": kind, "path": path, "title": title, "reason": "r", "recursive": recursive});
        super::super::operation::read(value).operation.unwrap()
    }

    fn placed(kind: &str, path: &str, title: &str) -> Result<String, Code> {
        match locate(&operation(kind, path, title), &spelled) {
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
        let source =
            |path: &str| locate_source(path, &spelled).map(|path| path.to_string()).map_err(|no| no.code);
        assert_eq!(source("auth/keys/old"), Ok("auth/Keys/old.md".into()));
        assert_eq!(source("auth/keys/old.md"), Ok("auth/Keys/old.md".into()));
        assert_eq!(source("auth/keys/none"), Err(Code::NotFound));
        assert_eq!(source("auth/context.md"), Err(Code::Invalid));
    }
}
