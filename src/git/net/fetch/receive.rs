//! Receives objects: negotiates and downloads a pack from a server, or copies from a folder of this machine.
//!
//! Moves no ref.

use super::forbidden::Forbidden;
use super::local_refs::LocalRefs;
use super::map::{WantedRef, following};
use super::quarantine::{Failure, Keep, Quarantine};
use super::{ConnectivityTrust, Error, GitError, Tags, depth};
use crate::error::is_disk_full;
use crate::history::ancestry;
use crate::history::shallow::{self, Depth, Roots, Shift};
use crate::net::network::{self, Network};
use crate::net::transport::{AGENT, Peer, RemoteSession};
use crate::net::{local, missing_objects, panics};
use crate::objects::pack::progress::with_progress;
use crate::objects::pack::{PackError, ReceiveError};
use crate::refs::packed_refs;
use brv_base::progress::Stage;
use bstr::ByteSlice as _;
use gix::ObjectId;
use gix::protocol::Handshake;
use gix::protocol::fetch::negotiate::{self, Action, Round, one_round};
use gix::protocol::fetch::refmap::{Mapping, Source, SpecIndex};
use gix::protocol::fetch::response::ShallowUpdate;
use gix::protocol::fetch::{Arguments, Context, Negotiate, RefMap, Response, Shallow};
use gix::protocol::handshake::Ref;
use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::Capabilities;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;

/// The received objects, protected from garbage collection until refs name them.
#[derive(Debug, Default)]
pub(super) struct Received {
    pub objects: usize,
    /// The change of the boundary, if any.
    pub boundary: Option<Shift>,
    pub keep: Option<Keep>,
}

impl Received {
    /// Sets the new boundary. If it must not change, refs that would need it are forbidden.
    pub fn settle_boundary(
        &mut self,
        repo: &gix::Repository,
        order: &ReceiveRequest<'_>,
    ) -> Result<Forbidden, GitError> {
        let Some(boundary) = &self.boundary else { return Ok(Forbidden::default()) };
        if order.depth != Depth::Unchanged || order.roots == Roots::Accept {
            shallow::shift(repo, boundary)?;
            return Ok(Forbidden::default());
        }
        Ok(Forbidden { roots: boundary.added.clone() })
    }

    /// Ends the protection from garbage collection, once the refs exist.
    pub fn release(&mut self) -> Result<(), GitError> {
        self.keep.take().map_or(Ok(()), Keep::remove)
    }
}

pub(super) struct ReceiveRequest<'a> {
    pub wanted: &'a [WantedRef],
    pub offered: &'a [Ref],
    pub local: &'a LocalRefs<'a>,
    pub tags: Tags,
    pub depth: Depth,
    pub roots: Roots,
    pub presence: &'a ConnectivityTrust,
}

pub(super) fn receive(
    repo: &gix::Repository,
    peer: &mut Peer,
    order: &ReceiveRequest<'_>,
    network: &Network<'_>,
) -> Result<Received, Error> {
    match peer {
        Peer::Folder(folder) => from_folder(repo, folder, order, network),
        Peer::Session(session) => {
            let state = Present::of(repo, order)?;
            if order.wanted.is_empty() || (order.depth == Depth::Unchanged && state == Present::Whole) {
                session.end();
                return Ok(Received::default());
            }
            panics::exchange(&session.shown(), || from_server(repo, session, order, state, network))
        }
    }
}

fn from_folder(
    repo: &gix::Repository,
    folder: &local::LocalRemote,
    order: &ReceiveRequest<'_>,
    network: &Network<'_>,
) -> Result<Received, Error> {
    let want: Vec<_> = order.wanted.iter().map(|one| one.id).collect();
    let asked = local::LocalFetchRequest { want: &want, depth: order.depth, roots: order.roots };
    let copied = local::transfer(&folder.repo, repo, &asked, Stage::Receive, network)?;
    let mut received = Received { objects: copied.objects, boundary: copied.boundary, keep: None };
    if order.tags == Tags::Following && order.wanted.iter().any(|one| one.local.is_some()) {
        // a server sends tags with their targets
        let tags = following(order.local, order.offered, |id| repo.has_object(id))?;
        let want: Vec<_> = tags.iter().map(|tag| tag.id).collect();
        let asked = local::LocalFetchRequest { want: &want, depth: Depth::Unchanged, roots: Roots::Refuse };
        received.objects += local::transfer(&folder.repo, repo, &asked, Stage::Receive, network)?.objects;
    }
    Ok(received)
}

/// How much of the wanted objects exists here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Present {
    /// Everything, with its history.
    Whole,
    /// Some of the wanted objects without all that they reach: an earlier fetch failed.
    Broken,
    /// Not everything, but what exists is complete.
    Partly,
}

impl Present {
    fn of(repo: &gix::Repository, order: &ReceiveRequest<'_>) -> Result<Self, GitError> {
        let (here, absent): (Vec<_>, Vec<_>) =
            order.wanted.iter().partition(|one: &&WantedRef| repo.has_object(one.id));
        let unbroken = if absent.is_empty() { Self::Whole } else { Self::Partly };
        // objects that local refs name are complete
        let unheld = |one: &&WantedRef| {
            let local = one.local.as_ref().and_then(|name| order.local.get(name.as_bstr()).ok().flatten());
            local != Some(one.id)
        };
        let mut new: Vec<ObjectId> = here.into_iter().filter(unheld).map(|one| one.id).collect();
        if let ConnectivityTrust::Whole(tips) = order.presence {
            new.retain(|id| !tips.contains(id));
            // it is not known which of its files exist, so everything is requested
            return Ok(if new.is_empty() { unbroken } else { Self::Broken });
        }
        if new.is_empty() {
            return Ok(unbroken);
        }
        let known = local::tips(repo)?;
        let held: HashSet<_> = known.iter().collect();
        new.retain(|id| !held.contains(id));
        Ok(if missing_objects::is_whole(repo, &new, &known) { unbroken } else { Self::Broken })
    }
}

fn from_server(
    repo: &gix::Repository,
    session: &mut RemoteSession,
    order: &ReceiveRequest<'_>,
    state: Present,
    network: &Network<'_>,
) -> Result<Received, Error> {
    let before = shallow::read(repo)?;
    let version = session.parts().1.server_protocol_version;
    let request = depth::DepthRequest { boundary: &before, depth: order.depth, version };
    let capabilities = &session.parts().1.capabilities;
    if let Some(what) = lacking(capabilities, version).or_else(|| request.lacking(capabilities)) {
        session.end();
        return Err(Error::Incapable { url: session.shown(), what });
    }
    let mut quarantine = Quarantine::begin(repo)?;
    let updates = converse(repo, session, order, (&request, state), &mut quarantine, network)?;
    session.end();
    let after = depth::moved(&before, session.boundary(), updates);
    let admitted = quarantine.admit(repo, order.wanted, (&before, &after));
    let admitted = admitted.map_err(|failure| refusal(session, failure))?;
    let boundary = depth::shift(repo, &before, after, order.depth)?;
    Ok(Received { objects: admitted.objects, boundary, keep: admitted.keep })
}

fn lacking(capabilities: &Capabilities, version: Protocol) -> Option<&'static str> {
    let has = |word| capabilities.contains(word);
    let is_enough =
        version == Protocol::V2 || (has("multi_ack_detailed") && (has("side-band") || has("side-band-64k")));
    (!is_enough).then_some("`multi_ack_detailed` with a side band, which brv needs for fetching")
}

/// Negotiates, and receives the pack. Returns the boundary changes that the server reported.
fn converse(
    repo: &gix::Repository,
    session: &mut RemoteSession,
    order: &ReceiveRequest<'_>,
    (request, state): (&depth::DepthRequest<'_>, Present),
    quarantine: &mut Quarantine,
    network: &Network<'_>,
) -> Result<Vec<ShallowUpdate>, Error> {
    let ref_map = ref_map(order.wanted, order.offered);
    let mut quiet = repo.clone();
    // many lookups fail: do not look for new packs each time
    quiet.objects.refresh_never();
    quiet.objects.unset_object_cache();
    let cache = quiet.commit_graph_if_enabled().ok().flatten();
    let mut graph = ancestry::graph(&quiet, cache.as_ref());
    let mut negotiation = Negotiation {
        repo: &quiet,
        scratch: quarantine.scratch("refs"),
        graph: &mut graph,
        ref_map: &ref_map,
        negotiator: gix::negotiate::Algorithm::Consecutive.into_negotiator(),
        request,
        state,
        updates: Vec::new(),
        done: false,
    };
    let (meter, shallow_file) = (session.meter(), quarantine.scratch("shallow"));
    let mut untaken = None;
    let fetched = with_progress(network.progress, |progress| {
        let (transport, handshake) = session.parts();
        let stateless = !transport.connection_persists_across_multiple_requests();
        let tags = match handshake.capabilities.contains("include-tag") || request.version == Protocol::V2 {
            true => gix::remote::fetch::Tags::Included,
            false => gix::remote::fetch::Tags::None,
        };
        let mut usable = Handshake {
            server_protocol_version: request.version,
            capabilities: depth::usable(&handshake.capabilities, request, stateless),
            ..Handshake::default()
        };
        gix::protocol::fetch(
            &mut negotiation,
            |reader, progress, interrupt| {
                let received = quarantine.receive(repo, reader, progress, interrupt);
                meter.over();
                received.map(|()| true).map_err(|error| set_aside(error, &mut untaken))
            },
            progress,
            network.interrupt,
            Context {
                handshake: &mut usable,
                transport: &mut &mut *transport,
                user_agent: ("agent", Some(AGENT.to_owned())),
                trace_packetlines: false,
            },
            // depth is handled by our own negotiation
            gix::protocol::fetch::Options {
                shallow_file,
                shallow: &Shallow::NoChange,
                tags,
                reject_shallow_remote: false,
            },
        )
    });
    let mut updates = negotiation.updates;
    match fetched {
        Ok(outcome) => {
            updates.extend(outcome.iter().flat_map(|outcome| outcome.last_response.shallow_updates()));
            Ok(updates)
        }
        Err(error) => {
            network.check_interrupt()?;
            Err(failure(repo, session, untaken, error))
        }
    }
}

/// Why received data was rejected.
fn refusal(session: &RemoteSession, failure: Failure) -> Error {
    match failure {
        Failure::Gap(gap) if gap.is_excess() => session.excessive(&gap).into(),
        Failure::Gap(gap) => session.unacceptable(&gap).into(),
        Failure::Git(error) => Error::Git(error),
    }
}

/// The error passed to gitoxide for a rejected pack; the real reason is kept, unless it is the connection.
fn set_aside(error: ReceiveError, untaken: &mut Option<ReceiveError>) -> gix::Error {
    if let ReceiveError::Pack(PackError::Read(error)) = error {
        return gix::Error::from_error(error);
    }
    *untaken = Some(error);
    gix::Error::from_error(io::Error::other("the pack was rejected"))
}

/// The connection ended early, or the data was rejected: a full disk is not the remote's fault.
fn failure(
    repo: &gix::Repository,
    session: &mut RemoteSession,
    untaken: Option<ReceiveError>,
    error: gix::Error,
) -> Error {
    let Some(untaken) = untaken else {
        return match is_disk_full(&error) {
            true => Error::Git(GitError::new(stored(repo), error)),
            false => session.failure(&error).into(),
        };
    };
    match untaken {
        ReceiveError::Git(error) => Error::Git(error.of(stored(repo))),
        ReceiveError::Pack(PackError::Write(error)) => Error::Git(GitError::new(stored(repo), error)),
        ReceiveError::Pack(PackError::Interrupted) => network::Error::Interrupted.into(),
        ReceiveError::Pack(PackError::Excess(excess)) => session.excessive(&excess).into(),
        error @ (ReceiveError::Unpack(_) | ReceiveError::Pack(PackError::Broken(_))) => {
            session.unacceptable(&error).into()
        }
        ReceiveError::Pack(PackError::Read(error)) => session.failure(&gix::Error::from_error(error)).into(),
    }
}

fn stored(repo: &gix::Repository) -> String {
    format!("{STORE} in `{}`", repo.objects.store_ref().path().display())
}

const NO_PACK: &str = "the server sent no pack";
const STORE: &str = "store the received objects";

fn ref_map(wanted: &[WantedRef], offered: &[Ref]) -> RefMap {
    // a server may name a ref twice
    let key = |reference: &'_ Ref| {
        let (name, id, _) = reference.unpack();
        Some((name.to_owned(), id?.to_owned()))
    };
    let named: HashMap<_, _> =
        offered.iter().filter_map(|reference| Some((key(reference)?, reference))).collect();
    let source = |one: &WantedRef| {
        let found = named.get(&(one.remote.clone(), one.id));
        found.map_or(Source::ObjectId(one.id), |reference| Source::Ref((*reference).clone()))
    };
    RefMap {
        mappings: wanted
            .iter()
            .map(|one| Mapping {
                remote: source(one),
                local: one.local.clone(),
                spec_index: SpecIndex::ExplicitInRemote(0),
            })
            .collect(),
        object_hash: gix::hash::Kind::Sha1,
        ..RefMap::default()
    }
}

struct Negotiation<'a, 'find, 'cache> {
    repo: &'a gix::Repository,
    /// A folder that does not exist yet.
    scratch: PathBuf,
    graph: &'a mut gix::negotiate::Graph<'find, 'cache>,
    ref_map: &'a RefMap,
    negotiator: Box<dyn gix::negotiate::Negotiator>,
    request: &'a depth::DepthRequest<'a>,
    state: Present,
    /// The boundary changes that the server reported in the rounds before the last.
    updates: Vec<ShallowUpdate>,
    /// Negotiation is done: a pack is due.
    done: bool,
}

impl Negotiate for Negotiation<'_, '_, '_> {
    fn mark_complete_and_common_ref(&mut self) -> gix::Result<Action> {
        if self.state == Present::Broken {
            // local objects do not count: everything is requested
            let remote_ref_target_known = vec![false; self.ref_map.mappings.len()];
            return Ok(Action::MustNegotiate { remote_ref_target_known });
        }
        let refs = packed_refs::copy(self.repo, &self.scratch).map_err(gix::Error::from_error)?;
        negotiate::mark_complete_and_common_ref(
            &self.repo.objects,
            &refs,
            || Ok(std::iter::empty::<(gix::refs::file::Store, gix::OdbHandle)>()),
            &mut *self.negotiator,
            self.graph,
            self.ref_map,
            &self.request.to_gix(),
            |_| false,
        )
    }

    fn add_wants(&mut self, arguments: &mut Arguments, known: &[bool]) -> bool {
        let objects = &self.repo.objects;
        let shallow = self.request.to_gix();
        let any = negotiate::add_wants(objects, arguments, self.ref_map, known, &shallow, |_| false);
        self.request.add_to(arguments);
        any
    }

    fn one_round(
        &mut self,
        state: &mut one_round::State,
        arguments: &mut Arguments,
        previous_response: Option<&Response>,
    ) -> gix::Result<(Round, bool)> {
        if self.done {
            // gitoxide would request them again and again
            let silence = io::Error::new(io::ErrorKind::ConnectionAborted, NO_PACK);
            return Err(gix::Error::from_error(silence));
        }
        self.updates.extend(previous_response.iter().flat_map(|response| response.shallow_updates()));
        let round =
            negotiate::one_round(&mut *self.negotiator, self.graph, state, arguments, previous_response)?;
        self.done = round.1;
        Ok(round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::fetch::map::WantReason;

    #[test]
    fn what_a_repository_got_while_its_files_were_brought_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let repo = gix::init_bare(folder.path()).unwrap();
        let (before, meanwhile) =
            (repo.write_blob("a").unwrap().detach(), repo.write_blob("b").unwrap().detach());
        let absent = ObjectId::from_hex(&[b'1'; 40]).unwrap();
        let presence = ConnectivityTrust::Whole([before].into());
        let broken = crate::BrokenRefs::default();
        let local = LocalRefs::read(&repo, &broken, 1).unwrap();
        let state = |ids: &[ObjectId]| {
            let wanted: Vec<_> = ids
                .iter()
                .map(|id| WantedRef {
                    remote: "refs/tags/a".into(),
                    id: *id,
                    local: Some("refs/tags/a".into()),
                    force: false,
                    reason: WantReason::Matched,
                })
                .collect();
            let order = ReceiveRequest {
                wanted: &wanted,
                offered: &[],
                local: &local,
                tags: Tags::None,
                depth: Depth::Unchanged,
                roots: Roots::Accept,
                presence: &presence,
            };
            Present::of(&repo, &order).unwrap()
        };
        assert_eq!(state(&[before]), Present::Whole);
        assert_eq!(state(&[before, absent]), Present::Partly);
        assert_eq!(state(&[before, meanwhile]), Present::Broken);
    }
}
