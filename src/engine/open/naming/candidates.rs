//! List the names in a tree's repository: branches, tags, remotes, the files of a folder. For shell completion and
//! suggestions.
//!
//! Reads little, changes nothing, and skips what cannot be read. Names that are not UTF-8 are left out.

use super::paths;
use crate::open::survey;
use brv_base::nearest::{is_slip, nearest};
use brv_base::path::{PathKind, kind_of};
use brv_git as git;
use brv_git::pathspec::Pathspec;
use brv_git::trees::{self, TreeItem};
use brv_git::{Index, Scope, refs, remotes, revision, settings, status};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeSet;
use std::path::Path;

/// A folder as typed, and its pathspec in the tree.
struct TypedFolder {
    /// `auth/`, as typed; empty for the current folder.
    typed: String,
    spec: Pathspec,
}

/// The short names below a prefix such as `refs/heads/`, sorted. A remote's `HEAD` is left out.
pub fn below(scope: &Scope, prefix: &str) -> Vec<String> {
    let listed = refs::names(scope, prefix).unwrap_or_default();
    let short = listed.iter().filter_map(|name| name.to_str().ok()?.strip_prefix(prefix));
    short.filter(|name| *name != "HEAD" && !name.ends_with("/HEAD")).map(str::to_owned).collect()
}

/// Branches, remote branches, tags and `HEAD`.
pub fn revisions(scope: &Scope) -> Vec<String> {
    let mut names = vec!["HEAD".to_owned()];
    for prefix in ["refs/heads/", "refs/remotes/", "refs/tags/"] {
        names.extend(below(scope, prefix));
    }
    names
}

pub fn remotes(scope: &Scope) -> Vec<String> {
    let listed = remotes::list(scope).unwrap_or_default();
    listed.into_iter().map(|remote| remote.name.as_str().to_owned()).collect()
}

/// git settings that people set by hand.
const KNOWN_SETTINGS: [&str; 20] = [
    "commit.gpgsign",
    "core.pager",
    "core.sshcommand",
    "credential.helper",
    "fetch.prune",
    "gpg.format",
    "http.extraheader",
    "http.proxy",
    "http.sslcainfo",
    "http.sslverify",
    "init.defaultbranch",
    "pull.ff",
    "pull.rebase",
    "push.autosetupremote",
    "push.default",
    "push.followtags",
    "remote.pushdefault",
    "user.email",
    "user.name",
    "user.signingkey",
];

/// The known setting that is probably meant by a misspelled one. git has many more settings than are listed here, so
/// only one or two typos count.
pub fn near_setting(key: &str) -> Option<String> {
    let key = key.to_lowercase();
    let near = nearest(&key, KNOWN_SETTINGS).filter(|_| !KNOWN_SETTINGS.contains(&key.as_str()))?;
    is_slip(&key, near).then(|| near.to_owned())
}

/// The git settings that are set, and those that people set by hand; sorted.
pub fn git_settings(scope: &Scope) -> Vec<String> {
    let set = settings::list(scope).unwrap_or_default();
    let mut keys: Vec<String> = set.iter().map(settings::GitSetting::shown_key).collect();
    keys.extend(KNOWN_SETTINGS.map(str::to_owned));
    keys.sort();
    keys.dedup();
    keys
}

/// Completions of `typed` within its folder: tracked files, entries and folders; folders end with a slash.
pub fn paths(scope: &Scope, cwd: &Path, typed: &str) -> Vec<String> {
    let Some(folder) = folder(scope, cwd, typed) else { return Vec::new() };
    let path = folder.spec.as_bstr();
    let mut names = on_disk(&scope.root(), path);
    if let Ok(index) = git::index::read(scope) {
        let recorded = recorded_below(scope, &index, path);
        names.extend(recorded.into_iter().filter_map(|found| first_part(found, path)));
    }
    folder.with(names)
}

/// The folders with tracked entries, and those above them, by their paths in the tree.
pub fn folders(scope: &Scope) -> Vec<String> {
    let Ok(index) = git::index::read(scope) else { return Vec::new() };
    let mut folders = BTreeSet::new();
    for (path, _) in index.first_versions() {
        let path = scope.strip(path).and_then(|path| path.to_str().ok());
        let Some(path) = path.filter(|path| path.contains('/') && kind_of(path).is_curated()) else {
            continue;
        };
        let above = path.match_indices('/').map(|(end, _)| &path[..end]);
        folders.extend(above.map(str::to_owned));
    }
    folders.into_iter().collect()
}

/// With more tracked files than this below a folder, looking at all of them would delay completion.
const MANY: usize = 4000;

/// As [`paths()`], but only paths with unstaged changes. In a folder with very many files, lists all subfolders and looks
/// only at its own files.
pub fn changed_paths(scope: &Scope, cwd: &Path, typed: &str) -> Vec<String> {
    let Some(folder) = folder(scope, cwd, typed) else { return Vec::new() };
    let Ok(index) = git::index::read(scope) else { return Vec::new() };
    let path = folder.spec.as_bstr().to_owned();
    let recorded = recorded_below(scope, &index, path.as_bstr());
    if recorded.len() <= MANY {
        return folder.with(changes_below(scope, index, &folder.spec));
    }
    let next: BTreeSet<String> =
        recorded.into_iter().filter_map(|found| first_part(found, path.as_bstr())).collect();
    let on_disk = on_disk(&scope.root(), path.as_bstr());
    let (mut names, files): (BTreeSet<String>, BTreeSet<String>) =
        next.into_iter().chain(on_disk).partition(|name| name.ends_with('/'));
    let files: Vec<BString> = files.into_iter().map(|name| joined(path.as_bstr(), &name)).collect();
    let files: Vec<&BStr> = files.iter().map(|file| file.as_bstr()).collect();
    if let Ok(found) = status::work_tree_at(scope, &index, &files) {
        let changed = found.shown().map(|changed| changed.path.as_bstr());
        let all = changed.chain(found.unexpected.iter().map(|file| file.path.as_bstr()));
        names.extend(all.filter_map(|found| first_part(found, path.as_bstr())));
    }
    folder.with(names)
}

/// The next path components at or below `spec` with unstaged changes.
fn changes_below(scope: &Scope, index: Index, spec: &Pathspec) -> BTreeSet<String> {
    let conflicts = index.unmerged();
    let Ok(survey) = survey::survey_at(scope, index, std::slice::from_ref(spec)) else {
        return BTreeSet::new();
    };
    let changed = survey.work_tree.shown().map(|changed| changed.path.as_bstr());
    let conflicts = conflicts.iter().filter_map(|path| scope.strip(path.as_bstr()));
    let unexpected = survey.work_tree.unexpected.iter();
    let new = unexpected.filter(|file| file.is_regular && is_known_name(file.path.as_bstr()));
    let all = changed.chain(conflicts).chain(new.map(|file| file.path.as_bstr()));
    all.filter_map(|found| first_part(found, spec.as_bstr())).collect()
}

/// Every tracked path below a folder of the tree.
fn recorded_below<'i>(scope: &Scope, index: &'i Index, folder: &BStr) -> Vec<&'i BStr> {
    let below = scope.full(folder);
    let paths: Vec<&BStr> = if below.is_empty() {
        index.first_versions().map(|(path, _)| path).collect()
    } else {
        index.below(below.as_bstr()).collect()
    };
    paths.into_iter().filter_map(|path| scope.strip(path)).collect()
}

fn joined(folder: &BStr, name: &str) -> BString {
    if folder.is_empty() { name.into() } else { format!("{folder}/{name}").into() }
}

/// The relative path from the current folder into the tree, if `typed` is the beginning of it.
pub fn way_in(scope: &Scope, cwd: &Path, typed: &str) -> Option<String> {
    let root = scope.root();
    let way = format!("{}/", root.strip_prefix(cwd).ok()?.to_str()?);
    (!typed.is_empty() && way.len() > typed.len() && way.starts_with(typed)).then_some(way)
}

/// The content of the folder of `typed` (a path of the tree) in a revision.
pub fn paths_in(scope: &Scope, name: &str, typed: &str) -> Vec<String> {
    let (folder, _) = typed.rsplit_once('/').map_or(("", typed), |(folder, _)| (folder, ""));
    let Ok(tree) = revision::tree(scope, if name.is_empty() { "HEAD" } else { name }) else {
        return Vec::new();
    };
    let Ok(Some(TreeItem::Folder(id))) = trees::find(scope, tree, folder.into()) else { return Vec::new() };
    let names = trees::names(scope, id).unwrap_or_default();
    let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    names.iter().filter_map(|name| Some(format!("{start}{}", name.to_str().ok()?))).collect()
}

fn folder(scope: &Scope, cwd: &Path, typed: &str) -> Option<TypedFolder> {
    let typed = typed.rfind('/').map_or("", |end| &typed[..=end]);
    let asked = if typed.is_empty() { "." } else { typed };
    let spec = paths::pathspecs(&scope.root(), cwd, &[asked.to_owned()]).ok()?.pop()?;
    Some(TypedFolder { typed: typed.to_owned(), spec })
}

impl TypedFolder {
    fn with(&self, names: BTreeSet<String>) -> Vec<String> {
        names.into_iter().map(|name| format!("{}{name}", self.typed)).collect()
    }
}

/// The path component after `folder`, with a slash if it is a folder itself.
fn first_part(path: &BStr, folder: &BStr) -> Option<String> {
    let rest = match folder.is_empty() {
        true => path.as_bytes(),
        false => path.strip_prefix(folder.as_bytes())?.strip_prefix(b"/")?,
    };
    let end = rest.find_byte(b'/').map_or(rest.len(), |slash| slash + 1);
    rest[..end].to_str().ok().map(str::to_owned)
}

fn is_known_name(path: &BStr) -> bool {
    let kind = path.to_str().map_or(PathKind::Foreign, kind_of);
    kind.is_curated() || kind == PathKind::Support
}

fn on_disk(root: &Path, folder: &BStr) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Ok(below) = folder.to_str() else { return names };
    let Ok(entries) = std::fs::read_dir(root.join(below)) else { return names };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if kind.is_dir() && !name.starts_with(['.', '_']) {
            names.insert(format!("{name}/"));
        } else if kind.is_file() && is_known_name(path.as_str().into()) {
            names.insert(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_part_of_a_path_ends_with_its_slash() {
        let part = |path: &str, folder: &str| first_part(path.into(), folder.into());
        assert_eq!(part("auth/jwt/a.md", ""), Some("auth/".into()));
        assert_eq!(part("auth/jwt/a.md", "auth"), Some("jwt/".into()));
        assert_eq!(part("auth/jwt/a.md", "auth/jwt"), Some("a.md".into()));
        assert_eq!(part("author/a.md", "auth"), None);
    }
}
