//! A model that one command asks: within the tokens of the day, again where that may help, and with what it spends counted.

use super::answer::{json, thoughts};
use super::line::{Then, Trouble};
use super::memory::{ModelMemory, RequestEnd};
use super::server::Server;
use super::wire::Decoded;
use super::{Answer, Error, Request, Spent, Turn, Usage, command, line, prose};
use brv_base::config::{self, Api};
use brv_base::environment::Environment;
use brv_text::lint::secrets;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often an unusable answer is requested again.
const REPAIRS: u32 = 2;

/// The most characters of an answer that the model gets to see again.
const MOST_SAID: usize = 8_000;

/// How long to wait before each retry, if the server names no time.
pub(super) const PAUSES: [Duration; 3] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];

/// From how many hundredths of the tokens of the day on the user is warned.
const WARN: u64 = 80;

/// A model to ask.
#[derive(Debug)]
pub struct Model {
    setting: config::ModelConfig,
    api: Api,
    environment: Environment,
    interrupt: &'static AtomicBool,
    memory: ModelMemory,
    /// Once something was asked.
    server: Option<Server>,
    spent: Spent,
    /// Whether the tokens of each answer so far were counted by the server.
    counts: bool,
    warned: bool,
    warnings: Vec<String>,
    /// No call lasts beyond it.
    until: Option<Instant>,
}

impl Model {
    /// The model of the settings; `None` if none is set. Setting `interrupt` ends what is under way.
    pub fn of(
        setting: &config::ModelConfig,
        environment: &Environment,
        interrupt: &'static AtomicBool,
    ) -> Option<Self> {
        Some(Self {
            setting: setting.clone(),
            api: setting.interface()?,
            environment: environment.clone(),
            interrupt,
            memory: ModelMemory::of(environment),
            server: None,
            spent: Spent { name: setting.title(), ..Spent::default() },
            counts: true,
            warned: false,
            warnings: Vec::new(),
            until: None,
        })
    }

    /// Ask once; retries are part of it.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn ask(&mut self, request: &Request) -> Result<Answer, Error> {
        let request = masked(request);
        let start = Instant::now();
        let answer = self.ask_until(&request, start);
        self.spent.ms += u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut answer = answer?;
        answer.text = thoughts::removed(&answer.text);
        if answer.calls.is_empty() {
            answer.calls = prose::calls_in(&answer.text, &request.tools);
        }
        Ok(answer)
    }

    /// End all calls by this moment, however long each of them might take.
    pub fn end_by(&mut self, until: Instant) {
        self.until = Some(until);
    }

    /// How long a call that begins now may take.
    fn time(&self) -> Duration {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        left.unwrap_or(Duration::MAX).min(self.setting.timeout.value)
    }

    /// Ask for JSON that `read` understands. Any other answer is requested again, with the error of `read`, twice.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the last answer cannot be read either; why there is no answer.
    pub fn ask_for<T>(
        &mut self,
        mut request: Request,
        mut read: impl FnMut(Value) -> Result<T, String>,
    ) -> Result<T, Error> {
        for repair in 0..=REPAIRS {
            let answer = self.ask(&request)?;
            let why = match json::values_of(&answer).and_then(|values| first(values, &mut read)) {
                Ok(value) => return Ok(value),
                Err(why) if repair == REPAIRS => return Err(Error::Invalid(super::shown(&why))),
                Err(why) => why,
            };
            self.spent.repaired += 1;
            let again =
                format!("This answer cannot be used: {why}\nAnswer again, with the JSON object only.");
            let answer = Answer { calls: Vec::new(), raw: None, text: said(answer), ..Answer::default() };
            request.turns.extend([Turn::Model(answer), Turn::User(again)]);
        }
        Err(Error::Invalid(String::new()))
    }

    /// Count an answer that the caller asks for again.
    pub fn count_repair(&mut self) {
        self.spent.repaired += 1;
    }

    /// What was spent so far.
    pub fn spent(&self) -> Spent {
        self.spent.clone()
    }

    /// What the user should know, such as a budget that is nearly used up.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// The fields that are left out of requests because the server refused them.
    pub fn dropped_fields(&self) -> Vec<String> {
        self.server.as_ref().map(|server| server.refused().to_vec()).unwrap_or_default()
    }

    /// Whether the server counts tokens; known after the first request.
    pub const fn counts_tokens(&self) -> bool {
        self.counts
    }

    fn ask_until(&mut self, request: &Request, start: Instant) -> Result<Answer, Error> {
        let mut retries = 0;
        loop {
            if self.interrupt.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            if self.time().is_zero() {
                return Err(Error::Unreachable("the model did not answer in time".into()));
            }
            let trouble = match self.attempt(request)? {
                Ok(answer) => return Ok(answer),
                Err(trouble) => trouble,
            };
            let Some(pause) = self.pause(&trouble.then, retries, start.elapsed()) else {
                return Err(trouble.error);
            };
            match (trouble.then, &mut self.server) {
                (Then::Without(field), Some(server)) => server.leave_out(field),
                _ => retries += 1,
            }
            self.spent.retries += 1;
            wait(pause, self.interrupt)?;
        }
    }

    /// How long to wait before the next attempt; `None` if there is none.
    fn pause(&self, then: &Then, retries: usize, elapsed: Duration) -> Option<Duration> {
        let time = self.time();
        match then {
            Then::End => None,
            Then::Without(_) => Some(Duration::ZERO),
            Then::Wait => Some(PAUSES[retries.min(PAUSES.len() - 1)]).filter(|pause| elapsed + *pause < time),
            Then::Again(after) => {
                let pause = PAUSES.get(retries)?;
                Some(after.unwrap_or(*pause)).filter(|pause| *pause <= time)
            }
        }
    }

    /// One request: its tokens are set aside before it, and counted after it.
    fn attempt(&mut self, request: &Request) -> Result<Result<Answer, Trouble>, Error> {
        let prompt = command::prompt(request);
        if self.api != Api::Command && self.server.is_none() {
            let (setting, environment) = (&self.setting, &self.environment);
            let setting = (setting, "model.url");
            self.server = Some(Server::open(setting, self.api, environment, self.interrupt, &self.memory)?);
        }
        let body = self.server.as_ref().map(|server| server.body(request));
        let length = body.as_ref().map_or(prompt.len(), |body| serde_json::json!(body).to_string().len());
        let most = Usage { input: tokens(length), output: u64::from(request.most_output) };
        let daily = self.setting.daily_tokens.value;
        let reserved = self.memory.reserve(most.input + most.output, daily, &mut self.warnings)?;
        self.spent.calls += 1;
        let sent = match (&self.server, &body) {
            (Some(server), Some(body)) => server.send(body, self.time(), self.interrupt),
            _ => self.run(&prompt),
        };
        let (answer, ended) = match sent {
            Ok(decoded) => {
                let guess = || Usage { input: most.input, output: tokens(length_of(&decoded.answer)) };
                self.counts &= decoded.usage.is_some();
                // some servers count, and always nothing
                let counted = decoded.usage.filter(|usage| usage.input > 0 || usage.output > 0);
                let usage = counted.unwrap_or_else(guess);
                (Ok(Answer { usage, ..decoded.answer }), RequestEnd::Answered(usage))
            }
            Err(trouble) if trouble.may_cost => (Err(trouble), RequestEnd::Unknown(most)),
            Err(trouble) => (Err(trouble), RequestEnd::Refused),
        };
        let taken = self.memory.settle(&reserved, request.purpose, ended, &mut self.warnings);
        self.warn(taken, daily);
        if let RequestEnd::Answered(usage) | RequestEnd::Unknown(usage) = ended {
            self.spent.input_tokens += usage.input;
            self.spent.output_tokens += usage.output;
        }
        if let (Ok(_), Some(server)) = (&answer, &mut self.server) {
            server.remember(&self.setting, &self.memory, &mut self.warnings);
        }
        Ok(answer)
    }

    fn run(&self, prompt: &str) -> Result<Decoded, Trouble> {
        let (words, time) = (&self.setting.command.value, self.time());
        let answer = command::ask(words, prompt, &self.environment, time, self.interrupt)?;
        Ok(Decoded { answer, usage: None })
    }

    fn warn(&mut self, taken: u64, daily: u64) {
        if taken.saturating_mul(100) >= daily.saturating_mul(WARN) && !self.warned {
            self.warned = true;
            self.warnings
                .push(format!("{taken} of the {daily} tokens of today are used (`model.daily_tokens`)"));
        }
    }
}

/// Let time pass before the next attempt.
///
/// # Errors
/// [`Error::Interrupted`]
pub(super) fn wait(pause: Duration, interrupt: &AtomicBool) -> Result<(), Error> {
    let end = Instant::now() + pause;
    loop {
        if interrupt.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(line::LOOK));
    }
}

/// What the first value that can be read says; else what is wrong with the first one.
fn first<T>(values: Vec<Value>, read: &mut impl FnMut(Value) -> Result<T, String>) -> Result<T, String> {
    let mut wrong = None;
    for value in values {
        match read(value) {
            Ok(value) => return Ok(value),
            Err(why) => wrong = wrong.or(Some(why)),
        }
    }
    Err(wrong.unwrap_or_default())
}

/// What goes back to the model of an answer of its own.
fn start(text: &str) -> &str {
    text.char_indices().nth(MOST_SAID).map_or(text, |(end, _)| &text[..end])
}

/// The words of an answer, its calls among them.
fn said(answer: Answer) -> String {
    let calls = answer.calls.iter().map(|call| call.arguments.to_string());
    if answer.text.trim().is_empty() { calls.collect::<Vec<_>>().join("\n") } else { answer.text }
}

fn length_of(answer: &Answer) -> usize {
    let calls = answer.calls.iter().map(|call| call.tool.len() + call.arguments.to_string().len());
    answer.text.len() + calls.sum::<usize>()
}

/// An estimate, where no server counts: four bytes are a token.
const fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

/// The request without the values of secrets.
fn masked(request: &Request) -> Request {
    let mask = |text: &str| secrets::masked(text).into_owned();
    let turn = |turn: &Turn| match turn {
        Turn::User(text) => Turn::User(mask(text)),
        // a model may say a secret that it was not told, and more than anybody asked for
        Turn::Model(answer) => {
            let text = mask(start(&answer.text));
            Turn::Model(Answer { text, ..answer.clone() })
        }
        Turn::Results(results) => Turn::Results(results.iter().map(|text| mask(text)).collect()),
    };
    Request { task: mask(&request.task), turns: request.turns.iter().map(turn).collect(), ..request.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::model::{Purpose, Shape, Usages};
    use brv_base::config::{ConfigSource, Setting};
    use serde_json::json;
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpListener;

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// Answers each request with the next of `answers`; gives the heads and bodies of the requests.
    fn serve(answers: Vec<String>) -> (String, std::thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = std::thread::spawn(move || {
            let mut seen = Vec::new();
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(&stream);
                let (mut head, mut length) = (String::new(), 0);
                while !head.ends_with("\r\n\r\n") {
                    let from = head.len();
                    reader.read_line(&mut head).unwrap();
                    if let Some(value) = head[from..].strip_prefix("content-length: ") {
                        length = value.trim().parse().unwrap();
                    }
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                seen.push(head + &String::from_utf8(body).unwrap());
                (&stream).write_all(answer.as_bytes()).unwrap();
            }
            seen
        });
        (url, seen)
    }

    fn reply(status: &str, body: &Value) -> String {
        let body = body.to_string();
        format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
    }

    fn chat(text: &str) -> String {
        let usage = json!({"prompt_tokens": 7, "completion_tokens": 3});
        reply(
            "200 OK",
            &json!({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage}),
        )
    }

    fn model(url: &str, api: Api) -> (tempfile::TempDir, Model) {
        let home = tempfile::tempdir().unwrap();
        let set = |value: Option<String>| Setting { value, source: ConfigSource::default() };
        let setting = config::ModelConfig {
            url: set(Some(url.to_owned())),
            api: Setting { value: Some(api), source: ConfigSource::default() },
            name: set(Some("small".into())),
            key_env: set(Some("KEY".into())),
            ..config::ModelConfig::default()
        };
        let environment = Environment::from_iter([
            ("HOME", home.path().to_str().unwrap()),
            ("LOCALAPPDATA", home.path().to_str().unwrap()),
            ("KEY", "s3cret"),
        ]);
        let model = Model::of(&setting, &environment, &NEVER).unwrap();
        (home, model)
    }

    fn request() -> Request {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false});
        Request::new(Purpose::Query, "Count.", "one two", Shape { name: "count", schema })
    }

    fn number(value: Value) -> Result<u64, String> {
        value["n"].as_u64().ok_or_else(|| "`n` is missing".into())
    }

    #[test]
    fn an_answer_that_cannot_be_used_is_asked_for_again_and_all_is_counted() {
        let (url, seen) = serve(vec![chat("two"), chat("{\"m\": 2}"), chat("It is {\"n\": 2}.")]);
        let (_home, mut model) = model(&url, Api::OpenAi);
        assert_eq!(model.ask_for(request(), number).unwrap(), 2);
        let spent = model.spent();
        assert_eq!((spent.calls, spent.retries, spent.repaired), (3, 0, 2));
        assert_eq!((spent.input_tokens, spent.output_tokens), (21, 9));
        let seen = seen.join().unwrap();
        assert!(seen[0].starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", seen[0]);
        assert!(seen[0].contains("authorization: Bearer s3cret"), "{}", seen[0]);
        assert!(seen[2].contains("`n` is missing"), "{}", seen[2]);
        assert!(!format!("{model:?}").contains("s3cret"));
        let (_, day) = Usages::read(&model.environment).unwrap().days.remove(0);
        assert_eq!((day.calls, day.failed, day.taken(), day.reserved, day.by["query"]), (3, 0, 30, 0, 30));
    }

    #[test]
    fn a_draft_within_a_thought_and_a_second_object_are_asked_about_again() {
        let (url, seen) = serve(vec![
            chat("<think>A draft: {\"n\": 1} but no, so"),
            chat("{\"n\": 1}\nNo: {\"n\": 2}"),
            chat("{\"n\": 1}, hm </think>[{\"n\": 2}]"),
        ]);
        let (_home, mut model) = model(&url, Api::OpenAi);
        assert_eq!(model.ask_for(request(), |list| number(list[0].clone())).unwrap(), 2);
        let seen = seen.join().unwrap();
        assert!(seen[1].contains("it has no answer") && seen[2].contains("several JSON values"), "{seen:?}");
        assert!(!seen.concat().contains("A draft"), "a thought goes back to no model");
    }

    #[test]
    fn a_field_that_is_refused_is_left_out_and_remembered() {
        let refusal = json!({"error": {"message": "Unknown field: response_format"}});
        let (url, seen) = serve(vec![reply("400 Bad Request", &refusal), chat("{\"n\": 1}")]);
        let (_home, mut model) = model(&url, Api::OpenAi);
        assert_eq!(model.ask_for(request(), number).unwrap(), 1);
        assert_eq!(model.dropped_fields(), ["response_format"]);
        assert_eq!((model.spent().calls, model.spent().retries), (2, 1));
        assert!(!seen.join().unwrap()[1].contains("response_format"));
        let named = (&model.setting, "model.url");
        let again = Server::open(named, Api::OpenAi, &model.environment, &NEVER, &model.memory).unwrap();
        assert_eq!(again.refused(), ["response_format"]);
    }

    #[test]
    fn a_server_that_asks_for_patience_gets_it() {
        let busy = reply("429 Too Many Requests", &json!({"error": {"message": "slow down s3cret"}}));
        let busy = busy.replace("content-length", "retry-after: 1\r\ncontent-length");
        let anthropic = json!({"content": [{"type": "text", "text": "{\"n\": 4}"}], "usage": {"input_tokens": 1, "cache_read_input_tokens": 4, "output_tokens": 2}});
        let (url, seen) =
            serve(vec![busy.clone(), reply("200 OK", &anthropic), busy.replace("after: 1", "after: 99")]);
        let (_home, mut model) = model(&url, Api::Anthropic);
        let start = Instant::now();
        assert_eq!(model.ask_for(request(), number).unwrap(), 4);
        assert!((1.0..2.0).contains(&start.elapsed().as_secs_f32()));
        assert_eq!((model.spent().input_tokens, model.spent().retries), (5, 1));
        let error = model.ask(&request()).unwrap_err();
        assert!(matches!(&error, Error::Unreachable(why) if why.contains("slow down ****")), "{error}");
        let seen = seen.join().unwrap();
        assert!(seen[0].starts_with("POST /v1/messages HTTP/1.1\r\n"), "{}", seen[0]);
        assert!(seen[0].contains("x-api-key: s3cret") && seen[0].contains("anthropic-version: 2023-06-01"));
        assert!(seen[0].contains("output_config"));
    }
}
