//! What a model reads of a command's reply: text between two markers that says that it is data, cut to a number of tokens.
//!
//! A reading tool has the text alone, since hosts that are given data as well drop the text. A writing tool has both.

use super::steering;
use crate::say::{Failure, Reply, last_changes};
use brv_commands::review::masked;
use brv_engine::agents::model::fence::{DATA, fenced};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// How many characters make a token.
const CHARACTERS: u64 = 4;

/// How a reading tool answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Json,
}

/// The result of a reading tool.
pub fn reading(reply: &Reply, format: Format, most_tokens: u64) -> CallToolResult {
    let text = match (format, reply.json.is_empty()) {
        (Format::Json, false) => data(&cut_rows(&reply.json, most_tokens)),
        _ => markdown(reply, most_tokens),
    };
    result(text, reply.failure.is_some())
}

/// The text of a reply, between markers. It always says how much is withheld, even over the limit.
pub fn markdown(reply: &Reply, most_tokens: u64) -> String {
    let mut text = cut_lines(&whole(reply, ""), most_tokens, "; max_tokens allows more");
    let data = serde_json::from_str::<Value>(&reply.json).unwrap_or_default();
    let withheld = data["data"]["withheld"].as_u64().and_then(|count| usize::try_from(count).ok());
    if let Some(note) =
        last_changes::withheld(withheld.unwrap_or_default()).filter(|note| !text.contains(note))
    {
        text.extend([&note, "\n"]);
    }
    self::data(&text)
}

/// The result of a writing tool: the envelope with the root, and a text for hosts that show only that. What may steer an
/// agent is in neither: what a sync brings was read by nobody here.
pub fn writing(reply: &Reply, root: &Path, most_tokens: u64) -> CallToolResult {
    let mut envelope: Value = serde_json::from_str(&reply.json).unwrap_or_else(|_| without_command(reply));
    // a field that is not there must not be written by looking for it
    let withheld = envelope.get_mut("data").map(steering::leave_out).unwrap_or_default();
    let text = steering::lines_without(&whole(reply, &failed_operations(&envelope)));
    let note = last_changes::withheld(withheld).map(|note| note + "\n").unwrap_or_default();
    if let Some(Value::Array(warnings)) = envelope.get_mut("warnings").filter(|_| withheld > 0) {
        warnings.push(note.trim_end().into());
    }
    envelope["root"] = root.display().to_string().into();
    let text = data(&(cut_lines(&text, most_tokens, "") + &note));
    let mut result = result(text, reply.failure.is_some());
    result.structured_content = Some(envelope);
    result
}

/// The result of a call that no command got.
pub fn refused(failure: Failure, is_writing: bool, root: &Path) -> CallToolResult {
    let reply = Reply::refusing(failure);
    match is_writing {
        true => writing(&reply, root, u64::MAX),
        false => reading(&reply, Format::Markdown, u64::MAX),
    }
}

/// A text between markers, without the values of secrets.
fn data(text: &str) -> String {
    fenced(DATA, &masked(text))
}

fn result(text: String, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(text)];
    if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) }
}

/// The failure, which nothing may cut off, with a line for each part that failed; then the text and the warnings.
fn whole(reply: &Reply, failed: &str) -> String {
    let mut text = String::new();
    if let Some(failure) = &reply.failure {
        let _ = writeln!(text, "error ({}): {}", failure.exit.word(), failure.stop.message);
        if failed.is_empty() {
            failure.stop.details.iter().for_each(|detail| text.extend(["  ", detail, "\n"]));
        }
        if let Some(hint) = &failure.stop.hint {
            let _ = writeln!(text, "hint: {hint}");
        }
    }
    text.push_str(failed);
    if reply.text.is_empty() && reply.failure.is_none() {
        text.push_str("(nothing)\n");
    }
    text.push_str(&reply.text);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    for warning in &reply.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text
}

/// The envelope of a call that no command got.
fn without_command(reply: &Reply) -> Value {
    let error = reply.failure.as_ref().map(Failure::to_json);
    let (warnings, next) = (&reply.warnings, [""; 0]);
    json!({ "schema": "brv.error/1", "ok": false, "error": error, "warnings": warnings, "next": next })
}

/// A line for each operation of a curation that failed, with its code.
fn failed_operations(envelope: &Value) -> String {
    let applied = envelope["data"]["applied"].as_array();
    let rows = applied.into_iter().flatten().zip(1..).filter(|(row, _)| row["status"] == "failed");
    let told = rows.map(|(row, number)| {
        let word = |name: &str| row[name].as_str().unwrap_or_default();
        format!("operation {number} failed ({}): {}: {}\n", word("code"), word("path"), word("message"))
    });
    told.collect()
}

/// As many whole lines as fit, and how many do not.
fn cut_lines(text: &str, most_tokens: u64, hint: &str) -> String {
    let most = usize::try_from(most_tokens.saturating_mul(CHARACTERS)).unwrap_or(usize::MAX);
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut room = most;
    for line in text.split_inclusive('\n') {
        let length = line.chars().count();
        if length > room {
            break;
        }
        kept.push_str(line);
        room -= length;
    }
    let left = text.lines().count() - kept.lines().count();
    let lines = if left == 1 { "line is" } else { "lines are" };
    let _ = writeln!(kept, "[cut: {left} more {lines} not shown{hint}]");
    kept
}

/// The envelope with as many rows of its lists as fit, the longest list cut first, and how many are left out.
fn cut_rows(json: &str, most_tokens: u64) -> String {
    let most = usize::try_from(most_tokens.saturating_mul(CHARACTERS)).unwrap_or(usize::MAX);
    let Ok(mut envelope) = serde_json::from_str::<Value>(json) else { return json.to_owned() };
    let mut length = json.chars().count();
    let mut cut = 0_usize;
    while length > most {
        let size = |value: &Value| value.to_string().chars().count();
        let Value::Object(data) = &mut envelope["data"] else { break };
        let lists = data.values_mut().filter_map(Value::as_array_mut).filter(|list| list.len() > 1);
        let Some(longest) = lists.max_by_key(|list| list.iter().map(size).sum::<usize>()) else { break };
        // the lists are never so many that a row at a time would be felt
        length -= longest.pop().map_or(0, |row| size(&row)).min(length);
        cut += 1;
    }
    if let Some(text) = longest_text(&mut envelope["data"]).filter(|_| length > most) {
        let left = text.chars().count().saturating_sub(length - most) as u64 / CHARACTERS;
        *text = cut_lines(text, left, "; max_tokens allows more");
        length = envelope.to_string().chars().count();
    }
    if cut > 0 {
        envelope["cut_rows"] = cut.into();
    }
    // a little more than the limit is better than nothing
    match length > most + most / 4 {
        false => envelope.to_string(),
        true => json!({
            "schema": envelope["schema"], "ok": envelope["ok"], "error": envelope["error"],
            "cut_rows": cut, "cut": "the data does not fit; max_tokens allows more, markdown is shorter",
        })
        .to_string(),
    }
}

/// The longest text in it.
fn longest_text(value: &mut Value) -> Option<&mut String> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(values) => values.iter_mut().filter_map(longest_text).max_by_key(|text| text.len()),
        Value::Object(fields) => fields.values_mut().filter_map(longest_text).max_by_key(|text| text.len()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_engine::FailureKind;

    fn reply(text: &str) -> Reply {
        Reply { json: String::new(), text: text.into(), warnings: Vec::new(), failure: None }
    }

    #[test]
    fn an_answer_is_cut_at_whole_lines_and_says_so() {
        assert_eq!(cut_lines("a\nb\n", 1, "; more"), "a\nb\n");
        assert_eq!(
            cut_lines("first\nsecond\nthird\n", 3, "; more"),
            "first\n[cut: 2 more lines are not shown; more]\n"
        );
        assert_eq!(cut_lines("longer than that", 1, ""), "[cut: 1 more line is not shown]\n");
    }

    #[test]
    fn json_is_cut_at_whole_rows_and_stays_json() {
        let rows: Vec<Value> = (0..20).map(|number| json!({ "path": format!("a/b/{number}.md") })).collect();
        let envelope =
            json!({ "schema": "brv.search/1", "ok": true, "data": { "results": rows, "note": "x" } });
        let cut: Value = serde_json::from_str(&cut_rows(&envelope.to_string(), 60)).unwrap();
        let left = cut["data"]["results"].as_array().unwrap().len();
        assert!(left > 0 && left < 20);
        assert_eq!(cut["cut_rows"], 20 - left);
        let long = json!({ "data": { "pieces": [{ "path": "a.md", "text": "a line\n".repeat(200) }] } });
        let cut: Value = serde_json::from_str(&cut_rows(&long.to_string(), 100)).unwrap();
        let text = cut["data"]["pieces"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("a line\n") && text.ends_with("max_tokens allows more]\n"), "{text}");
        let none: Value = serde_json::from_str(&cut_rows(&envelope.to_string(), 1)).unwrap();
        assert_eq!((&none["ok"], none.get("data")), (&Value::Bool(true), None));
    }

    #[test]
    fn a_failure_says_its_code_and_its_hint_in_the_text() {
        let failure =
            Failure::new(FailureKind::NotInitialised, "no context tree here").hinting(Some("name `root`"));
        let failed = Reply { failure: Some(failure), warnings: vec!["slow".into()], ..reply("") };
        let result = reading(&failed, Format::Markdown, 4000);
        let text = &result.content[0].as_text().unwrap().text;
        assert_eq!(result.is_error, Some(true));
        let said = "error (not_initialised): no context tree here\nhint: name `root`\nwarning: slow\n";
        assert!(text.contains(said), "{text}");
        assert_eq!(result.structured_content, None);
    }
}
