//! An encoder: gives each text a vector, so that texts with like meanings have like vectors.
//!
//! Asked as OpenAI's `/embeddings` is, which Ollama, llama.cpp and hosts have, by the rules of [`super::Model`]: the same
//! key, time and addresses, and no secret in what is sent.

use super::Error;
use super::client::{PAUSES, wait};
use super::line::{Then, Trouble};
use super::memory::ModelMemory;
use super::server::Server;
use super::wire::Body;
use brv_base::config::{self, Api};
use brv_base::environment::Environment;
use brv_text::lint::secrets;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The most numbers of a vector: twice what the largest encoders of hosts give.
const MOST_NUMBERS: usize = 8_192;

/// An encoder to ask.
#[derive(Debug)]
pub struct Encoder {
    server: Server,
    name: Option<String>,
    interrupt: &'static AtomicBool,
}

impl Encoder {
    /// The encoder of the settings; `None` if none is set. Nothing is sent to it yet.
    ///
    /// # Errors
    /// Its address or its key cannot be used.
    pub fn open(
        setting: &config::ModelConfig,
        environment: &Environment,
        interrupt: &'static AtomicBool,
    ) -> Result<Option<Self>, Error> {
        let Some(own) = setting.encoder() else { return Ok(None) };
        let (memory, named) = (ModelMemory::of(environment), (&own, "model.embed_url"));
        let server = Server::open(named, Api::OpenAi, environment, interrupt, &memory)?;
        Ok(Some(Self { server, name: own.name.value, interrupt }))
    }

    /// A vector for each text, all of one size and of length 1. What secrets are in the texts is not sent.
    ///
    /// # Errors
    /// Why there are none; what is wrong with those that came.
    pub fn vectors(&self, texts: &[String], time: Duration) -> Result<Vec<Vec<f32>>, Error> {
        self.once(texts, time).map_err(|trouble| trouble.error)
    }

    /// The same, asked again where that may help.
    ///
    /// # Errors
    /// As [`Encoder::vectors`] has them.
    pub fn vectors_patiently(&self, texts: &[String], time: Duration) -> Result<Vec<Vec<f32>>, Error> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let trouble = match self.once(texts, time) {
                Ok(vectors) => return Ok(vectors),
                Err(trouble) => trouble,
            };
            let named = match trouble.then {
                Then::Again(named) => named.filter(|pause| *pause <= time),
                Then::Wait => None,
                Then::End | Then::Without(_) => return Err(trouble.error),
            };
            let Some(pause) = pauses.next() else { return Err(trouble.error) };
            wait(named.unwrap_or(pause), self.interrupt)?;
        }
    }

    fn once(&self, texts: &[String], time: Duration) -> Result<Vec<Vec<f32>>, Trouble> {
        let texts: Vec<_> = texts.iter().map(|text| secrets::masked(text)).collect();
        let mut body = Body::new();
        if let Some(name) = &self.name {
            body.insert("model".into(), json!(name));
        }
        body.insert("input".into(), json!(texts));
        let answer = self.server.exchange("/embeddings", &body, time, self.interrupt)?;
        vectors_in(&answer, texts.len()).map_err(|why| self.server.unusable(&why))
    }
}

/// The vectors of an answer to so many texts, in their order and with the length 1.
///
/// # Errors
/// What is wrong with the answer: a vector too few or twice, an empty or endless one, sizes that differ.
fn vectors_in(answer: &Value, count: usize) -> Result<Vec<Vec<f32>>, String> {
    let data = answer["data"].as_array().ok_or("the answer has no list `data`")?;
    if data.len() != count {
        return Err(format!("{} vectors for {count} texts", data.len()));
    }
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); count];
    for (at, one) in data.iter().enumerate() {
        let index = match one.get("index") {
            None => Some(at),
            Some(index) => index.as_u64().and_then(|index| usize::try_from(index).ok()),
        };
        let place = index.and_then(|index| vectors.get_mut(index)).filter(|place| place.is_empty());
        let place = place.ok_or("the numbers of its vectors are not those of the texts")?;
        *place = unit(&one["embedding"])?;
    }
    let size = vectors.first().map_or(0, Vec::len);
    match vectors.iter().find(|vector| vector.len() != size) {
        Some(other) => Err(format!("vectors of {size} and of {} numbers", other.len())),
        None => Ok(vectors),
    }
}

/// A vector of the length 1.
fn unit(numbers: &Value) -> Result<Vec<f32>, String> {
    let numbers = numbers.as_array().ok_or("a vector is not a list of numbers")?;
    if numbers.is_empty() || numbers.len() > MOST_NUMBERS {
        return Err(format!("a vector has {} numbers", numbers.len()));
    }
    let numbers: Option<Vec<f64>> = numbers.iter().map(Value::as_f64).collect();
    let numbers = numbers.ok_or("a vector has an item that is not a number")?;
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    if !length.is_normal() {
        return Err("a vector has no direction".to_owned());
    }
    Ok(numbers.iter().map(|number| (number / length) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(data: &Value, count: usize) -> Result<Vec<Vec<f32>>, String> {
        vectors_in(&json!({ "data": data }), count)
    }

    #[test]
    fn vectors_are_in_the_order_of_their_texts_and_of_length_one() {
        let data = json!([{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3.0, 4.0]}]);
        assert_eq!(read(&data, 2).unwrap(), [[0.6, 0.8], [0.0, 1.0]]);
        assert_eq!(read(&json!([{"embedding": [1]}, {"embedding": [2]}]), 2).unwrap(), [[1.0], [1.0]]);
    }

    #[test]
    fn an_answer_that_is_not_for_these_texts_is_refused() {
        let one = json!({"index": 0, "embedding": [1.0, 0.0]});
        for (data, count, why) in [
            (json!(null), 1, "no list `data`"),
            (json!([one]), 2, "1 vectors for 2 texts"),
            (json!([one, one]), 2, "not those of the texts"),
            (json!([one, {"index": 7, "embedding": [1, 0]}]), 2, "not those of the texts"),
            (json!([one, {"index": -1, "embedding": [1, 0]}]), 2, "not those of the texts"),
            (json!([one, {"index": 1, "embedding": [1, 0, 0]}]), 2, "vectors of 2 and of 3 numbers"),
            (json!([{"embedding": "AACAPw=="}]), 1, "not a list of numbers"),
            (json!([{"embedding": []}]), 1, "has 0 numbers"),
            (json!([{"embedding": [1.0, "NaN"]}]), 1, "not a number"),
            (json!([{"embedding": [1.0, null]}]), 1, "not a number"),
            (json!([{"embedding": [0.0, 0.0]}]), 1, "no direction"),
            (json!([{"embedding": [1e308, 1e308]}]), 1, "no direction"),
        ] {
            let refused = read(&data, count).unwrap_err();
            assert!(refused.contains(why), "{data}: {refused}");
        }
    }
}
