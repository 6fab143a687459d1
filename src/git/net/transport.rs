//! Opens a conversation with a remote repository: resolves the URL, chooses the transport, and logs in.
//!
//! Fetch and push use it.

use super::advertised::{Advertised, Listening};
use super::credentials::{First, Keychain, beforehand, may_send};
use super::http::{self, Trouble, Troubles};
use super::meter::Meter;
use super::network::{Error, Network, reason};
use super::subprocess::{self, Words};
use super::timeouts::{GivenUp, Patience};
use super::{daemon, local, panics, ssh};
use crate::error::During;
use crate::history::shallow::Boundary;
use crate::repository::format::{self, OTHER_IDS};
use crate::repository::trust;
use crate::settings::remotes::{self, RemoteName, Target};
use crate::settings::url::RemoteUrl;
use brv_base::environment::Environment;
use brv_base::messages::{brief, printable};
use bstr::{BStr, BString, ByteSlice as _};
use gix::protocol::Handshake;
use gix::protocol::handshake::Ref;
use gix::protocol::transport::client::MessageKind;
use gix::protocol::transport::client::blocking_io::Transport;
use gix::protocol::transport::{Protocol, Service};
use gix::refs::FullName;
use gix::remote::Direction;
use gix::sec::identity::Account;
use gix::url::Scheme;
use std::path::PathBuf;

/// A URL after `insteadOf` rewriting, and its remote.
pub(super) struct RemoteEndpoint {
    pub url: gix::Url,
    pub name: Option<RemoteName>,
    pub shown: String,
}

pub(super) struct RemoteSession {
    transport: Option<Box<dyn Transport + Send>>,
    handshake: Handshake,
    /// The result of the handshake (version 2 lists refs on request).
    advertised: Option<Advertised>,
    words: Words,
    troubles: Troubles,
    patience: Patience,
    meter: Meter,
    shown: String,
    user_info: Option<String>,
    first: First,
    login: LoginState,
}

/// The state of the login: only while it is required does "permission denied" mean the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoginState {
    /// No login: a path of this machine, or a protocol without one.
    Unknown,
    /// The other side has not answered yet.
    Open,
    Done,
}

impl LoginState {
    const fn of(scheme: &Scheme) -> Self {
        match scheme {
            Scheme::File | Scheme::Git => Self::Unknown,
            _ => Self::Open,
        }
    }

    /// Whether an error, or a message of the program at the other end, is about the login.
    fn failed(self, error: &(dyn std::error::Error + 'static), said: &[String]) -> bool {
        let classes = || gix::error::classify(error);
        let denied = |line: &String| line.to_ascii_lowercase().contains("permission denied");
        match self {
            Self::Unknown => false,
            Self::Done => classes().is_unauthenticated() || classes().is_permission_denied(),
            Self::Open => {
                classes().is_unauthenticated() || classes().is_permission_denied() || said.iter().any(denied)
            }
        }
    }
}

/// How the remote is reached.
pub(super) enum Peer {
    Session(Box<RemoteSession>),
    /// In this process: a path of this machine, without git installed.
    Folder(Box<local::LocalRemote>),
}

/// Resolves the address of `target`.
pub(super) fn endpoint(
    repo: &gix::Repository,
    target: &Target,
    direction: Direction,
    environment: &Environment,
) -> Result<RemoteEndpoint, Error> {
    let (remote, name) = match target {
        Target::Named(name) => {
            let found = repo.try_find_remote(name.as_str()).ok_or_else(|| Error::NoRemote(name.clone()))?;
            let found = found.during(format!("read the settings of `{name}`"))?;
            let urls = remotes::values(repo.config_snapshot().plumbing(), name, "url");
            // gitoxide takes the last of several URLs, git fetches from the first
            let found = match &urls[..] {
                [first, _, ..] if direction == Direction::Fetch => {
                    repo.remote_at(first.as_bstr()).during(format!("use a URL of `{name}`"))?
                }
                _ => found,
            };
            (found, Some(name.clone()))
        }
        Target::Url(url) => (repo.remote_at(url.to_gix()?).during(format!("use the URL `{url}`"))?, None),
    };
    match (remote.url(direction), &name) {
        (Some(url), _) => endpoint_of(repo, url.clone(), name, environment),
        (None, Some(name)) => Err(Error::NoUrl(name.clone())),
        (None, None) => unreachable!("a remote made of a URL has it"),
    }
}

/// An address for a known URL, of the remote `name`.
pub(super) fn endpoint_of(
    repo: &gix::Repository,
    url: gix::Url,
    name: Option<RemoteName>,
    environment: &Environment,
) -> Result<RemoteEndpoint, Error> {
    let url = from_work_tree(repo, url);
    let shown = RemoteUrl::configured(url.to_bstring()).to_string();
    let known = matches!(url.scheme, Scheme::File | Scheme::Git | Scheme::Ssh | Scheme::Http | Scheme::Https);
    if !known || !protocol_allowed(repo, &url.scheme, environment) {
        return Err(Error::Protocol { url: shown });
    }
    Ok(RemoteEndpoint { url, name, shown })
}

/// Resolves a relative path in the settings against the work tree, wherever the command was run.
fn from_work_tree(repo: &gix::Repository, mut url: gix::Url) -> gix::Url {
    let path = gix::path::from_bstr(url.path.as_bstr()).map(std::borrow::Cow::into_owned);
    if let (Scheme::File, Some(base), Ok(path)) = (&url.scheme, repo.workdir(), path)
        && path.is_relative()
        && let Ok(whole) = gix::path::into_bstr(base.join(path))
    {
        url.path = whole.into_owned();
    }
    url
}

/// Whether a protocol is allowed: by `GIT_ALLOW_PROTOCOL` alone if it is set; else by `protocol.<name>.allow`, then
/// `protocol.allow`.
fn protocol_allowed(repo: &gix::Repository, scheme: &Scheme, environment: &Environment) -> bool {
    if let Some(names) = environment.get("GIT_ALLOW_PROTOCOL") {
        return names.split(':').any(|name| name == scheme.as_str());
    }
    let config = repo.config_snapshot();
    let own = config.string(format!("protocol.{}.allow", scheme.as_str()).as_str());
    let Some(value) = own.or_else(|| config.string("protocol.allow")) else { return true };
    match value.to_ascii_lowercase().as_slice() {
        b"always" => true,
        // a URL chosen by the user, not by a repository's settings
        b"user" => environment.get("GIT_PROTOCOL_FROM_USER") != Some("0"),
        _ => false,
    }
}

/// Connects for `service`.
pub(super) fn open(
    repo: &gix::Repository,
    endpoint: &RemoteEndpoint,
    service: Service,
    network: &Network<'_>,
) -> Result<Peer, Error> {
    network.check_interrupt()?;
    panics::exchange(&endpoint.shown, || open_unguarded(repo, endpoint, service, network))
}

fn open_unguarded(
    repo: &gix::Repository,
    endpoint: &RemoteEndpoint,
    service: Service,
    network: &Network<'_>,
) -> Result<Peer, Error> {
    let version = version(repo, service);
    let mut url = endpoint.url.clone();
    let user_info = take_secrets(&mut url);
    let line = match url.scheme {
        Scheme::File => match by_path(endpoint, &url, service, version, network)? {
            Ok(line) => line,
            Err(folder) => return Ok(Peer::Folder(folder)),
        },
        Scheme::Ssh => RawConnection::of(ssh::connect(repo, &url, service, version, network)?),
        Scheme::Git => by_daemon(endpoint, &url, version, network)?,
        _ => by_http(repo, endpoint, &url, version, network)?,
    };
    let mut session = RemoteSession {
        transport: Some(line.transport),
        handshake: Handshake::default(),
        advertised: None,
        words: line.words,
        troubles: line.troubles,
        patience: line.patience,
        meter: line.meter,
        shown: endpoint.shown.clone(),
        user_info,
        first: line.first,
        login: LoginState::of(&url.scheme),
    };
    session.shake_hands(repo, url, service, network)?;
    Ok(Peer::Session(Box::new(session)))
}

/// gitoxide's value for the requested protocol: 1 requests none, which gives version 0.
fn version(repo: &gix::Repository, service: Service) -> Protocol {
    let setting = || repo.config_snapshot().integer("protocol.version");
    match service {
        // receive-pack has no version 2
        Service::ReceivePack => Protocol::V1,
        Service::UploadPack if setting().is_some_and(|version| version < 2) => Protocol::V1,
        Service::UploadPack => Protocol::V2,
    }
}

/// A connection before the handshake.
struct RawConnection {
    transport: Box<dyn Transport + Send>,
    words: Words,
    troubles: Troubles,
    patience: Patience,
    meter: Meter,
    first: First,
}

impl RawConnection {
    fn of(spawned: subprocess::Spawned) -> Self {
        let (words, patience, meter) = (spawned.words(), spawned.patience(), spawned.meter());
        let (troubles, first) = (Troubles::default(), First::Nobody);
        Self { transport: Box::new(spawned), words, troubles, patience, meter, first }
    }
}

/// Connects to a path of this machine: through git, or in this process without it.
fn by_path(
    endpoint: &RemoteEndpoint,
    url: &gix::Url,
    service: Service,
    version: Protocol,
    network: &Network<'_>,
) -> Result<Result<RawConnection, Box<local::LocalRemote>>, Error> {
    let folder = local_path(url).ok_or_else(|| Error::Unreachable {
        url: endpoint.shown.clone(),
        reason: "no git repository there".into(),
    })?;
    // git's own programs would reject it too, in a message without the remote
    trust::check_git_dir(&folder, network.environment)?;
    if format::unsupported(&folder).is_some_and(|what| what == OTHER_IDS) {
        return Err(Error::Unsupported { url: endpoint.shown.clone(), what: OTHER_IDS.into() });
    }
    if brv_base::process::find_on_path("git", network.environment).is_none() {
        return Ok(Err(Box::new(local::LocalRemote::open(&folder, &endpoint.shown, network.environment)?)));
    }
    let patience = Patience::new(network.interrupt, network.limits);
    let who = (network.credentials.prompt, patience);
    Ok(Ok(RawConnection::of(subprocess::local(&folder, service, version, who, network.environment)?)))
}

fn by_daemon(
    endpoint: &RemoteEndpoint,
    url: &gix::Url,
    version: Protocol,
    network: &Network<'_>,
) -> Result<RawConnection, Error> {
    let patience = Patience::new(network.interrupt, network.limits);
    let meter = Meter::default();
    let connected = daemon::connect(url, version, network.connect_timeout, &patience, &meter);
    let connection = connected.map_err(|error| match patience.given_up() {
        Some(GivenUp::Interrupted) => Error::Interrupted,
        _ => Error::Unreachable { url: endpoint.shown.clone(), reason: reason(&error, None) },
    })?;
    let (words, troubles) = (Words::default(), Troubles::default());
    Ok(RawConnection {
        transport: Box::new(connection),
        words,
        troubles,
        patience,
        meter,
        first: First::Nobody,
    })
}

fn by_http(
    repo: &gix::Repository,
    endpoint: &RemoteEndpoint,
    url: &gix::Url,
    version: Protocol,
    network: &Network<'_>,
) -> Result<RawConnection, Error> {
    let name = endpoint.name.as_ref().map(RemoteName::as_str);
    let http::HttpConnection { mut transport, troubles, patience, meter } =
        http::connect(repo, url, name, version, network)?;
    let (first, identity) = match (endpoint.url.user(), endpoint.url.password()) {
        (Some(user), Some(password)) => {
            may_send(repo, url)?;
            let (username, password) = (user.into(), password.into());
            (First::OfUrl, Some(Account { username, password, oauth_refresh_token: None }))
        }
        _ => (First::OfNetrc, beforehand(repo, url, network)),
    };
    let first = if identity.is_some() { first } else { First::Nobody };
    if let Some(identity) = identity {
        transport.set_identity(identity).during("use the credentials of the URL or of `.netrc`")?;
    }
    Ok(RawConnection { transport, words: Words::default(), troubles, patience, meter, first })
}

/// Removes the password from the URL, which transports keep and print. Returns what must never be printed.
fn take_secrets(url: &mut gix::Url) -> Option<String> {
    let user = url.user().map(str::to_owned);
    let http = matches!(url.scheme, Scheme::Http | Scheme::Https);
    url.set_password(None);
    user.filter(|_| http)
}

/// The git folder for a path of this machine, searched as git does.
pub(super) fn local_path(url: &gix::Url) -> Option<PathBuf> {
    let path = gix::path::to_native_path_on_windows(url.path.as_bstr()).ok()?;
    let with = |end: &str| {
        let mut name = path.clone().into_owned().into_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    [with("/.git"), with(""), with(".git/.git"), with(".git")]
        .into_iter()
        .find(|folder| folder.join("HEAD").is_file() && folder.join("objects").is_dir())
}

impl RemoteSession {
    fn shake_hands(
        &mut self,
        repo: &gix::Repository,
        url: gix::Url,
        service: Service,
        network: &Network<'_>,
    ) -> Result<(), Error> {
        let http = matches!(url.scheme, Scheme::Http | Scheme::Https);
        let mut keychain = Keychain::new(repo, network, url);
        let mut shaken = self.try_to_shake_hands(service, &mut keychain);
        if shaken.is_err() && keychain.refusal.is_none() && keychain.may_try_again() {
            // the stored credentials were wrong and are erased now: another helper, or the user, may know better ones
            shaken = self.try_to_shake_hands(service, &mut keychain);
        }
        if let Some(refusal) = keychain.refusal.take() {
            return Err(refusal);
        }
        let asked = http && !self.troubles.any();
        self.handshake = shaken.map_err(|error| match self.failure(&error) {
            Error::Authentication { url, .. } if asked => {
                Error::Authentication { url, reason: keychain.why_beside(self.first) }
            }
            other => other,
        })?;
        if self.login == LoginState::Open {
            self.login = LoginState::Done;
        }
        let format = self.handshake.capabilities.capability("object-format");
        if format.and_then(|format| format.value().map(|value| value != "sha1")) == Some(true) {
            return Err(Error::Unsupported { url: self.shown.clone(), what: OTHER_IDS.into() });
        }
        Ok(())
    }

    fn try_to_shake_hands(
        &mut self,
        service: Service,
        keychain: &mut Keychain<'_>,
    ) -> gix::Result<Handshake> {
        let transport = self.transport.as_deref_mut().expect(OPEN);
        let mut listening = Listening { transport, advertised: None };
        let shaken = gix::protocol::handshake(
            &mut listening,
            service,
            |action| keychain.answer(action),
            Vec::new(),
            &mut gix::progress::Discard,
        );
        self.advertised = listening.advertised;
        shaken
    }

    /// The error for a failure, with the messages of the program or server.
    pub fn failure(&mut self, error: &(dyn std::error::Error + 'static)) -> Error {
        if let Some(flood) = self.meter.flood() {
            self.transport = None;
            return self.excessive(&flood);
        }
        let classes = || gix::error::classify(error);
        if classes().is_cancelled() || self.patience.given_up() == Some(GivenUp::Interrupted) {
            // also ends the program that runs for us
            self.transport = None;
            return Error::Interrupted;
        }
        if let Some(known) = self.known_failure() {
            return known;
        }
        let mut said = self.last_words();
        let unauthenticated = self.login.failed(error, &said);
        said.retain(|line| !line.trim().is_empty());
        let words = match said.is_empty() {
            true => reason(error, self.user_info.as_deref()),
            false => brief(said.join(" / ")),
        };
        let url = self.shown.clone();
        if unauthenticated {
            return Error::Authentication { url, reason: words };
        }
        // the server's message, or gitoxide's about the first id in protocol 0
        let other_ids = ["Unsupported object format", "unknown object format", "sized 64 hexadecimal"];
        if other_ids.iter().any(|sign| words.contains(sign)) {
            return Error::Unsupported { url, what: OTHER_IDS.into() };
        }
        Error::Unreachable { url, reason: words }
    }

    fn known_failure(&mut self) -> Option<Error> {
        let url = self.shown.clone();
        if let Some(given_up) = self.patience.given_up() {
            self.transport = None;
            return Some(Error::Unreachable { url, reason: given_up.to_string() });
        }
        let trouble = self.troubles.take()?;
        let reason = trouble.to_string();
        Some(match trouble {
            Trouble::Answered(status) if status.as_u16() == 403 => Error::Authentication { url, reason },
            Trouble::Unauthorised | Trouble::Proxy(_) => Error::Authentication { url, reason },
            _ => Error::Unreachable { url, reason },
        })
    }

    /// The other side sent invalid data.
    pub fn unacceptable(&self, reason: &dyn std::fmt::Display) -> Error {
        Error::Unusable { url: self.shown.clone(), reason: brief(printable(reason.to_string().as_bytes())) }
    }

    /// The other side sent too much.
    pub fn excessive(&self, what: &dyn std::fmt::Display) -> Error {
        Error::Excessive { url: self.shown.clone(), what: printable(what.to_string().as_bytes()) }
    }

    /// Ends a program, and takes its messages.
    fn last_words(&mut self) -> Vec<String> {
        self.transport = None;
        self.words.take()
    }

    /// Tells a peer that waits for a request that there is none.
    pub fn end(&mut self) {
        let transport = self.transport.as_deref_mut().expect(OPEN);
        if transport.connection_persists_across_multiple_requests() {
            let request = transport.request(
                gix::protocol::transport::client::WriteMode::Binary,
                MessageKind::Flush,
                false,
            );
            if let Ok(mut request) = request {
                // the peer may be gone already
                let _ = request.write_message(MessageKind::Flush);
            }
        }
    }

    /// The URL, for display.
    pub fn shown(&self) -> String {
        self.shown.clone()
    }

    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }

    /// The transport, and the result of the handshake.
    pub fn parts(&mut self) -> (&mut (dyn Transport + Send), &mut Handshake) {
        (self.transport.as_deref_mut().expect(OPEN), &mut self.handshake)
    }

    /// The remote's shallow boundary, as far as it was advertised (version 2 sends it with a fetch).
    pub fn boundary(&self) -> Boundary {
        self.advertised.as_ref().map(|advertised| advertised.boundary.clone()).unwrap_or_default()
    }

    /// The remote's refs: those from the handshake, or, requested now, those that begin with `prefixes`.
    pub fn refs(&mut self, prefixes: &[String]) -> Result<Vec<Ref>, Error> {
        let mut refs = match &mut self.advertised {
            Some(advertised) => std::mem::take(&mut advertised.refs),
            None => panics::exchange(&self.shown.clone(), || self.list_refs(prefixes))?,
        };
        // git lists a broken ref with the null id
        refs.retain(|reference| reference.unpack().1.is_none_or(|id| !id.is_null()));
        if let Some(bad) = refs.iter().map(|reference| reference.unpack().0).find(|name| !may_be_listed(name))
        {
            let name = brief(printable(bad));
            return Err(self.unacceptable(&format!("not a valid ref name: `{name}`")));
        }
        self.meter.transfer();
        Ok(refs)
    }

    fn list_refs(&mut self, prefixes: &[String]) -> Result<Vec<Ref>, Error> {
        let mut wanted = gix::protocol::ls_refs::RefPrefixes::new();
        wanted.extend(prefixes.iter().map(|prefix| BString::from(prefix.as_str())));
        let wanted = (!prefixes.is_empty()).then_some(wanted);
        let agent = ("agent", Some(AGENT.to_owned()));
        let command = gix::protocol::LsRefsCommand::new(wanted, &self.handshake.capabilities, agent);
        command
            .invoke_blocking(self.transport.as_deref_mut().expect(OPEN), &mut gix::progress::Discard, false)
            .map_err(|error| self.failure(&error))
    }
}

/// Whether a server may list this name: a valid ref name, or `.have` for another repository's objects.
fn may_be_listed(name: &BStr) -> bool {
    let is_short =
        name.len() <= LONGEST_NAME && name.split(|byte| *byte == b'/').all(|part| part.len() <= LONGEST_PART);
    name == "HEAD"
        || name == ".have"
        || (is_short && name.starts_with(b"refs/") && FullName::try_from(name).is_ok())
}

/// A ref is a file: the longest path that all systems support …
const LONGEST_NAME: usize = 1000;
/// … and the longest part of it, with `.lock` appended.
const LONGEST_PART: usize = 250;

/// Why `expect` on the transport is safe.
const OPEN: &str = "it is closed only when the conversation has failed";

pub(super) const AGENT: &str = concat!("git/brv-", env!("CARGO_PKG_VERSION"));
