//! The commands of the table, as the server calls them.

use crate::cli::row::Row;
use crate::cli::{parser, tool, usage};
use crate::mcp::{Call, Commands, desk};
use crate::say::{Failure, Reply};
use brv_engine::Context;
use serde_json::Value;

/// The table of commands.
pub struct Table(pub &'static [Row]);

impl Commands for Table {
    fn input(&self, command: &str) -> Value {
        tool::input_schema(self.row(command))
    }

    fn reply(&self, call: &Call<'_>, cx: &Context<'_>, answer: &mut dyn FnMut(Reply)) {
        if let Err(failure) = reply(self.row(call.command), call, cx, answer) {
            answer(desk::refusal(failure));
        }
    }
}

impl Table {
    fn row(&self, command: &str) -> &'static Row {
        self.0.iter().find(|row| row.name == command).expect("tools are over commands that there are")
    }
}

fn reply(row: &Row, call: &Call<'_>, cx: &Context<'_>, answer: &mut dyn FnMut(Reply)) -> Result<(), Failure> {
    // the program and the words of the name come first
    let mut arguments = tool::arguments(row, call.input)?.split_off(1 + row.name.split(' ').count());
    if let Some(format) = call.format {
        arguments.insert(0, format!("--format={format}").into());
    }
    let wrong = |error: clap::Error| usage::failure(&usage::told(&error));
    let matches = parser::parse_own(row, &arguments).map_err(wrong)?;
    let reply = row.own().and_then(|own| own.reply).expect("tools are over commands that answer any surface");
    reply(&matches, cx, answer).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table::ROWS;
    use crate::mcp::tools::{Form, TOOLS};

    #[test]
    fn each_tool_is_over_a_command_that_has_its_inputs() {
        for tool in &TOOLS {
            let schema = Table(ROWS).input(tool.command);
            for input in tool.inputs {
                assert!(schema["properties"].get(input.of).is_some(), "{} {}", tool.command, input.of);
                let is_text = matches!(input.form, Form::One { .. });
                let kind = &schema["properties"][input.of]["type"];
                assert!(!is_text || *kind == (if input.of == "operation" { "string" } else { "array" }));
            }
            assert!(Table(ROWS).row(tool.command).own().unwrap().reply.is_some(), "{}", tool.command);
            assert!(tool.description.len() <= 1000, "{}", tool.name);
        }
    }
}
