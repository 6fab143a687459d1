//! Getting the objects: negotiation and pack from a server, or a copy from a folder of this machine.
//!
//! Moves no ref.

use super::ends::Ends;
use super::map::{Wanted, following};
use super::quarantine::{Failure, Quarantine};
use super::{Error, GitError, Tags};
use crate::fs;
use crate::git::error::During;
use crate::git::local;
use crate::git::network::{self, Network};
use crate::git::pack::{PackError, ReceiveError};
use crate::git::received::with_progress;
use crate::git::transport::{AGENT, Peer, Session};
use crate::progress::Stage;
use gix::protocol::fetch::negotiate::{self, Action, Round, one_round};
use gix::protocol::fetch::refmap::{Mapping, Source, SpecIndex};
use gix::protocol::fetch::{Arguments, Context, Negotiate, RefMap, Response, Shallow};
use gix::protocol::handshake::Ref;
use std::path::PathBuf;

/// What was received, kept from git's garbage collection until the refs name it.
#[derive(Debug, Default)]
pub(super) struct Received {
    pub objects: usize,
    pub keep: Option<PathBuf>,
}

impl Received {
    /// The refs are there: garbage collection may look at the pack.
    pub fn release(&self) -> Result<(), GitError> {
        if let Some(keep) = &self.keep {
            fs::remove_file(keep).during("release the received pack")?;
        }
        Ok(())
    }
}

pub(super) fn receive(
    repo: &gix::Repository,
    peer: &mut Peer,
    wanted: &[Wanted],
    offered: &[Ref],
    tags: Tags,
    network: &Network<'_>,
) -> Result<Received, Error> {
    match peer {
        Peer::Folder(folder) => {
            let ids: Vec<_> = wanted.iter().map(|one| one.id).collect();
            let mut objects = local::transfer(&folder.repo, repo, &ids, Stage::Receive, network)?;
            if tags == Tags::Following && wanted.iter().any(|one| one.local.is_some()) {
                // a server sends tags with their targets
                let tags = following(repo, offered, |id| repo.has_object(id))?;
                let ids: Vec<_> = tags.iter().map(|tag| tag.id).collect();
                objects += local::transfer(&folder.repo, repo, &ids, Stage::Receive, network)?;
            }
            Ok(Received { objects, keep: None })
        }
        Peer::Session(session) => {
            if wanted.iter().all(|one| repo.has_object(one.id)) {
                session.end();
                return Ok(Received::default());
            }
            from_server(repo, session, wanted, offered, network)
        }
    }
}

fn from_server(
    repo: &gix::Repository,
    session: &mut Session,
    wanted: &[Wanted],
    offered: &[Ref],
    network: &Network<'_>,
) -> Result<Received, Error> {
    let ref_map = ref_map(wanted, offered);
    let mut quiet = repo.clone();
    // many lookups fail: do not look for new packs each time
    quiet.objects.refresh_never();
    quiet.objects.unset_object_cache();
    let cache = quiet.commit_graph_if_enabled().ok().flatten();
    let mut graph = quiet.revision_graph(cache.as_ref());
    let mut negotiation = Negotiation {
        repo: &quiet,
        graph: &mut graph,
        ref_map: &ref_map,
        negotiator: gix::negotiate::Algorithm::Consecutive.into_negotiator(),
        done: false,
    };
    let mut quarantine = Quarantine::begin(repo)?;
    let ends = Ends::begin(repo)?;
    let meter = session.meter();
    let fetched = with_progress(network.progress, |progress| {
        let (transport, handshake) = session.parts();
        let tags = match handshake.capabilities.contains("include-tag") || is_v2(handshake) {
            true => gix::remote::fetch::Tags::Included,
            false => gix::remote::fetch::Tags::None,
        };
        gix::protocol::fetch(
            &mut negotiation,
            |reader, progress, interrupt| {
                let received = quarantine.receive(repo, reader, progress, interrupt);
                meter.over();
                received.map(|()| true).map_err(gix::Error::from_error)
            },
            progress,
            network.interrupt,
            Context {
                handshake,
                transport: &mut &mut *transport,
                user_agent: ("agent", Some(AGENT.to_owned())),
                trace_packetlines: false,
            },
            gix::protocol::fetch::Options {
                shallow_file: ends.copy(),
                shallow: &Shallow::NoChange,
                tags,
                reject_shallow_remote: false,
            },
        )
    });
    if let Err(error) = fetched {
        network.check_interrupt()?;
        return Err(failure(session, &error));
    }
    session.end();
    let after = ends.after(repo)?;
    let admitted = quarantine.admit(repo, wanted, (&ends.before, &after));
    let received = admitted.map_err(|failure| refusal(session, failure))?;
    ends.set(&after)?;
    Ok(received)
}

/// What came is not taken.
fn refusal(session: &Session, failure: Failure) -> Error {
    match failure {
        Failure::Gap(gap) if gap.is_excess() => session.excessive(&gap).into(),
        Failure::Gap(gap) => session.unacceptable(&gap).into(),
        Failure::Git(error) => Error::Git(error),
    }
}

fn failure(session: &mut Session, error: &gix::Error) -> Error {
    match error.downcast_any_ref::<ReceiveError>() {
        // a full disk is not the network's fault
        Some(ReceiveError::Git(error)) => Error::Git(GitError::new(STORE, error.to_string())),
        Some(ReceiveError::Pack(PackError::Write(error))) => {
            Error::Git(GitError::new(STORE, error.to_string()))
        }
        Some(ReceiveError::Pack(PackError::Interrupted)) => network::Error::Interrupted.into(),
        Some(ReceiveError::Pack(PackError::Excess(excess))) => session.excessive(excess).into(),
        Some(error @ (ReceiveError::Unpack(_) | ReceiveError::Pack(PackError::Broken(_)))) => {
            session.unacceptable(error).into()
        }
        Some(ReceiveError::Pack(PackError::Read(_))) | None => session.failure(error).into(),
    }
}

const NO_PACK: &str = "the server sent no pack";
const STORE: &str = "store the received objects";

fn is_v2(handshake: &gix::protocol::Handshake) -> bool {
    handshake.server_protocol_version == gix::protocol::transport::Protocol::V2
}

/// gitoxide's form of what is wanted.
fn ref_map(wanted: &[Wanted], offered: &[Ref]) -> RefMap {
    let source = |one: &Wanted| {
        let found = offered.iter().find(|reference| reference.unpack().0 == one.remote);
        found.map_or(Source::ObjectId(one.id), |reference| Source::Ref(reference.clone()))
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
    graph: &'a mut gix::negotiate::Graph<'find, 'cache>,
    ref_map: &'a RefMap,
    negotiator: Box<dyn gix::negotiate::Negotiator>,
    /// All was said: a pack is due.
    done: bool,
}

impl Negotiate for Negotiation<'_, '_, '_> {
    fn mark_complete_and_common_ref(&mut self) -> gix::Result<Action> {
        negotiate::mark_complete_and_common_ref(
            &self.repo.objects,
            &self.repo.refs,
            || Ok(std::iter::empty::<(gix::refs::file::Store, gix::OdbHandle)>()),
            &mut *self.negotiator,
            self.graph,
            self.ref_map,
            &Shallow::NoChange,
            |_| false,
        )
    }

    fn add_wants(&mut self, arguments: &mut Arguments, known: &[bool]) -> bool {
        let objects = &self.repo.objects;
        negotiate::add_wants(objects, arguments, self.ref_map, known, &Shallow::NoChange, |_| false)
    }

    fn one_round(
        &mut self,
        state: &mut one_round::State,
        arguments: &mut Arguments,
        previous_response: Option<&Response>,
    ) -> gix::Result<(Round, bool)> {
        if self.done {
            // gitoxide would ask again and again
            let silence = std::io::Error::new(std::io::ErrorKind::ConnectionAborted, NO_PACK);
            return Err(gix::Error::from_error(silence));
        }
        let round =
            negotiate::one_round(&mut *self.negotiator, self.graph, state, arguments, previous_response)?;
        self.done = round.1;
        Ok(round)
    }
}
