//! One request to the search engine: with its key, again where that may help, and with its refusals in words.
//!
//! Knows no index by its fields.

use crate::agents::model;
use crate::agents::model::key::{self, ApiKey, KeyPlace};
use crate::agents::model::line::{ConnectionAddress, Outgoing, Reply, ServerConnection, Then};
use crate::outcome::failure::Login;
use crate::{FailureKind, Stop};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brv_base::environment::Environment;
use brv_base::fs;
use brv_base::messages::{brief, printable};
use brv_text::lint::secrets;
use serde_json::Value;
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long one request may take: longer than an engine waits for a primary shard (`timeout`, 1 minute by default).
const TIME: Duration = Duration::from_secs(90);

/// How long to wait before each retry, if the engine names no time.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(300), Duration::from_secs(1), Duration::from_secs(3), Duration::from_secs(8)];

/// The line that begins a certificate in PEM.
const CERTIFICATE: &[u8] = b"-----BEGIN CERTIFICATE-----";

/// The longest time that the engine may ask for before a retry.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The fewest characters of a part of the key that is hidden in texts of the engine.
const SHORTEST_SECRET: usize = 6;

/// How often an interrupt is looked for while waiting.
const LOOK: Duration = Duration::from_millis(20);

/// Where the engine is, and its key.
#[derive(Debug, Clone, Copy)]
pub struct EngineAddress<'a> {
    pub url: &'a str,
    /// The setting or flag that has the address.
    pub setting: &'a str,
    /// The variable that has the key.
    pub key_variable: Option<&'a str>,
    /// The flag that names this variable, if it is not the setting.
    pub key_flag: Option<&'static str>,
    pub key_command: Option<&'a str>,
    /// A file with certificates in PEM.
    pub ca_file: Option<&'a Path>,
}

/// An index of a search engine.
pub struct SearchEngine {
    connection: ServerConnection,
    key: Option<ApiKey>,
    address: String,
    index: String,
    interrupt: Cell<&'static AtomicBool>,
    requests: Cell<usize>,
}

/// An interrupt that does not come.
static NEVER: AtomicBool = AtomicBool::new(false);

/// What it answered.
#[derive(Debug)]
pub struct EngineReply {
    pub status: u16,
    /// Null where the answer is not JSON.
    pub body: Value,
}

/// The body of a request.
#[derive(Debug, Clone, Copy)]
pub enum EngineBody<'a> {
    None,
    Json(&'a Value),
    /// Lines of JSON, the last one ended, too.
    Lines(&'a [u8]),
}

impl SearchEngine {
    /// The index of this name at an address; nothing is sent yet.
    ///
    /// # Errors
    /// The name, the address, the certificates or the key cannot be used.
    pub fn open(
        address: &EngineAddress<'_>,
        index: &str,
        environment: &Environment,
        interrupt: &'static AtomicBool,
    ) -> Result<Self, Stop> {
        check_name(index)?;
        let certificates = address.ca_file.map(certificates).transpose()?;
        let server = ConnectionAddress {
            url: address.url,
            setting: address.setting,
            limit: "the longest that brv waits for a search engine",
            certificates: certificates.as_deref(),
        };
        let place = KeyPlace {
            family: "index",
            variable: address.key_variable,
            flag: address.key_flag,
            command: address.key_command,
        };
        Ok(Self {
            connection: ServerConnection::new(&server, environment).map_err(told)?,
            key: key::find(&place, environment, interrupt).map_err(told)?,
            address: address.url.to_owned(),
            index: index.to_owned(),
            interrupt: Cell::new(interrupt),
            requests: Cell::new(0),
        })
    }

    /// The name of the index.
    pub fn index(&self) -> &str {
        &self.index
    }

    /// The same engine with another index.
    #[must_use]
    pub fn with_index(self, index: String) -> Self {
        Self { index, ..self }
    }

    /// Go on in spite of interrupts: to clean up.
    pub fn ignore_interrupts(&self) {
        self.interrupt.set(&NEVER);
    }

    /// The host, with its port.
    pub fn host(&self) -> String {
        self.connection.host()
    }

    /// The whole address: one host may have several engines.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How many requests were sent so far.
    pub fn requests(&self) -> usize {
        self.requests.get()
    }

    /// Ask about the index: `path` begins after its name. An answer other than of success is an error unless its status is
    /// in `expected`.
    ///
    /// # Errors
    /// The engine cannot be reached, or refuses.
    pub fn ask(
        &self,
        method: &'static str,
        path: &str,
        body: EngineBody<'_>,
        expected: &[u16],
    ) -> Result<EngineReply, Stop> {
        self.ask_engine(method, &format!("/{}{path}", self.index), body, expected)
    }

    /// As [`SearchEngine::ask`], but only once, whatever the engine answers.
    ///
    /// # Errors
    /// The engine cannot be reached, or refuses.
    pub fn ask_once(
        &self,
        method: &'static str,
        path: &str,
        body: EngineBody<'_>,
        expected: &[u16],
    ) -> Result<EngineReply, Stop> {
        self.ask_after(&[], method, &format!("/{}{path}", self.index), (body, expected))
    }

    /// As [`SearchEngine::ask`], with a path that begins at the engine's root.
    ///
    /// # Errors
    /// The engine cannot be reached, or refuses.
    pub fn ask_engine(
        &self,
        method: &'static str,
        path: &str,
        body: EngineBody<'_>,
        expected: &[u16],
    ) -> Result<EngineReply, Stop> {
        self.ask_after(&PAUSES, method, path, (body, expected))
    }

    /// Ask, and after each of these pauses again if that may help.
    fn ask_after(
        &self,
        pauses: &[Duration],
        method: &'static str,
        path: &str,
        (body, expected): (EngineBody<'_>, &[u16]),
    ) -> Result<EngineReply, Stop> {
        for pause in pauses.iter().copied().map(Some).chain([None]) {
            let (stop, named) = match self.once(method, path, body) {
                Ok(reply) => {
                    let is_expected =
                        (200..300).contains(&reply.0.status) || expected.contains(&reply.0.status);
                    if is_expected {
                        return Ok(reply.0);
                    }
                    let stop = self.refusal(&reply.0, reply.1.elsewhere.as_deref());
                    if !is_passing(&reply.0) {
                        return Err(stop);
                    }
                    (
                        stop,
                        reply
                            .1
                            .retry_after
                            .and_then(|text| text.trim().parse().ok())
                            .map(Duration::from_secs),
                    )
                }
                Err((stop, true)) => (stop, None),
                Err((stop, false)) => return Err(stop),
            };
            let Some(pause) = pause else { return Err(stop) };
            self.wait(named.unwrap_or(pause).min(LONGEST_PAUSE))?;
        }
        Err(Stop::new(FailureKind::Remote, "the search engine does not answer"))
    }

    /// Wait, unless the user interrupts.
    ///
    /// # Errors
    /// The interrupt.
    pub fn wait(&self, pause: Duration) -> Result<(), Stop> {
        let end = Instant::now() + pause;
        loop {
            if self.interrupt.get().load(Ordering::Relaxed) {
                return Err(told(model::Error::Interrupted));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(LOOK));
        }
    }

    /// Send a request once. Beside an error stands whether it is worth sending again: all requests may be repeated, since
    /// each document and mark is written with the number or state that it follows.
    fn once(
        &self,
        method: &'static str,
        path: &str,
        body: EngineBody<'_>,
    ) -> Result<(EngineReply, Reply), (Stop, bool)> {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let mut headers = vec![("accept", "application/json".to_owned())];
        headers.extend(self.key.as_ref().map(|key| ("authorization", authorization(key.value()))));
        let body = match body {
            EngineBody::None => Vec::new(),
            EngineBody::Json(value) => {
                headers.push(("content-type", "application/json".to_owned()));
                serde_json::to_vec(value).unwrap_or_default()
            }
            EngineBody::Lines(lines) => {
                headers.push(("content-type", "application/x-ndjson".to_owned()));
                lines.to_vec()
            }
        };
        self.requests.set(self.requests.get() + 1);
        let outgoing = Outgoing { method, path, query, headers: &headers, body };
        match self.connection.send(outgoing, TIME, self.interrupt.get()) {
            Ok(reply) => {
                let body = serde_json::from_slice(&reply.body).unwrap_or_default();
                Ok((EngineReply { status: reply.status, body }, reply))
            }
            Err(trouble) => {
                let is_cut = matches!(trouble.then, Then::Again(_)) || is_broken_off(&trouble.error);
                let stop = told(trouble.error);
                let message = format!("`{}`: {}", self.host(), self.shown(stop.message.as_bytes()));
                let stop = if stop.kind == FailureKind::Remote { Stop { message, ..stop } } else { stop };
                Err((untrusted(stop), is_cut))
            }
        }
    }

    /// A text of the engine's that is safe to show: without the key and other secrets.
    pub fn shown(&self, text: &[u8]) -> String {
        let mut text = printable(text);
        if let Some(key) = &self.key {
            text = key.hidden_in(&text);
            // as it is sent, and the password alone
            let sent = authorization(key.value());
            let password = key.value().split_once(':').map(|(_, password)| password);
            for part in [sent.split_once(' ').map(|(_, value)| value), password].into_iter().flatten() {
                text = if part.len() >= SHORTEST_SECRET { text.replace(part, "****") } else { text };
            }
        }
        brief(secrets::masked(&text).trim().to_owned())
    }

    /// What a refusal means.
    pub fn refusal(&self, reply: &EngineReply, elsewhere: Option<&str>) -> Stop {
        let (host, status) = (self.host(), reply.status);
        let said = reason_in(&reply.body).map(|reason| format!(": {}", self.shown(reason.as_bytes())));
        let said = said.unwrap_or_default();
        let kind = |kind, what: &str| Stop::new(kind, format!("`{host}` {what} ({status}){said}"));
        match status {
            300..=399 => {
                let place = self.shown(elsewhere.unwrap_or("another place").as_bytes());
                let message =
                    format!("`{host}` redirects to `{place}`: brv sends text and key to `{host}` only");
                Stop::new(FailureKind::Remote, message)
            }
            401 if self.key.is_none() => {
                kind(FailureKind::Authentication(Login::Engine), "asks for a key, and none is set")
            }
            401 => kind(FailureKind::Authentication(Login::Engine), "refuses the key"),
            _ if is_block(&reply.body) => kind(FailureKind::Remote, "has made the index read-only"),
            403 => kind(FailureKind::Authentication(Login::Engine), "does not allow that with this key"),
            404 if error_type(&reply.body) == "index_not_found_exception" => self.no_index(),
            413 => kind(FailureKind::Remote, "takes no request of this size"),
            429 => kind(FailureKind::Remote, "has too much to do"),
            500.. => kind(FailureKind::Remote, "failed"),
            _ => kind(FailureKind::Remote, "refuses the request"),
        }
    }

    /// There is no such index.
    pub fn no_index(&self) -> Stop {
        let message = format!("`{}` has no index `{}`", self.host(), self.index);
        Stop::usage(message).hint("`brv index push` creates it")
    }

    /// An answer of success without what it must have.
    pub fn unusable(&self, what: &str) -> Stop {
        Stop::new(
            FailureKind::Remote,
            format!("`{}` gave an answer without {what}: is it a search engine?", self.host()),
        )
    }
}

/// The value of `Authorization`: the key as it is if it names its scheme, `user:password` as Basic, else as an API key.
fn authorization(key: &str) -> String {
    let names_scheme = ["Basic ", "Bearer ", "ApiKey "].iter().any(|scheme| key.starts_with(scheme));
    match key {
        _ if names_scheme => key.to_owned(),
        _ if key.contains(':') => format!("Basic {}", STANDARD.encode(key)),
        _ => format!("ApiKey {key}"),
    }
}

/// The certificates of `index.ca_file`.
fn certificates(file: &Path) -> Result<Vec<u8>, Stop> {
    let pem = fs::read(file).map_err(|error| Stop::usage(crate::outcome::stop::message(&error)))?;
    match pem.windows(CERTIFICATE.len()).any(|bytes| bytes == CERTIFICATE) {
        true => Ok(pem),
        false => Err(Stop::usage(format!(
            "`index.ca_file`: `{}` has no certificate in PEM",
            printable(file.as_os_str().as_encoded_bytes())
        ))),
    }
}

/// The rules for names of indices that both engines have.
fn check_name(index: &str) -> Result<(), Stop> {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    let begins = index.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    match begins && index.len() <= 200 && index.chars().all(is_allowed) {
        true => Ok(()),
        false => Err(Stop::usage(format!(
            "`{}` is no name of an index: small letters, digits, `-`, `_` and `.`, beginning with a letter or digit",
            printable(index.as_bytes())
        ))),
    }
}

/// An error of the connection.
fn told(error: model::Error) -> Stop {
    match error {
        model::Error::Login(why) => Stop::new(FailureKind::Authentication(Login::Engine), why),
        model::Error::Interrupted => Stop::new(FailureKind::Interrupted, "interrupted"),
        model::Error::Invalid(why) | model::Error::Unreachable(why) => Stop::new(FailureKind::Remote, why),
        other => Stop::because(FailureKind::Remote, &other),
    }
}

/// What helps if the certificate of the engine is not trusted.
fn untrusted(stop: Stop) -> Stop {
    let is_authority = stop.message.contains("CaUsedAsEndEntity");
    match stop.message.contains("invalid peer certificate") {
        true if is_authority => stop.hint(
            "the certificate is that of an authority (CA:TRUE); the engine needs one that this authority has signed",
        ),
        true => stop.hint(
            "the setting `index.ca_file` names certificates that are trusted besides those of this machine",
        ),
        false => stop,
    }
}

/// Whether a connection ended before an answer.
pub fn is_cut(stop: &Stop) -> bool {
    stop.kind == FailureKind::Remote && stop.message.contains("the connection was cut before an answer")
}

/// Whether an answer was not read because of its length.
pub fn is_too_long(stop: &Stop) -> bool {
    stop.kind == FailureKind::Remote && stop.message.contains("the answer is longer than")
}

fn is_broken_off(error: &model::Error) -> bool {
    matches!(error, model::Error::Invalid(why) if why.starts_with("the answer breaks off"))
}

/// Whether a refusal may pass. One because of a full disk or a setting does not.
fn is_passing(reply: &EngineReply) -> bool {
    matches!(reply.status, 408 | 429 | 502 | 503 | 504) && !is_block(&reply.body)
}

/// Whether the index may not be written.
fn is_block(body: &Value) -> bool {
    error_type(body) == "cluster_block_exception"
}

/// `error.type`
pub fn error_type(body: &Value) -> &str {
    body["error"]["type"].as_str().unwrap_or_default()
}

/// Why the engine refuses, in its words: the first cause, which names the field or shard.
fn reason_in(body: &Value) -> Option<&str> {
    let error = &body["error"];
    let causes = [&error["caused_by"]["reason"], &error["root_cause"][0]["reason"], &error["reason"], error];
    causes.into_iter().chain([&body["message"]]).find_map(Value::as_str).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_with_its_own_scheme() {
        assert_eq!(authorization("Bearer abc"), "Bearer abc");
        assert_eq!(authorization("admin:secret"), "Basic YWRtaW46c2VjcmV0");
        assert_eq!(
            authorization("VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHA"),
            "ApiKey VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHA"
        );
    }

    #[test]
    fn a_key_is_hidden_in_what_the_engine_says_however_it_was_sent() {
        let environment: Environment = [("SEARCH_KEY", "ada:sup3rs3cretpw")].into_iter().collect();
        let address = EngineAddress {
            url: "http://127.0.0.1:9",
            setting: "--engine",
            key_variable: Some("SEARCH_KEY"),
            key_flag: None,
            key_command: None,
            ca_file: None,
        };
        let engine = SearchEngine::open(&address, "brv", &environment, &NEVER).unwrap();
        let said = format!("{} for ada:sup3rs3cretpw, sup3rs3cretpw", authorization("ada:sup3rs3cretpw"));
        assert_eq!(engine.shown(said.as_bytes()), "Basic **** for ****, ****");
    }

    #[test]
    fn names_of_indices_are_those_of_both_engines() {
        assert!(["brv", "brv-team.2", "0_x"].iter().all(|name| check_name(name).is_ok()));
        assert!(
            ["", "Brv", "_all", "-x", ".x", "a/b", "a*", "a,b", "a b", ".."]
                .iter()
                .all(|name| check_name(name).is_err())
        );
    }
}
