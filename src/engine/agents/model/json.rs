//! Find the JSON in an answer: alone, as the arguments of a call, in a fence, or in prose; and calls that a model wrote as
//! text.

use super::Answer;
use serde_json::Value;

/// At how many braces of a text an object is looked for.
const TRIES: usize = 200;

impl Answer {
    /// The JSON object that the answer gives: alone, as the arguments of a call, in a fence, or in prose.
    ///
    /// # Errors
    /// What is wrong with the answer, for the model to read.
    pub fn object(&self) -> Result<Value, String> {
        let mut objects = objects_of(self)?;
        Ok(objects.swap_remove(0))
    }
}

/// The objects that an answer gives, the likeliest first.
///
/// # Errors
/// It has none: what is wrong with the answer, for the model to read.
pub(super) fn objects_of(answer: &Answer) -> Result<Vec<Value>, String> {
    let mut found: Vec<Value> = answer
        .calls
        .iter()
        .filter(|call| call.arguments.is_object())
        .map(|call| call.arguments.clone())
        .collect();
    let text = answer.text.trim();
    let why = match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() => {
            found.push(value);
            String::new()
        }
        Ok(_) => "it is no JSON object".to_owned(),
        Err(error) => {
            found.extend(objects_in(text));
            format!("it is no JSON: {error}")
        }
    };
    // a call that the model wrote as text
    let inner: Vec<Value> = found.iter().filter_map(|value| written_call(value).map(|call| call.1)).collect();
    found
        .extend(inner.into_iter().filter(|value| value.as_object().is_some_and(|fields| !fields.is_empty())));
    if found.is_empty() { Err(why) } else { Ok(found) }
}

/// The outermost objects in a text, from its end: a model thinks before it answers.
pub(super) fn objects_in(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let (mut from, mut tries) = (0, 0);
    while let Some(at) = text[from..].find('{').map(|at| from + at) {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        from = at + 1;
        if let Some(Ok(value)) = values.next() {
            from = at + values.byte_offset();
            found.push(value);
        }
        tries += 1;
        if tries == TRIES {
            break;
        }
    }
    found.reverse();
    found
}

/// The names under which models write a tool, and its arguments.
const TOOL: [&str; 3] = ["tool", "name", "function"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "input", "args"];

/// `{"tool": …, "arguments": {…}}`, with the words that models are trained on.
pub(super) fn written_call(value: &Value) -> Option<(String, Value)> {
    let nested = ["tool_call", "function_call", "function"].iter().find_map(|name| value.get(*name));
    let value = nested.filter(|nested| nested.is_object()).unwrap_or(value);
    value.as_object().filter(|fields| fields.len() <= 4)?;
    let name = TOOL.iter().find_map(|name| value.get(*name)?.as_str())?.to_owned();
    let arguments = match ARGUMENTS.iter().find_map(|name| value.get(*name)) {
        // some write them as a text that is JSON
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        Some(given) => given.clone(),
        None => Value::Object(serde_json::Map::new()),
    };
    Some((name, arguments))
}

#[cfg(test)]
mod tests {
    use super::super::Call;
    use super::*;
    use serde_json::json;

    fn answer(text: &str) -> Answer {
        Answer { text: text.into(), ..Answer::default() }
    }

    #[test]
    fn an_object_is_found_wherever_it_stands() {
        let wanted = json!({"answer": "a {b}", "cited": [1]});
        let text = wanted.to_string();
        for text in [
            text.clone(),
            format!("```json\n{text}\n```"),
            format!("Here {{you}} are: {text}. Done."),
            format!("<tool_call>{{\"name\": \"answer\", \"arguments\": {text}}}</tool_call>"),
            format!("{{\"function\": {{\"name\": \"answer\", \"parameters\": {text}}}}}"),
        ] {
            assert!(objects_of(&answer(&text)).unwrap().contains(&wanted), "{text}");
        }
        let call = Call { id: "1".into(), tool: "answer".into(), arguments: wanted.clone() };
        let called = Answer { calls: vec![call], ..Answer::default() };
        assert_eq!(objects_of(&called).unwrap(), [wanted]);
    }

    #[test]
    fn what_is_no_object_is_said_to_the_model() {
        assert_eq!(objects_of(&answer("[1]")).unwrap_err(), "it is no JSON object");
        assert!(objects_of(&answer("No idea.")).unwrap_err().starts_with("it is no JSON: "));
        assert!(objects_of(&answer("{\"a\": ")).is_err());
        assert!(objects_of(&answer(&"{\"a\":".repeat(100_000))).is_err());
    }
}
