//! A push from start to end: connect, decide, send, and check the remote again if the answer is missing.
//!
//! Between deciding and sending the caller may check what would be sent.

use super::decide::{Abilities, Command, Decided, decide};
use super::expand::{self, PlannedPush, PushRequest};
use super::offered::Offered;
use super::remember::remember;
use super::report::PushReport;
use super::send::{self, PushAnswer};
use super::sent::{self, SentNotes};
use super::settings::PushAddress;
use super::{Atomicity, Error, Outcome, PushEvidence, RefOutcome, RefUpdate, Status, folder};
use crate::id::CommitId;
use crate::mode::Mode;
use crate::net::fetch::Tracked;
use crate::net::network::{self, Network};
use crate::net::transport::{self, Peer};
use crate::repository::config_file;
use crate::repository::scope::Scope;
use brv_base::messages::brief;
use bstr::{BStr, BString, ByteSlice as _};
use gix::ObjectId;
use gix::protocol::transport::Service;

/// A ref of a remote whose commit exists here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownRef {
    /// Its full name there.
    pub name: BString,
    pub commit: CommitId,
}

/// A remote that has listed its refs, and waits.
pub struct Connection<'a> {
    scope: &'a Scope,
    address: &'a PushAddress,
    repo: gix::Repository,
    peer: Peer,
    offered: Offered,
}

/// Connects, and gets the remote's refs.
pub fn connect<'a>(
    scope: &'a Scope,
    address: &'a PushAddress,
    network: &Network<'_>,
) -> Result<Connection<'a>, Error> {
    let repo = config_file::reloaded(scope)?;
    let (peer, offered) = listen(&repo, address, network)?;
    Ok(Connection { scope, address, repo, peer, offered })
}

fn listen(
    repo: &gix::Repository,
    address: &PushAddress,
    network: &Network<'_>,
) -> Result<(Peer, Offered), Error> {
    let mut peer = transport::open(repo, &address.endpoint, Service::ReceivePack, network)?;
    let refs = match &mut peer {
        Peer::Session(session) => session.refs(&[])?,
        Peer::Folder(folder) => folder.refs()?,
    };
    Ok((peer, Offered::new(refs)))
}

impl Connection<'_> {
    /// Expands a request to refs.
    ///
    /// # Errors
    /// Refspecs that cannot be understood.
    pub fn plan(&self, request: &PushRequest) -> Result<Vec<PlannedPush>, Error> {
        let tracked = Tracked::of(&self.repo, &self.address.target)?;
        expand::expand(self.scope, &self.offered, &tracked, request)
    }

    /// Decides which updates are requested, and which are rejected here.
    pub fn decide(&mut self, updates: &[RefUpdate], atomicity: Atomicity) -> Result<Decided, Error> {
        let abilities = match &mut self.peer {
            Peer::Session(session) => {
                let capabilities = &session.parts().1.capabilities;
                let can = |word| capabilities.contains(word);
                Abilities { atomic: can("atomic"), delete: can("delete-refs") }
            }
            Peer::Folder(_) => Abilities { atomic: true, delete: true },
        };
        decide(&self.repo, updates, atomicity, &self.offered, abilities)
    }

    /// The remote's refs whose commits exist here: it has everything that they reach.
    pub fn known(&self) -> Vec<KnownRef> {
        let mut repo = self.repo.clone();
        // looking for new packs for each of thousands of objects that were never fetched would take seconds
        repo.objects.refresh_never();
        let commit = |id| repo.find_object(id).ok()?.peel_to_commit().ok().map(|commit| CommitId(commit.id));
        let known = |(name, id): (&BStr, _)| Some(KnownRef { name: name.to_owned(), commit: commit(id)? });
        self.offered.named().filter_map(known).collect()
    }

    /// Ends the conversation without a request.
    pub fn leave(mut self) {
        if let Peer::Session(session) = &mut self.peer {
            session.end();
        }
    }

    /// Sends what was decided. Tracking refs are updated as the remote accepted; where there is none, a note is kept.
    ///
    /// # Errors
    /// [`Error`]; rejected refs are part of the outcome.
    pub fn finish(self, decided: Decided, mode: Mode, network: &Network<'_>) -> Result<Outcome, Error> {
        let (repo, address) = (self.repo.clone(), self.address);
        if mode == Mode::DryRun {
            self.leave();
            return Ok(Outcome { refs: decided.refs, ..Outcome::default() });
        }
        let tracked = Tracked::of(&repo, &address.target)?;
        let mut outcome = if decided.commands.is_empty() {
            self.leave();
            Outcome { refs: decided.refs, ..Outcome::default() }
        } else {
            self.send_noted(decided, &SentNotes::of(&repo, &tracked, address), network)?
        };
        remember(&repo, address, &tracked, &mut outcome.refs)?;
        Ok(outcome)
    }

    /// Sends it, protected by a note that is kept if the remote took it or may have.
    fn send_noted(
        self,
        decided: Decided,
        notes: &SentNotes<'_>,
        network: &Network<'_>,
    ) -> Result<Outcome, Error> {
        let asked: Vec<&RefOutcome> =
            decided.commands.iter().map(|command| &decided.refs[command.at]).collect();
        let written = notes.write(&asked)?;
        match self.send(decided, network) {
            Ok(outcome) => {
                let taken = outcome.refs.iter().filter(|reference| reference.status.is_done());
                let taken = taken.map(|one| notes.name(one)).collect::<Vec<_>>();
                notes.withdraw(written.into_iter().filter(|name| !taken.contains(&Some(name.clone()))))?;
                Ok(outcome)
            }
            Err(error) => {
                if !sent::may_have_arrived(&error) {
                    // a note that stays only makes an undo more careful; report why nothing was sent
                    notes.withdraw(written).ok();
                }
                Err(error)
            }
        }
    }

    fn send(self, decided: Decided, network: &Network<'_>) -> Result<Outcome, Error> {
        let Self { repo, peer, offered, address, .. } = self;
        let session = match peer {
            Peer::Session(session) => session,
            Peer::Folder(folder) => return folder::push(&repo, &folder, decided, network),
        };
        let sent = send::push(&repo, session, &decided, &offered, network)?;
        let Decided { mut refs, commands, .. } = decided;
        let mut outcome = Outcome {
            refs: Vec::new(),
            objects: sent.objects,
            bytes: sent.bytes,
            messages: sent.messages,
            evidence: PushEvidence::Reported,
        };
        let (report, failure) = match sent.answer {
            PushAnswer::Report(report) => (report, None),
            PushAnswer::Lost(error) => (PushReport::default(), Some(error)),
        };
        let mut open = Vec::new();
        for command in commands {
            let reference = &mut refs[command.at];
            match status(&report, reference.destination.as_bstr(), &outcome.messages) {
                Some(status) => reference.status = status,
                None => open.push(command),
            }
        }
        if !open.is_empty() {
            look_again(&repo, address, &mut refs, &open, failure, network)?;
            outcome.evidence = PushEvidence::SeenAgain;
        }
        outcome.refs = refs;
        Ok(outcome)
    }
}

/// The server's result for one ref; `None`: it reported none. Why a pack was not taken in stands in its messages.
fn status(report: &PushReport, name: &BStr, messages: &[String]) -> Option<Status> {
    let not_unpacked = |unpack: &str| match messages {
        [] => format!("{} ({unpack})", super::NOT_UNPACKED),
        said => format!("{} ({unpack}): {}", super::NOT_UNPACKED, brief(said.join(" / "))),
    };
    match (report.refs.get(name), &report.unpack) {
        (Some(Ok(())), _) => Some(Status::Ok),
        (_, Some(unpack)) => Some(Status::Rejected(not_unpacked(unpack))),
        (Some(Err(reason)), None) => Some(Status::Rejected(reason.clone())),
        (None, None) => None,
    }
}

/// Reads the remote's refs again to find the results that it did not report.
fn look_again(
    repo: &gix::Repository,
    address: &PushAddress,
    refs: &mut [RefOutcome],
    open: &[Command],
    failure: Option<network::Error>,
    network: &Network<'_>,
) -> Result<(), Error> {
    network.check_interrupt()?;
    let seen = match listen(repo, address, network) {
        Ok((mut peer, seen)) => {
            if let Peer::Session(session) = &mut peer {
                session.end();
            }
            Some(seen)
        }
        Err(Error::Network(network::Error::Interrupted)) => return Err(network::Error::Interrupted.into()),
        Err(_) => None,
    };
    let (seen, failure) = match (seen, failure) {
        (Some(seen), failure) => (Some(seen), failure),
        (None, Some(failure)) => return Err(Error::Unanswered(failure)),
        (None, None) => (None, None),
    };
    let place = |refs: &[RefOutcome], command: &Command| {
        let now = seen.as_ref()?.get(refs[command.at].destination.as_bstr());
        Some(now.unwrap_or(ObjectId::null(gix::hash::Kind::Sha1)))
    };
    let arrived = |command: &&Command| place(refs, command) == Some(command.after);
    if let (None, Some(failure)) = (open.iter().find(arrived), failure) {
        return Err(failure.into());
    }
    for command in open {
        refs[command.at].status = match place(refs, command) {
            Some(now) if now == command.after => Status::Ok,
            Some(now) if now == command.before => Status::Rejected(super::NOT_UPDATED.into()),
            Some(_) => Status::Rejected(super::OVERTAKEN.into()),
            None => Status::Rejected("the server did not report a result".into()),
        };
    }
    Ok(())
}
