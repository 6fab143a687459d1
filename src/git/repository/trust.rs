//! Checks the owner of a repository before anything in it is read: its settings may name programs. git's rule: the
//! user's own repositories, or those in `safe.directory` in settings that no repository can write. brv opens
//! repositories by their path and never searches for them, so `safe.bareRepository` does not apply.

use crate::error::{During, Error};
use brv_base::environment::Environment;
use brv_base::fs;
use bstr::{BStr, ByteSlice as _};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
#[error(
    "the repository at `{}` is owned by {owner}; to trust it, run `git config --global --add safe.directory {}`",
    path.display(),
    quoted(path)
)]
pub struct ForeignRepository {
    /// The path for `safe.directory`.
    pub path: PathBuf,
    /// `the user ada (1000)`
    pub owner: String,
}

/// Quoted for a shell: another user may have chosen the path.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-');
    if text.bytes().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error(transparent)]
    Foreign(#[from] ForeignRepository),
    #[error(transparent)]
    Git(#[from] Error),
}

/// Whether the repository of a work tree may be read: checks the folder, its `.git`, and the folders that this names.
/// Returns the last of them, which all work trees of the repository share.
pub(super) fn check_work_tree(work_tree: &Path, environment: &Environment) -> Result<PathBuf, TrustError> {
    let dot_git = work_tree.join(".git");
    // each is checked before it is read
    check([work_tree, &dot_git], work_tree, environment)?;
    let Some(git_dir) = led_to(&dot_git, "gitdir:")? else { return Ok(dot_git) };
    check([git_dir.as_path()], work_tree, environment)?;
    let Some(common) = led_to(&git_dir.join("commondir"), "")? else { return Ok(git_dir) };
    check([common.as_path()], work_tree, environment)?;
    Ok(common)
}

/// Whether a remote repository, given by its git folder, may be read, as git's servers check it.
pub(crate) fn check_git_dir(git_dir: &Path, environment: &Environment) -> Result<(), TrustError> {
    check([git_dir], git_dir, environment)
}

fn check<'a>(
    places: impl IntoIterator<Item = &'a Path>,
    named: &Path,
    environment: &Environment,
) -> Result<(), TrustError> {
    for place in places {
        if let Some(owner) = other_owner(place, environment)?
            && !is_named_safe(named)?
        {
            return Err(ForeignRepository { path: real(named), owner }.into());
        }
    }
    Ok(())
}

/// The path in a file of one line, relative to its folder; `None` when it is a folder or does not exist.
fn led_to(file: &Path, prefix: &str) -> Result<Option<PathBuf>, Error> {
    if !file.is_file() {
        return Ok(None);
    }
    let text = fs::read(file).during("check the owner of the repository")?;
    let path = text.trim().strip_prefix(prefix.as_bytes()).unwrap_or_default().trim();
    let path = gix::path::from_byte_slice(path).during("check the owner of the repository")?;
    Ok(file.parent().map(|folder| folder.join(path)))
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The owner, if it is another user. A missing file has none.
#[cfg(unix)]
fn other_owner(path: &Path, environment: &Environment) -> Result<Option<String>, Error> {
    const ROOT: u32 = 0;
    let Some(stat) = fs::stat(path).during("check the owner of the repository")? else { return Ok(None) };
    let user = rustix::process::geteuid().as_raw();
    // root may read files of the user who ran `sudo`
    let invoker = environment.get("SUDO_UID").and_then(|id| id.parse::<u32>().ok());
    let is_own = stat.user == user || (user == ROOT && Some(stat.user) == invoker);
    Ok((!is_own).then(|| shown(stat.user)))
}

#[cfg(unix)]
fn shown(user: u32) -> String {
    let accounts = fs::read_if_there(Path::new("/etc/passwd")).ok().flatten().unwrap_or_default();
    let fields = |line: &[u8]| line.split(|byte| *byte == b':').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let name = accounts.lines().map(fields).find_map(|fields| match &fields[..] {
        [name, _, id, ..] if id.as_slice() == user.to_string().as_bytes() => Some(crate::printable(name)),
        _ => None,
    });
    match name {
        Some(name) => format!("the user {name} ({user})"),
        None => format!("another user ({user})"),
    }
}

#[cfg(not(unix))]
fn other_owner(path: &Path, _environment: &Environment) -> Result<Option<String>, Error> {
    if !path.exists() {
        return Ok(None);
    }
    let is_own = gix::sec::identity::is_path_owned_by_current_user(path)
        .during("check the owner of the repository")?;
    Ok((!is_own).then(|| "another user".into()))
}

/// Whether `safe.directory` names the path, in the settings of the machine or of the user.
fn is_named_safe(path: &Path) -> Result<bool, Error> {
    let settings = gix::config::File::from_globals().during("read `safe.directory`")?;
    let values = settings.strings("safe.directory").unwrap_or_default();
    let home = gix::path::env::home_dir();
    let values = values.iter().map(|value| value.as_bstr());
    Ok(is_safe(&real(path), values, home.as_deref()))
}

/// git's rule: `*` is everything, an empty value clears the list, `path/*` is everything below, `~` the home.
fn is_safe<'a>(path: &Path, values: impl Iterator<Item = &'a BStr>, home: Option<&Path>) -> bool {
    values.fold(false, |safe, value| match value.as_bytes() {
        b"" => false,
        b"*" => true,
        value => safe || names(value, path, home),
    })
}

fn names(value: &[u8], path: &Path, home: Option<&Path>) -> bool {
    let Ok(value) = gix::path::from_byte_slice(value) else { return false };
    let value = match (value.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => value.to_path_buf(),
    };
    // a relative path would mean something else in every folder
    if !value.is_absolute() {
        return false;
    }
    if value.ends_with("*") {
        return value.parent().is_some_and(|folder| path != real(folder) && path.starts_with(real(folder)));
    }
    real(&value) == path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reaches_the_shell_as_one_word() {
        assert_eq!(quoted(Path::new("/srv/team-1/a.b_c")), "/srv/team-1/a.b_c");
        assert_eq!(quoted(Path::new("/o dd's $(id)")), r"'/o dd'\''s $(id)'");
    }

    #[test]
    fn paths_are_named_as_git_names_them() {
        let safe = |path: &str, values: &[&str]| {
            is_safe(
                Path::new(path),
                values.iter().map(|value| BStr::new(*value)),
                Some(Path::new("/nobody/home")),
            )
        };
        assert!(!safe("/n/tree", &[]));
        assert!(safe("/n/tree", &["/n/tree"]) && safe("/n/tree", &["/n/tree/"]));
        assert!(!safe("/n/tree", &["/n/tre"]) && !safe("/n/tree", &["/n"]) && !safe("/n/tree", &["tree"]));
        assert!(safe("/n/tree", &["*"]) && !safe("/n/tree", &["*", ""]) && safe("/n/tree", &["", "/n/tree"]));
        assert!(safe("/n/a/b", &["/n/*"]) && !safe("/nn/a", &["/n/*"]) && !safe("/n", &["/n/*"]));
        assert!(safe("/nobody/home/x", &["~/x"]) && safe("/nobody/home/x", &["~/*"]));
    }

    #[test]
    fn ones_own_repository_needs_no_trust() {
        let folder = tempfile::tempdir().unwrap();
        gix::init(folder.path()).unwrap();
        check_work_tree(folder.path(), &Environment::default()).unwrap();
        check_git_dir(&folder.path().join(".git"), &Environment::default()).unwrap();
    }
}
