//! The remotes in the repository's settings, and the upstreams of branches.
//!
//! Makes no connection.

use super::settings_moves::{self, SettingsMove};
use super::url::{RemoteUrl, UrlError};
use crate::error::{During, Error as GitError};
use crate::refs::{self, Expected, Move, rescue};
use crate::repository::config_file;
use crate::repository::scope::Scope;
use brv_base::sorting;
use bstr::{BStr, BString, ByteSlice as _};
use gix::config::File;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

/// The setting that names the host's remote of a shared remote.
pub(super) const HOST: &str = "brvHost";

/// A valid remote name, as in `refs/remotes/<name>/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RemoteName(String);

/// A remote: one in the settings, or a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Named(RemoteName),
    Url(RemoteUrl),
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(name) => name.fmt(f),
            Self::Url(url) => url.fmt(f),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// `origin`
    pub name: RemoteName,
    /// The fetch URL: the first one.
    pub url: Option<RemoteUrl>,
    /// The push URL; if absent, `url`.
    pub push_urls: Vec<RemoteUrl>,
    /// The host repository's remote that it shares, if any ([`super::host_remote`]).
    pub host: Option<RemoteName>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamSetting {
    /// `branch.<name>.remote`: the name of a remote, or a URL.
    pub remote: String,
    /// `branch.<name>.merge`: the full name of the branch there.
    pub merge: BString,
    /// The tracking ref, `refs/remotes/origin/main`; absent when no refspec covers it.
    pub tracking: Option<BString>,
}

/// Why remotes were not read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{0}` is not a valid remote name")]
    Name(String),
    #[error(transparent)]
    Url(#[from] UrlError),
    #[error("the remote `{0}` already exists")]
    Exists(RemoteName),
    #[error("there is no remote `{0}`")]
    Absent(RemoteName),
    /// A tracking ref of another remote has a name as whose folder, or in whose folder, another would come.
    #[error("`{}` is in the way", crate::printable(.0))]
    Taken(BString),
    #[error(transparent)]
    Git(#[from] GitError),
}

impl RemoteName {
    pub fn parse(name: &str) -> Result<Self, Error> {
        let valid = !name.is_empty()
            && !name.starts_with('-')
            && gix::refs::FullName::try_from(format!("refs/remotes/{name}/x").as_str()).is_ok()
            && gix::remote::name::validated(name).is_ok();
        valid.then(|| Self(name.into())).ok_or_else(|| Error::Name(crate::printable(name.as_bytes())))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn section(&self) -> Option<&BStr> {
        Some(self.0.as_str().into())
    }

    /// `refs/remotes/<name>/`
    fn ref_prefix(&self) -> String {
        format!("refs/remotes/{}/", self.0)
    }
}

impl fmt::Display for RemoteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// All remotes, ordered by name.
pub fn list(scope: &Scope) -> Result<Vec<Remote>, Error> {
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    let mut remotes: Vec<Remote> = Vec::new();
    for name in repo.remote_names() {
        if let Some(remote) = name.to_str().ok().and_then(|name| RemoteName::parse(name).ok()) {
            remotes.push(read(config.plumbing(), remote));
        }
    }
    sorting::sort_by(&mut remotes, |a, b| a.name.cmp(&b.name));
    Ok(remotes)
}

/// The remotes of `--all`: all but those with `remote.<name>.skipFetchAll`.
pub fn fetched_with_all(scope: &Scope) -> Result<Vec<Target>, Error> {
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    let skipped = |name: &RemoteName| {
        let set = |key| config.plumbing().boolean_by("remote", name.section(), key);
        ["skipFetchAll", "skipDefaultUpdate"].into_iter().any(|key| matches!(set(key), Ok(Some(true))))
    };
    let all = list(scope)?.into_iter().map(|remote| remote.name);
    Ok(all.filter(|name| !skipped(name)).map(Target::Named).collect())
}

pub fn get(scope: &Scope, name: &RemoteName) -> Result<Remote, Error> {
    list(scope)?.into_iter().find(|remote| remote.name == *name).ok_or_else(|| Error::Absent(name.clone()))
}

fn read(config: &File, name: RemoteName) -> Remote {
    let all = |key| values(config, &name, key).into_iter().map(RemoteUrl::configured).collect::<Vec<_>>();
    let (urls, own) = (all("url"), all("pushurl"));
    let url = urls.first().cloned();
    let push_urls = match (own.is_empty(), urls.len()) {
        (true, 0 | 1) => Vec::new(),
        (true, _) => urls,
        (false, _) => own,
    };
    let host = host_of(config, &name);
    Remote { url, push_urls, host, name }
}

/// The host's remote that this one shares, `None` for one with a URL of its own.
pub(super) fn host_of(config: &gix::config::File, name: &RemoteName) -> Option<RemoteName> {
    let value = config.string_by("remote", Some(BStr::new(name.as_str())), HOST)?;
    value.to_str().ok().and_then(|host| RemoteName::parse(host).ok())
}

/// The values of a remote's setting after the last empty one, which clears the list.
pub(crate) fn values(config: &File, remote: &RemoteName, key: &str) -> Vec<BString> {
    let all = config.strings_by("remote", remote.section(), key).unwrap_or_default();
    let start = all.iter().rposition(|value| value.is_empty()).map_or(0, |at| at + 1);
    all[start..].to_vec()
}

/// Adds a remote with tracking refs below `refs/remotes/<name>/`.
pub fn add(scope: &Scope, name: &RemoteName, url: &RemoteUrl) -> Result<(), Error> {
    config_file::edit(scope, |file| add_to(file, name, url))
}

/// The change of the settings that adds a remote, as [`add`] makes it.
pub fn adding(scope: &Scope, name: &RemoteName, url: &RemoteUrl) -> Result<Vec<SettingsMove>, Error> {
    settings_moves::of_change(scope, |file| add_to(file, name, url))
}

fn add_to(file: &mut File, name: &RemoteName, url: &RemoteUrl) -> Result<(), Error> {
    if file.section("remote", name.section()).is_ok() {
        return Err(Error::Exists(name.clone()));
    }
    let act = || format!("add the remote `{name}`");
    let mut section = file.new_section("remote", Some(BString::from(name.as_str()))).during(act())?;
    section.push("url", url.expose()).during(act())?;
    let refspec = format!("+refs/heads/*:{}*", name.ref_prefix());
    section.push("fetch", refspec.as_str()).during(act())?;
    Ok(())
}

/// Sets what is fetched from a remote: these refspecs only, and tags by `remote.<name>.tagOpt` (`None`: the default).
pub fn limit(
    scope: &Scope,
    name: &RemoteName,
    refspecs: &[String],
    tag_option: Option<&str>,
) -> Result<(), Error> {
    config_file::edit(scope, |file| {
        let act = || format!("set the fetch refspec of `{name}`");
        let mut section =
            file.section_mut("remote", name.section()).map_err(|_| Error::Absent(name.clone()))?;
        while section.remove("fetch").is_some() {}
        for refspec in refspecs {
            section.push("fetch", refspec.as_str()).during(act())?;
        }
        if let Some(option) = tag_option {
            section.set("tagOpt", option).during(act())?;
        }
        Ok(())
    })
}

/// The change of the settings that sets a remote's URL.
pub fn setting_url(scope: &Scope, name: &RemoteName, url: &RemoteUrl) -> Result<Vec<SettingsMove>, Error> {
    settings_moves::of_change(scope, |file| {
        let mut section =
            file.section_mut("remote", name.section()).map_err(|_| Error::Absent(name.clone()))?;
        section.set("url", url.expose()).during(format!("set the URL of `{name}`"))?;
        Ok(())
    })
}

/// A change of the settings, and of the tracking refs that belongs to it.
pub type RemoteChange = (Vec<SettingsMove>, Vec<Move>);

/// The change that renames a remote, its tracking refs, and its name in upstreams and push settings.
///
/// # Errors
/// [`Error::Absent`], [`Error::Exists`], [`Error::Taken`], or when settings or refs cannot be read.
pub fn renaming(scope: &Scope, before: &RemoteName, after: &RemoteName) -> Result<RemoteChange, Error> {
    let settings = settings_moves::of_change::<Error>(scope, |file| {
        let is_there = |file: &File, name: &RemoteName| file.section("remote", name.section()).is_ok();
        match (is_there(file, before), is_there(file, after)) {
            (false, _) => return Err(Error::Absent(before.clone())),
            (true, true) => return Err(Error::Exists(after.clone())),
            (true, false) => {}
        }
        let act = || format!("rename the remote `{before}`");
        while file
            .rename_section("remote", before.section(), "remote", Some(BString::from(after.as_str())))
            .is_ok()
        {}
        move_refspecs(file, before, after).during(act())?;
        for (id, key) in referring(file, before) {
            let mut section = file.section_mut_by_id(id).expect("listed just now");
            section.set(key, after.as_str()).during(act())?;
        }
        Ok(())
    })?;
    Ok((settings, renaming_refs(scope, before, after)?))
}

/// The change that removes a remote, its tracking refs, and its name in upstreams and push settings. Left-over parts of
/// a remote that no longer exists can be removed too.
pub fn removing(scope: &Scope, name: &RemoteName) -> Result<RemoteChange, Error> {
    let settings = settings_moves::of_change(scope, |file| {
        if file.remove_section("remote", name.section()).is_none() {
            return Err(Error::Absent(name.clone()));
        }
        while file.remove_section("remote", name.section()).is_some() {}
        for (id, key) in referring(file, name) {
            let mut section = file.section_mut_by_id(id).expect("listed just now");
            while section.remove(key).is_some() {}
            while key == FOLLOWED && section.remove("merge").is_some() {}
        }
        Ok(())
    });
    let left = tracking_refs(scope, name)?;
    let settings = match settings {
        Err(Error::Absent(_)) if !left.is_empty() => Vec::new(),
        settings => settings?,
    };
    let gone = |(name, target): (BString, refs::Target)| Move {
        name,
        expected: Expected::Is(target),
        target: None,
        reason: BString::default(),
    };
    Ok((settings, left.into_iter().map(gone).collect()))
}

const FOLLOWED: &str = "remote";

/// The settings that name the remote: upstreams of branches, and the default push remotes.
fn referring(file: &File, name: &RemoteName) -> Vec<(gix::config::file::SectionId, &'static str)> {
    let mut found = Vec::new();
    for (of, key) in [("branch", FOLLOWED), ("branch", "pushRemote"), ("remote", "pushDefault")] {
        for (section, id) in file.sections_and_ids_by_name(of).into_iter().flatten() {
            let is_of_one = section.header().subsection_name().is_some();
            let names_it = section.value(key).is_some_and(|value| value == name.as_str());
            if names_it && is_of_one == (of == "branch") {
                found.push((id, key));
            }
        }
    }
    found
}

fn move_refspecs(file: &mut File, before: &RemoteName, after: &RemoteName) -> gix::Result<()> {
    let Ok(refspecs) = file.raw_values_by("remote", after.section(), "fetch") else { return Ok(()) };
    let (from, to) = (format!(":{}", before.ref_prefix()), format!(":{}", after.ref_prefix()));
    let moved: Vec<BString> = refspecs.iter().map(|refspec| refspec.replace(&from, &to).into()).collect();
    file.set_existing_raw_multi_value_by(
        "remote",
        after.section(),
        "fetch",
        moved.iter().map(|v| v.as_bstr()),
    )
}

fn tracking_refs(scope: &Scope, name: &RemoteName) -> Result<Vec<(BString, refs::Target)>, GitError> {
    let mut found = Vec::new();
    for name in refs::names(scope, &name.ref_prefix())? {
        if let Some(target) = refs::target(scope, name.as_bstr())? {
            found.push((name, target));
        }
    }
    Ok(found)
}

/// The moves that rename the tracking refs of a remote, with the refs of commits last merged from each, by which a
/// rewritten history is detected.
///
/// # Errors
/// [`Error::Taken`], or references that cannot be read.
pub fn renaming_refs(scope: &Scope, before: &RemoteName, after: &RemoteName) -> Result<Vec<Move>, Error> {
    let (prefix, new) = (before.ref_prefix(), after.ref_prefix());
    let renamed = |name: &BString| match name.strip_prefix(prefix.as_bytes()) {
        Some(rest) => BString::from([new.as_bytes(), rest].concat()),
        None => name.clone(),
    };
    let mut tracking = tracking_refs(scope, before)?;
    let going: HashSet<&BString> = tracking.iter().map(|(name, _)| name).collect();
    let coming: BTreeSet<BString> = tracking.iter().map(|(name, _)| renamed(name)).collect();
    let staying = refs::names(scope, "refs/remotes/")?.into_iter().filter(|name| !going.contains(name));
    for name in staying.collect::<Vec<_>>() {
        let folder = BString::from([name.as_slice(), b"/"].concat());
        let is_below = coming.range(folder.clone()..).next().is_some_and(|next| next.starts_with(&folder));
        let mut above = name.find_iter(b"/").map(|end| BString::from(&name[..end]));
        if is_below || above.any(|above| coming.contains(&above)) {
            return Err(Error::Taken(name));
        }
    }
    let taken = |name: &BString| rescue::taken_name(name.as_bstr());
    let mut names: HashMap<BString, BString> =
        tracking.iter().map(|(name, _)| (name.clone(), renamed(name))).collect();
    for (name, _) in tracking.clone() {
        if let Some(target) = refs::target(scope, taken(&name).as_bstr())? {
            names.insert(taken(&name), taken(&renamed(&name)));
            tracking.push((taken(&name), target));
        }
    }
    let mut moves = Vec::new();
    for (name, target) in &tracking {
        let target = match target {
            refs::Target::Symbolic(of) => refs::Target::Symbolic(renamed(of)),
            refs::Target::Object(_) => target.clone(),
        };
        let (name, reason) = (names[name].clone(), BString::default());
        let expected = refs::target(scope, name.as_bstr())?.map_or(Expected::Absent, Expected::Is);
        moves.push(Move { name, expected, target: Some(target), reason });
    }
    for (name, target) in tracking {
        moves.push(Move { name, expected: Expected::Is(target), target: None, reason: BString::default() });
    }
    Ok(moves)
}

/// The upstream of the branch (without `refs/heads/`).
pub fn upstream(scope: &Scope, branch: &str) -> Result<Option<UpstreamSetting>, Error> {
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    let section: Option<&BStr> = Some(branch.into());
    let value = |key| config.plumbing().string_by("branch", section, key);
    let (Some(remote), Some(merge)) = (value("remote"), value("merge")) else { return Ok(None) };
    let tracking = gix::refs::FullName::try_from(format!("refs/heads/{branch}").as_str())
        .ok()
        .and_then(|name| repo.branch_remote_tracking_ref_name(name.as_ref(), gix::remote::Direction::Fetch))
        .and_then(Result::ok)
        .map(|name| name.as_bstr().to_owned())
        // a branch of this repository
        .or_else(|| (remote == ".").then(|| merge.clone()));
    Ok(Some(UpstreamSetting { remote: remote.to_str_lossy().into_owned(), merge, tracking }))
}

/// Sets the upstream of the branch (without `refs/heads/`) to `merge` (with it) of the remote. Call it after the push
/// or fetch that proved that it exists.
pub fn set_upstream(scope: &Scope, branch: &str, remote: &RemoteName, merge: &BStr) -> Result<(), Error> {
    config_file::edit(scope, |file| {
        let act = || format!("set the upstream of `{branch}`");
        let mut section = file.section_mut_or_create_new("branch", Some(BStr::new(branch))).during(act())?;
        section.set("remote", remote.as_str()).during(act())?;
        section.set("merge", merge).during(act())?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init;
    use gix::refs::transaction::PreviousValue;
    use std::path::Path;

    fn scope() -> (tempfile::TempDir, Scope) {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        (folder, scope)
    }

    fn name(text: &str) -> RemoteName {
        RemoteName::parse(text).unwrap()
    }

    fn url(text: &str) -> RemoteUrl {
        RemoteUrl::parse(text, Path::new("/")).unwrap()
    }

    fn bring(scope: &Scope, (settings, moves): RemoteChange) {
        settings_moves::bring(scope, &settings).unwrap();
        if !moves.is_empty() {
            refs::update(scope, moves, &crate::Signature::anonymous(1)).unwrap();
        }
    }

    fn config(scope: &Scope) -> String {
        std::fs::read_to_string(config_file::path(scope)).unwrap()
    }

    #[test]
    fn names_that_git_refuses_are_refused() {
        for text in ["", "-f", "a b", "a..b", "x/", "a:b", "a*"] {
            assert!(matches!(RemoteName::parse(text), Err(Error::Name(_))), "{text}");
        }
        assert_eq!(name("team/one").as_str(), "team/one");
    }

    #[test]
    fn a_remote_is_added_once_changed_and_listed() {
        let (_folder, scope) = scope();
        add(&scope, &name("origin"), &url("https://me:pw@host/a")).unwrap();
        assert!(matches!(add(&scope, &name("origin"), &url("/x")), Err(Error::Exists(_))));
        add(&scope, &name("b"), &url("host:x")).unwrap();
        bring(&scope, (setting_url(&scope, &name("b"), &url("host:y")).unwrap(), Vec::new()));
        assert!(matches!(setting_url(&scope, &name("c"), &url("/x")), Err(Error::Absent(_))));
        assert!(matches!(adding(&scope, &name("b"), &url("/x")), Err(Error::Exists(_))));
        let all = list(&scope).unwrap();
        let shown: Vec<_> =
            all.iter().map(|remote| format!("{} {}", remote.name, remote.url.as_ref().unwrap())).collect();
        assert_eq!(shown, ["b host:y", "origin https://host/a"]);
        assert_eq!(get(&scope, &name("origin")).unwrap().url.unwrap().expose(), "https://me:pw@host/a");
    }

    #[test]
    fn renaming_and_removing_take_refs_and_upstreams_along_and_leave_comments() {
        let (_folder, scope) = scope();
        add(&scope, &name("origin"), &url("/x")).unwrap();
        let text = config(&scope) + "# kept\n[user]\n\tname = A ; B\n";
        brv_base::fs::replace(&config_file::path(&scope), text.as_bytes(), brv_base::fs::Durability::Later)
            .unwrap();
        set_upstream(&scope, "main", &name("origin"), "refs/heads/main".into()).unwrap();
        let tree = scope.repo.empty_tree().id;
        let blob = scope.repo.write_object(gix::objs::Tree::empty()).unwrap().detach();
        assert_eq!(tree, blob);
        for reference in
            ["refs/remotes/origin/main", "refs/remotes/other/main", "refs/brv/taken/remotes/origin/main"]
        {
            scope.repo.reference(reference, blob, PreviousValue::Any, "test").unwrap();
        }
        let taken = RemoteName::parse("other/main/hub").unwrap();
        assert!(matches!(renaming(&scope, &name("origin"), &taken), Err(Error::Taken(_))));
        bring(&scope, renaming(&scope, &name("origin"), &name("hub")).unwrap());
        let followed = upstream(&scope, "main").unwrap().unwrap();
        assert_eq!(
            followed,
            UpstreamSetting {
                remote: "hub".into(),
                merge: "refs/heads/main".into(),
                tracking: Some("refs/remotes/hub/main".into())
            }
        );
        let refs = || -> Vec<String> {
            let references = scope.repo.references().unwrap();
            references.all().unwrap().map(|r| r.unwrap().name().as_bstr().to_string()).collect()
        };
        let taken = "refs/brv/taken/remotes/hub/main";
        assert_eq!(refs(), [taken, "refs/remotes/hub/main", "refs/remotes/other/main"]);
        scope.repo.find_reference(taken).unwrap().delete().unwrap();
        assert!(config(&scope).contains("# kept\n[user]\n\tname = A ; B\n"));
        bring(&scope, removing(&scope, &name("hub")).unwrap());
        assert_eq!(refs(), ["refs/remotes/other/main"]);
        assert_eq!(upstream(&scope, "main").unwrap(), None);
        for number in 0..40 {
            let reference = format!("refs/remotes/hub/b{number}");
            scope.repo.reference(reference, blob, PreviousValue::Any, "test").unwrap();
        }
        bring(&scope, (Vec::new(), renaming_refs(&scope, &name("hub"), &name("hub2")).unwrap()));
        assert_eq!(refs().iter().filter(|name| name.starts_with("refs/remotes/hub2/b")).count(), 40);
        bring(&scope, removing(&scope, &name("hub2")).unwrap());
        assert_eq!(refs(), ["refs/remotes/other/main"]);
        assert!(!config(&scope).contains("hub") && !config(&scope).contains("branch"), "{}", config(&scope));
        assert!(matches!(removing(&scope, &name("hub")), Err(Error::Absent(_))));
    }
}
