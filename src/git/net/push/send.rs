//! The conversation with a server's receive-pack: commands, pack, report.
//!
//! Over http a small pack is sent with its length and a large one in chunks, as git does around `http.postBuffer`.

use super::decide::{Command, Decided};
use super::offered::Offered;
use super::report::{self, PushReport};
use super::{Atomicity, Error, RefOutcome};
use crate::error::{During, Error as GitError};
use crate::history::ancestry::KnownHistory;
use crate::history::shallow::Boundary;
use crate::net::missing_objects::{SendPlan, select};
use crate::net::network::{self, Network};
use crate::net::packing::{Deltas, each_entry};
use crate::net::panics;
use crate::net::transport::{AGENT, RemoteSession};
use crate::objects::checksum::Checksum;
use brv_base::messages::{Lines, brief};
use brv_base::progress::Stage;
use gix::ObjectId;
use gix::odb::pack::data::{Version, header};
use gix::protocol::transport::client::blocking_io::{ExtendedBufRead, Transport};
use gix::protocol::transport::client::{self, Capabilities, MessageKind, WriteMode};
use std::io::Write;

/// Packs up to here are sent with their length (git's default for `http.postBuffer`).
const SMALL: usize = 1 << 20;

/// What was sent, and what came back.
pub(super) struct Exchange {
    pub objects: usize,
    pub bytes: u64,
    pub messages: Vec<String>,
    pub answer: PushAnswer,
}

/// The server's answer to what was sent.
pub(super) enum PushAnswer {
    Report(PushReport),
    /// None: it may have carried out the commands, or not.
    Lost(network::Error),
}

pub(super) fn push(
    repo: &gix::Repository,
    mut session: Box<RemoteSession>,
    decided: &Decided,
    offered: &Offered,
    network: &Network<'_>,
) -> Result<Exchange, Error> {
    panics::exchange(&session.shown(), || push_unguarded(repo, &mut session, decided, offered, network))
}

fn push_unguarded(
    repo: &gix::Repository,
    session: &mut RemoteSession,
    decided: &Decided,
    offered: &Offered,
    network: &Network<'_>,
) -> Result<Exchange, Error> {
    let Decided { refs, commands, atomicity, .. } = decided;
    network.progress.update(Stage::Count, 0, None);
    let plan = plan(repo, commands, offered, &session.boundary())?;
    session.meter().report();
    let (transport, handshake) = session.parts();
    let features = PushFeatures::agree(&handshake.capabilities, *atomicity)?;
    let request = SendRequest { lines: command_lines(repo, refs, commands, &features)?, transport };
    let mut body = PackBody::Small(request, Vec::new());
    let mut sent = SentPack::default();
    if let Some(plan) = &plan {
        sent = write_pack(repo, plan, &features, &mut body, network)?;
    }
    let mut said = ServerMessages { lines: Lines::default(), all: Vec::new(), network };
    network.progress.update(Stage::Wait, 0, None);
    // everything is sent by then, and may have been accepted
    let answer = panics::guarded(|| body.answer(&features, &mut said));
    let answer = answer.unwrap_or_else(|panicked| Err(std::io::Error::other(panicked)));
    drop(body);
    let messages = said.finish();
    network.check_interrupt()?;
    let is_whole = sent.failure.is_none();
    let answer = match answer.map(|bytes| report::parse(&bytes)) {
        Ok(Some(report)) => PushAnswer::Report(report),
        Ok(None) => PushAnswer::Lost(broken(session, sent.failure, &messages)),
        Err(error) => PushAnswer::Lost(broken(session, Some(error), &messages)),
    };
    match answer {
        // the server cannot have accepted what it did not receive, or received without a login
        PushAnswer::Lost(error) if !is_whole || !matches!(error, network::Error::Unreachable { .. }) => {
            Err(error.into())
        }
        answer => {
            let objects = plan.map_or(0, |plan| plan.objects.len());
            Ok(Exchange { objects, bytes: sent.bytes, messages, answer })
        }
    }
}

/// The server closed the connection: its messages, if any, give the reason.
fn broken(
    session: &mut RemoteSession,
    failure: Option<std::io::Error>,
    messages: &[String],
) -> network::Error {
    let failure = failure.unwrap_or_else(|| {
        std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "the server closed the connection early")
    });
    match session.failure(&failure) {
        network::Error::Unreachable { url, reason } if !messages.is_empty() => {
            let reason = format!("{} ({reason})", brief(messages.join(" / ")));
            network::Error::Unreachable { url, reason }
        }
        error => error,
    }
}

/// The objects that the remote lacks. `None` when only deleting.
fn plan(
    repo: &gix::Repository,
    commands: &[Command],
    offered: &Offered,
    shallow: &Boundary,
) -> Result<Option<SendPlan>, GitError> {
    let mut want: Vec<ObjectId> =
        commands.iter().map(|command| command.after).filter(|id| !id.is_null()).collect();
    want.sort_unstable();
    want.dedup();
    if want.is_empty() {
        return Ok(None);
    }
    select(repo, &want, KnownHistory { tips: &offered.known(repo), boundary: shallow }).map(Some)
}

/// The capabilities that both sides support.
struct PushFeatures {
    line: String,
    sideband: bool,
    deltas: Deltas,
}

impl PushFeatures {
    fn agree(theirs: &Capabilities, atomicity: Atomicity) -> Result<Self, Error> {
        let mut words = vec!["report-status"];
        if !theirs.contains("report-status") {
            return Err(Error::Incapable("report the status of each ref"));
        }
        if atomicity == Atomicity::AllOrNothing {
            words.push("atomic");
        }
        // `quiet`: we do not read its progress while we write, and a full pipe would block both
        for optional in ["side-band-64k", "ofs-delta", "delete-refs", "quiet"] {
            if theirs.contains(optional) {
                words.push(optional);
            }
        }
        let sideband = words.contains(&"side-band-64k");
        let deltas = if theirs.contains("no-thin") { Deltas::None } else { Deltas::Thin };
        let mut line = words.join(" ");
        if theirs.contains("object-format") {
            line.push_str(" object-format=sha1");
        }
        if theirs.contains("agent") {
            line.push_str(&format!(" agent={AGENT}"));
        }
        Ok(Self { line, sideband, deltas })
    }
}

/// One packet line each: our shallow boundary, then the commands, the first with our capabilities.
fn command_lines(
    repo: &gix::Repository,
    refs: &[RefOutcome],
    commands: &[Command],
    features: &PushFeatures,
) -> Result<Vec<Vec<u8>>, GitError> {
    let mut lines = Vec::new();
    if let Some(shallow) = repo.shallow_commits().during("read the shallow boundary")? {
        lines.extend(shallow.iter().map(|id| format!("shallow {id}").into_bytes()));
    }
    for (number, command) in commands.iter().enumerate() {
        let mut line = format!("{} {} ", command.before, command.after).into_bytes();
        line.extend_from_slice(&refs[command.at].destination);
        if number == 0 {
            line.push(0);
            line.extend_from_slice(features.line.as_bytes());
        }
        lines.push(line);
    }
    Ok(lines)
}

struct SendRequest<'t> {
    lines: Vec<Vec<u8>>,
    transport: &'t mut (dyn Transport + Send),
}

/// The two ends of a request in progress.
struct OpenRequest<'t> {
    /// `None` once everything is written.
    writer: Option<Box<dyn Write + 't>>,
    reader: Box<dyn ExtendedBufRead<'t> + Unpin + 't>,
}

impl<'t> SendRequest<'t> {
    /// Send the commands; `mode` also says whether the length is known.
    fn open(self, mode: WriteMode) -> Result<OpenRequest<'t>, std::io::Error> {
        let as_io = |error: client::Error| match error {
            client::Error::Io(error) => error,
            error => std::io::Error::other(error),
        };
        let mut request = self.transport.request(mode, MessageKind::Flush, false).map_err(as_io)?;
        for line in &self.lines {
            request.write_all(line)?;
        }
        request.write_message(MessageKind::Flush)?;
        let (writer, reader) = request.into_parts();
        Ok(OpenRequest { writer: Some(writer), reader })
    }
}

/// The pack being written.
enum PackBody<'t> {
    /// Still small enough to be sent with its length.
    Small(SendRequest<'t>, Vec<u8>),
    /// Sent in pieces as it is made.
    Large(OpenRequest<'t>),
    /// In transition between the two, or failed.
    Gone,
}

impl<'t> PackBody<'t> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Small(_, kept) if kept.len() + bytes.len() <= SMALL => {
                kept.extend_from_slice(bytes);
                Ok(())
            }
            Self::Small(..) => {
                self.begin(WriteMode::Binary)?;
                self.write(bytes)
            }
            Self::Large(open) => open.writer.as_mut().map_or(Ok(()), |writer| writer.write_all(bytes)),
            Self::Gone => Err(std::io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Send what was kept so far.
    fn begin(&mut self, mode: WriteMode) -> std::io::Result<()> {
        if let Self::Small(request, kept) = std::mem::replace(self, Self::Gone) {
            let mut open = request.open(mode)?;
            let result = open.writer.as_mut().map_or(Ok(()), |writer| writer.write_all(&kept));
            *self = Self::Large(open);
            result?;
        }
        Ok(())
    }

    /// Everything is written: reads the report.
    fn answer(&mut self, features: &PushFeatures, said: &mut ServerMessages<'_>) -> std::io::Result<Vec<u8>> {
        if matches!(self, Self::Small(..)) {
            self.begin(WriteMode::OneLfTerminatedLinePerWriteCall)?;
        }
        let Self::Large(mut open) = std::mem::replace(self, Self::Gone) else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        // the server may have closed the connection with a message, which is the real reason
        let flushed = open.writer.as_mut().map_or(Ok(()), |writer| writer.flush());
        // over http the request ends only here
        open.writer = None;
        let mut report = Vec::new();
        while let Some(line) = open.reader.readline() {
            let line = line?.map_err(std::io::Error::other)?;
            let Some(data) = line.as_slice() else { break };
            match data.split_first() {
                // band 1 carries packet lines of its own
                Some((1, piece)) if features.sideband => report.extend_from_slice(piece),
                Some((2 | 3, piece)) if features.sideband => said.hear(piece)?,
                _ => {
                    report.extend_from_slice(format!("{:04x}", data.len() + 4).as_bytes());
                    report.extend_from_slice(data);
                }
            }
        }
        if report.is_empty() {
            flushed?;
        }
        Ok(report)
    }
}

struct ServerMessages<'n> {
    lines: Lines,
    all: Vec<String>,
    network: &'n Network<'n>,
}

impl ServerMessages<'_> {
    fn hear(&mut self, piece: &[u8]) -> std::io::Result<()> {
        for line in self.lines.push(piece) {
            self.tell(line);
        }
        self.network.check_interrupt().map_err(std::io::Error::other)
    }

    fn tell(&mut self, line: String) {
        self.network.progress.remote_message(&line);
        self.all.push(line);
    }

    fn finish(&mut self) -> Vec<String> {
        if let Some(line) = self.lines.finish() {
            self.tell(line);
        }
        std::mem::take(&mut self.all)
    }
}

#[derive(Default)]
struct SentPack {
    bytes: u64,
    /// Why writing stopped early. The server's answer is read all the same.
    failure: Option<std::io::Error>,
}

/// Why packing ended early.
enum PackingStop {
    Server(std::io::Error),
    Git(GitError),
}

impl From<GitError> for PackingStop {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

fn write_pack(
    repo: &gix::Repository,
    plan: &SendPlan,
    features: &PushFeatures,
    body: &mut PackBody<'_>,
    network: &Network<'_>,
) -> Result<SentPack, Error> {
    let total = plan.objects.len();
    let count = u32::try_from(total).during("count the objects to send")?;
    let mut checksum = Checksum::default();
    let mut sent = SentPack::default();
    let mut write = |bytes: &[u8], sent: &mut SentPack| {
        checksum.update(bytes);
        sent.bytes += bytes.len() as u64;
        body.write(bytes)
    };
    if let Err(error) = write(&header::encode(Version::V2, count), &mut sent) {
        sent.failure = Some(error);
        return Ok(sent);
    }
    let mut done = 0;
    let result = each_entry(repo, plan, features.deltas, network.interrupt, |entry| {
        done += 1;
        if done % 64 == 0 || done == total {
            network.progress.update(Stage::Send, done as u64, Some(total as u64));
            network.progress.bytes(Stage::Send, sent.bytes);
        }
        write(&entry.bytes, &mut sent).map_err(PackingStop::Server)
    });
    match result {
        Ok(true) => {}
        Ok(false) => return Err(network::Error::Interrupted.into()),
        Err(PackingStop::Git(error)) => return Err(error.into()),
        Err(PackingStop::Server(error)) => {
            sent.failure = Some(error);
            return Ok(sent);
        }
    }
    let checksum = checksum.finish();
    sent.bytes += checksum.as_bytes().len() as u64;
    sent.failure = body.write(checksum.as_bytes()).err();
    Ok(sent)
}
