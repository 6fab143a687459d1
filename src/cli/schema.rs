//! `brv schema`: prints the JSON Schema of a command's `--json` output.

use super::session::{Report, Run, Session};
use super::ui::{Screen, Style, width};
use crate::say::{Exit, Failure};
use crate::wire;
use brv_base::nearest::nearest;
use clap::Args;

/// The arguments of `brv schema`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv schema
  brv schema vc status
  brv schema brv.vc.status/1
  brv schema vc push --data
  brv schema curate.ops",
    after_help = "`curate.ops` is the input of `brv curate --ops`, `dream.decisions` the input of `brv dream --decisions`: neither \
is an output."
)]
pub struct Arguments {
    /// A command, or the value of `schema` in its output; without NAME, list all schemas
    #[arg(value_name = "NAME")]
    name: Vec<String>,
    /// Only the schema of the field `data`, not of the whole object
    #[arg(long, requires = "name")]
    data: bool,
}

impl Run for Arguments {
    const NAME: &'static str = "schema";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let all = (session.catalog.schemas)();
        if self.name.is_empty() {
            let data = wire::Schema::list(&all);
            return Ok(session.report(Report::new(&data).long(), |screen| list(screen, &data)));
        }
        let name = self.name.join(" ");
        let part = if self.data { wire::Part::Data } else { wire::Part::Whole };
        let data = wire::Schema::named(&all, &name, part).ok_or_else(|| unknown(&all, &name))?;
        Ok(session.report(Report::new(&data).long(), |screen| {
            let document = data.one.as_ref().and_then(|one| serde_json::to_string_pretty(&one.document).ok());
            screen.line(document.unwrap_or_default());
        }))
    }
}

fn unknown(all: &[wire::Described], name: &str) -> Failure {
    let typed = name.strip_prefix("brv.").unwrap_or(name);
    let typed = typed.strip_suffix("/1").unwrap_or(typed).replace('.', " ");
    let hint = match nearest(&typed, all.iter().map(|known| known.command)) {
        Some(meant) => format!("perhaps `{meant}`; `brv schema` lists all names"),
        None => "`brv schema` lists all names".to_owned(),
    };
    Failure::usage(format!("no schema named `{name}`")).hinting(Some(hint))
}

fn list(screen: &mut Screen, data: &wire::Schema) {
    let all = data.schemas.as_deref().unwrap_or_default();
    let widest = all.iter().map(|known| width(&known.schema)).max().unwrap_or_default();
    for known in all {
        let gap = " ".repeat(widest + 2 - width(&known.schema));
        let printed_by = match known.command {
            "error" => "wrong arguments".to_owned(),
            command => format!("brv {command}"),
        };
        screen.text(Style::Name, &known.schema).plain(gap).line(printed_by);
    }
}
