//! One request over HTTP and its answer: within a time, up to a size, and given up at once on an interrupt.
//!
//! Follows no redirect, so that the key and the text reach the host of the settings only. This machine is never reached
//! through a proxy.

use super::Error;
use brv_base::environment::Environment;
use brv_base::messages::{brief, printable};
use brv_git::http;
use reqwest::blocking::{Client, ClientBuilder, Request, Response};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Certificate, Method, NoProxy, Proxy, Url};
use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// The longest answer that is read, in bytes: a hundred times what a model may say.
pub(crate) const LONGEST_ANSWER: usize = 8 << 20;

/// How often an interrupt is looked for.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// Where a server is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionAddress<'a> {
    pub url: &'a str,
    /// The setting that has it, for errors.
    pub setting: &'a str,
    /// The setting that limits the time of a request, or what does, for errors.
    pub limit: &'static str,
    /// Certificates in PEM that are trusted beside those of the machine.
    pub certificates: Option<&'a [u8]>,
}

/// The way to one server.
#[derive(Debug)]
pub(crate) struct ServerConnection {
    client: Client,
    url: Url,
    limit: &'static str,
}

/// A request.
#[derive(Debug)]
pub(crate) struct Outgoing<'a> {
    /// `GET`, `POST`, …
    pub method: &'static str,
    /// Appended to the path of the server.
    pub path: &'a str,
    /// Without the question mark.
    pub query: Option<&'a str>,
    pub headers: &'a [(&'static str, String)],
    pub body: Vec<u8>,
}

/// What the server answered.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub status: u16,
    /// `Retry-After`, as it stands.
    pub retry_after: Option<String>,
    /// The host that a redirect names.
    pub elsewhere: Option<String>,
    pub body: Vec<u8>,
}

/// Why a request had no answer.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub error: Error,
    pub then: Then,
    /// Whether the request may have cost something.
    pub may_cost: bool,
}

/// What to do after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Then {
    End,
    /// Ask again, after the time that the server names, if it names one.
    Again(Option<Duration>),
    /// The model is being loaded.
    Wait,
    /// Ask again without this field.
    Without(String),
}

impl Trouble {
    pub const fn end(error: Error) -> Self {
        Self { error, then: Then::End, may_cost: false }
    }

    pub const fn costly(error: Error) -> Self {
        Self { error, then: Then::End, may_cost: true }
    }
}

impl ServerConnection {
    /// Prepares the way to a server; nothing is sent yet.
    ///
    /// # Errors
    /// The address, that of the proxy or the certificates cannot be used.
    pub fn new(address: &ConnectionAddress<'_>, environment: &Environment) -> Result<Self, Error> {
        let unusable = |why: String| Error::Unreachable(format!("cannot use `{}`: {why}", address.setting));
        let url = Url::parse(address.url).map_err(|error| unusable(error.to_string()))?;
        http::install_tls();
        let mut builder = ClientBuilder::new()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .user_agent(concat!("brv/", env!("CARGO_PKG_VERSION")))
            .timeout(None)
            .no_proxy();
        if url.scheme() == "http" {
            // this machine: no certificate is looked at, so that none has to be read
            builder = builder.tls_certs_only([]);
        } else if let Some(text) = http::proxy(http::Scheme::Https, environment)
            && !url.host_str().is_some_and(brv_base::config::is_here)
        {
            let proxy = http::proxy_url(text).map_err(|why| unusable(format!("its proxy {why}")))?;
            let except = http::no_proxy(environment).and_then(NoProxy::from_string);
            let proxy = Proxy::all(proxy).map_err(|error| unusable(reason(&error)))?;
            builder = builder.proxy(proxy.no_proxy(except));
        }
        if let Some(pem) = address.certificates.filter(|_| url.scheme() != "http") {
            let certificates = Certificate::from_pem_bundle(pem).ok().filter(|found| !found.is_empty());
            let none = || unusable("the file of certificates has none in PEM".into());
            builder = builder.tls_certs_merge(certificates.ok_or_else(none)?);
        }
        let client = builder.build().map_err(|error| unusable(reason(&error)))?;
        Ok(Self { client, url, limit: address.limit })
    }

    /// The host, with its port.
    pub fn host(&self) -> String {
        host_of(&self.url)
    }

    /// Sends one request, and waits for the whole answer.
    ///
    /// # Errors
    /// There is none. The message does not name the host.
    pub fn send(
        &self,
        outgoing: Outgoing<'_>,
        time: Duration,
        interrupt: &AtomicBool,
    ) -> Result<Reply, Trouble> {
        let Outgoing { method, path, query, headers, body } = outgoing;
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path().trim_end_matches('/')));
        url.set_query(query);
        let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::POST);
        let mut request = Request::new(method, url);
        *request.headers_mut() = header_map(headers)?;
        *request.body_mut() = (!body.is_empty()).then(|| body.into());
        *request.timeout_mut() = Some(time);
        let given_up = Arc::new(AtomicBool::new(false));
        let (sender, answer) = sync_channel(1);
        let (client, ours, limit) =
            (self.client.clone(), Arc::clone(&given_up), RequestLimit { time, named: self.limit });
        std::thread::spawn(move || perform(&client, request, &ours, limit, &sender));
        let end = Instant::now() + time;
        let trouble = loop {
            match answer.recv_timeout(LOOK.min(end.saturating_duration_since(Instant::now()))) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => break cut("the request failed"),
                Err(RecvTimeoutError::Timeout) if interrupt.load(Ordering::Relaxed) => {
                    break Trouble::costly(Error::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= end => break late(limit),
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        given_up.store(true, Ordering::Relaxed);
        Err(trouble)
    }
}

fn header_map(headers: &[(&'static str, String)]) -> Result<HeaderMap, Trouble> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        // the value may be the key: it is not quoted
        let mut header = HeaderValue::from_str(value)
            .map_err(|_| unconnected(&format!("`{name}` has characters that no header can have")))?;
        header.set_sensitive(true);
        map.insert(HeaderName::from_static(name), header);
    }
    Ok(map)
}

/// Runs a request to its end, or until it is given up.
fn perform(
    client: &Client,
    request: Request,
    given_up: &AtomicBool,
    limit: RequestLimit,
    sender: &SyncSender<Result<Reply, Trouble>>,
) {
    let reply = client.execute(request).map_err(|error| trouble(&error, limit));
    // nobody may wait any more
    let _ = sender.send(reply.and_then(|response| read(response, given_up)));
}

/// The host of an address, with its port if that is not the usual one.
fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn read(mut response: Response, given_up: &AtomicBool) -> Result<Reply, Trouble> {
    let text = |name| response.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let elsewhere = text(LOCATION).map(|place| match response.url().join(place) {
        Ok(url) => host_of(&url),
        Err(_) => "another place".to_owned(),
    });
    let (status, retry_after) = (response.status().as_u16(), text(RETRY_AFTER).map(str::to_owned));
    let mut body = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        if given_up.load(Ordering::Relaxed) {
            return Err(Trouble::costly(Error::Interrupted));
        }
        match response.read(&mut piece) {
            Ok(0) => return Ok(Reply { status, retry_after, elsewhere, body }),
            Ok(length) if body.len() + length > LONGEST_ANSWER => {
                let why = format!("the answer is longer than {} MB", LONGEST_ANSWER >> 20);
                return Err(Trouble::costly(Error::Invalid(why)));
            }
            Ok(length) => body.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                let why = format!("the answer breaks off: {}", reason(&error));
                return Err(Trouble::costly(Error::Invalid(why)));
            }
        }
    }
}

fn trouble(error: &reqwest::Error, limit: RequestLimit) -> Trouble {
    let why = reason(error);
    match () {
        () if error.is_timeout() => late(limit),
        () if error.is_connect() => unconnected(&why),
        () if why.contains("invalid HTTP") || why.contains("head is too large") => {
            Trouble::costly(Error::Unreachable(format!("the answer is not HTTP: {why}")))
        }
        () => cut(&why),
    }
}

/// Nothing was sent.
fn unconnected(why: &str) -> Trouble {
    Trouble::end(Error::Unreachable(format!("cannot connect: {why}")))
}

/// The connection ended before an answer began.
fn cut(why: &str) -> Trouble {
    let error = Error::Unreachable(format!("the connection was cut before an answer: {why}"));
    Trouble { then: Then::Again(None), ..Trouble::costly(error) }
}

/// How long an answer may take, and what says so.
#[derive(Debug, Clone, Copy)]
struct RequestLimit {
    time: Duration,
    named: &'static str,
}

fn late(limit: RequestLimit) -> Trouble {
    let RequestLimit { time, named } = limit;
    Trouble::costly(Error::Unreachable(format!("no answer within {} s ({named})", time.as_secs_f32())))
}

/// The innermost cause: what is around it repeats the address.
fn reason(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let text = causes.last().map(ToString::to_string).unwrap_or_default();
    brief(printable(text.as_bytes()))
}
