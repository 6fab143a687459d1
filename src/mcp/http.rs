//! The protocol over HTTP on this machine, and the brain at an address of its own.
//!
//! Each run has a secret, without which nothing is answered. Pages of other sites are refused.

use super::desk::Desk;
use super::exchange::{JSON, LARGEST, ResponseForm, last_event};
use super::life;
use super::server::McpServer;
use crate::say::CommandCall;
use crate::serve::exchange::{HttpResponse, answer, plain, whole};
use crate::serve::host::{OriginRule, refusal};
use crate::serve::listener::{self, ServerLimits};
use crate::serve::memory;
use crate::serve::secret;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::oneshot;

const PATH: &str = "/mcp";
const BRAIN: &str = "/api/v2/brain";

/// A client may hold several connections for a long time, on which the server tells it what happened.
const LIMITS: ServerLimits = ServerLimits { connections: 1_024, life: None, head: 1 << 17 };

/// Where a server listens, and the secret that its clients send as bearer.
#[derive(Debug, Clone)]
pub struct ServerAddress {
    pub socket: SocketAddr,
    /// `None`: everybody on this machine is answered.
    pub bearer: Option<String>,
}

impl ServerAddress {
    /// The address for clients.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.socket)
    }
}

/// Serve until nobody needs it; passes the address to `started`.
///
/// # Errors
/// The address cannot be listened on, or is not of this machine.
pub fn serve(desk: Desk, socket: SocketAddr, started: impl FnOnce(&ServerAddress)) -> io::Result<()> {
    let desk = Arc::new(desk);
    let (brain, life) = (desk.clone(), desk.clone());
    let handler = move || McpServer::new(desk.clone());
    let ends = async move {
        tokio::select! {
            () = life::parent_ends() => {}
            () = life.activity.idles(life::IDLE) => {}
            () = life.dreams() => {}
            () = memory::give_back(life.activity.used()) => {}
        }
    };
    run(handler, Some(brain), (socket, BearerPolicy::OfThisRun), started, ends)
}

/// Whether clients need a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BearerPolicy {
    OfThisRun,
    /// For tests of the protocol whose clients cannot send one.
    None,
}

/// Serve any handler of the protocol in the same way, with the same checks and limits.
///
/// # Errors
/// The address cannot be listened on, or is not of this machine.
pub fn serve_handler<H: ServerHandler>(
    handler: impl Fn() -> H + Send + Sync + 'static,
    (socket, secret): (SocketAddr, BearerPolicy),
    started: impl FnOnce(&ServerAddress),
) -> io::Result<()> {
    run(handler, None, (socket, secret), started, std::future::pending())
}

fn run<H: ServerHandler>(
    handler: impl Fn() -> H + Send + Sync + 'static,
    brain: Option<Arc<Desk>>,
    (socket, policy): (SocketAddr, BearerPolicy),
    started: impl FnOnce(&ServerAddress),
    ends: impl Future<Output = ()>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = listener::bind(socket).await?;
        let bearer = if policy == BearerPolicy::OfThisRun { Some(secret::random::<32>()?) } else { None };
        let address = ServerAddress { socket: listener.local_addr()?, bearer };
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(["localhost", "127.0.0.1", "::1"])
            .with_max_request_body_bytes(LARGEST);
        let protocol = StreamableHttpService::new(
            move || Ok(handler()),
            Arc::new(LocalSessionManager::default()),
            config,
        );
        started(&address);
        let site = Arc::new(HttpSite { protocol, brain, address });
        let each = move |request| {
            let site = site.clone();
            async move { site.answer(request).await }
        };
        tokio::select! {
            () = listener::accept(&listener, LIMITS, each) => {}
            () = ends => {}
        }
        io::Result::Ok(())
    })?;
    runtime.shutdown_background();
    Ok(())
}

struct HttpSite<H: ServerHandler> {
    protocol: StreamableHttpService<H, LocalSessionManager>,
    brain: Option<Arc<Desk>>,
    address: ServerAddress,
}

impl<H: ServerHandler> HttpSite<H> {
    async fn answer(&self, request: Request<Incoming>) -> HttpResponse {
        if let Some(refusal) = self.refuse(request.headers()) {
            return refusal;
        }
        if let Some(desk) = &self.brain {
            desk.activity.uses();
        }
        match (request.uri().path(), &self.brain) {
            (PATH, _) => self.message(request).await,
            (BRAIN, Some(desk)) if request.method() == Method::GET => {
                let asked = request.headers().get(header::IF_NONE_MATCH).cloned();
                brain(desk.clone(), asked).await
            }
            (BRAIN, Some(_)) => plain(StatusCode::METHOD_NOT_ALLOWED, "only GET"),
            _ => plain(StatusCode::NOT_FOUND, "there is nothing here"),
        }
    }

    /// A request of the protocol.
    async fn message(&self, request: Request<Incoming>) -> HttpResponse {
        let ends = request.method() == Method::DELETE;
        let (mut head, body) = request.into_parts();
        let body = match whole(body, LARGEST).await {
            Ok(body) => body,
            Err(refusal) => return refusal,
        };
        let form = if head.method == Method::POST {
            ResponseForm::accepted(&head.headers)
        } else {
            ResponseForm::Unchanged
        };
        if form == ResponseForm::Json {
            // the protocol answers those who take both
            head.headers
                .insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        }
        let mut answer = self.protocol.handle(Request::from_parts(head, Full::new(body))).await;
        // a session that is ended has ended, and some clients take "accepted" for a failure
        if ends && answer.status() == StatusCode::ACCEPTED {
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        if form == ResponseForm::Json { last_event(answer).await } else { answer }
    }

    fn refuse(&self, headers: &HeaderMap) -> Option<HttpResponse> {
        if let Some(refusal) = refusal(headers, OriginRule::ThisMachine) {
            return Some(refusal);
        }
        let Some(secret) = &self.address.bearer else { return None };
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.split_once(' '));
        let is_ours = given.is_some_and(|(kind, given)| {
            kind.eq_ignore_ascii_case("bearer") && secret::is_same(given.trim(), secret)
        });
        if is_ours {
            return None;
        }
        let mut answer = plain(StatusCode::UNAUTHORIZED, "the bearer of this run is missing or wrong");
        answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        Some(answer)
    }
}

/// The hash in `If-None-Match`, if it is one.
fn known(asked: Option<&HeaderValue>) -> Option<&str> {
    let one = asked?.to_str().ok()?.trim();
    let hash = one.strip_prefix("W/").unwrap_or(one).strip_prefix('"')?.strip_suffix('"')?;
    (!hash.contains('"')).then_some(hash)
}

/// The six fields of the brain, with its hash as `ETag`; 304 where the caller has it.
async fn brain(desk: Arc<Desk>, asked: Option<HeaderValue>) -> HttpResponse {
    let (sender, reply) = oneshot::channel();
    let turn = desk.turn().await;
    // who has the document is not given it again
    let input = match known(asked.as_ref()) {
        Some(hash) => json!({ "if_none_match": hash }),
        None => json!({}),
    };
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let (caller, mut sender) = (desk.itself(), Some(sender));
        let call = CommandCall { command: "brain show", input: &input, format: None };
        desk.reply(&call, &caller, Vec::new(), &mut |reply| {
            if let Some(sender) = sender.take() {
                sender.send(reply).ok();
            }
        });
    });
    let Ok(reply) = reply.await else {
        return plain(StatusCode::INTERNAL_SERVER_ERROR, "the brain could not be made");
    };
    if let Some(failure) = &reply.failure {
        let status = match failure.exit {
            crate::say::Exit::NotInitialised => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        return plain(status, &failure.stop.message);
    }
    let envelope: Value = serde_json::from_str(&reply.json).unwrap_or_default();
    let data = &envelope["data"];
    let tag = format!("\"{}\"", data["brain_hash"].as_str().unwrap_or_default());
    let has_it = asked.as_ref().and_then(|asked| asked.to_str().ok()).is_some_and(|asked| {
        asked.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
    });
    let mut answer = match has_it {
        true => {
            let mut answer = Response::new(Full::new(Bytes::new()).boxed());
            *answer.status_mut() = StatusCode::NOT_MODIFIED;
            answer
        }
        false => {
            let body = json!({
                "document": data["document"], "tokenEstimate": data["token_estimate"],
                "itemsLoaded": data["items_loaded"], "schemaKeys": data["schema_keys"],
                "brainHash": data["brain_hash"], "tree": camel(data["tree"].clone()),
            });
            answer(StatusCode::OK, JSON, body.to_string())
        }
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.headers_mut().insert(header::ETAG, tag);
    }
    answer
}

/// Names in camelCase, at all depths.
fn camel(value: Value) -> Value {
    let named = |name: &str| {
        let mut words = name.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |name, word| {
            let (head, rest) = word.split_at_checked(1).unwrap_or((word, ""));
            name + &head.to_ascii_uppercase() + rest
        })
    };
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (named(&name), camel(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(values) => values.into_iter().map(camel).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_camel_case() {
        assert_eq!(
            camel(json!({ "token_estimate": [{ "a_b_c": 1 }] })),
            json!({ "tokenEstimate": [{ "aBC": 1 }] })
        );
    }
}
