//! Creates a repository for a tree, and sets up an existing one.
//!
//! Writes settings, attributes and excludes, never a file of the work tree.

use super::in_repo;
use crate::error::{During, Error};
use crate::repository::config_file;
use crate::repository::scope::{OpenError, Scope, open};
use brv_base::environment::Environment;
use brv_base::fs::{self, Durability};
use bstr::ByteSlice as _;
use std::path::Path;

/// brv's lines in a file that others write too are between these markers.
const BEGIN: &str = "# >>> brv: kept up to date by `brv vc init`";
const END: &str = "# <<< brv";

/// Files have the same bytes on every machine: no conversion of any kind.
const NO_CONVERSION: &str = "* -text -filter -ident -working-tree-encoding";
/// The files that git merges with brv's driver, which recognizes knowledge by its path.
const MERGED: &str = "*.md merge=brv";

/// Generated files and temporary files are excluded.
const EXCLUDES: [&str; 7] = [
    "_index.md",
    "/_manifest.json",
    "*.abstract.md",
    "*.overview.md",
    "/_archived/**/*.stub.md",
    "/_archived/**/*.full.md",
    ".brv-tmp-*",
];

/// Refs local to this machine: not offered to others, not shown in logs.
const OWN_REFS: &str = "refs/brv";

/// Why there is no repository now.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    #[error("`{0}` is not a valid branch name")]
    BranchName(String),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Git(#[from] Error),
}

/// Creates a repository in `work_tree` (created if absent) with `initial_branch` as the first branch, or sets up the
/// existing one: then its branches are kept. A crash leaves a complete repository or none.
pub fn init(work_tree: &Path, initial_branch: &str, environment: &Environment) -> Result<Scope, InitError> {
    if work_tree.join(".git").symlink_metadata().is_err() {
        create(work_tree, initial_branch)?;
    }
    let scope = open(work_tree, "", environment)?;
    set_up(&scope)?;
    Ok(open(work_tree, "", environment)?)
}

/// Creates a bare repository in `folder` (absent or empty), as on a git host. Received objects are checked. The user's
/// own configuration, templates and hooks are not used, and git is not needed.
pub fn init_bare(folder: &Path, initial_branch: &str) -> Result<(), InitError> {
    if !is_branch_name(initial_branch) {
        return Err(InitError::BranchName(initial_branch.into()));
    }
    gix::create::into(folder, gix::create::Kind::Bare, gix::create::Options::default())
        .during(format!("create a bare repository in `{}`", folder.display()))?;
    let head = format!("ref: refs/heads/{initial_branch}\n");
    fs::replace(&folder.join("HEAD"), head.as_bytes(), Durability::Now).during("write HEAD")?;
    config_file::edit_at(&folder.join("config"), |file| {
        file.set_raw_value("receive.fsckObjects", "true").map(|_| ()).during("set `receive.fsckObjects`")
    })?;
    Ok(())
}

/// Whether git accepts `name` for a branch (without `refs/heads/`).
pub fn is_branch_name(name: &str) -> bool {
    !name.starts_with('-')
        && name != "HEAD"
        && gix::refs::FullName::try_from(format!("refs/heads/{name}").as_str()).is_ok()
}

fn create(work_tree: &Path, initial_branch: &str) -> Result<(), InitError> {
    if !is_branch_name(initial_branch) {
        return Err(InitError::BranchName(initial_branch.into()));
    }
    fs::create_folder(work_tree).during("create the folder of the tree")?;
    let workshop = tempfile::Builder::new()
        .prefix(fs::TEMPORARY_PREFIX)
        .tempdir_in(work_tree)
        .during(format!("write in `{}`", work_tree.display()))?;
    gix::create::into(workshop.path(), gix::create::Kind::WithWorktree, gix::create::Options::default())
        .during("create a repository")?;
    let made = workshop.path().join(".git");
    let head = format!("ref: refs/heads/{initial_branch}\n");
    fs::replace(&made.join("HEAD"), head.as_bytes(), Durability::Now).during("write HEAD")?;
    config_file::edit_at(&made.join("config"), |file| set_values(file, true))?;
    // gitoxide synced none of it
    fs::sync_work_tree(workshop.path(), [made.as_path()]).during("create a repository")?;
    std::fs::rename(&made, work_tree.join(".git")).during("move the repository into place")?;
    fs::sync_folder(work_tree).during("move the repository into place")?;
    Ok(())
}

/// Writes the settings, attributes and excludes that a tree needs into its repository. Lines of others are kept. In a
/// larger repository, its line-ending rules are not changed.
pub fn set_up(scope: &Scope) -> Result<(), Error> {
    let whole = scope.prefix().is_empty();
    config_file::edit(scope, |file| {
        set_values(file, whole)?;
        if whole { Ok(()) } else { in_repo::note(file, scope.prefix()) }
    })?;
    let info = scope.common_dir().join("info");
    let attributes = match whole {
        true => vec![NO_CONVERSION.into(), MERGED.into()],
        false => in_repo::with_own(scope)?.iter().map(|prefix| in_repo::attribute(prefix, MERGED)).collect(),
    };
    write_block(&info.join("attributes"), &attributes)?;
    exclude_derived(scope)
}

/// Whether [`set_up`] has run before. If that cannot be read, the answer is yes, so that brv asks nobody to run it
/// again.
pub fn is_set_up(scope: &Scope) -> bool {
    match fs::read_if_there(&scope.common_dir().join("info").join("attributes")) {
        Ok(text) => text.is_some_and(|text| text.contains_str(BEGIN)),
        Err(_) => true,
    }
}

/// Writes only the excludes, so that generated files are not added.
pub fn exclude_derived(scope: &Scope) -> Result<(), Error> {
    let exclude = scope.common_dir().join("info").join("exclude");
    if scope.prefix().is_empty() {
        return write_block(&exclude, &EXCLUDES.map(String::from));
    }
    let mut lines = Vec::new();
    for prefix in in_repo::with_own(scope)? {
        lines.extend(in_repo::beside(&prefix));
        lines.extend(EXCLUDES.map(|pattern| in_repo::below(&prefix, pattern)));
    }
    write_block(&exclude, &lines)
}

fn set_values(file: &mut gix::config::File, whole: bool) -> Result<(), Error> {
    if whole {
        for key in ["core.autocrlf", "core.fileMode"] {
            file.set_raw_value(key, "false").during(format!("set `{key}`"))?;
        }
    }
    for (section, key) in [("transfer", "hideRefs"), ("log", "excludeDecoration")] {
        let values = file.strings(format!("{section}.{key}").as_str()).unwrap_or_default();
        if !values.iter().any(|value| value == OWN_REFS) {
            file.section_mut_or_create_new(section, None)
                .and_then(|mut section| section.push(key, OWN_REFS).map(|_| ()))
                .during(format!("set `{section}.{key}`"))?;
        }
    }
    Ok(())
}

fn write_block(path: &Path, lines: &[String]) -> Result<(), Error> {
    let before = fs::read_if_there(path).during("read the repository's rules")?.unwrap_or_default();
    let after = with_block(&before, lines);
    if after != before {
        fs::replace(path, &after, Durability::Now).during("write the repository's rules")?;
    }
    Ok(())
}

/// `text` with our block holding `lines`: replaced if it exists, else appended.
fn with_block(text: &[u8], lines: &[String]) -> Vec<u8> {
    let block = format!("{BEGIN}\n{}\n{END}\n", lines.join("\n"));
    let Some(begin) = text.find(BEGIN) else {
        let mut text = text.to_vec();
        if !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend_from_slice(block.as_bytes());
        return text;
    };
    let rest = &text[begin..];
    // without an end marker only the first line is surely ours
    let marker = if rest.contains_str(END) { END } else { BEGIN };
    let end = rest.find(marker).map_or(rest.len(), |at| at + marker.len());
    let rest = rest[end..].strip_prefix(b"\n").unwrap_or(&rest[end..]);
    [&text[..begin], block.as_bytes(), rest].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_put_in_once_and_replaced_in_its_place() {
        let once = with_block(b"*.bak", &["a".into()]);
        assert_eq!(once, format!("*.bak\n{BEGIN}\na\n{END}\n").as_bytes());
        let mut edited = once.clone();
        edited.extend_from_slice(b"mine\n");
        assert_eq!(with_block(&once, &["a".into()]), once);
        assert_eq!(
            with_block(&edited, &["b".into()]),
            format!("*.bak\n{BEGIN}\nb\n{END}\nmine\n").as_bytes()
        );
        let broken = format!("{BEGIN}\nmine\n");
        assert_eq!(
            with_block(broken.as_bytes(), &["b".into()]),
            format!("{BEGIN}\nb\n{END}\nmine\n").as_bytes()
        );
    }

    #[test]
    fn a_second_init_changes_nothing_and_keeps_the_lines_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "trunk", &Environment::default()).unwrap();
        assert_eq!(scope.head().unwrap().short_branch().as_deref(), Some("trunk"));
        let config = folder.path().join(".git/config");
        let mut text = std::fs::read_to_string(&config).unwrap();
        text.push_str("# a comment\n[transfer]\n\thideRefs = refs/other ; why\n");
        fs::replace(&config, text.as_bytes(), Durability::Later).unwrap();
        init(folder.path(), "main", &Environment::default()).unwrap();
        assert_eq!(std::fs::read_to_string(&config).unwrap(), text);
        assert_eq!(std::fs::read(folder.path().join(".git/HEAD")).unwrap(), b"ref: refs/heads/trunk\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(text.contains("autocrlf = false") && text.contains("refs/brv"), "{text}");
    }

    #[test]
    fn a_bare_repository_stands_on_the_branch_it_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let bare = folder.path().join("team.git");
        init_bare(&bare, "trunk").unwrap();
        assert_eq!(std::fs::read(bare.join("HEAD")).unwrap(), b"ref: refs/heads/trunk\n");
        let config = std::fs::read_to_string(bare.join("config")).unwrap();
        assert!(config.contains("bare = true") && config.contains("fsckObjects = true"), "{config}");
        assert!(matches!(init_bare(&folder.path().join("x"), "a..b"), Err(InitError::BranchName(_))));
    }

    #[test]
    fn names_that_git_refuses_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "-x", "a..b", "HEAD", "a b", "x.lock", "/x"] {
            assert!(
                matches!(init(folder.path(), name, &Environment::default()), Err(InitError::BranchName(_))),
                "{name}"
            );
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
