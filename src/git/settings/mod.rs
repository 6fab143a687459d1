//! git's settings as this repository sees them, and changes of its own (`brv vc config`).
//!
//! Settings of remotes, branches and users are in the modules below. This one knows only which keys may hold secrets.

pub mod branch_settings;
pub(crate) mod forward;
pub mod host_remote;
pub mod identity;
pub mod remotes;
pub mod settings_moves;
pub(crate) mod url;
pub(crate) mod url_match;
pub(crate) mod user_settings;

use super::error::{During, Error as GitError};
use super::repository::config_file;
use super::repository::scope::Scope;
use bstr::{BStr, BString, ByteSlice as _};
use std::fmt;
use std::path::PathBuf;

/// The name of a setting: `section.key` or `section.subsection.key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    section: String,
    subsection: Option<String>,
    name: String,
}

/// The source of a value; later ones override earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    System,
    User,
    Repository,
    /// The environment, or a git command line.
    Environment,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitSetting {
    /// `user.name`, `remote.origin.url`
    pub key: String,
    /// The effective value; `true` for a key without a value.
    pub value: BString,
    pub origin: Origin,
    /// The file, if it is from one.
    pub file: Option<PathBuf>,
}

/// Why a setting was not read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{0}` is not a setting name: write `section.key`")]
    Key(String),
    /// Control characters other than tabs and line breaks cannot be kept.
    #[error("the value of `{0}` contains characters that a settings file cannot hold")]
    Value(String),
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Key {
    /// Parses a setting name as git does: section and key of letters, digits and dashes, between them anything.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let word = |word: &str, begins_with_letter: bool| {
            !word.is_empty()
                && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
                && (!begins_with_letter || word.starts_with(|c: char| c.is_ascii_alphabetic()))
        };
        let parts = text.split_once('.').and_then(|(section, rest)| {
            let (subsection, name) = match rest.rsplit_once('.') {
                Some((subsection, name)) => (Some(subsection.to_owned()), name),
                None => (None, rest),
            };
            let subsection_ok = subsection.as_ref().is_none_or(|s| !s.contains(['\n', '\0']));
            (word(section, false) && word(name, true) && subsection_ok).then(|| Self {
                section: section.into(),
                subsection,
                name: name.into(),
            })
        });
        parts.ok_or_else(|| Error::Key(super::printable(text.as_bytes())))
    }

    fn subsection(&self) -> Option<&BStr> {
        self.subsection.as_deref().map(BStr::new)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.", self.section.to_ascii_lowercase())?;
        if let Some(subsection) = &self.subsection {
            write!(f, "{subsection}.")?;
        }
        f.write_str(&self.name.to_ascii_lowercase())
    }
}

/// Names of settings, lower case, whose values are secrets: git's own, then those of other tools.
const SECRET: [&str; 6] = ["extraheader", "pass", "smtppass", "password", "token", "secret"];

/// Whether the value of a setting with this name (its last part) is a secret.
pub(super) fn is_secret(name: &str) -> bool {
    SECRET.iter().any(|secret| name.eq_ignore_ascii_case(secret))
}

impl GitSetting {
    /// The key as it may be printed: in `url.https://me:secret@host/.insteadof` it contains a URL too.
    pub fn shown_key(&self) -> String {
        match self.key.rsplit_once('.') {
            Some((address, name)) => format!("{}.{name}", url::shown(address)),
            None => self.key.clone(),
        }
    }

    /// The value as it may be printed: URLs without user info and query; headers, passwords and tokens hidden.
    pub fn shown(&self) -> String {
        let name = self.key.rsplit('.').next().unwrap_or_default();
        if is_secret(name) {
            return "(hidden)".into();
        }
        url::shown(&self.value.to_str_lossy()).into_owned()
    }
}

/// All settings, effective or overridden, in the order in which git reads them.
pub fn list(scope: &Scope) -> Result<Vec<GitSetting>, Error> {
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    let mut settings = Vec::new();
    for section in config.plumbing().sections() {
        let header = section.header();
        let Some(origin) = origin(section.meta().source) else { continue };
        let mut name = header.name().to_str_lossy().to_ascii_lowercase();
        if let Some(subsection) = header.subsection_name() {
            name = format!("{name}.{}", subsection.to_str_lossy());
        }
        for (key, value) in section.body() {
            settings.push(GitSetting {
                key: format!("{name}.{}", key.to_string().to_ascii_lowercase()),
                value,
                origin,
                file: section.meta().path.clone(),
            });
        }
    }
    Ok(settings)
}

const fn origin(source: gix::config::Source) -> Option<Origin> {
    use gix::config::Source;
    Some(match source {
        Source::GitInstallation | Source::System => Origin::System,
        Source::Git | Source::User => Origin::User,
        Source::Local | Source::Worktree => Origin::Repository,
        Source::Env | Source::Cli | Source::EnvOverride => Origin::Environment,
        // settings that gitoxide makes up are no one's
        Source::Api => return None,
    })
}

pub fn get(scope: &Scope, key: &Key) -> Result<Option<GitSetting>, Error> {
    let name = key.to_string();
    Ok(list(scope)?.into_iter().rfind(|setting| setting.key == name))
}

/// Sets a value in the repository's own settings, replacing all values there.
pub fn set(scope: &Scope, key: &Key, value: &str) -> Result<(), Error> {
    if value.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(Error::Value(key.to_string()));
    }
    config_file::edit(scope, |file| {
        remove_all_but_one(file, key);
        file.set_raw_value_by(&key.section, key.subsection(), &key.name, value)
            .during(format!("set `{key}`"))?;
        Ok(())
    })
}

/// Removes a setting from the repository's own settings. Returns whether it existed.
pub fn unset(scope: &Scope, key: &Key) -> Result<bool, Error> {
    config_file::edit(scope, |file| {
        let ids = sections_with(file, key);
        for id in &ids {
            let mut section = file.section_mut_by_id(*id).expect("listed just now");
            while section.remove(&key.name).is_some() {}
            if section.num_values() == 0 && !section.to_bstring().contains_str("#") {
                file.remove_section_by_id(*id);
            }
        }
        Ok(!ids.is_empty())
    })
}

fn remove_all_but_one(file: &mut gix::config::File, key: &Key) {
    let ids = sections_with(file, key);
    for (at, id) in ids.iter().enumerate() {
        let mut section = file.section_mut_by_id(*id).expect("listed just now");
        let keep = usize::from(at + 1 == ids.len());
        while section.values(&key.name).len() > keep && section.remove(&key.name).is_some() {}
    }
}

fn sections_with(file: &gix::config::File, key: &Key) -> Vec<gix::config::file::SectionId> {
    file.sections_and_ids_by_name(&key.section)
        .into_iter()
        .flatten()
        .filter(|(section, _)| section.header().subsection_name() == key.subsection())
        .filter(|(section, _)| section.contains_value_name(&key.name))
        .map(|(_, id)| id)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init;

    fn key(text: &str) -> Key {
        Key::parse(text).unwrap()
    }

    #[test]
    fn keys_are_taken_as_git_takes_them() {
        for (text, shown) in
            [("User.Name", "user.name"), ("remote.A.b.URL", "remote.A.b.url"), ("a-b.c-d", "a-b.c-d")]
        {
            assert_eq!(key(text).to_string(), shown);
        }
        for text in ["", "user", ".name", "user.", "a b.c", "user.1x", "a.b\n.c"] {
            assert!(Key::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_value_set_is_read_back_with_its_origin_and_unset_leaves_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let before = std::fs::read_to_string(config_file::path(&scope)).unwrap();
        for value in ["Ada Lovelace", " spaces ", "a;b#c\"d\\e", "two\nlines", ""] {
            set(&scope, &key("user.name"), value).unwrap();
            let setting = get(&scope, &key("USER.name")).unwrap().unwrap();
            assert_eq!((setting.value.as_bstr(), setting.origin), (value.into(), Origin::Repository));
            assert_eq!(setting.file.unwrap().file_name().unwrap(), "config");
        }
        assert!(set(&scope, &key("user.name"), "a\u{1b}b").is_err());
        assert!(unset(&scope, &key("user.name")).unwrap());
        assert!(!unset(&scope, &key("user.name")).unwrap());
        assert_eq!(std::fs::read_to_string(config_file::path(&scope)).unwrap(), before);
    }

    #[test]
    fn setting_a_key_that_has_several_values_leaves_one() {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let path = config_file::path(&scope);
        let text = "[a \"b\"]\n\tx = 1\n\tx = 2\n\ty = 1\n[c]\n\tx = 1\n[a \"b\"]\n\tx = 3 # why\n";
        brv_base::fs::replace(&path, text.as_bytes(), brv_base::fs::Durability::Later).unwrap();
        set(&scope, &key("a.b.x"), "4").unwrap();
        let settings = list(&scope).unwrap();
        let values: Vec<_> = settings.iter().filter(|s| s.key == "a.b.x").map(GitSetting::shown).collect();
        assert_eq!(values, ["4"]);
        assert_eq!(get(&scope, &key("c.x")).unwrap().unwrap().value, "1");
        assert!(std::fs::read_to_string(&path).unwrap().contains("x = 4 # why"));
    }

    #[test]
    fn secrets_are_not_shown() {
        let setting = |key: &str, value: &str| GitSetting {
            key: key.into(),
            value: value.into(),
            origin: Origin::User,
            file: None,
        };
        assert_eq!(setting("remote.o.url", "https://a:b@h/x").shown(), "https://h/x");
        assert_eq!(setting("o.proxy", "socks5://a:b@h:1").shown(), "socks5://a@h:1");
        assert_eq!(setting("http.https://h/.extraheader", "Authorization: x").shown(), "(hidden)");
        assert_eq!(setting("alias.x", "!git log\n\t-p").shown(), "!git log\n\t-p");
        assert_eq!(setting("url.https://a:b@h/.insteadof", "h:").shown_key(), "url.https://h/.insteadof");
    }
}
