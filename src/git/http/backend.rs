//! Requests of gitoxide's http transport: made by threads, waited for patiently, redirected with care.
//!
//! Knows nothing of git's protocol, and asks nobody for credentials.

use super::exchange::{Headers, Pieces, Upload, Waiting};
use super::settings::{Proxy, Redirects, Settings};
use super::{Trouble, Troubles};
use crate::git::broken;
use crate::git::messages::{brief, printable};
use crate::git::network::reason;
use crate::git::patience::{Brought, Patience, Taken, carry};
use crate::git::url::without_user_info;
use gix::protocol::transport::client::AuthenticationRequired;
use gix::protocol::transport::client::blocking_io::http::{
    GetResponse, Http, PostBodyDataKind, PostResponse,
};
use reqwest::blocking::{Body, Client, Request, Response};
use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, WWW_AUTHENTICATE,
};
use reqwest::{Method, StatusCode, Url};
use std::io::{self, BufWriter, Read as _};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// As many as git follows.
const MOST_REDIRECTS: usize = 20;

/// More of a header than any server needs.
const MOST_HEADER_BYTES: usize = 256 << 10;

/// A new connection takes longer than the end of an answer that has come.
const LONGEST_WAIT_FOR_CONNECTION: Duration = Duration::from_millis(100);

pub(super) struct Backend {
    line: Arc<Line>,
    /// Where `http.extraHeader` may go: the place of the first address.
    home: Option<Url>,
    /// Where a redirect has led.
    redirected: Option<String>,
}

/// What requests need on their own threads.
pub(super) struct Line {
    client: Client,
    settings: Settings,
    pub patience: Patience,
    troubles: Troubles,
    /// Ends with the request that was made last.
    busy: Mutex<Option<Receiver<()>>>,
}

/// What came before a body.
pub(super) struct Head {
    pub status: StatusCode,
    pub headers: HeaderMap,
}

/// A request under way.
struct Call {
    head: Receiver<Result<Head, reqwest::Error>>,
    body: Brought,
}

impl Backend {
    pub fn new(client: Client, settings: Settings, patience: Patience, troubles: Troubles) -> Self {
        let line = Arc::new(Line { client, settings, patience, troubles, busy: Mutex::default() });
        Self { line, home: None, redirected: None }
    }

    fn headers(&self, url: &Url, lines: &[String]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            let Some((name, value)) = line.split_once(':') else { continue };
            if let (Ok(name), Ok(value)) =
                (name.trim().parse::<HeaderName>(), HeaderValue::from_str(value.trim()))
            {
                headers.append(name, value);
            }
        }
        if let Some(agent) = &self.line.settings.user_agent
            && let Ok(agent) = HeaderValue::from_str(agent)
        {
            headers.insert(reqwest::header::USER_AGENT, agent);
        }
        if self.home.as_ref().is_some_and(|home| same_place(home, url)) {
            for (name, value) in &self.line.settings.headers {
                if name == AUTHORIZATION {
                    // as in git the settings' own wins
                    headers.insert(name, value.clone());
                } else {
                    headers.append(name, value.clone());
                }
            }
        }
        if let Some(value) = headers.get_mut(AUTHORIZATION) {
            value.set_sensitive(true);
        }
        headers
    }

    fn request(&mut self, method: Method, url: &str, lines: &[String]) -> io::Result<Request> {
        let mut url = Url::parse(url).map_err(io::Error::other)?;
        take_user_info(&mut url);
        self.home.get_or_insert_with(|| url.clone());
        let headers = self.headers(&url, lines);
        let mut request = Request::new(method, url);
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Ask for `url`, and for where its answers lead, as long as they lead to the same repository.
    fn ask(&mut self, url: &str, base: &str, lines: &[String]) -> io::Result<(Head, Brought)> {
        let tail = url.strip_prefix(base).unwrap_or_default().to_owned();
        let mut request = self.request(Method::GET, url, lines)?;
        let first = request.url().clone();
        for _ in 0..=MOST_REDIRECTS {
            let asked = request.url().clone();
            let call = Line::start(&self.line, request, None);
            let head = self.line.head(&call.head)?;
            let Some(to) = location(&head, &asked) else { return Ok((head, call.body)) };
            let to = self.check_redirect(&asked, to, &tail)?;
            self.redirected = Some(to.as_str().strip_suffix(tail.as_str()).unwrap_or(to.as_str()).to_owned());
            request = self.request(Method::GET, to.as_str(), lines)?;
            if !same_place(&first, &to) {
                request.headers_mut().remove(AUTHORIZATION);
            }
        }
        let to = self.redirected.clone().unwrap_or_default();
        Err(self.line.fail(Trouble::Redirect { to, why: "on and on" }))
    }

    fn check_redirect(&self, from: &Url, to: Result<Url, String>, tail: &str) -> io::Result<Url> {
        let refuse = |to: &str, why| self.line.fail(Trouble::Redirect { to: shown(to), why });
        let mut to = to.map_err(|text| refuse(&text, "which is no address"))?;
        take_user_info(&mut to);
        if self.line.settings.redirects == Redirects::Refuse {
            return Err(refuse(to.as_str(), "and `http.followRedirects` forbids to follow"));
        }
        match (from.scheme(), to.scheme()) {
            ("http", "http") | (_, "https") => {}
            ("https", "http") => return Err(refuse(to.as_str(), "which is not encrypted any more")),
            _ => return Err(refuse(to.as_str(), "which is neither http nor https")),
        }
        match to.as_str().ends_with(tail) {
            true => Ok(to),
            false => Err(refuse(to.as_str(), "which is not the address of a repository")),
        }
    }
}

impl Line {
    /// Make a request on a thread of its own.
    fn start(line: &Arc<Self>, mut request: Request, body: Option<Body>) -> Call {
        *request.body_mut() = body;
        let (to_head, head) = sync_channel(1);
        let (to_body, body) = Brought::new(line.patience.clone());
        line.perform(request, to_head, to_body);
        Call { head, body }
    }

    /// Make `request` on a thread of its own; when the one before is done with its connection, on the same.
    pub fn perform(
        &self,
        request: Request,
        to_head: SyncSender<Result<Head, reqwest::Error>>,
        to_body: SyncSender<io::Result<Vec<u8>>>,
    ) {
        let (busy, done) = sync_channel::<()>(0);
        let before = self.busy.lock().unwrap_or_else(PoisonError::into_inner).replace(done);
        if let Some(before) = before {
            // its sender is dropped at the end, and nothing is ever sent
            let _ = before.recv_timeout(LONGEST_WAIT_FOR_CONNECTION);
        }
        let client = self.client.clone();
        std::thread::spawn(move || {
            perform(&client, request, &to_head, &to_body);
            drop(busy);
        });
    }

    /// Wait for the head of an answer.
    pub fn head(&self, receiver: &Receiver<Result<Head, reqwest::Error>>) -> io::Result<Head> {
        let head = match self.patience.receive(receiver)? {
            Some(Ok(head)) => head,
            Some(Err(error)) => return Err(self.broken(error)),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        };
        let size: usize = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        if size > MOST_HEADER_BYTES {
            return Err(io::Error::other("its answer has an endless header"));
        }
        self.patience.moved(size);
        Ok(head)
    }

    fn broken(&self, error: reqwest::Error) -> io::Error {
        let said = reason(&error, None);
        if said.contains("proxy authorization required") {
            return self.fail(Trouble::Proxy(self.proxy()));
        }
        if !error.is_connect() && broken::known(&error).is_none() {
            return io::Error::other(error);
        }
        let why = if error.is_timeout() { "it does not answer".into() } else { said };
        let host = error.url().and_then(Url::host_str).unwrap_or_default();
        self.fail(match self.settings.proxy.serves(host) {
            true => Trouble::BrokenBehind { proxy: self.proxy(), why },
            false => Trouble::Broken(why),
        })
    }

    pub fn fail(&self, trouble: Trouble) -> io::Error {
        self.troubles.set(trouble.clone());
        io::Error::other(trouble)
    }

    /// The proxy as it may be printed.
    fn proxy(&self) -> String {
        match &self.settings.proxy {
            Proxy::Direct => String::new(),
            Proxy::Through { url, .. } => match (url.host_str(), url.port()) {
                (Some(host), Some(port)) => format!("{host}:{port}"),
                (host, _) => host.unwrap_or_default().to_owned(),
            },
        }
    }

    /// What git sends says so.
    fn check_kind(&self, head: &Head) -> io::Result<()> {
        let kind = head.headers.get(CONTENT_TYPE).map(|kind| String::from_utf8_lossy(kind.as_bytes()));
        match kind {
            Some(kind) if kind.starts_with("application/x-git-") => Ok(()),
            Some(kind) => Err(self.fail(Trouble::NoGit(format!("`{}`", brief(printable(kind.as_bytes())))))),
            None => Err(self.fail(Trouble::NoGit("something without a name".into()))),
        }
    }

    /// An answer that is none is an error; one that asks who we are is the error that gitoxide knows.
    pub fn check(&self, head: &Head, method: &Method) -> io::Result<()> {
        match head.status {
            status if status.is_success() => self.check_kind(head),
            StatusCode::UNAUTHORIZED => {
                if method == Method::POST {
                    self.troubles.set(Trouble::Unauthorised);
                }
                let challenges = head.headers.get_all(WWW_AUTHENTICATE).iter();
                let www_authenticate = challenges.map(|value| value.as_bytes().into()).collect();
                let inner = AuthenticationRequired { www_authenticate };
                Err(io::Error::new(io::ErrorKind::PermissionDenied, inner))
            }
            StatusCode::PROXY_AUTHENTICATION_REQUIRED => Err(self.fail(Trouble::Proxy(self.proxy()))),
            status => Err(self.fail(Trouble::Answered(status))),
        }
    }
}

fn perform(
    client: &Client,
    request: Request,
    to_head: &SyncSender<Result<Head, reqwest::Error>>,
    to_body: &SyncSender<io::Result<Vec<u8>>>,
) {
    let mut response: Response = match client.execute(request) {
        Ok(response) => response,
        Err(error) => {
            // nobody waits any more: nobody misses it
            let _ = to_head.send(Err(error));
            return;
        }
    };
    let head = Head { status: response.status(), headers: response.headers().clone() };
    let succeeded = head.status.is_success();
    if to_head.send(Ok(head)).is_err() {
        return;
    }
    carry(&mut response, to_body);
    if !succeeded {
        // a short answer to its end, for the connection to be used again
        let _ = io::copy(&mut response.take(MOST_HEADER_BYTES as u64), &mut io::sink());
    }
}

fn same_place(one: &Url, other: &Url) -> bool {
    let place =
        |url: &Url| (url.scheme().to_owned(), url.host_str().map(str::to_owned), url.port_or_known_default());
    place(one) == place(other)
}

/// reqwest would make credentials of it.
fn take_user_info(url: &mut Url) {
    // only addresses without a host cannot change theirs
    let _ = url.set_username("").and_then(|()| url.set_password(None));
}

pub(super) fn shown(url: &str) -> String {
    let short = url.split('?').next().unwrap_or(url);
    crate::git::printable(without_user_info(short).as_bytes())
}

/// Where the answer leads, if it leads elsewhere.
fn location(head: &Head, asked: &Url) -> Option<Result<Url, String>> {
    let moved = matches!(head.status.as_u16(), 301 | 302 | 303 | 307 | 308);
    let to = head.headers.get(LOCATION).filter(|_| moved)?;
    let text = String::from_utf8_lossy(to.as_bytes()).into_owned();
    Some(asked.join(&text).map_err(|_| text))
}

fn lines(headers: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    headers.into_iter().map(|line| line.as_ref().to_owned()).collect()
}

impl Http for Backend {
    type Headers = Headers;
    type ResponseBody = Brought;
    type PostBody = Upload;

    fn get(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> gix::Result<GetResponse<Headers, Brought>> {
        // errors come with the header, where gitoxide looks for those that credentials may cure
        Ok(match self.ask(url, base_url, &lines(headers)) {
            Ok((head, body)) => GetResponse { headers: Headers::of(&self.line, &head, &Method::GET), body },
            Err(error) => {
                let body = Brought::new(self.line.patience.clone()).1;
                GetResponse { headers: Headers::Failed(Some(error)), body }
            }
        })
    }

    fn post(
        &mut self,
        url: &str,
        _base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        kind: PostBodyDataKind,
    ) -> gix::Result<PostResponse<Headers, Brought, Upload>> {
        let request = self.request(Method::POST, url, &lines(headers)).map_err(gix::Error::from_error)?;
        let line = Arc::clone(&self.line);
        let (head, body, post_body) = match kind {
            PostBodyDataKind::BoundedAndFitsIntoMemory => {
                let (to_head, head) = sync_channel(1);
                let (to_body, body) = Brought::new(line.patience.clone());
                let call = Some(Box::new(Waiting { line: Arc::clone(&line), request, to_head, to_body }));
                (head, body, Upload::Kept { bytes: Vec::new(), call })
            }
            PostBodyDataKind::Unbounded => {
                let (taken, pieces) = Taken::new(line.patience.clone());
                let pieces = Pieces::new(pieces, line.patience.clone());
                let call = Line::start(&line, request, Some(Body::new(pieces)));
                (call.head, call.body, Upload::Sent(BufWriter::with_capacity(64 << 10, taken)))
            }
        };
        Ok(PostResponse { headers: Headers::Awaited(line, head), body, post_body })
    }

    fn configure(&mut self, _config: &dyn std::any::Any) -> gix::Result {
        Ok(())
    }

    fn redirected_base_url(&self) -> Option<String> {
        self.redirected.clone()
    }
}
