//! The host repository: the git repository that the project itself may be. It gets an ignore rule for `.brv/`, and its
//! remote can be used.

use super::remote_choice::{self, Unclear, named};
use crate::open::context::Opened;
use crate::open::hosting::Host;
use crate::open::tree::{self, BRV_FOLDER};
use crate::{OrStop, Stop};
use brv_base::fs::{self, Durability};
use brv_git::host_remote::Address;
use brv_git::remotes::{self, Remote, RemoteName};
use brv_git::{RemoteUrl, Scope};
use std::path::Path;

/// Whether a line was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    Added,
    AlreadyThere,
}

/// Whether an ignore rule excludes all of `.brv/`.
fn is_exclusion(line: &[u8]) -> bool {
    let forms = [".brv/", ".brv", "/.brv/", "/.brv"];
    forms.iter().any(|form| line.trim_ascii() == form.as_bytes())
}

/// Remove the line `.brv/` from a file of ignore rules, so that `.brv/` can be tracked. Returns the old bytes.
pub fn include(file: &Path) -> Result<Vec<u8>, fs::Error> {
    let before = fs::read_if_there(file)?.unwrap_or_default();
    let kept: Vec<&[u8]> =
        before.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_exclusion(line)).collect();
    let after = kept.concat();
    if after != before {
        fs::replace(file, &after, Durability::Now)?;
    }
    Ok(before)
}

/// Add the line `.brv/` to a file of ignore rules if it is missing.
pub fn exclude(file: &Path) -> Result<Exclusion, fs::Error> {
    let mut text = fs::read_if_there(file)?.unwrap_or_default();
    if text.split(|byte| *byte == b'\n').any(is_exclusion) {
        return Ok(Exclusion::AlreadyThere);
    }
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend_from_slice(format!("{BRV_FOLDER}/\n").as_bytes());
    fs::replace(file, &text, Durability::Now)?;
    Ok(Exclusion::Added)
}

/// Open the host repository of the project.
fn open(opened: &Opened) -> Result<Scope, Stop> {
    let project = &opened.places.project;
    let folder = tree::host_work_tree(project).ok_or_else(|| {
        let place = project.display();
        Stop::usage(format!("`{place}` is not in a git repository, so there is no remote to use"))
            .hint("give the address: `brv vc remote add NAME URL`")
    })?;
    Ok(Host::at(opened, folder)?.scope)
}

/// The location of the host's remote: the one that is named, else the upstream of the host's current branch, `origin`,
/// or the only one. A path is relative to the host's work tree, as in git.
pub fn remote(opened: &Opened, typed: Option<&str>) -> Result<Address, Stop> {
    let host = open(opened)?;
    let choice = |error| unclear(host.work_tree(), error);
    let name = match typed {
        Some(name) => RemoteName::parse(name)?,
        None => remote_choice::usual(&host, &host.head()?).map_err(choice)?,
    };
    address(&host, &remotes::get(&host, &name).map_err(|error| choice(named(error).into()))?)
}

/// None is set up, or which one is not clear.
fn unclear(host: &Path, error: OrStop<Unclear>) -> Stop {
    let (remotes, stop) = match error {
        OrStop::This(Unclear(remotes)) => (Some(remotes.clone()), Unclear(remotes).into()),
        OrStop::Stop(stop) => (None, stop),
    };
    let stop = Stop::new(stop.kind, format!("the host repository at `{}`: {}", host.display(), stop.message));
    match remotes {
        None => stop,
        Some(remotes) if remotes.is_empty() => stop.hint(
            "add one to the project's repository with `git remote add origin URL`, or give the tree its own address",
        ),
        Some(remotes) => {
            stop.detailing(remotes.iter().map(ToString::to_string)).hint("name one: `--host=REMOTE`")
        }
    }
}

fn address(host: &Scope, remote: &Remote) -> Result<Address, Stop> {
    let usable = |url: &RemoteUrl| {
        let text = url.expose().to_string();
        RemoteUrl::parse(&text, host.work_tree()).map_err(|error| {
            Stop::usage(format!("the URL of the host repository's remote `{}`: {error}", remote.name))
        })
    };
    let url = remote.url.as_ref().ok_or_else(|| {
        Stop::usage(format!("the remote `{}` of the host repository has no URL", remote.name))
    })?;
    Ok(Address {
        host: remote.name.clone(),
        url: usable(url)?,
        push_urls: remote.push_urls.iter().map(usable).collect::<Result<_, _>>()?,
    })
}

/// The current location of the host's remote if it has changed since it was copied to the tree; `None` even if the host
/// cannot be read any more.
pub fn moved(opened: &Opened, ours: &Remote) -> Option<RemoteUrl> {
    let address = remote(opened, Some(ours.host.as_ref()?.as_str())).ok()?;
    let url = address.url.without_password();
    (ours.url.as_ref() != Some(&url)).then_some(url)
}
