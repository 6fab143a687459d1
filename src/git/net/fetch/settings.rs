//! Fills in fetch options that the caller left open from the repository's settings.
//!
//! Reads settings only.

use super::{Options, Prune, Tags};
use crate::settings::remotes::Target;
use bstr::BStr;

pub(super) fn settled(repo: &gix::Repository, options: &Options) -> Options {
    let mut options = options.clone();
    if options.prune == Prune::Configured {
        options.prune = if prunes(repo, &options.target) { Prune::Delete } else { Prune::Keep };
    }
    if options.tags == Tags::Configured {
        options.tags = tags(repo, &options.target);
    }
    options
}

/// `remote.<name>.prune`, else `fetch.prune`.
fn prunes(repo: &gix::Repository, target: &Target) -> bool {
    let config = repo.config_snapshot();
    let own = match target {
        Target::Named(name) => config.boolean(format!("remote.{name}.prune").as_str()),
        Target::Url(_) => None,
    };
    own.or_else(|| config.boolean("fetch.prune")).unwrap_or(false)
}

/// `remote.<name>.tagOpt`: `--tags`, `--no-tags`, or anything else for the default.
fn tags(repo: &gix::Repository, target: &Target) -> Tags {
    let Target::Named(name) = target else { return Tags::Following };
    let config = repo.config_snapshot();
    let value = config.plumbing().string_by("remote", Some(BStr::new(name.as_str())), "tagOpt");
    match value.as_deref().map(|value| value.as_ref() as &[u8]) {
        Some(b"--tags") => Tags::All,
        Some(b"--no-tags") => Tags::None,
        _ => Tags::Following,
    }
}
