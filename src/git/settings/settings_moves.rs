//! Changes of the settings of a branch (`branch.<name>.*`) or a remote (`remote.<name>.*`) that can be applied,
//! repeated and undone: used for renames and deletions.
//!
//! Branches are named without `refs/heads/`. Holds no secrets: for a URL with a user, a password or a query, and for a
//! token, it only knows that there was one; secrets stay in the file as long as the setting is unchanged.

use super::branch_settings::Followed;
use super::is_secret;
use super::url::{self, hiding_user_info, without_user_info};
use crate::Scope;
use crate::error::{During as _, Error};
use crate::repository::config_file;
use brv_base::sorting;
use bstr::{BStr, BString, ByteSlice as _};
use gix::config::File;
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    Branch(String),
    Remote(String),
    /// The remotes as such: the default push remote.
    Remotes,
}

impl Owner {
    const fn section(&self) -> &'static str {
        match self {
            Self::Branch(_) => "branch",
            Self::Remote(_) | Self::Remotes => "remote",
        }
    }

    /// Its name; `None` for the remotes as such.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Branch(name) | Self::Remote(name) => Some(name),
            Self::Remotes => None,
        }
    }

    fn subsection(&self) -> Option<&BStr> {
        self.name().map(BStr::new)
    }

    /// `remote.origin.url`
    fn full_key(&self, key: &str) -> String {
        let parts: Vec<&str> = [Some(self.section()), self.name(), Some(key)].into_iter().flatten().collect();
        parts.join(".")
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{} `{name}`", self.section()),
            None => f.write_str("remotes"),
        }
    }
}

/// One setting of a branch or a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// `remote`, `merge`, …
    pub key: String,
    value: BString,
    whole: SecretValue,
}

/// The value with its secrets, where known. It is never printed, and ignored when two are compared.
#[derive(Clone)]
struct SecretValue(Option<BString>);

impl std::fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

impl PartialEq for SecretValue {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SecretValue {}

/// The placeholder for a token or a password.
const HIDDEN: &str = "(hidden)";

/// Whether the value is text, not a URL, and may name a page of a tracker: it is kept complete.
fn is_prose(key: &str) -> bool {
    key.eq_ignore_ascii_case("description")
}

impl Setting {
    /// The setting as git parses it, without secrets.
    pub fn new(key: impl Into<String>, value: impl Into<BString>) -> Self {
        let (key, value) = (key.into(), value.into());
        let text = value.to_str_lossy();
        let hiding = if is_prose(&key) { hiding_user_info(&text) } else { url::hiding(&text) };
        let told: BString = match () {
            () if is_secret(&key) => HIDDEN.into(),
            () if hiding == text => value.clone(),
            () => hiding.into_owned().into(),
        };
        Self { key, value: told, whole: SecretValue(Some(value)) }
    }

    /// A logged setting, whose secrets are unknown.
    pub fn recorded(key: impl Into<String>, value: impl Into<BString>) -> Self {
        Self { whole: SecretValue(None), ..Self::new(key, value) }
    }

    /// As [`PartialEq`], but two settings known to have different secrets differ.
    fn is_same(&self, other: &Self) -> bool {
        let is_other = matches!((&self.whole.0, &other.whole.0), (Some(one), Some(two)) if one != two);
        self == other && !is_other
    }

    /// The value for the operation log: without secrets, with a trace of them.
    pub fn value(&self) -> &BStr {
        self.value.as_bstr()
    }

    /// The value as it may be printed.
    pub fn shown(&self) -> String {
        let text = self.value.to_str_lossy();
        if is_prose(&self.key) { without_user_info(&text) } else { url::shown(&text) }.into_owned()
    }

    fn is(&self, key: &str) -> bool {
        self.key.eq_ignore_ascii_case(key)
    }

    fn is_hiding(&self) -> bool {
        is_secret(&self.key) || self.without_secrets() != self.value.to_str_lossy()
    }

    /// The value without its secrets, which are unknown.
    fn bare(&self) -> Option<Self> {
        (!is_secret(&self.key)).then(|| Self::new(self.key.clone(), self.without_secrets()))
    }

    fn without_secrets(&self) -> String {
        let text = self.value.to_str_lossy();
        if is_prose(&self.key) { without_user_info(&text) } else { url::bare(&text) }.into_owned()
    }
}

/// The settings of a branch or a remote, before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsMove {
    pub of: Owner,
    /// Ordered by key; of several with one key the last is effective.
    pub old: Vec<Setting>,
    /// As `old`.
    pub new: Vec<Setting>,
}

impl SettingsMove {
    /// Sets the upstream of a branch.
    pub fn follow(scope: &Scope, branch: &str, followed: &Followed) -> Result<Self, Error> {
        let mut one = Self::unfollow(scope, branch)?;
        one.new.push(Setting::new("remote", followed.remote.as_str()));
        one.new.push(Setting::new("merge", followed.merge.clone()));
        sort(&mut one.new);
        Ok(one)
    }

    /// Unsets the upstream of a branch.
    pub fn unfollow(scope: &Scope, branch: &str) -> Result<Self, Error> {
        let mut one = Self::forget(scope, branch)?;
        one.new = one.old.iter().filter(|one| !(one.is("remote") || one.is("merge"))).cloned().collect();
        Ok(one)
    }

    pub fn forget(scope: &Scope, branch: &str) -> Result<Self, Error> {
        let of = Owner::Branch(branch.to_owned());
        let old = settings(&config_file::read(scope)?, &[&of]);
        Ok(Self { of, old, new: Vec::new() })
    }

    /// Moves the settings of a branch to another name; existing settings of that name stay beside them, as in git.
    pub fn rename(scope: &Scope, before: &str, after: &str) -> Result<[Self; 2], Error> {
        let file = config_file::read(scope)?;
        let [before, after] = [before, after].map(|name| Owner::Branch(name.to_owned()));
        let both = settings(&file, &[&before, &after]);
        let gone = Self { old: settings(&file, &[&before]), of: before, new: Vec::new() };
        let come = Self { old: settings(&file, &[&after]), of: after, new: both };
        Ok([gone, come])
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        is_same(&self.old, &self.new)
    }

    /// Whether nothing changes apart from secrets.
    pub fn is_silent(&self) -> bool {
        self.old == self.new
    }
}

fn is_same(one: &[Setting], other: &[Setting]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
}

/// The changes of branches and remotes that a change of the settings makes. Nothing is written.
///
/// # Errors
/// Errors of the change; settings that cannot be read.
pub(super) fn of_change<E: From<Error>>(
    scope: &Scope,
    change: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<Vec<SettingsMove>, E> {
    let before = config_file::read(scope)?;
    let mut after = before.clone();
    change(&mut after)?;
    let owners: BTreeSet<Owner> = owners(&before).chain(owners(&after)).collect();
    let both = owners.into_iter().map(|of| SettingsMove {
        old: settings(&before, &[&of]),
        new: settings(&after, &[&of]),
        of,
    });
    Ok(both.filter(|one| !one.is_empty()).collect())
}

fn owners(file: &File) -> impl Iterator<Item = Owner> {
    let names = |section: &'static str| {
        let sections = file.sections_and_ids_by_name(section).into_iter().flatten();
        sections.map(|(section, _)| section.header().subsection_name().map(ToString::to_string))
    };
    let branches = names("branch").flatten().map(Owner::Branch);
    let remotes = names("remote").map(|name| name.map_or(Owner::Remotes, Owner::Remote));
    branches.chain(remotes).collect::<Vec<_>>().into_iter()
}

/// The current settings of a branch or a remote, compared with a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsMoveState {
    /// As after the move, maybe without secrets: an undo cannot restore them.
    Done,
    /// As before the move, maybe without secrets.
    NotDone,
    Else,
}

pub fn standing(scope: &Scope, one: &SettingsMove) -> Result<SettingsMoveState, Error> {
    let now = settings(&config_file::read(scope)?, &[&one.of]);
    Ok(match () {
        () if now == one.new => SettingsMoveState::Done,
        () if now == one.old => SettingsMoveState::NotDone,
        () if is_without_secrets(&now, &one.new) => SettingsMoveState::Done,
        () if is_without_secrets(&now, &one.old) => SettingsMoveState::NotDone,
        () => SettingsMoveState::Else,
    })
}

/// Whether the current settings are the logged ones, apart from secrets that were removed. A secret added since is a
/// difference: it could not be restored.
fn is_without_secrets(now: &[Setting], recorded: &[Setting]) -> bool {
    let mut now = now.iter().peekable();
    let mut is_met = |setting: &Setting| {
        let is_it =
            |one: &&Setting| *one == setting || setting.is_hiding() && Some(*one) == setting.bare().as_ref();
        now.next_if(is_it).is_some() || is_secret(&setting.key)
    };
    recorded.iter().all(&mut is_met) && now.next().is_none()
}

/// The change from the current settings back to those before a move.
pub fn way_back(scope: &Scope, one: &SettingsMove) -> Result<SettingsMove, Error> {
    let now = settings(&config_file::read(scope)?, &[&one.of]);
    Ok(SettingsMove { of: one.of.clone(), old: now, new: one.old.clone() })
}

/// The branches with an upstream on a remote.
pub fn followers(scope: &Scope, remote: &str) -> Result<Vec<String>, Error> {
    let file = config_file::read(scope)?;
    let follows = |of: &Owner| {
        let remotes = settings(&file, &[of]).into_iter().rfind(|one| one.is("remote"));
        matches!(of, Owner::Branch(_)) && remotes.is_some_and(|one| one.value == remote)
    };
    let found: BTreeSet<Owner> = owners(&file).filter(follows).collect();
    Ok(found.iter().filter_map(|of| of.name().map(ToOwned::to_owned)).collect())
}

/// The reverse changes of `recorded` without secrets that the settings no longer have, and the names of settings that
/// are restored without their secrets (`remote.origin.url`). Settings that had lost them before are not among these.
pub fn without_lost_secrets(
    scope: &Scope,
    mut moves: Vec<SettingsMove>,
    recorded: &[SettingsMove],
) -> Result<(Vec<SettingsMove>, Vec<String>), Error> {
    let (mut lost, known) = (Vec::new(), Secrets::of(&config_file::read(scope)?, &moves));
    for one in &mut moves {
        let mut new = Vec::new();
        for setting in &one.new {
            if known.value(setting).is_some() {
                new.push(setting.clone());
                continue;
            }
            // unknown secrets cannot be restored
            if !recorded.iter().any(|one| one.new.contains(setting)) {
                lost.push(one.of.full_key(&setting.key));
            }
            new.extend(setting.bare());
        }
        one.new = new;
    }
    Ok((moves, lost))
}

struct Secrets(Vec<Setting>);

impl Secrets {
    fn of(file: &File, moves: &[SettingsMove]) -> Self {
        let owners: Vec<&Owner> = moves.iter().map(|one| &one.of).collect();
        Self(settings(file, &owners).into_iter().filter(Setting::is_hiding).collect())
    }

    /// The value to write to the file; `None` if its secret is not known.
    fn value(&self, setting: &Setting) -> Option<BString> {
        if !setting.is_hiding() {
            return Some(setting.value.clone());
        }
        let known = || self.0.iter().find(|known| *known == setting)?.whole.0.clone();
        setting.whole.0.clone().or_else(known)
    }
}

/// Waits until no other process is changing settings.
///
/// # Errors
/// Another process takes too long, or left a lock.
pub fn wait_until_free(scope: &Scope) -> Result<(), Error> {
    config_file::wait_until_free(scope)
}

/// Applies the changes; settings that differ from the expected ones are left alone. Comments are kept if a branch or a
/// remote keeps part of its settings, or if they move to another unchanged.
pub fn bring(scope: &Scope, moves: &[SettingsMove]) -> Result<(), Error> {
    if moves.iter().all(SettingsMove::is_empty) {
        return Ok(());
    }
    config_file::edit(scope, |file| {
        let is_due = |one: &&SettingsMove| !one.is_empty() && settings(file, &[&one.of]) == one.old;
        let mut due: Vec<SettingsMove> = moves.iter().filter(is_due).cloned().collect();
        let secrets = Secrets::of(file, &due);
        if let Some((gone, come)) = renamed(&due) {
            let (section, from) = (come.of.section(), gone.of.subsection());
            let to = come.of.subsection().map(ToOwned::to_owned);
            while file.rename_section(section, from, section, to.clone()).is_ok() {}
            let rest = SettingsMove { old: gone.old.clone(), ..come.clone() };
            let settled = [gone.of.clone(), come.of.clone()];
            due.retain(|one| !settled.contains(&one.of));
            due.push(rest);
        }
        due.iter().try_for_each(|one| bring_one(file, one, &secrets))
    })
}

/// The two moves of a rename, if `moves` has one: all settings of a branch move to one that had none, or the URLs of a
/// remote to a new one.
fn renamed(moves: &[SettingsMove]) -> Option<(&SettingsMove, &SettingsMove)> {
    let gone = moves.iter().find(|one| one.new.is_empty() && one.of != Owner::Remotes)?;
    let is_akin = |of: &Owner| *of != Owner::Remotes && of.section() == gone.of.section();
    let come = moves.iter().find(|one| one.old.is_empty() && is_akin(&one.of))?;
    let is_same = match gone.of {
        Owner::Branch(_) => gone.old == come.new,
        Owner::Remote(_) => {
            let urls = |all: &[Setting]| all.iter().filter(|one| one.is("url")).cloned().collect::<Vec<_>>();
            urls(&gone.old) == urls(&come.new)
        }
        Owner::Remotes => false,
    };
    is_same.then_some((gone, come))
}

/// The keys that git writes first, in this order.
const FIRST: [&str; 5] = ["remote", "merge", "url", "pushurl", "fetch"];

fn bring_one(
    file: &mut File,
    SettingsMove { of, old, new }: &SettingsMove,
    secrets: &Secrets,
) -> Result<(), Error> {
    let act = || format!("write the settings of the {of}");
    let name = of.subsection();
    if new.is_empty() {
        while file.remove_section(of.section(), name).is_some() {}
        return Ok(());
    }
    let keys: BTreeSet<String> = old.iter().chain(new).map(|one| one.key.to_ascii_lowercase()).collect();
    let rank = |key: &String| FIRST.iter().position(|first| first == key).unwrap_or(FIRST.len());
    let mut keys: Vec<String> = keys.into_iter().collect();
    sorting::sort_by_key(&mut keys, rank);
    for key in keys {
        let of_key = |all: &[Setting]| all.iter().filter(|one| one.is(&key)).cloned().collect::<Vec<_>>();
        let (before, after) = (of_key(old), of_key(new));
        if is_same(&before, &after) {
            continue;
        }
        let ids = sections(file, of);
        let has = |id: &gix::config::file::SectionId| {
            file.section_mut_by_id(*id).is_some_and(|section| section.contains_value_name(&key))
        };
        let place = ids.iter().copied().rev().find(has);
        if let ([_], [only]) = (&before[..], &after[..])
            && let (Some(id), Some(value)) = (place, secrets.value(only))
        {
            let mut section = file.section_mut_by_id(id).expect("listed just now");
            section.set(&only.key, value.as_bstr()).during(act())?;
            continue;
        }
        for id in ids {
            let mut section = file.section_mut_by_id(id).expect("listed just now");
            while section.remove(&key).is_some() {}
        }
        for one in &after {
            let mut section = match place {
                Some(id) => file.section_mut_by_id(id).expect("listed just now"),
                None => file.section_mut_or_create_new(of.section(), name).during(act())?,
            };
            let bare = || one.bare().map(|bare| bare.value);
            if let Some(value) = secrets.value(one).or_else(bare) {
                section.push(&one.key, Some(value.as_bstr())).during(act())?;
            }
        }
    }
    Ok(())
}

/// The settings of these owners, in order of the keys, then of the file.
fn settings(file: &File, owners: &[&Owner]) -> Vec<Setting> {
    let mut found = Vec::new();
    for name in ["branch", "remote"] {
        for (section, _) in file.sections_and_ids_by_name(name).into_iter().flatten() {
            let inner = section.header().subsection_name();
            if !owners.iter().any(|of| of.section() == name && of.subsection() == inner) {
                continue;
            }
            let mut keys: Vec<String> = section.value_names().collect();
            sorting::sort_by_key(&mut keys, |key| key.to_ascii_lowercase());
            keys.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
            for key in keys {
                // a key without a value is true
                let is_bare = section.value_implicit(&key) == Some(None);
                for value in section.values(&key) {
                    let value = if is_bare && value.is_empty() { "true".into() } else { value };
                    found.push(Setting::new(key.clone(), value));
                }
            }
        }
    }
    sort(&mut found);
    found
}

fn sort(settings: &mut [Setting]) {
    sorting::sort_by_key(settings, |one| one.key.to_ascii_lowercase());
}

fn sections(file: &File, of: &Owner) -> Vec<gix::config::file::SectionId> {
    file.sections_and_ids_by_name(of.section())
        .into_iter()
        .flatten()
        .filter(|(section, _)| section.header().subsection_name() == of.subsection())
        .map(|(_, id)| id)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(name: &str) -> Owner {
        Owner::Branch(name.into())
    }

    fn text(folder: &std::path::Path) -> String {
        std::fs::read_to_string(folder.join(".git/config")).unwrap()
    }

    fn write(folder: &std::path::Path, text: &str) {
        let config = folder.join(".git/config");
        brv_base::fs::replace(&config, text.as_bytes(), brv_base::fs::Durability::Later).unwrap();
    }

    fn inverted(one: SettingsMove) -> SettingsMove {
        SettingsMove { old: one.new, new: one.old, ..one }
    }

    #[test]
    fn what_is_set_of_a_branch_goes_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let followed = Followed { remote: "origin".into(), merge: "refs/heads/topic".into() };
        let follow = SettingsMove::follow(&scope, "topic", &followed).unwrap();
        bring(&scope, &[follow]).unwrap();
        bring(&scope, &SettingsMove::rename(&scope, "topic", "done").unwrap()).unwrap();
        let upstream = |name: &str| crate::settings::remotes::upstream(&scope, name).unwrap();
        assert!(upstream("topic").is_none());
        assert_eq!(upstream("done").unwrap().merge, "refs/heads/topic");
        bring(&scope, &[SettingsMove::unfollow(&scope, "done").unwrap()]).unwrap();
        assert!(SettingsMove::unfollow(&scope, "done").unwrap().is_empty());
        bring(&scope, &[SettingsMove::follow(&scope, "done", &followed).unwrap()]).unwrap();
        bring(&scope, &[SettingsMove::forget(&scope, "done").unwrap()]).unwrap();
        assert!(!text(folder.path()).contains("branch"), "{}", text(folder.path()));
    }

    #[test]
    fn every_change_of_what_is_set_goes_there_and_back_and_only_where_nothing_was_set_since() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let plain = text(folder.path());
        let set = "[branch \"topic\"]\n\tremote = origin\n\t# mine\n\tmerge = refs/heads/topic\n\trebase\n\
                   [branch \"other\"]\n\tpushRemote = a\n\tpushRemote = \"b c\"\n[branch \"topic\"]\n\tdescription = \"# x\"\n";
        write(folder.path(), &format!("{plain}{set}"));
        let read = || {
            ["topic", "other", "new"]
                .map(|name| settings(&config_file::read(&scope).unwrap(), &[&branch(name)]))
        };
        let followed = Followed { remote: ".".into(), merge: "refs/heads/main".into() };
        let changes = [
            vec![SettingsMove::follow(&scope, "topic", &followed).unwrap()],
            vec![SettingsMove::follow(&scope, "new", &followed).unwrap()],
            vec![SettingsMove::unfollow(&scope, "topic").unwrap()],
            vec![SettingsMove::forget(&scope, "topic").unwrap()],
            vec![SettingsMove::forget(&scope, "other").unwrap()],
            SettingsMove::rename(&scope, "topic", "new").unwrap().into(),
            SettingsMove::rename(&scope, "topic", "other").unwrap().into(),
        ];
        let before = read();
        for change in changes {
            bring(&scope, &change).unwrap();
            let after = read();
            assert_ne!(after, before, "{change:?}");
            assert!(
                change.iter().all(|one| standing(&scope, one).unwrap() == SettingsMoveState::Done),
                "{change:?}\n{}",
                text(folder.path())
            );
            bring(&scope, &change).unwrap();
            assert_eq!(read(), after, "a second time changes nothing");
            let back: Vec<SettingsMove> = change.iter().cloned().map(inverted).collect();
            bring(&scope, &back).unwrap();
            assert_eq!(read(), before, "{change:?}\n{}", text(folder.path()));
        }
    }

    #[test]
    fn what_is_set_of_remotes_goes_there_and_back_with_every_value_of_a_key() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let plain = text(folder.path());
        let set = "[remote \"origin\"]\n\turl = /a\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\t# mine\n\
                   \tfetch = +refs/notes/*:refs/notes/*\n\tpushurl = /b\n\tpushurl = /c\n\
                   [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n\tpushRemote = origin\n\
                   [branch \"other\"]\n\tpushRemote = origin\n[remote]\n\tpushDefault = origin\n";
        write(folder.path(), &format!("{plain}{set}"));
        let name = |name: &str| crate::settings::remotes::RemoteName::parse(name).unwrap();
        let url = crate::RemoteUrl::parse("/z", folder.path()).unwrap();
        let changes = [
            crate::settings::remotes::renaming(&scope, &name("origin"), &name("hub")).unwrap().0,
            crate::settings::remotes::removing(&scope, &name("origin")).unwrap().0,
            crate::settings::remotes::setting_url(&scope, &name("origin"), &url).unwrap(),
            crate::settings::remotes::adding(&scope, &name("other"), &url).unwrap(),
        ];
        let read = || {
            let file = config_file::read(&scope).unwrap();
            let owners: BTreeSet<Owner> = owners(&file).collect();
            owners.into_iter().map(|of| (settings(&file, &[&of]), of)).collect::<Vec<_>>()
        };
        let before = read();
        for change in changes {
            bring(&scope, &change).unwrap();
            let after = read();
            assert_ne!(after, before, "{change:?}");
            bring(&scope, &change).unwrap();
            assert_eq!(read(), after, "a second time changes nothing");
            let back: Vec<SettingsMove> = change.into_iter().map(inverted).collect();
            bring(&scope, &back).unwrap();
            assert_eq!(read(), before, "{}", text(folder.path()));
        }
    }

    #[test]
    fn secrets_are_never_told_and_stay_where_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let plain = text(folder.path());
        let set = "[remote \"origin\"]\n\turl = https://me:geheim@host/a\n\ttoken = geheim\n\tpushurl = ssh://git:geheim@host/a\n\tproxy = http://p/?key=geheim\n";
        write(folder.path(), &format!("{plain}{set}"));
        let name = |name: &str| crate::settings::remotes::RemoteName::parse(name).unwrap();
        let (renamed, _) = crate::settings::remotes::renaming(&scope, &name("origin"), &name("hub")).unwrap();
        assert!(!format!("{renamed:?}").contains("geheim"), "{renamed:?}");
        // as in the operation log
        let record = |moves: &[SettingsMove]| -> Vec<SettingsMove> {
            let side = |all: &[Setting]| {
                all.iter().map(|one| Setting::recorded(&one.key, one.value())).collect::<Vec<_>>()
            };
            moves
                .iter()
                .map(|one| SettingsMove { of: one.of.clone(), old: side(&one.old), new: side(&one.new) })
                .collect()
        };
        bring(&scope, &record(&renamed)).unwrap();
        for part in
            ["[remote \"hub\"]", "https://me:geheim@host/a", "token = geheim", "git:geheim@", "?key=geheim"]
        {
            assert!(text(folder.path()).contains(part), "{part}\n{}", text(folder.path()));
        }
        let (removed, _) = crate::settings::remotes::removing(&scope, &name("hub")).unwrap();
        bring(&scope, &removed).unwrap();
        let back = record(&removed).into_iter().map(inverted).collect();
        let (back, lost) = without_lost_secrets(&scope, back, &removed).unwrap();
        assert_eq!(lost, ["remote.hub.proxy", "remote.hub.pushurl", "remote.hub.token", "remote.hub.url"]);
        bring(&scope, &back).unwrap();
        assert!(back.iter().all(|one| standing(&scope, one).unwrap() == SettingsMoveState::Done));
        let now = text(folder.path());
        assert!(now.contains("url = https://host/a") && now.contains("pushurl = ssh://git@host/a"), "{now}");
        // earlier changes stay as they are, apart from the secrets
        let again = record(&renamed);
        assert!(again.iter().all(|one| standing(&scope, one).unwrap() == SettingsMoveState::Done));
        let back: Vec<_> = again.iter().map(|one| way_back(&scope, one).unwrap()).collect();
        let (back, lost) = without_lost_secrets(&scope, back, &again).unwrap();
        assert_eq!(lost, [""; 0], "reported before");
        bring(&scope, &back).unwrap();
        let now = text(folder.path());
        assert!(now.contains("[remote \"origin\"]") && !now.contains("hub"), "{now}");
        assert!(now.contains("url = https://host/a") && now.contains("pushurl = ssh://git@host/a"), "{now}");
        // a secret added since is not removed
        write(folder.path(), &format!("{now}[remote \"origin\"]\n\ttoken = neu\n"));
        let back =
            SettingsMove { old: Vec::new(), new: back[0].new.clone(), of: Owner::Remote("origin".into()) };
        assert_eq!(standing(&scope, &back).unwrap(), SettingsMoveState::Else);
    }
}
