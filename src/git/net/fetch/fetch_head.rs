//! Writes `FETCH_HEAD` in git's format, so that git run by hand can merge what was fetched last. brv never reads it.

use super::map::{WantReason, WantedRef};
use super::{FetchUpdateKind, Options, Update};
use crate::error::{During, Error};
use crate::net::transport::RemoteEndpoint;
use bstr::{BStr, BString, ByteSlice as _};
use gix::Repository;
use std::collections::HashSet;

/// Overwrites the file. The branch to merge comes first, then the rest, each with its remote name and the URL.
#[allow(
    clippy::disallowed_methods,
    reason = "fetches hold no lock: nobody could tell the temporary file of a killed one from a live one's"
)]
pub(super) fn write(
    repo: &Repository,
    endpoint: &RemoteEndpoint,
    wanted: &[WantedRef],
    updates: &[Update],
    options: &Options,
) -> Result<(), Error> {
    let refused: HashSet<&BString> = updates
        .iter()
        .filter(|update| is_refused(update))
        .filter_map(|update| update.local.as_ref())
        .collect();
    let followed = followed(repo, endpoint);
    let address = shortened(&endpoint.shown);
    let (mut first, mut rest) = (BString::default(), BString::default());
    let kept = |one: &&WantedRef| one.local.as_ref().is_none_or(|local| !refused.contains(local));
    let told = |one: &&WantedRef| one.reason != WantReason::Remembered;
    for one in wanted.iter().filter(told).filter(kept) {
        let merged = if options.refspecs.is_empty() {
            followed.as_ref().map_or(one.remote == "HEAD", |followed| *followed == one.remote)
        } else {
            one.reason == WantReason::Named
        };
        let (lines, mark) = if merged { (&mut first, "") } else { (&mut rest, "not-for-merge") };
        lines.extend_from_slice(format!("{}\t{mark}\t", one.id).as_bytes());
        lines.extend_from_slice(&described(one.remote.as_bstr()));
        lines.extend_from_slice(address.as_bytes());
        lines.push(b'\n');
    }
    first.extend_from_slice(&rest);
    std::fs::write(repo.git_dir().join("FETCH_HEAD"), &first).during("write `FETCH_HEAD`")
}

const fn is_refused(update: &Update) -> bool {
    matches!(update.kind, FetchUpdateKind::Refused(super::FetchRefusal::ShallowRemote))
}

/// The remote branch that the current branch tracks.
fn followed(repo: &Repository, endpoint: &RemoteEndpoint) -> Option<BString> {
    let name = endpoint.name.as_ref()?;
    let head = repo.head_name().ok().flatten()?;
    let branch = head.as_bstr().strip_prefix(b"refs/heads/")?.as_bstr();
    let config = repo.config_snapshot();
    let value = |key| config.plumbing().string_by("branch", Some(branch), key);
    (value("remote")? == name.as_str()).then(|| value("merge")).flatten()
}

/// `branch 'main' of `, in git's wording.
fn described(name: &BStr) -> BString {
    let kinds =
        [("refs/heads/", "branch "), ("refs/tags/", "tag "), ("refs/remotes/", "remote-tracking branch ")];
    for (prefix, kind) in kinds {
        if let Some(short) = name.strip_prefix(prefix.as_bytes()) {
            return [kind.as_bytes(), b"'", short, b"' of "].concat().into();
        }
    }
    if name.is_empty() || name == "HEAD" {
        return BString::default();
    }
    [b"'".as_slice(), name, b"' of "].concat().into()
}

/// The URL without trailing slashes and `.git`.
fn shortened(address: &str) -> &str {
    let address = address.trim_end_matches('/');
    address.strip_suffix(".git").filter(|rest| !rest.is_empty() && !rest.ends_with('/')).unwrap_or(address)
}
