//! A server of models: sends a request, reads the answer, and says what to do where there is none.

use super::key::{self, ApiKey};
use super::line::{ConnectionAddress, Outgoing, Reply, ServerConnection, Then, Trouble};
use super::memory::ModelMemory;
use super::wire::{Body, Decoded, RequestTarget};
use super::{Error, Request};
use brv_base::clock::Clock;
use brv_base::config::{self, Api};
use brv_base::environment::Environment;
use brv_base::messages::{brief, printable};
use brv_text::lint::secrets;
use serde_json::Value;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A server, with all that a request to it needs.
#[derive(Debug)]
pub(super) struct Server {
    line: ServerConnection,
    /// The setting that has its address.
    setting: &'static str,
    api: Api,
    host: String,
    name: Option<String>,
    key: Option<ApiKey>,
    key_source: key::KeySource,
    params: Body,
    clock: Clock,
    /// The fields that it refused.
    refused: Vec<String>,
    /// How many of them are remembered already.
    remembered: usize,
}

impl Server {
    /// The server of the settings, whose address is the value of the setting `named`. Nothing is sent to it yet.
    ///
    /// # Errors
    /// Its address or its key cannot be used.
    pub fn open(
        (setting, named): (&config::ModelConfig, &'static str),
        api: Api,
        environment: &Environment,
        interrupt: &AtomicBool,
        memory: &ModelMemory,
    ) -> Result<Self, Error> {
        let url = setting.url.value.as_deref().unwrap_or_default();
        let line = ServerConnection::new(
            &ConnectionAddress { url, setting: named, limit: "`model.timeout`", certificates: None },
            environment,
        )?;
        let refused = memory.refused(&identity(setting));
        Ok(Self {
            line,
            setting: named,
            api,
            host: setting.host().unwrap_or_default().to_owned(),
            name: setting.name.value.clone(),
            key: key::find(&key::place(setting, environment), environment, interrupt)?,
            key_source: key::KeySource::of(setting, environment),
            params: setting.fields(),
            clock: Clock::from_environment(environment),
            remembered: refused.len(),
            refused,
        })
    }

    fn target(&self) -> RequestTarget<'_> {
        RequestTarget { api: self.api, host: &self.host, name: self.name.as_deref() }
    }

    pub fn body(&self, request: &Request) -> Body {
        self.target().body(request, &self.params, &self.refused)
    }

    /// The fields that are left out because it refused them.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// Leave a field out from now on.
    pub fn leave_out(&mut self, field: String) {
        self.refused.push(field);
    }

    /// Remember the refused fields, once a request without them was answered.
    pub fn remember(
        &mut self,
        setting: &config::ModelConfig,
        memory: &ModelMemory,
        warnings: &mut Vec<String>,
    ) {
        if self.refused.len() > self.remembered {
            memory.refuse(&identity(setting), &self.refused, warnings);
            self.remembered = self.refused.len();
        }
    }

    /// Send a request once, and wait for the answer for that time.
    pub fn send(&self, body: &Body, time: Duration, interrupt: &AtomicBool) -> Result<Decoded, Trouble> {
        let answer = self.exchange(self.target().path(), body, time, interrupt)?;
        self.target().answer(&answer).map_err(|why| self.unusable(&why))
    }

    /// The JSON that it answers with to one request.
    pub fn exchange(
        &self,
        path: &str,
        body: &Body,
        time: Duration,
        interrupt: &AtomicBool,
    ) -> Result<Value, Trouble> {
        let target = self.target();
        let mut headers: Vec<_> =
            target.headers().iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        headers.extend(self.key.as_ref().map(|key| target.key_header(key.value())));
        let bytes = serde_json::to_vec(body).unwrap_or_default();
        let outgoing = Outgoing { method: "POST", path, query: None, headers: &headers, body: bytes };
        match self.line.send(outgoing, time, interrupt) {
            Ok(reply) => self.read(&self.without_key(reply), body),
            Err(trouble) => Err(self.named(trouble)),
        }
    }

    /// The reply of a server that may repeat the key.
    fn without_key(&self, reply: Reply) -> Reply {
        let Some(key) = self.key.as_ref().filter(|key| key.is_secret()) else { return reply };
        let body = key.hidden_in(&String::from_utf8_lossy(&reply.body)).into_bytes();
        Reply { body, ..reply }
    }

    /// The same, with the name of the host.
    fn named(&self, trouble: Trouble) -> Trouble {
        let said = |why| format!("`{}`: {why}", self.line.host());
        let error = match trouble.error {
            Error::Unreachable(why) => Error::Unreachable(said(why)),
            Error::Invalid(why) => Error::Invalid(said(why)),
            other => other,
        };
        Trouble { error, ..trouble }
    }

    /// An answer of success that cannot be used.
    pub fn unusable(&self, why: &str) -> Trouble {
        let said = format!("`{}`: {}", self.line.host(), self.shown(why.as_bytes()));
        Trouble::costly(Error::Invalid(said))
    }

    fn read(&self, reply: &Reply, sent: &Body) -> Result<Value, Trouble> {
        let parsed: Option<Value> = serde_json::from_slice(&reply.body).ok();
        if (200..300).contains(&reply.status) {
            let Some(body) = parsed else { return Err(self.unusable(&self.no_json(&reply.body))) };
            if let Some(status) = status_within(&body) {
                return Err(self.refusal(&Reply { status, ..reply.clone() }, Some(&body), sent));
            }
            if failure_in(&body).is_some() {
                return Err(self.unusable(&message(Some(&body), &reply.body)));
            }
            return Ok(body);
        }
        Err(self.refusal(reply, parsed.as_ref(), sent))
    }

    /// What an answer is that is not JSON.
    fn no_json(&self, body: &[u8]) -> String {
        match body.trim_ascii_start() {
            [] => "the answer is empty".to_owned(),
            [b'<', ..] => format!("the answer is a page, not JSON: is `{}` right?", self.setting),
            _ => "the answer is not JSON".to_owned(),
        }
    }

    /// An answer with a status of failure.
    fn refusal(&self, reply: &Reply, body: Option<&Value>, sent: &Body) -> Trouble {
        let (host, status) = (self.line.host(), reply.status);
        let said = self.shown(message(body, &reply.body).as_bytes());
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        let unreachable = |why: String| Error::Unreachable(format!("`{host}` {why} ({status}){said}"));
        let again = || Then::Again(self.retry_after(reply));
        match status {
            300..=399 => Trouble::end(Error::Unreachable(format!(
                "`{host}` redirects to `{}`: brv sends text and key to the host of `{}` only",
                self.shown(reply.elsewhere.as_deref().unwrap_or("another place").as_bytes()),
                self.setting
            ))),
            401 | 403 => Trouble::end(Error::Login(match &self.key {
                Some(_) => format!("`{host}` refuses the key from {} ({status}){said}", self.key_source),
                None => format!("`{host}` asks for a key, and none is set ({status}){said}"),
            })),
            408 => Trouble { then: again(), ..Trouble::end(unreachable("waited too long".into())) },
            407 => Trouble::end(unreachable("cannot be reached: the proxy asks for a login".into())),
            429 => Trouble { then: again(), ..Trouble::end(unreachable("has had too many requests".into())) },
            503 if is_loading(&reply.body) => {
                Trouble { then: Then::Wait, ..Trouble::end(unreachable("is still loading the model".into())) }
            }
            500 | 502 | 503 | 521..=523 | 529 => {
                Trouble { then: again(), ..Trouble::end(unreachable("failed".into())) }
            }
            // a gateway gave up: what is behind it may have answered
            504 | 520 | 524 => Trouble { then: again(), ..Trouble::costly(unreachable("failed".into())) },
            501.. => Trouble::end(unreachable("failed".into())),
            _ => {
                let error = Error::Invalid(format!("`{host}` refuses the request ({status}){said}"));
                let field = matches!(status, 400 | 422)
                    .then(|| refused_field(body, &reply.body, sent, self.target().needed_fields()))
                    .flatten();
                Trouble { then: field.map_or(Then::End, Then::Without), ..Trouble::end(error) }
            }
        }
    }

    /// How long the server wants to be left alone: seconds, or a date.
    fn retry_after(&self, reply: &Reply) -> Option<Duration> {
        let text = reply.retry_after.as_deref()?.trim();
        if let Ok(seconds) = text.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds).ok();
        }
        let date = chrono::DateTime::parse_from_rfc2822(text).ok()?;
        let wait = date.with_timezone(&chrono::Utc) - self.clock.now();
        Some(wait.to_std().unwrap_or_default())
    }

    /// A text of the server's that is safe to show: without the key and other secrets.
    fn shown(&self, text: &[u8]) -> String {
        let text = printable(text);
        let text = self.key.as_ref().map_or_else(|| text.clone(), |key| key.hidden_in(&text));
        brief(secrets::masked(&text).trim().to_owned())
    }
}

/// What a refusal of fields is remembered by.
fn identity(setting: &config::ModelConfig) -> String {
    let url = setting.url.value.as_deref().unwrap_or_default();
    format!("{url} {}", setting.name.value.as_deref().unwrap_or_default()).trim_end().to_owned()
}

fn is_loading(body: &[u8]) -> bool {
    String::from_utf8_lossy(body).to_lowercase().contains("loading")
}

/// What a body says about a failure: `error`, that of its first choice, or all of it.
fn failure_in(body: &Value) -> Option<&Value> {
    let is_there = |error: &&Value| !error.is_null() && **error != false;
    let is_failure = body["object"] == "error" || body["type"] == "error";
    let inner = body.get("error").into_iter().chain(body["choices"].get(0).and_then(|one| one.get("error")));
    inner.into_iter().find(is_there).or_else(|| is_failure.then_some(body))
}

/// The status of a failure that a gateway passes on in an answer of success: its number, or the words of the interfaces.
fn status_within(body: &Value) -> Option<u16> {
    let failure = failure_in(body)?;
    let fields = ["code", "status", "status_code", "type"].map(|field| &failure[field]);
    let number = |value: &&Value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    let number = fields.iter().find_map(number).and_then(|number| u16::try_from(number).ok());
    let words = || {
        fields.iter().filter_map(|value| value.as_str()).find_map(|word| match word {
            "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => Some(429),
            "overloaded_error" | "UNAVAILABLE" => Some(529),
            _ => None,
        })
    };
    number.filter(|number| (400..600).contains(number)).or_else(words)
}

/// The message in an answer of failure, as servers word it.
fn message(body: Option<&Value>, bytes: &[u8]) -> String {
    let Some(body) = body else {
        let is_page = bytes.trim_ascii_start().starts_with(b"<");
        return if is_page { String::new() } else { String::from_utf8_lossy(bytes).into_owned() };
    };
    let error = failure_in(body).unwrap_or(&Value::Null);
    let texts = [&error["message"], error, &body["message"], &body["detail"]];
    let found = texts.into_iter().find_map(Value::as_str);
    found.map_or_else(|| String::from_utf8_lossy(bytes).into_owned(), str::to_owned)
}

/// The field of a request that the server names in its refusal, if the request can do without it.
fn refused_field(body: Option<&Value>, bytes: &[u8], sent: &Body, needed: &[&str]) -> Option<String> {
    let can_go = |field: &str| sent.contains_key(field) && !needed.contains(&field);
    let named = body.and_then(|body| body["error"]["param"].as_str().or_else(|| body["param"].as_str()));
    if let Some(field) = named.and_then(|path| path.split(['.', '[']).next()) {
        return can_go(field).then(|| field.to_owned());
    }
    let text = message(body, bytes);
    if text.contains("context length") {
        return None;
    }
    let places =
        sent.keys().filter(|field| can_go(field)).filter_map(|field| Some((word_at(&text, field)?, field)));
    places.min().map(|(_, field)| field.clone())
}

/// Where `word` stands in a text as a whole word.
fn word_at(text: &str, word: &str) -> Option<usize> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}
