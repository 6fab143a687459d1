//! The wire that is a program of the user's: the prompt on its standard input, the answer on its standard output.

use super::{Answer, Error, Request, Turn, prose};
use crate::environment::Environment;
use crate::process;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::process::Stdio;

/// Ask the program.
pub(super) fn ask(words: &[String], request: &Request, environment: &Environment) -> Result<Answer, Error> {
    let failed = |error: std::io::Error| Error::Unreachable(format!("`{}` cannot be run: {error}", words[0]));
    let mut command = process::command(&words[0], environment);
    command.args(&words[1..]).env("BRV_HOOKS", "0");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(prompt(request).as_bytes());
    }
    let mut text = String::new();
    if let Some(mut output) = child.stdout.take() {
        output.read_to_string(&mut text).map_err(failed)?;
    }
    let _ = child.wait().map_err(failed)?;
    Ok(Answer { text, ..Answer::default() })
}

/// A request as one text.
fn prompt(request: &Request) -> String {
    let mut prompt = request.task.clone();
    if let Some(shape) = &request.shape {
        let _ = write!(
            prompt,
            "\n\nAnswer with one JSON object of this schema, and nothing else:\n{}",
            shape.schema
        );
    }
    prompt.push_str(&prose::described(&request.tools));
    for turn in &request.turns {
        let _ = match turn {
            Turn::User(text) => write!(prompt, "\n\n{text}"),
            Turn::Model(answer) => write!(prompt, "\n\nYou answered:\n{}", answer.text),
            Turn::Results(results) => write!(prompt, "\n\n{}", results.join("\n\n")),
        };
    }
    prompt
}
