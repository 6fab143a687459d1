//! gitoxide's http transport: sends its requests with the headers from the settings, and handles redirects safely.
//!
//! Knows nothing of git's protocol, and does not ask for credentials.

use super::exchange::{HttpBodyPieces, PendingRequest, ResponseHeaders, Upload};
use super::requests::{Head, HttpSession, shown};
use super::settings::{Redirects, Settings};
use super::{Trouble, Troubles};
use crate::net::timeouts::{Patience, TimedReader, TimedWriter};
use gix::protocol::transport::client::blocking_io::http::{
    GetResponse, Http, PostBodyDataKind, PostResponse,
};
use reqwest::blocking::{Body, Client, Request};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, Url};
use std::io::{self, BufWriter};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// git's own limit.
const MOST_REDIRECTS: usize = 20;

pub(super) struct Backend {
    line: Arc<HttpSession>,
    /// Where `http.extraHeader` may be sent: the host of the first URL.
    home: Option<Url>,
    redirected: Option<String>,
}

impl Backend {
    pub fn new(client: Client, settings: Settings, patience: Patience, troubles: Troubles) -> Self {
        let line = Arc::new(HttpSession::new(client, settings, patience, troubles));
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
                    // as in git the header from the settings wins
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

    /// Requests `url` and follows redirects, as long as they lead to the same repository.
    fn ask(&mut self, url: &str, base: &str, lines: &[String]) -> io::Result<(Head, TimedReader)> {
        let tail = url.strip_prefix(base).unwrap_or_default().to_owned();
        let mut request = self.request(Method::GET, url, lines)?;
        let first = request.url().clone();
        for _ in 0..=MOST_REDIRECTS {
            let asked = request.url().clone();
            let call = HttpSession::start(&self.line, request, None);
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
        Err(self.line.fail(Trouble::Redirect { to, why: "too many redirects" }))
    }

    fn check_redirect(&self, from: &Url, to: Result<Url, String>, tail: &str) -> io::Result<Url> {
        let refuse = |to: &str, why| self.line.fail(Trouble::Redirect { to: shown(to), why });
        let mut to = to.map_err(|text| refuse(&text, "not a valid URL"))?;
        take_user_info(&mut to);
        if self.line.settings.redirects == Redirects::Refuse {
            return Err(refuse(to.as_str(), "`http.followRedirects` forbids it"));
        }
        match (from.scheme(), to.scheme()) {
            ("http", "http") | (_, "https") => {}
            ("https", "http") => return Err(refuse(to.as_str(), "it is no longer encrypted")),
            _ => return Err(refuse(to.as_str(), "it is neither http nor https")),
        }
        match to.as_str().ends_with(tail) {
            true => Ok(to),
            false => Err(refuse(to.as_str(), "it is not a repository URL")),
        }
    }
}

fn same_place(one: &Url, other: &Url) -> bool {
    let place =
        |url: &Url| (url.scheme().to_owned(), url.host_str().map(str::to_owned), url.port_or_known_default());
    place(one) == place(other)
}

/// Removes user info, which reqwest would turn into credentials.
fn take_user_info(url: &mut Url) {
    // only URLs without a host cannot change their user info
    let _ = url.set_username("").and_then(|()| url.set_password(None));
}

/// The target of a redirect, if the answer is one.
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
    type Headers = ResponseHeaders;
    type ResponseBody = TimedReader;
    type PostBody = Upload;

    fn get(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> gix::Result<GetResponse<ResponseHeaders, TimedReader>> {
        // errors come with the headers, where gitoxide looks for authentication challenges
        Ok(match self.ask(url, base_url, &lines(headers)) {
            Ok((head, body)) => {
                GetResponse { headers: ResponseHeaders::of(&self.line, &head, &Method::GET), body }
            }
            Err(error) => {
                let body = TimedReader::new(self.line.patience.clone()).1;
                GetResponse { headers: ResponseHeaders::Failed(Some(error)), body }
            }
        })
    }

    fn post(
        &mut self,
        url: &str,
        _base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        kind: PostBodyDataKind,
    ) -> gix::Result<PostResponse<ResponseHeaders, TimedReader, Upload>> {
        let request = self.request(Method::POST, url, &lines(headers)).map_err(gix::Error::from_error)?;
        let line = Arc::clone(&self.line);
        let (head, body, post_body) = match kind {
            PostBodyDataKind::BoundedAndFitsIntoMemory => {
                let (to_head, head) = sync_channel(1);
                let (to_body, body) = TimedReader::new(line.patience.clone());
                let call =
                    Some(Box::new(PendingRequest { line: Arc::clone(&line), request, to_head, to_body }));
                (head, body, Upload::Kept { bytes: Vec::new(), call })
            }
            PostBodyDataKind::Unbounded => {
                let (taken, pieces) = TimedWriter::new(line.patience.clone());
                let pieces = HttpBodyPieces::new(pieces, line.patience.clone());
                let call = HttpSession::start(&line, request, Some(Body::new(pieces)));
                (call.head, call.body, Upload::Sent(BufWriter::with_capacity(64 << 10, taken)))
            }
        };
        Ok(PostResponse { headers: ResponseHeaders::Awaited(line, head), body, post_body })
    }

    fn configure(&mut self, _config: &dyn std::any::Any) -> gix::Result {
        Ok(())
    }

    fn redirected_base_url(&self) -> Option<String> {
        self.redirected.clone()
    }
}
