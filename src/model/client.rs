//! A model that one command asks, and what it spends on it.

use super::{Answer, Error, Request, Spent, Turn, command, json, prose};
use crate::config;
use crate::environment::Environment;
use crate::lint::secrets;
use serde_json::Value;
use std::time::Instant;

/// How often an answer that is not what was asked for is asked for again.
const REPAIRS: u32 = 2;

/// A model to ask.
#[derive(Debug)]
pub struct Model {
    setting: config::Model,
    environment: Environment,
    spent: Spent,
    warnings: Vec<String>,
    /// No call lasts beyond it.
    until: Option<Instant>,
}

impl Model {
    /// The model of the settings; `None` if none is set.
    pub fn of(setting: &config::Model, environment: &Environment) -> Option<Self> {
        setting.is_set().then(|| Self {
            setting: setting.clone(),
            environment: environment.clone(),
            spent: Spent { name: setting.name.value.clone().unwrap_or_default(), ..Spent::default() },
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
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Err(Error::Unreachable("the model did not answer in time".into()));
        }
        self.spent.calls += 1;
        let answer = command::ask(&self.setting.command.value, &request, &self.environment)?;
        Ok(prose::with_calls(answer, &request.tools))
    }

    /// End all calls by this moment, however long each of them might take.
    pub fn end_by(&mut self, until: Instant) {
        self.until = Some(until);
    }

    /// Ask for JSON that `read` understands. An answer that it does not is asked for again, with its words, twice.
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
            let why = match json::object_of(&answer).and_then(&mut read) {
                Ok(value) => return Ok(value),
                Err(why) if repair == REPAIRS => return Err(Error::Invalid(why)),
                Err(why) => why,
            };
            self.spent.repaired += 1;
            let again =
                format!("This answer cannot be used: {why}\nAnswer again, with the JSON object only.");
            request.turns.extend([Turn::Model(Answer { calls: Vec::new(), ..answer }), Turn::User(again)]);
        }
        Err(Error::Invalid(String::new()))
    }

    /// What was spent so far.
    pub fn spent(&self) -> Spent {
        self.spent.clone()
    }

    /// What the user should know, such as a budget that is nearly used up.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }
}

/// The request without the values of secrets.
fn masked(request: &Request) -> Request {
    let mask = |text: &str| secrets::masked(text).into_owned();
    let turn = |turn: &Turn| match turn {
        Turn::User(text) => Turn::User(mask(text)),
        Turn::Model(answer) => Turn::Model(answer.clone()),
        Turn::Results(results) => Turn::Results(results.iter().map(|text| mask(text)).collect()),
    };
    Request { task: mask(&request.task), turns: request.turns.iter().map(turn).collect(), ..request.clone() }
}
