//! The commands of the table, as servers call them.

use crate::cli::row::Row;
use crate::cli::session::Catalog;
use crate::cli::tool::Callable;
use crate::cli::{parser, usage};
use crate::say::{CommandCall, Commands, Failure, Reply};
use brv_engine::Context;
use serde_json::Value;

/// The table of commands, and what they know of each other.
pub struct CommandTable(pub &'static [Row], pub Catalog);

impl Commands for CommandTable {
    fn input(&self, command: &str) -> Value {
        self.callable(command).input_schema()
    }

    fn reply(&self, call: &CommandCall<'_>, cx: &Context<'_>, answer: &mut dyn FnMut(Reply)) {
        if let Err(failure) = reply(&self.callable(call.command), call, (cx, self.1), answer) {
            answer(Reply::refusing(failure));
        }
    }
}

impl CommandTable {
    fn callable(&self, command: &str) -> Callable {
        Callable::named(self.0, command).expect("tools are over commands that there are")
    }
}

fn reply(
    called: &Callable,
    call: &CommandCall<'_>,
    (cx, all): (&Context<'_>, Catalog),
    answer: &mut dyn FnMut(Reply),
) -> Result<(), Failure> {
    let mut arguments = called.arguments(call.input)?;
    if let Some(format) = call.format {
        arguments.insert(0, format!("--format={format}").into());
    }
    let wrong = |error: clap::Error| usage::failure(&usage::told(&error));
    let matches = parser::parse_own(called.row, &arguments).map_err(wrong)?;
    let reply = called.row.own().and_then(|own| own.reply);
    reply.expect("tools are over commands that answer any surface")(&matches, cx, all, answer).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table::{CATALOG, ROWS};
    use crate::mcp::tools::{TOOLS, ToolInputForm};

    #[test]
    fn each_tool_is_over_a_command_that_has_its_inputs() {
        for tool in &TOOLS {
            let schema = CommandTable(ROWS, CATALOG).input(tool.command);
            for input in tool.inputs {
                assert!(schema["properties"].get(input.of).is_some(), "{} {}", tool.command, input.of);
                let is_text = matches!(input.form, ToolInputForm::One { .. });
                let kind = &schema["properties"][input.of]["type"];
                assert!(!is_text || *kind == (if input.of == "operation" { "string" } else { "array" }));
            }
            assert!(
                CommandTable(ROWS, CATALOG).callable(tool.command).row.own().unwrap().reply.is_some(),
                "{}",
                tool.command
            );
            assert!(tool.description.len() <= 1000, "{}", tool.name);
        }
    }
}
