//! Maps the remote's refs to local names by the refspecs of a fetch.
//!
//! Reads refs and objects of this repository; does not talk to the remote.

use super::local_refs::LocalRefs;
use super::{Error, Tags};
use crate::error::{During, Error as GitError};
use crate::net::transport::RemoteEndpoint;
use bstr::{BStr, BString, ByteSlice as _};
use gix::ObjectId;
use gix::protocol::handshake::Ref;
use gix::refspec::match_group::{Item, SourceRef};
use gix::refspec::parse::Operation;
use gix::refspec::{MatchGroup, RefSpec};
use std::collections::{HashMap, HashSet};

pub(super) struct Specs {
    /// The caller's refspecs, or those in the settings.
    pub asked: Vec<RefSpec>,
    /// The refspecs in the settings, if the caller gave others: tracking refs of branches that are fetched anyway are
    /// updated too.
    pub also: Vec<RefSpec>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WantedRef {
    /// Its name on the remote; empty for a bare id.
    pub remote: BString,
    pub id: ObjectId,
    pub local: Option<BString>,
    /// Whether a non-fast-forward update is allowed.
    pub force: bool,
    pub reason: WantReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantReason {
    Named,
    /// A refspec has a pattern that matches it.
    Matched,
    /// Another refspec fetches it, and the settings have a tracking ref for it.
    Remembered,
}

/// A wildcard refspec that covers every tag.
const ALL_TAGS: &str = "refs/tags/*:refs/tags/*";

pub(super) fn specs(
    repo: &gix::Repository,
    endpoint: &RemoteEndpoint,
    refspecs: &[String],
) -> Result<Specs, Error> {
    let configured = match &endpoint.name {
        Some(name) => repo
            .find_remote(name.as_str())
            .during(format!("read the settings of `{name}`"))?
            .refspecs(gix::remote::Direction::Fetch)
            .to_vec(),
        None => Vec::new(),
    };
    if refspecs.is_empty() {
        let asked = if configured.is_empty() { vec![parse("HEAD")?] } else { configured };
        return Ok(Specs { asked, also: Vec::new() });
    }
    let asked = refspecs.iter().map(|refspec| parse(refspec)).collect::<Result<_, _>>()?;
    Ok(Specs { asked, also: configured })
}

fn parse(refspec: &str) -> Result<RefSpec, Error> {
    gix::refspec::parse(refspec.into(), Operation::Fetch)
        .map(|parsed| parsed.to_owned())
        .map_err(|_| Error::Refspec(crate::printable(refspec.as_bytes())))
}

impl Specs {
    /// The ref prefixes to request from the server. (Servers may list more.)
    pub fn prefixes(&self) -> Vec<String> {
        let mut prefixes = vec!["HEAD".to_owned(), "refs/heads/".into(), "refs/tags/".into()];
        for refspec in &self.asked {
            let mut expanded = Vec::new();
            refspec.to_ref().expand_prefixes(&mut expanded);
            prefixes.extend(expanded.iter().map(ToString::to_string));
        }
        prefixes.sort();
        prefixes.dedup();
        prefixes
    }
}

/// Everything to fetch. Includes tags of objects that exist here; tags of objects to be received are not known yet.
pub(super) fn wanted(
    repo: &gix::Repository,
    specs: &Specs,
    offered: &[Ref],
    tags: Tags,
    local: &LocalRefs<'_>,
) -> Result<Vec<WantedRef>, Error> {
    let mut wanted = mapped(&specs.asked, offered)?;
    for refspec in &specs.asked {
        let source = source_of(refspec);
        if !source.contains(&b'*') && mapped(std::slice::from_ref(refspec), offered)?.is_empty() {
            return Err(Error::NoSuchRef(crate::printable(&source)));
        }
    }
    let mut known: HashMap<BString, HashSet<Option<BString>>> = HashMap::new();
    for one in &wanted {
        known.entry(one.remote.clone()).or_default().insert(one.local.clone());
    }
    for mut remembered in mapped(&specs.also, offered)? {
        if known.get(&remembered.remote).is_some_and(|locals| !locals.contains(&remembered.local)) {
            remembered.reason = WantReason::Remembered;
            wanted.push(remembered);
        }
    }
    let more = match tags {
        Tags::None => Vec::new(),
        Tags::All => mapped(&[parse(ALL_TAGS)?], offered)?,
        Tags::Following | Tags::Configured if wanted.iter().all(|one| one.local.is_none()) => Vec::new(),
        Tags::Following | Tags::Configured => {
            following(local, offered, |id| repo.objects.exists_without_refresh(id))?
        }
    };
    add_new(&mut wanted, more);
    Ok(wanted)
}

/// Adds those whose local name is not taken yet.
pub(super) fn add_new(wanted: &mut Vec<WantedRef>, more: Vec<WantedRef>) {
    let taken: HashSet<Option<BString>> = wanted.iter().map(|one| one.local.clone()).collect();
    wanted.extend(more.into_iter().filter(|one| !taken.contains(&one.local)));
}

/// Tags that are missing here, and whose target exists according to `has`.
pub(super) fn following(
    local: &LocalRefs<'_>,
    offered: &[Ref],
    has: impl Fn(&gix::oid) -> bool,
) -> Result<Vec<WantedRef>, Error> {
    let mut tags = mapped(&[parse(ALL_TAGS)?], offered)?;
    let peeled: HashMap<&BStr, ObjectId> = offered
        .iter()
        .filter_map(|reference| {
            let (name, id, peeled) = reference.unpack();
            Some((name, peeled.or(id)?.to_owned()))
        })
        .collect();
    if tags.is_empty() {
        return Ok(tags);
    }
    tags.retain(|tag| {
        let new = local.get(tag.remote.as_bstr()).ok().flatten().is_none();
        new && peeled.get(tag.remote.as_bstr()).is_some_and(|id| has(id))
    });
    Ok(tags)
}

fn source_of(refspec: &RefSpec) -> BString {
    refspec.to_ref().source().unwrap_or_default().to_owned()
}

pub(super) fn mapped(refspecs: &[RefSpec], offered: &[Ref]) -> Result<Vec<WantedRef>, GitError> {
    let null = ObjectId::null(gix::hash::Kind::Sha1);
    let group = MatchGroup::from_fetch_specs(refspecs.iter().map(RefSpec::to_ref));
    let matched = group.match_lhs(offered.iter().map(|reference| {
        let (full_ref_name, target, object) = reference.unpack();
        Item { full_ref_name, target: target.unwrap_or(&null), object }
    }));
    let (matched, _) = matched.validated().during("match the refs of the remote")?;
    let mut wanted = Vec::new();
    for mapping in matched.mappings {
        let (remote, id) = match (mapping.item_index, &mapping.lhs) {
            (Some(at), _) => {
                let (name, id, _) = offered[at].unpack();
                // an unborn branch has nothing to fetch
                let Some(id) = id else { continue };
                (name.to_owned(), id.to_owned())
            }
            (None, SourceRef::ObjectId(id)) => (BString::default(), *id),
            (None, _) => continue,
        };
        wanted.push(WantedRef {
            remote,
            id,
            local: mapping.rhs.map(std::borrow::Cow::into_owned),
            force: refspecs[mapping.spec_index].allow_non_fast_forward(),
            reason: if source_of(&refspecs[mapping.spec_index]).contains(&b'*') {
                WantReason::Matched
            } else {
                WantReason::Named
            },
        });
    }
    Ok(wanted)
}
