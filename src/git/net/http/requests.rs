//! Runs http requests on their own threads, and waits for the answers.
//!
//! Does not follow redirects.

use super::settings::{Proxy, Settings};
use super::{Trouble, Troubles};
use crate::net::connection_errors;
use crate::net::network::reason;
use crate::net::timeouts::{Patience, TimedReader, carry};
use crate::settings::url::without_user_info;
use brv_base::messages::{brief, printable};
use gix::protocol::transport::client::AuthenticationRequired;
use reqwest::blocking::{Body, Client, Request, Response};
use reqwest::header::{CONTENT_TYPE, HeaderMap, WWW_AUTHENTICATE};
use reqwest::{Method, StatusCode, Url};
use std::io::{self, Read as _};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const MOST_HEADER_BYTES: usize = 256 << 10;

/// How long to wait for the connection of the previous request: opening a new one takes longer.
const LONGEST_WAIT_FOR_CONNECTION: Duration = Duration::from_millis(100);

/// State shared with the request threads.
pub(super) struct HttpSession {
    client: Client,
    pub settings: Settings,
    pub patience: Patience,
    troubles: Troubles,
    /// Ends with the last request.
    busy: Mutex<Option<Receiver<()>>>,
}

/// The head of an answer, before the body.
pub(super) struct Head {
    pub status: StatusCode,
    pub headers: HeaderMap,
}

pub(super) struct HttpCall {
    pub head: Receiver<Result<Head, reqwest::Error>>,
    pub body: TimedReader,
}

impl HttpSession {
    pub fn new(client: Client, settings: Settings, patience: Patience, troubles: Troubles) -> Self {
        Self { client, settings, patience, troubles, busy: Mutex::default() }
    }

    /// Sends a request on its own thread.
    pub fn start(line: &Arc<Self>, mut request: Request, body: Option<Body>) -> HttpCall {
        *request.body_mut() = body;
        let (to_head, head) = sync_channel(1);
        let (to_body, body) = TimedReader::new(line.patience.clone());
        line.perform(request, to_head, to_body);
        HttpCall { head, body }
    }

    /// Sends `request` on its own thread; once the previous request has released its connection, on the same one.
    pub fn perform(
        &self,
        request: Request,
        to_head: SyncSender<Result<Head, reqwest::Error>>,
        to_body: SyncSender<io::Result<Vec<u8>>>,
    ) {
        let (busy, done) = sync_channel::<()>(0);
        let before = self.busy.lock().unwrap_or_else(PoisonError::into_inner).replace(done);
        if let Some(before) = before {
            // only the drop of its sender matters
            let _ = before.recv_timeout(LONGEST_WAIT_FOR_CONNECTION);
        }
        let client = self.client.clone();
        std::thread::spawn(move || {
            perform(&client, request, &to_head, &to_body);
            drop(busy);
        });
    }

    /// Waits for the head of an answer.
    pub fn head(&self, receiver: &Receiver<Result<Head, reqwest::Error>>) -> io::Result<Head> {
        let head = match self.patience.receive(receiver)? {
            Some(Ok(head)) => head,
            Some(Err(error)) => return Err(self.broken(error)),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        };
        let size: usize = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        if size > MOST_HEADER_BYTES {
            return Err(io::Error::other("the response headers are too long"));
        }
        self.patience.moved(size);
        Ok(head)
    }

    fn broken(&self, error: reqwest::Error) -> io::Error {
        let said = reason(&error, None);
        if said.contains("proxy authorization required") {
            return self.fail(Trouble::Proxy(self.proxy()));
        }
        if !error.is_connect() && connection_errors::known(&error).is_none() {
            return io::Error::other(error);
        }
        let why = if error.is_timeout() { "it does not answer in time".into() } else { said };
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

    fn proxy(&self) -> String {
        match &self.settings.proxy {
            Proxy::Direct => String::new(),
            Proxy::Through { url, .. } => match (url.host_str(), url.port()) {
                (Some(host), Some(port)) => format!("{host}:{port}"),
                (host, _) => host.unwrap_or_default().to_owned(),
            },
        }
    }

    /// Checks the content type: only git answers with `application/x-git-*`.
    fn check_kind(&self, head: &Head) -> io::Result<()> {
        let kind = head.headers.get(CONTENT_TYPE).map(|kind| String::from_utf8_lossy(kind.as_bytes()));
        match kind {
            Some(kind) if kind.starts_with("application/x-git-") => Ok(()),
            Some(kind) => Err(self.fail(Trouble::NoGit(format!("`{}`", brief(printable(kind.as_bytes())))))),
            None => Err(self.fail(Trouble::NoGit("no content type".into()))),
        }
    }

    /// Turns an http error status into an error; for a request for credentials it is the one that gitoxide knows.
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
            // the caller may have given up
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
        // reads a short answer to its end, so that the connection can be reused
        let _ = io::copy(&mut response.take(MOST_HEADER_BYTES as u64), &mut io::sink());
    }
}

pub(super) fn shown(url: &str) -> String {
    let short = url.split('?').next().unwrap_or(url);
    crate::printable(without_user_info(short).as_bytes())
}
