//! Opening a conversation with a remote repository: which address, over which transport, as whom.
//!
//! What is said then is the matter of fetch and push.

use super::credentials::{Keychain, may_send};
use super::error::During;
use super::network::{Error, Network, reason};
use super::remotes::RemoteName;
use super::scope::{OTHER_IDS, unsupported_format};
use super::shallow::Boundary;
use super::spawn::{self, Words};
use super::url::RemoteUrl;
use super::{http, local};
use bstr::{BString, ByteSlice as _};
use gix::protocol::Handshake;
use gix::protocol::transport::client::MessageKind;
use gix::protocol::transport::client::blocking_io::{Transport, connect};
use gix::protocol::transport::{Protocol, Service};
use gix::remote::Direction;
use gix::url::Scheme;
use std::path::PathBuf;

/// Which remote: one of the settings, or an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A remote of the settings.
    Named(RemoteName),
    /// An address.
    Url(RemoteUrl),
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(name) => name.fmt(f),
            Self::Url(url) => url.fmt(f),
        }
    }
}

/// An address after the settings' rewriting of URLs, and whose it is.
pub(super) struct Endpoint {
    pub url: gix::Url,
    pub name: Option<RemoteName>,
    /// For people.
    pub shown: String,
}

/// An open conversation.
pub(super) struct Session {
    transport: Option<Box<dyn Transport + Send>>,
    handshake: Handshake,
    words: Words,
    shown: String,
    user_info: Option<String>,
    /// Whether the URL brought a password.
    identified: bool,
}

/// How the other side is reached.
pub(super) enum Peer {
    /// By the protocol.
    Session(Box<Session>),
    /// In this process: a path of this machine, and no git to serve it.
    Folder(Box<local::Folder>),
}

/// Find the address of `target`.
pub(super) fn endpoint(
    repo: &gix::Repository,
    target: &Target,
    direction: Direction,
) -> Result<Endpoint, Error> {
    let (remote, name) = match target {
        Target::Named(name) => {
            let found = repo.try_find_remote(name.as_str()).ok_or_else(|| Error::NoRemote(name.clone()))?;
            (found.during(format!("read the settings of `{name}`"))?, Some(name.clone()))
        }
        Target::Url(url) => (repo.remote_at(url.to_gix()?).during(format!("use the URL `{url}`"))?, None),
    };
    let url = match (remote.url(direction), &name) {
        (Some(url), _) => from_work_tree(repo, url.clone()),
        (None, Some(name)) => return Err(Error::NoUrl(name.clone())),
        (None, None) => unreachable!("a remote made of a URL has it"),
    };
    let shown = RemoteUrl::configured(url.to_bstring()).to_string();
    let known = matches!(url.scheme, Scheme::File | Scheme::Git | Scheme::Ssh | Scheme::Http | Scheme::Https);
    if !known || !protocol_allowed(repo, &url.scheme) {
        return Err(Error::Protocol { url: shown });
    }
    Ok(Endpoint { url, name, shown })
}

/// A relative path of the settings begins in the work tree, wherever the command was called.
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

/// `protocol.<name>.allow`, then `protocol.allow`: `never` forbids. (`user` needs a person at the keyboard, which the
/// caller of a command is.)
fn protocol_allowed(repo: &gix::Repository, scheme: &Scheme) -> bool {
    let config = repo.config_snapshot();
    let own = config.string(format!("protocol.{}.allow", scheme.as_str()).as_str());
    own.or_else(|| config.string("protocol.allow")).is_none_or(|value| value != "never")
}

/// Connect for `service`.
pub(super) fn open(
    repo: &gix::Repository,
    endpoint: &Endpoint,
    service: Service,
    network: &Network<'_>,
) -> Result<Peer, Error> {
    network.check_interrupt()?;
    // receive-pack knows no version 2
    let version = if service == Service::ReceivePack { Protocol::V1 } else { Protocol::V2 };
    let mut url = endpoint.url.clone();
    let user_info = take_secrets(&mut url);
    let (transport, words): (Box<dyn Transport + Send>, _) = match url.scheme {
        Scheme::File => {
            let folder = local_path(&url).ok_or_else(|| Error::Unreachable {
                url: endpoint.shown.clone(),
                reason: "there is no git repository".into(),
            })?;
            if unsupported_format(&folder) == Some(OTHER_IDS) {
                return Err(Error::Unsupported { url: endpoint.shown.clone(), what: OTHER_IDS });
            }
            if crate::process::find_on_path("git").is_none() {
                let folder = local::Folder::open(&folder, &endpoint.shown)?;
                return Ok(Peer::Folder(Box::new(folder)));
            }
            let spawned = spawn::local(&folder, service, version)?;
            let words = spawned.words();
            (Box::new(spawned), words)
        }
        Scheme::Ssh => {
            let (prompt, patience) = (network.credentials.prompt, network.connect_timeout);
            let spawned = spawn::ssh(repo, &url, service, version, prompt, patience)?;
            let words = spawned.words();
            (Box::new(spawned), words)
        }
        _ => {
            let options = connect::Options { version, ssh: Default::default(), trace: false };
            let transport = connect::connect(url.clone(), options).map_err(|error| Error::Unreachable {
                url: endpoint.shown.clone(),
                reason: reason(&error, user_info.as_deref()),
            });
            let mut transport = transport?;
            configure(repo, endpoint, &url, transport.as_mut(), network)?;
            (transport, Words::default())
        }
    };
    let mut session = Session {
        transport: Some(transport),
        handshake: Handshake::default(),
        words,
        shown: endpoint.shown.clone(),
        user_info,
        identified: endpoint.url.password().is_some(),
    };
    session.shake_hands(repo, url, service, network)?;
    Ok(Peer::Session(Box::new(session)))
}

/// Take the password out of the URL that transports keep, and print. Returns what must never be printed.
fn take_secrets(url: &mut gix::Url) -> Option<String> {
    let user = url.user().map(str::to_owned);
    let http = matches!(url.scheme, Scheme::Http | Scheme::Https);
    url.set_password(None);
    user.filter(|_| http)
}

fn configure(
    repo: &gix::Repository,
    endpoint: &Endpoint,
    url: &gix::Url,
    transport: &mut dyn Transport,
    network: &Network<'_>,
) -> Result<(), Error> {
    if !matches!(url.scheme, Scheme::Http | Scheme::Https) {
        return Ok(());
    }
    let name = endpoint.name.as_ref().map(RemoteName::as_str);
    if let Some(options) = http::options(repo, url, name, network.connect_timeout)? {
        transport.configure(&*options).during("set up http")?;
    }
    if let (Some(user), Some(password)) = (endpoint.url.user(), endpoint.url.password()) {
        may_send(repo, url)?;
        let identity = gix::sec::identity::Account {
            username: user.into(),
            password: password.into(),
            oauth_refresh_token: None,
        };
        transport.set_identity(identity).during("set up http")?;
    }
    Ok(())
}

/// The repository's private folder for a path of this machine, as git looks for it.
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

impl Session {
    fn shake_hands(
        &mut self,
        repo: &gix::Repository,
        url: gix::Url,
        service: Service,
        network: &Network<'_>,
    ) -> Result<(), Error> {
        let http = matches!(url.scheme, Scheme::Http | Scheme::Https);
        let mut keychain = Keychain::new(repo, &network.credentials, url);
        let shaken = gix::protocol::handshake(
            self.transport.as_deref_mut().expect(OPEN),
            service,
            |action| keychain.answer(action),
            Vec::new(),
            &mut gix::progress::Discard,
        );
        if let Some(refusal) = keychain.refusal {
            return Err(refusal);
        }
        let given = keychain.given || self.identified;
        self.handshake = shaken.map_err(|error| match self.failure(&error) {
            Error::Authentication { url, .. } if http => {
                let reason = if given { "those given were refused" } else { "none are set" };
                Error::Authentication { url, reason: reason.into() }
            }
            other => other,
        })?;
        let format = self.handshake.capabilities.capability("object-format");
        if format.and_then(|format| format.value().map(|value| value != "sha1")) == Some(true) {
            return Err(Error::Unsupported { url: self.shown.clone(), what: OTHER_IDS });
        }
        Ok(())
    }

    /// What went wrong, with the words of the program or server.
    pub fn failure(&mut self, error: &(dyn std::error::Error + 'static)) -> Error {
        let classes = || gix::error::classify(error);
        if classes().is_cancelled() {
            return Error::Interrupted;
        }
        let mut said = self.last_words();
        let denied = |line: &String| line.to_ascii_lowercase().contains("permission denied");
        let unauthenticated =
            classes().is_unauthenticated() || classes().is_permission_denied() || said.iter().any(denied);
        said.retain(|line| !line.trim().is_empty());
        let words = match said.is_empty() {
            true => reason(error, self.user_info.as_deref()),
            false => said.join(" / "),
        };
        let url = self.shown.clone();
        if unauthenticated {
            return Error::Authentication { url, reason: words };
        }
        // the server's words, or gitoxide's about the first id of an old protocol
        let other_ids = ["Unsupported object format", "unknown object format", "sized 64 hexadecimal"];
        if other_ids.iter().any(|sign| words.contains(sign)) {
            return Error::Unsupported { url, what: OTHER_IDS };
        }
        Error::Unreachable { url, reason: words }
    }

    /// End a program, and take what it said.
    fn last_words(&mut self) -> Vec<String> {
        self.transport = None;
        self.words.take()
    }

    /// Tell a peer that waits for more that nothing comes.
    pub fn end(&mut self) {
        let transport = self.transport.as_deref_mut().expect(OPEN);
        if transport.connection_persists_across_multiple_requests() {
            let request = transport.request(
                gix::protocol::transport::client::WriteMode::Binary,
                MessageKind::Flush,
                false,
            );
            if let Ok(mut request) = request {
                // the peer may be gone, and need not hear it then
                let _ = request.write_message(MessageKind::Flush);
            }
        }
    }

    /// The transport, and what the handshake told of the peer.
    pub fn parts(&mut self) -> (&mut (dyn Transport + Send), &mut Handshake) {
        (self.transport.as_deref_mut().expect(OPEN), &mut self.handshake)
    }

    /// Commits whose parents the remote lacks, as far as it told by itself (version 2 tells with a fetch).
    pub fn boundary(&self) -> Boundary {
        use gix::protocol::fetch::response::ShallowUpdate;
        let told = self.handshake.v1_shallow_updates.iter().flatten();
        told.filter_map(|update| match update {
            ShallowUpdate::Shallow(id) => Some(*id),
            ShallowUpdate::Unshallow(_) => None,
        })
        .collect()
    }

    /// The refs of the remote: those that the handshake brought, or, asked for now, those that begin with `prefixes`.
    pub fn refs(&mut self, prefixes: &[String]) -> Result<Vec<gix::protocol::handshake::Ref>, Error> {
        if let Some(refs) = self.handshake.refs.take() {
            return Ok(refs);
        }
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

/// Why a session has its transport.
const OPEN: &str = "it is closed only when the conversation has failed";

/// How we call ourselves.
pub(super) const AGENT: &str = concat!("git/brv-", env!("CARGO_PKG_VERSION"));
