//! The wire that is a program of the user's: the prompt on its standard input, the answer on its standard output.

use super::line::{LONGEST_ANSWER, Trouble};
use super::program::{self, Fault};
use super::{Answer, Error, Request, Turn, prose};
use brv_base::environment::Environment;
use brv_base::messages::{brief, printable};
use brv_base::process;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Ask the program. It runs without brv's hooks, so that it does not set off what asks it.
pub(super) fn ask(
    words: &[String],
    prompt: &str,
    environment: &Environment,
    time: Duration,
    interrupt: &AtomicBool,
) -> Result<Answer, Trouble> {
    let name = printable(words[0].as_bytes());
    let mut command = process::command(&words[0], environment);
    command.args(&words[1..]).env("BRV_HOOKS", "0");
    let unreachable = |why: String| Error::Unreachable(format!("`{name}` {why}"));
    let output = program::run(command, prompt.as_bytes(), LONGEST_ANSWER, time, interrupt);
    let output = output.map_err(|fault| match fault {
        Fault::Unstarted(error) => Trouble::end(unreachable(format!("cannot be run: {error}"))),
        Fault::Late => {
            let limit = time.as_secs_f32();
            Trouble::costly(unreachable(format!("gave no answer within {limit} s (`model.timeout`)")))
        }
        Fault::TooLong => {
            let why = format!("`{name}` wrote more than {} MB", LONGEST_ANSWER >> 20);
            Trouble::costly(Error::Invalid(why))
        }
        Fault::Interrupted => Trouble::costly(Error::Interrupted),
    })?;
    if !output.status.success() {
        let complaint = brief(printable(&output.complaint));
        let why = if complaint.is_empty() { output.status.to_string() } else { complaint };
        return Err(Trouble::end(unreachable(format!("failed: {why}"))));
    }
    let text = String::from_utf8_lossy(&output.bytes).into_owned();
    if text.trim().is_empty() {
        return Err(Trouble::costly(Error::Invalid(format!("`{name}` wrote nothing"))));
    }
    Ok(Answer { text, ..Answer::default() })
}

/// A request as one text.
pub(super) fn prompt(request: &Request) -> String {
    let mut prompt = request.task.clone();
    prompt.push_str(&prose::described(&request.tools));
    if let Some(shape) = &request.shape {
        let _ = write!(
            prompt,
            "\n\nAnswer with one JSON object of this schema, and nothing else:\n{}",
            shape.schema
        );
    }
    for turn in &request.turns {
        let _ = match turn {
            Turn::User(text) => write!(prompt, "\n\n{text}"),
            Turn::Model(answer) => write!(prompt, "\n\nYou answered:\n{}", answer.text),
            Turn::Results(results) => write!(prompt, "\n\nThe results:\n{}", results.join("\n\n")),
        };
    }
    prompt
}
