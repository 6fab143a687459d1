//! Answers a browser: the door without a key, the pages with the cookie of this run.

use super::acts::ActFields;
use super::keys::{Keys, Visitor};
use super::pages::{WebAnswer, WebPages, WebSetup};
use super::request::{SiteRequest, cookies, fields, is_of_this_site};
use super::running::{GivenKey, KeyRequest};
use crate::say::site::form::{SiteAct, SiteRights};
use crate::say::site::{ICON, SCRIPT, SiteAddresses, door, encoded, style};
use crate::serve::exchange::{HttpResponse, answer, plain, whole};
use crate::serve::host::{OriginRule, refusal};
use crate::serve::listener::{self, ServerLimits};
use crate::serve::{memory, secret};
use brv_commands::ui::RunningServer;
use brv_engine::{Interrupt, heard_interrupt};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, StatusCode};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, Semaphore};

/// The server ends when no page was asked for in so long.
const IDLE: Duration = Duration::from_secs(30 * 60);

const LIMITS: ServerLimits =
    ServerLimits { connections: 64, life: Some(Duration::from_secs(60)), head: 32 * 1024 };

/// How often a Ctrl-C is looked for.
const INTERRUPT_STEP: Duration = Duration::from_millis(200);

/// The most bytes of a form.
const FORM: usize = 1 << 20;

/// The most bytes of a request for a key.
const ASKED: usize = 1 << 12;

/// How many pages are made at a time.
const TURNS: usize = 4;

const HTML: &str = "text/html; charset=utf-8";

/// What every answer says: nothing is loaded but from here, nothing is kept, no other site is told or may look in.
const SAID: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // with `no-referrer` the page's own forms would say that they come from nowhere
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// A server, and what it knows.
pub struct WebServer {
    pages: WebPages,
    run: String,
    keys: Keys,
    /// What each form carries.
    secret: String,
    used: Mutex<Instant>,
    turns: Arc<Semaphore>,
    /// A page was made.
    made: Notify,
}

/// A port that is taken.
pub struct BoundServer {
    runtime: tokio::runtime::Runtime,
    listener: tokio::net::TcpListener,
    server: Arc<WebServer>,
    pub port: u16,
}

impl BoundServer {
    /// Listen on the first of these ports that is free.
    ///
    /// # Errors
    /// None is free, or the system has no random bytes.
    pub fn of(setup: WebSetup, ports: &[u16]) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(async {
            let mut last = io::Error::from(io::ErrorKind::AddrInUse);
            for port in ports {
                match listener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, *port))).await {
                    Ok(listener) => return Ok(listener),
                    Err(error) => last = error,
                }
            }
            Err(last)
        })?;
        let port = listener.local_addr()?.port();
        let run = secret::random::<8>()?;
        let addresses = SiteAddresses::of_run(&run);
        let secret = secret::random::<32>()?;
        let (keys, used, turns) = (Keys::new()?, Mutex::new(Instant::now()), Arc::new(Semaphore::new(TURNS)));
        let server = Arc::new(WebServer {
            pages: WebPages::of(setup, addresses, secret.clone()),
            run,
            keys,
            secret,
            used,
            turns,
            made: Notify::new(),
        });
        Ok(Self { runtime, listener, server, port })
    }

    /// What others are told of it.
    pub fn note(&self) -> RunningServer {
        let secret = self.server.keys.secret.clone();
        RunningServer { process: std::process::id(), port: self.port, secret }
    }

    /// A key that signs this visitor in, once; it grants at most what the server does.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn key(&self, visitor: &Visitor) -> io::Result<GivenKey> {
        self.server.key(visitor)
    }

    /// Serve until nobody has looked for half an hour.
    pub fn serve(self) {
        let server = self.server.clone();
        let each = move |request| {
            let server = server.clone();
            async move { server.answer(request).await }
        };
        self.runtime.block_on(async {
            tokio::select! {
                () = listener::accept(&self.listener, LIMITS, each) => {}
                () = self.server.idles() => {}
                () = is_interrupted() => {}
                () = memory::give_back(&self.server.made) => {}
            }
        });
        self.runtime.shutdown_background();
    }
}

impl WebServer {
    /// Wait until no page was asked for in [`IDLE`].
    async fn idles(&self) {
        loop {
            let idle = self.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
            if idle >= IDLE {
                return;
            }
            tokio::time::sleep(IDLE - idle).await;
        }
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> HttpResponse {
        let mut answer = self.answered(request).await;
        for (name, value) in SAID {
            answer.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        answer
    }

    async fn answered(self: Arc<Self>, request: Request<Incoming>) -> HttpResponse {
        if let Some(refusal) = refusal(request.headers(), OriginRule::ThisServer) {
            return refusal;
        }
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        if !reads && request.method() != Method::POST {
            let mut refusal = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET, HEAD and POST");
            refusal.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
            return refusal;
        }
        let Some(asked) = SiteRequest::of(request.uri()) else {
            return plain(StatusCode::NOT_FOUND, "there is nothing here");
        };
        let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
        match (reads, &path[..]) {
            (true, [""]) => answer(StatusCode::OK, HTML, door::page()),
            (true, ["style.css"]) => answer(StatusCode::OK, "text/css; charset=utf-8", style()),
            (true, ["script.js"]) => answer(StatusCode::OK, "text/javascript; charset=utf-8", SCRIPT),
            (true, ["icon.svg"]) => answer(StatusCode::OK, "image/svg+xml", ICON),
            (true, ["s", key]) if *request.method() == Method::GET => self.enter(key, &asked),
            (false, ["session"]) => self.sign_in(request.headers()),
            (false, ["key"]) => self.give_key(request).await,
            (true, [run, ..]) if *run == self.run => match self.visitor(request.headers()) {
                Some(visitor) => self.signed_in(asked, visitor).await,
                None => answer(StatusCode::UNAUTHORIZED, HTML, door::from_elsewhere(&address(request.uri()))),
            },
            (false, [run, "act", act]) if *run == self.run => match SiteAct::of(act) {
                Some(act) => self.act(act, request).await,
                None => plain(StatusCode::NOT_FOUND, "there is nothing here"),
            },
            // an address of an earlier run, which a tab still has
            (_, [run, ..]) if run.len() == self.run.len() => {
                answer(StatusCode::NOT_FOUND, HTML, door::of_another_run())
            }
            _ => plain(StatusCode::NOT_FOUND, "there is nothing here"),
        }
    }

    /// Who is signed in.
    fn visitor(&self, headers: &HeaderMap) -> Option<Visitor> {
        cookies(headers).filter(|_| is_of_this_site(headers)).find_map(|cookie| self.keys.visitor(cookie))
    }

    /// Who has a key is sent its cookie.
    fn sign_in(&self, headers: &HeaderMap) -> HttpResponse {
        let cookie =
            bearer(headers).filter(|_| is_of_this_site(headers)).and_then(|key| self.keys.sign_in(key));
        let Some(cookie) = cookie else {
            return plain(
                StatusCode::UNAUTHORIZED,
                "the key is missing, wrong, used or older than ten minutes",
            );
        };
        let base = format!("{{\"base\":\"{}\"}}\n", self.pages.base());
        self.with_cookie(answer(StatusCode::OK, "application/json", base), &cookie)
    }

    /// The same without a script.
    fn enter(&self, key: &str, asked: &SiteRequest) -> HttpResponse {
        let Some(cookie) = self.keys.sign_in(key) else {
            return answer(StatusCode::UNAUTHORIZED, HTML, door::page());
        };
        let to = asked.get("to").filter(|to| to.starts_with('/') && !to.starts_with("//")).unwrap_or("/home");
        let to = encoded(to);
        self.with_cookie(elsewhere(&format!("{}{to}", self.pages.base())), &cookie)
    }

    fn with_cookie(&self, mut answer: HttpResponse, cookie: &str) -> HttpResponse {
        let text = format!("brv={cookie}; HttpOnly; SameSite=Strict; Path={}/", self.pages.base());
        if let Ok(value) = HeaderValue::from_str(&text) {
            answer.headers_mut().insert(header::SET_COOKIE, value);
        }
        answer
    }

    fn key(&self, visitor: &Visitor) -> io::Result<GivenKey> {
        let rights = visitor.rights.min(self.pages.most());
        let key = self.keys.make(Visitor { rights, actor: visitor.actor.clone() })?;
        Ok(GivenKey { key, writes: rights == SiteRights::Everything })
    }

    /// A new key for who has read the note of this server.
    async fn give_key(&self, request: Request<Incoming>) -> HttpResponse {
        let is_ours =
            bearer(request.headers()).is_some_and(|given| secret::is_same(given, &self.keys.secret));
        if !is_ours {
            return plain(StatusCode::UNAUTHORIZED, "the secret is missing or wrong");
        }
        let asked = match whole(request.into_body(), ASKED).await {
            Ok(body) => serde_json::from_slice::<KeyRequest>(&body),
            Err(refusal) => return refusal,
        };
        let Ok(asked) = asked else { return plain(StatusCode::BAD_REQUEST, "the request is not JSON") };
        match self.key(&asked.visitor()).map(|given| serde_json::to_string(&given)) {
            Ok(Ok(given)) => {
                self.is_used();
                answer(StatusCode::OK, "application/json", given)
            }
            _ => plain(StatusCode::INTERNAL_SERVER_ERROR, "there is no key"),
        }
    }

    /// Carry out a form of one of the pages.
    async fn act(self: Arc<Self>, act: SiteAct, request: Request<Incoming>) -> HttpResponse {
        let Some(visitor) = self.visitor(request.headers()) else {
            return answer(StatusCode::UNAUTHORIZED, HTML, door::from_elsewhere("/"));
        };
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if kind.is_none_or(|kind| kind.split(';').next() != Some("application/x-www-form-urlencoded")) {
            return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "only forms are taken");
        }
        let body = match whole(request.into_body(), FORM).await {
            Ok(body) => body,
            Err(refusal) => return refusal,
        };
        let Some(fields) = fields(&body).map(ActFields) else {
            return plain(StatusCode::BAD_REQUEST, "the form is not UTF-8, or has control characters");
        };
        let is_ours = fields.get("secret").is_some_and(|given| secret::is_same(given, &self.secret));
        if !is_ours {
            return self.in_turn(move |server| server.pages.refuse(&visitor, act, fields)).await;
        }
        self.in_turn(move |server| server.pages.act(&visitor, act, fields)).await
    }

    fn is_used(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    async fn signed_in(self: Arc<Self>, asked: SiteRequest, visitor: Visitor) -> HttpResponse {
        // a tab that only asks whether something changed does not keep the server, nor wait for others
        if asked.path.get(1).is_some_and(|kind| kind == "changed") {
            let page = move || Interrupt::new().during(|| self.pages.page(&asked, &visitor));
            return answered(tokio::task::spawn_blocking(page).await.ok());
        }
        self.in_turn(move |server| server.pages.page(&asked, &visitor)).await
    }

    /// Make a page; some at a time.
    async fn in_turn(
        self: Arc<Self>,
        make: impl FnOnce(&Self) -> WebAnswer + Send + 'static,
    ) -> HttpResponse {
        self.is_used();
        let turn = self.turns.clone().acquire_owned().await.ok();
        let server = self.clone();
        let make = move || {
            // held until the page is made, also where nobody waits for it any more
            let _turn = turn;
            // the commands behind a page do not take Ctrl-C over, which ends the server
            Interrupt::new().during(|| make(&server))
        };
        let made = tokio::task::spawn_blocking(make).await.ok();
        self.made.notify_one();
        answered(made)
    }
}

/// Wait for a Ctrl-C that some work took over. Never ends where it ends the process.
async fn is_interrupted() {
    while !heard_interrupt().load(Ordering::Relaxed) {
        tokio::time::sleep(INTERRUPT_STEP).await;
    }
}

/// What a browser is sent; `None`: a page could not be made.
fn answered(made: Option<WebAnswer>) -> HttpResponse {
    match made {
        Some(WebAnswer::Page(status, html)) => answer(status, HTML, html),
        Some(WebAnswer::Elsewhere(address)) => elsewhere(&address),
        Some(WebAnswer::Changed(seen)) => {
            answer(StatusCode::OK, "application/json", format!("{{\"seen\":\"{seen}\"}}\n"))
        }
        Some(WebAnswer::Json(status, json)) => answer(status, "application/json", json),
        Some(WebAnswer::Unchanged) => plain(StatusCode::NO_CONTENT, ""),
        None => plain(StatusCode::INTERNAL_SERVER_ERROR, "the page could not be made"),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (kind, given) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    kind.eq_ignore_ascii_case("bearer").then_some(given.trim())
}

/// The address of the request, to go on from there.
fn address(uri: &hyper::Uri) -> String {
    uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string)
}

fn elsewhere(address: &str) -> HttpResponse {
    let mut answer = plain(StatusCode::SEE_OTHER, "the page is elsewhere");
    match HeaderValue::from_str(address) {
        Ok(value) => drop(answer.headers_mut().insert(header::LOCATION, value)),
        Err(_) => return plain(StatusCode::NOT_FOUND, "there is nothing here"),
    }
    answer
}
