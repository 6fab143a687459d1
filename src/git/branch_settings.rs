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

/// Let a branch follow another.
///
/// # Errors
/// Settings that cannot be written.
pub fn follow(scope: &Scope, branch: &str, followed: &Followed) -> Result<(), Error> {
    config_file::edit(scope, |file| {
        let act = || format!("set the upstream of `{branch}`");
        let mut section = file.section_mut_or_create_new("branch", Some(BStr::new(branch))).during(act())?;
        section.set("remote", followed.remote.as_str()).during(act())?;
        section.set("merge", followed.merge.as_bstr()).during(act())?;
        Ok(())
    })
}

/// Let a branch follow none. Whether it followed one.
///
/// # Errors
/// Settings that cannot be written.
pub fn unfollow(scope: &Scope, branch: &str) -> Result<bool, Error> {
    config_file::edit(scope, |file| {
        let mut followed = false;
        for id in sections(file, branch) {
            let mut section = file.section_mut_by_id(id).expect("listed just now");
            while section.remove("remote").is_some() {
                followed = true;
            }
            while section.remove("merge").is_some() {
                followed = true;
            }
            if section.num_values() == 0 {
                file.remove_section_by_id(id);
            }
        }
        Ok(followed)
    })
}

/// What is set of a branch goes to another name; what was set of that one stays in force behind it, as in git.
///
/// # Errors
/// Settings that cannot be written.
pub fn rename(scope: &Scope, before: &str, after: &str) -> Result<(), Error> {
    config_file::edit(scope, |file| {
        let (from, to) = (Some(BStr::new(before)), BString::from(after));
        while file.rename_section("branch", from, "branch", Some(to.clone())).is_ok() {}
        Ok(())
    })
}

/// Forget what is set of a branch.
///
/// # Errors
/// Settings that cannot be written.
pub fn forget(scope: &Scope, branch: &str) -> Result<(), Error> {
    config_file::edit(scope, |file| {
        while file.remove_section("branch", Some(BStr::new(branch))).is_some() {}
        Ok(())
    })
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

    #[test]
    fn what_is_set_of_a_branch_goes_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let scope = crate::git::init(folder.path(), "main").unwrap();
        let followed = Followed { remote: "origin".into(), merge: "refs/heads/topic".into() };
        follow(&scope, "topic", &followed).unwrap();
        rename(&scope, "topic", "done").unwrap();
        let upstream = |name: &str| crate::git::remotes::upstream(&scope, name).unwrap();
        assert!(upstream("topic").is_none());
        assert_eq!(upstream("done").unwrap().merge, "refs/heads/topic");
        assert!(unfollow(&scope, "done").unwrap());
        assert!(!unfollow(&scope, "done").unwrap());
        follow(&scope, "done", &followed).unwrap();
        forget(&scope, "done").unwrap();
        let config = std::fs::read_to_string(folder.path().join(".git/config")).unwrap();
        assert!(!config.contains("branch"), "{config}");
    }
}
