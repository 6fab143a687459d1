//! The caller's environment variables: read once when the process starts, then passed down.
//!
//! Two callers in one process may have different ones. Libraries that read the process environment themselves do not
//! see them: gitoxide finds git's configuration files that way. Knows no variable by name.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

/// Variables and their values. Cloning is cheap.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: Arc<BTreeMap<OsString, OsString>>,
}

impl Environment {
    #[expect(clippy::disallowed_methods, reason = "the only place that reads the environment")]
    pub fn of_process() -> Self {
        std::env::vars_os().collect()
    }

    /// The value of a variable; `None` even if it is not UTF-8.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.get_os(name)?.to_str()
    }

    /// As [`Environment::get`], but `None` for an empty value, too.
    pub fn get_filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// The value of a variable, in any encoding.
    pub fn get_os(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(&key(name.into())).map(OsString::as_os_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// A folder of the user: on Windows the one in the variable `windows`, elsewhere the one in `xdg` if absolute, else
    /// `below_home` in the home folder (the XDG Base Directory Specification).
    pub fn user_folder(&self, xdg: &str, below_home: &str, windows: &str) -> Option<PathBuf> {
        let folder = |name: &str| self.get_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        if cfg!(windows) {
            return folder(windows);
        }
        folder(xdg).or_else(|| Some(folder("HOME")?.join(below_home)))
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (key(name.into()), value.into()));
        Self { variables: Arc::new(variables.collect()) }
    }
}

/// Prints names only: values may be secrets.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

/// Windows does not distinguish `Path` from `PATH`.
fn key(name: OsString) -> OsString {
    if cfg!(windows) { name.to_ascii_uppercase() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_folder_of_the_user_is_what_xdg_names_or_below_home() {
        let folder = |variables: &[(&str, &str)]| {
            Environment::from_iter(variables.iter().copied()).user_folder(
                "XDG_CACHE_HOME",
                ".cache",
                "LOCALAPPDATA",
            )
        };
        assert_eq!(folder(&[("HOME", "/h")]), Some("/h/.cache".into()));
        assert_eq!(folder(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]), Some("/c".into()));
        assert_eq!(folder(&[("HOME", "/h"), ("XDG_CACHE_HOME", "c")]), Some("/h/.cache".into()));
        assert_eq!(folder(&[]), None);
    }

    #[test]
    fn a_variable_is_had_by_its_name_and_its_value_is_not_shown() {
        let environment = Environment::from_iter([("BRV_TOKEN", "s3cret"), ("EMPTY", "")]);
        assert_eq!(environment.get("BRV_TOKEN"), Some("s3cret"));
        assert_eq!((environment.get("EMPTY"), environment.get_filled("EMPTY")), (Some(""), None));
        assert_eq!(format!("{environment:?}"), r#"{"BRV_TOKEN", "EMPTY"}"#);
    }
}
