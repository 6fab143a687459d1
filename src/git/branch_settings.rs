//! What the settings say of a branch (`branch.<name>.*`), and how it goes along when a branch is renamed or deleted.
//!
//! Branches are named without `refs/heads/`.

use super::Scope;
use super::config_file;
use super::error::{During as _, Error};
use super::refs;
use bstr::{BStr, BString, ByteSlice as _};
use gix::config::File;

/// What a branch may follow: a branch of a remote, or (`.`) one of this repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// `origin`, or `.`
    pub remote: String,
    /// The full name of the branch there.
    pub merge: BString,
}

impl std::fmt::Display for Followed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let branch = self.merge.strip_prefix(b"refs/heads/").unwrap_or(&self.merge).to_str_lossy();
        if self.remote == "." { f.write_str(&branch) } else { write!(f, "{}/{branch}", self.remote) }
    }
}

/// Which new branches follow what they start from: `branch.autoSetupMerge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoSetup {
    /// None.
    Never,
    /// Those that start from a branch of a remote.
    Remote,
    /// Those that start from a branch of a remote that has their own name.
    SameName,
    /// Those that start from any branch.
    Always,
    /// They follow what the branch follows that they start from.
    Inherit,
}

/// What the settings say; a value that is not known means what git does without one.
///
/// # Errors
/// Settings that cannot be read.
pub fn auto_setup(scope: &Scope) -> Result<AutoSetup, Error> {
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    let Some(value) = config.string("branch.autoSetupMerge") else { return Ok(AutoSetup::Remote) };
    Ok(match value.to_ascii_lowercase().as_slice() {
        b"always" => AutoSetup::Always,
        b"inherit" => AutoSetup::Inherit,
        b"simple" => AutoSetup::SameName,
        _ => match config.try_boolean("branch.autoSetupMerge") {
            Ok(Some(false)) => AutoSetup::Never,
            _ => AutoSetup::Remote,
        },
    })
}

/// What a tracking ref (`refs/remotes/origin/main`) remembers, by the refspecs of the remotes; `None` where no remote,
/// or more than one, has such a refspec.
///
/// # Errors
/// Settings that cannot be read.
pub fn remembered(scope: &Scope, tracking: &BStr) -> Result<Option<Followed>, Error> {
    let repo = config_file::reloaded(scope)?;
    let Ok(name) = gix::refs::FullName::try_from(tracking.to_owned()) else { return Ok(None) };
    let found = repo.upstream_branch_and_remote_for_tracking_branch(name.as_ref());
    Ok(found.ok().flatten().and_then(|(branch, remote)| {
        let remote = remote.name()?.as_bstr().to_str().ok()?.to_owned();
        Some(Followed { remote, merge: branch.as_bstr().to_owned() })
    }))
}

/// The tracking refs that remember a branch of this name, each with what it remembers.
///
/// # Errors
/// References or settings that cannot be read.
pub fn namesakes(scope: &Scope, branch: &str) -> Result<Vec<(BString, Followed)>, Error> {
    let (end, merge) = (format!("/{branch}"), format!("refs/heads/{branch}"));
    let mut found = Vec::new();
    for name in refs::names(scope, "refs/remotes/")? {
        if name.ends_with(end.as_bytes())
            && let Some(followed) = remembered(scope, name.as_bstr())?
            && followed.merge == merge.as_str()
        {
            found.push((name, followed));
        }
    }
    Ok(found)
}

/// The remote whose branch is meant where several have one of a name: `checkout.defaultRemote`.
///
/// # Errors
/// Settings that cannot be read.
pub fn default_remote(scope: &Scope) -> Result<Option<String>, Error> {
    let repo = config_file::reloaded(scope)?;
    let value = repo.config_snapshot().string("checkout.defaultRemote");
    Ok(value.map(|value| value.to_str_lossy().into_owned()))
}

/// One value that is set of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// `remote`, `merge`, …
    pub key: String,
    /// As git understands it.
    pub value: BString,
}

/// What is set of a branch, before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsMove {
    /// Its name.
    pub branch: String,
    /// In order of their keys; of several with one key the last is in force.
    pub old: Vec<Setting>,
    /// As `old`.
    pub new: Vec<Setting>,
}

impl SettingsMove {
    /// A branch is to follow another.
    ///
    /// # Errors
    /// Settings that cannot be read.
    pub fn follow(scope: &Scope, branch: &str, followed: &Followed) -> Result<Self, Error> {
        let mut one = Self::unfollow(scope, branch)?;
        let setting = |key: &str, value: BString| Setting { key: key.into(), value };
        one.new.push(setting("remote", followed.remote.as_str().into()));
        one.new.push(setting("merge", followed.merge.clone()));
        sort(&mut one.new);
        Ok(one)
    }

    /// A branch is to follow none.
    ///
    /// # Errors
    /// Settings that cannot be read.
    pub fn unfollow(scope: &Scope, branch: &str) -> Result<Self, Error> {
        let old = settings(&config_file::read(scope)?, &[branch]);
        let is_upstream = |one: &Setting| ["remote", "merge"].iter().any(|key| one.is(key));
        let new = old.iter().filter(|one| !is_upstream(one)).cloned().collect();
        Ok(Self { branch: branch.to_owned(), old, new })
    }

    /// What is set of a branch is to be forgotten.
    ///
    /// # Errors
    /// Settings that cannot be read.
    pub fn forget(scope: &Scope, branch: &str) -> Result<Self, Error> {
        let old = settings(&config_file::read(scope)?, &[branch]);
        Ok(Self { branch: branch.to_owned(), old, new: Vec::new() })
    }

    /// What is set of a branch is to go to another name; what was set of that one stays in force beside it, as in git.
    ///
    /// # Errors
    /// Settings that cannot be read.
    pub fn rename(scope: &Scope, before: &str, after: &str) -> Result<[Self; 2], Error> {
        let file = config_file::read(scope)?;
        let both = settings(&file, &[before, after]);
        let gone = Self { branch: before.to_owned(), old: settings(&file, &[before]), new: Vec::new() };
        let come = Self { branch: after.to_owned(), old: settings(&file, &[after]), new: both };
        Ok([gone, come])
    }

    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.old == self.new
    }

    /// The way back.
    #[must_use]
    pub fn inverted(self) -> Self {
        Self { old: self.new, new: self.old, ..self }
    }
}

impl Setting {
    fn is(&self, key: &str) -> bool {
        self.key.eq_ignore_ascii_case(key)
    }
}

/// Whether a branch has what the move leaves.
///
/// # Errors
/// Settings that cannot be read.
pub fn is_done(scope: &Scope, one: &SettingsMove) -> Result<bool, Error> {
    Ok(settings(&config_file::read(scope)?, &[&one.branch]) == one.new)
}

/// Carry them out: of a branch of which something else is set than before, nothing changes. Comments stay where the
/// branch keeps a part of its settings, or they go to another branch as they are.
///
/// # Errors
/// Settings that cannot be written.
pub fn bring(scope: &Scope, moves: &[SettingsMove]) -> Result<(), Error> {
    if moves.iter().all(SettingsMove::is_empty) {
        return Ok(());
    }
    config_file::edit(scope, |file| {
        let is_due = |file: &File, one: &SettingsMove| settings(file, &[&one.branch]) == one.old;
        if let Some((gone, come)) = renamed(moves)
            && is_due(file, gone)
            && is_due(file, come)
        {
            let (from, to) = (Some(BStr::new(&gone.branch)), BString::from(come.branch.as_str()));
            while file.rename_section("branch", from, "branch", Some(to.clone())).is_ok() {}
            return Ok(());
        }
        for one in moves {
            if !one.is_empty() && is_due(file, one) {
                bring_one(file, one)?;
            }
        }
        Ok(())
    })
}

/// All of one branch goes to another of which nothing was set.
fn renamed(moves: &[SettingsMove]) -> Option<(&SettingsMove, &SettingsMove)> {
    let [one, other] = moves else { return None };
    let (gone, come) = if one.new.is_empty() { (one, other) } else { (other, one) };
    (gone.new.is_empty() && come.old.is_empty() && gone.old == come.new).then_some((gone, come))
}

fn bring_one(file: &mut File, SettingsMove { branch, old, new }: &SettingsMove) -> Result<(), Error> {
    let act = || format!("set what is set of the branch `{branch}`");
    let name = BStr::new(branch);
    let is_single =
        |all: &[Setting]| all.iter().all(|one| all.iter().filter(|two| two.is(&one.key)).count() == 1);
    if new.is_empty() || !is_single(old) || !is_single(new) {
        while file.remove_section("branch", Some(name)).is_some() {}
    }
    if new.is_empty() {
        return Ok(());
    }
    // git writes the remote first
    let (first, others): (Vec<_>, Vec<_>) = new.iter().partition(|one| one.is("remote"));
    let ordered = first.into_iter().chain(others);
    if !is_single(new) {
        let mut section = file.section_mut_or_create_new("branch", Some(name)).during(act())?;
        for one in ordered {
            section.push(&one.key, Some(one.value.as_bstr())).during(act())?;
        }
        return Ok(());
    }
    for one in old.iter().filter(|one| !new.iter().any(|other| other.is(&one.key))) {
        for id in sections(file, branch) {
            let mut section = file.section_mut_by_id(id).expect("listed just now");
            while section.remove(&one.key).is_some() {}
        }
    }
    for one in ordered.filter(|one| !old.contains(one) || !is_single(old)) {
        let ids = sections(file, branch);
        let of_it = |id: &gix::config::file::SectionId| {
            file.section_mut_by_id(*id).is_some_and(|section| section.contains_value_name(&one.key))
        };
        let place = ids.into_iter().rev().find(of_it);
        let mut section = match place {
            Some(id) => file.section_mut_by_id(id).expect("listed just now"),
            None => file.section_mut_or_create_new("branch", Some(name)).during(act())?,
        };
        section.set(&one.key, one.value.as_bstr()).during(act())?;
    }
    Ok(())
}

/// What is set of these branches, in order of the keys, then in that of the file.
fn settings(file: &File, branches: &[&str]) -> Vec<Setting> {
    let mut found = Vec::new();
    for (section, _) in file.sections_and_ids_by_name("branch").into_iter().flatten() {
        let is_of = |name: &BStr| branches.iter().any(|branch| name == *branch);
        if !section.header().subsection_name().is_some_and(is_of) {
            continue;
        }
        let mut keys: Vec<String> = section.value_names().collect();
        keys.sort_by_key(|key| key.to_ascii_lowercase());
        keys.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
        for key in keys {
            // a key without a value is a yes
            let is_bare = section.value_implicit(&key) == Some(None);
            for value in section.values(&key) {
                let value = if is_bare && value.is_empty() { "true".into() } else { value };
                found.push(Setting { key: key.clone(), value });
            }
        }
    }
    sort(&mut found);
    found
}

fn sort(settings: &mut [Setting]) {
    settings.sort_by_key(|one| one.key.to_ascii_lowercase());
}

fn sections(file: &File, branch: &str) -> Vec<gix::config::file::SectionId> {
    file.sections_and_ids_by_name("branch")
        .into_iter()
        .flatten()
        .filter(|(section, _)| section.header().subsection_name().is_some_and(|name| name == branch))
        .map(|(_, id)| id)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(folder: &std::path::Path) -> String {
        std::fs::read_to_string(folder.join(".git/config")).unwrap()
    }

    #[test]
    fn what_is_set_of_a_branch_goes_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let scope = crate::git::init(folder.path(), "main").unwrap();
        let followed = Followed { remote: "origin".into(), merge: "refs/heads/topic".into() };
        let follow = SettingsMove::follow(&scope, "topic", &followed).unwrap();
        bring(&scope, &[follow]).unwrap();
        bring(&scope, &SettingsMove::rename(&scope, "topic", "done").unwrap()).unwrap();
        let upstream = |name: &str| crate::git::remotes::upstream(&scope, name).unwrap();
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
        let scope = crate::git::init(folder.path(), "main").unwrap();
        let plain = text(folder.path());
        let set = "[branch \"topic\"]\n\tremote = origin\n\t# mine\n\tmerge = refs/heads/topic\n\trebase\n\
                   [branch \"other\"]\n\tpushRemote = a\n\tpushRemote = \"b c\"\n[branch \"topic\"]\n\tdescription = \"# x\"\n";
        let (config, all) = (folder.path().join(".git/config"), format!("{plain}{set}"));
        crate::fs::replace(&config, all.as_bytes(), crate::fs::Durability::Later).unwrap();
        let read =
            || ["topic", "other", "new"].map(|name| settings(&config_file::read(&scope).unwrap(), &[name]));
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
                change.iter().all(|one| is_done(&scope, one).unwrap()),
                "{change:?}\n{}",
                text(folder.path())
            );
            bring(&scope, &change).unwrap();
            assert_eq!(read(), after, "a second time changes nothing");
            let back: Vec<SettingsMove> = change.iter().cloned().map(SettingsMove::inverted).collect();
            bring(&scope, &back).unwrap();
            assert_eq!(read(), before, "{change:?}\n{}", text(folder.path()));
        }
    }
}
