//! Find the JSON in an answer: alone, as the arguments of a call, in a fence, or in prose; and calls that a model wrote as
//! text. An answer that may be read in two ways is none.

use super::Answer;
use serde_json::Value;

/// At how many brackets of a text a value is looked for.
const TRIES: usize = 200;

impl Answer {
    /// The JSON that the answer gives: alone, as the arguments of a call, in a fence, or in prose.
    ///
    /// # Errors
    /// What is wrong with the answer, for the model to read.
    pub fn object(&self) -> Result<Value, String> {
        Ok(values_of(self)?.swap_remove(0))
    }
}

/// The object or list of objects that an answer gives, in each way in which it may be meant, the likeliest first.
///
/// # Errors
/// There is none, one that breaks off, or several: what is wrong with the answer, for the model to read.
pub fn values_of(answer: &Answer) -> Result<Vec<Value>, String> {
    let given = answer.calls.iter().map(|call| call.arguments.clone()).filter(is_wanted);
    let mut found: Vec<Value> = given.collect();
    let text = answer.text.trim();
    if found.is_empty() && text.is_empty() {
        return Err("it has no answer".to_owned());
    }
    let why = match serde_json::from_str::<Value>(unfenced(text)) {
        Ok(value) if is_wanted(&value) => {
            found.push(value);
            String::new()
        }
        Ok(_) => "it is not a JSON object".to_owned(),
        Err(error) => {
            found.extend(values_in(text)?);
            format!("it is not JSON: {error}")
        }
    };
    let Some(first) = found.first().cloned() else { return Err(why) };
    // which one is meant cannot be known: the other may be a draft
    if found.iter().any(|value| *value != first) {
        return Err("it gives several JSON values, and one is wanted".to_owned());
    }
    // a call that the model wrote as text
    let inner = written_call(&first).map(|call| call.1).filter(is_wanted);
    let inner = inner.filter(|value| value.as_object().is_none_or(|fields| !fields.is_empty()));
    Ok(std::iter::once(first).chain(inner).collect())
}

/// Whether it is an object, or a list of nothing else.
fn is_wanted(value: &Value) -> bool {
    value.is_object() || value.as_array().is_some_and(|items| items.iter().all(Value::is_object))
}

/// What is in a fence that is all of the text.
fn unfenced(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    inner.and_then(|text| Some(text.split_once('\n')?.1)).unwrap_or(text)
}

/// What begins at a byte of a text.
#[derive(Debug)]
pub(super) enum JsonStart {
    /// No JSON object, and no list of them.
    Nothing,
    /// One that breaks off, or is wrong.
    Broken(serde_json::Error),
    Value {
        value: Value,
        /// The byte behind it.
        end: usize,
    },
}

/// What begins at this byte: an object with a key, or a list of objects.
pub(super) fn start(text: &str, at: usize) -> JsonStart {
    let rest = &text.as_bytes()[at..];
    let inner = rest.get(1..).unwrap_or_default().trim_ascii_start();
    let is_begun = match rest.first() {
        Some(b'{') => inner.starts_with(b"\"") || inner.starts_with(b"}"),
        Some(b'[') => inner.starts_with(b"{"),
        _ => false,
    };
    if !is_begun {
        return JsonStart::Nothing;
    }
    let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => JsonStart::Value { value, end: at + values.byte_offset() },
        Some(Err(error)) => JsonStart::Broken(error),
        None => JsonStart::Nothing,
    }
}

/// The outermost objects and lists of objects in a text.
///
/// # Errors
/// One breaks off or is wrong: its content may be anything.
pub fn values_in(text: &str) -> Result<Vec<Value>, String> {
    let mut found = Vec::new();
    let (mut from, mut tries) = (0, 0);
    while let Some(at) = text[from..].find(['{', '[']).map(|at| from + at).filter(|_| tries < TRIES) {
        from = at + 1;
        match start(text, at) {
            JsonStart::Nothing => continue,
            JsonStart::Broken(error) => return Err(format!("its JSON is wrong: {error}")),
            JsonStart::Value { value, end } => {
                from = end;
                found.extend(Some(value).filter(is_wanted));
            }
        }
        tries += 1;
    }
    Ok(found)
}

/// The names under which models write a tool, and its arguments.
const TOOL: [&str; 3] = ["tool", "name", "function"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "input", "args"];

/// `{"tool": …, "arguments": {…}}`, with the words that models are trained on.
pub fn written_call(value: &Value) -> Option<(String, Value)> {
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
            format!("Here {{you}} are [1]: {text}. Done."),
            format!("{text}\nThat is: {text}"),
            format!("<tool_call>{{\"name\": \"answer\", \"arguments\": {text}}}</tool_call>"),
            format!("{{\"function\": {{\"name\": \"answer\", \"parameters\": {text}}}}}"),
        ] {
            assert!(values_of(&answer(&text)).unwrap().contains(&wanted), "{text}");
        }
        let call = Call { id: "1".into(), tool: "answer".into(), arguments: wanted.clone() };
        let called = Answer { calls: vec![call], ..Answer::default() };
        assert_eq!(values_of(&called).unwrap(), [wanted]);
    }

    #[test]
    fn a_list_of_objects_is_an_answer() {
        let wanted = json!([{"a": 1}, {"b": []}]);
        for text in [
            wanted.to_string(),
            format!("The operations:\n{wanted}\nDone."),
            format!("```json\n{wanted}\n```"),
            json!({"tool": "operations", "arguments": wanted}).to_string(),
        ] {
            assert!(values_of(&answer(&text)).unwrap().contains(&wanted), "{text}");
        }
        for none in ["[]", "```\n[]\n```"] {
            assert_eq!(values_of(&answer(none)).unwrap(), [json!([])]);
        }
    }

    #[test]
    fn what_is_no_object_is_said_to_the_model() {
        assert_eq!(values_of(&answer("[1]")).unwrap_err(), "it is not a JSON object");
        assert!(values_of(&answer("No idea [].")).unwrap_err().starts_with("it is not JSON: "));
        assert!(values_of(&answer("{\"a\": ")).is_err());
        assert!(values_of(&answer(&"{\"a\":".repeat(100_000))).is_err());
    }

    #[test]
    fn an_object_in_a_broken_one_and_a_second_object_are_no_answer() {
        for text in [
            r#"{"draft": {"n": 1}, "final": {"n"#,
            r#"{"draft": {"n": 1}, final: {"n": 2}}"#,
            r#"{"operations": [{"n": 1}], "#,
            r#"[{"n": 1}, {"n": 2"#,
            r#"So: [{"n": 1},]"#,
        ] {
            assert!(values_of(&answer(text)).unwrap_err().starts_with("its JSON is wrong: "), "{text}");
        }
        for text in [r#"{"n": 1} Or rather {"n": 2}."#, r#"[{"n": 1}] {"n": 1}"#] {
            assert!(values_of(&answer(text)).unwrap_err().contains("several"), "{text}");
        }
    }
}
