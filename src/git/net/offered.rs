//! Lists the branches that a remote offers, without fetching anything.

use super::network::{Error, Network};
use super::transport::{self, Peer};
use crate::id::CommitId;
use crate::repository::config_file;
use crate::repository::scope::Scope;
use crate::settings::remotes::Target;
use bstr::{BString, ByteSlice as _};
use gix::protocol::handshake::Ref;
use gix::protocol::transport::Service;
use gix::remote::Direction;

/// What a remote offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfferedBranches {
    /// Its branches (without `refs/heads/`) and their commits, in its order.
    pub branches: Vec<(BString, CommitId)>,
    /// The branch that its `HEAD` names (without `refs/heads/`), whether or not it has a commit.
    pub default: Option<BString>,
}

impl OfferedBranches {
    /// The commit of a branch.
    pub fn commit_of(&self, branch: &[u8]) -> Option<CommitId> {
        self.branches.iter().find(|(name, _)| name == branch).map(|(_, commit)| *commit)
    }
}

/// The branches of a remote whose names begin with one of `beginnings`, and the branch of its `HEAD`. The settings and
/// credentials are those of `scope`.
///
/// # Errors
/// [`Error`].
pub fn branches(
    scope: &Scope,
    target: &Target,
    beginnings: &[&str],
    network: &Network<'_>,
) -> Result<OfferedBranches, Error> {
    let repo = config_file::reloaded(scope)?;
    let endpoint = transport::endpoint(&repo, target, Direction::Fetch, network.environment)?;
    let mut peer = transport::open(&repo, &endpoint, Service::UploadPack, network)?;
    let prefixes: Vec<String> = std::iter::once("HEAD".to_owned())
        .chain(beginnings.iter().map(|beginning| format!("refs/heads/{beginning}")))
        .collect();
    let refs = match &mut peer {
        Peer::Session(session) => session.refs(&prefixes)?,
        Peer::Folder(folder) => folder.refs()?,
    };
    Ok(of(&refs, beginnings))
}

fn of(refs: &[Ref], beginnings: &[&str]) -> OfferedBranches {
    let mut offered = OfferedBranches::default();
    for one in refs {
        let (name, id, peeled) = one.unpack();
        if name == "HEAD" {
            let (Ref::Symbolic { target, .. } | Ref::Unborn { target, .. }) = one else { continue };
            let Some(branch) = target.strip_prefix(b"refs/heads/") else { continue };
            offered.default = Some(branch.into());
            if let Some(id) = id {
                offered.add(branch.into(), CommitId(peeled.unwrap_or(id).to_owned()));
            }
        } else if let (Some(branch), Some(id)) = (name.strip_prefix(b"refs/heads/"), id)
            && beginnings.iter().any(|beginning| branch.starts_with_str(beginning))
        {
            offered.add(branch.into(), CommitId(id.to_owned()));
        }
    }
    offered
}

impl OfferedBranches {
    fn add(&mut self, branch: BString, commit: CommitId) {
        if self.commit_of(&branch).is_none() {
            self.branches.push((branch, commit));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gix::ObjectId;

    #[test]
    fn the_branch_of_head_is_offered_whatever_its_name() {
        let id = |digit: u8| ObjectId::from_hex(&[digit; 40]).unwrap();
        let direct = |name: &str, digit| Ref::Direct { full_ref_name: name.into(), object: id(digit) };
        let head = Ref::Symbolic {
            full_ref_name: "HEAD".into(),
            target: "refs/heads/trunk".into(),
            tag: None,
            object: id(b'a'),
        };
        let refs = [
            head,
            direct("refs/heads/trunk", b'a'),
            direct("refs/heads/brv/x", b'b'),
            direct("refs/heads/y", b'c'),
        ];
        let offered = of(&refs, &["brv/"]);
        assert_eq!(offered.default, Some("trunk".into()));
        let names: Vec<&BString> = offered.branches.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["trunk", "brv/x"]);
        assert_eq!(offered.commit_of(b"brv/x"), Some(CommitId(id(b'b'))));
        assert_eq!(of(&refs[1..], &[]), OfferedBranches::default());
    }
}
