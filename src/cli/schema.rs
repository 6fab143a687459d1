//! `brv schema`: prints the JSON Schema of a command's `--json` output.

use super::session::Catalog;
use super::ui::{Screen, Style, width};
use super::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use crate::say::described::{Described, input};
use crate::say::envelope::schema;
use brv_base::nearest::nearest;
use brv_engine::Context;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

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
    #[arg(skip)]
    all: Vec<Described>,
}

/// `brv.schema/1`: the list of schemas, or one schema.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Schema")]
pub struct Outcome {
    /// Without a name: all schemas, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schemas: Option<Vec<KnownSchema>>,
    /// With a name: that schema.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub one: Option<OneSchema>,
}

/// An available schema.
#[derive(Debug, JsonSchema, Serialize)]
pub struct KnownSchema {
    /// Its name, as in the field `schema`: `brv.vc.status/1`
    pub schema: String,
    /// The command that prints it: `vc status`
    pub command: &'static str,
}

/// A JSON Schema.
#[derive(Debug, JsonSchema, Serialize)]
pub struct OneSchema {
    /// Its name: `brv.vc.status/1`
    pub name: String,
    /// The schema of the whole output object, or of its `data`.
    pub document: Map<String, Value>,
}

/// The part that a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaPart {
    /// The whole output object.
    Whole,
    /// Only its `data`.
    Data,
}

impl Verb for Arguments {
    const NAME: &'static str = "schema";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn prepare(&mut self, _cx: &Context<'_>, all: Catalog) {
        self.all = (all.schemas)();
    }

    fn run<'a>(&self, _cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        if self.name.is_empty() {
            return Ok(Answer::new(Outcome::list(&self.all)));
        }
        let name = self.name.join(" ");
        let part = if self.data { SchemaPart::Data } else { SchemaPart::Whole };
        let found = Outcome::named(&self.all, &name, part).ok_or_else(|| unknown(&self.all, &name))?;
        Ok(Answer::new(found))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match &outcome.one {
            Some(one) => {
                screen.line(serde_json::to_string_pretty(&one.document).unwrap_or_default());
            }
            None => list(screen, outcome.schemas.as_deref().unwrap_or_default()),
        }
    }
}

impl Outcome {
    pub fn list(all: &[Described]) -> Self {
        let known = |known: &Described| KnownSchema { schema: known.name(), command: known.command };
        Self { schemas: Some(all.iter().map(known).collect()), one: None }
    }

    /// Find a schema by the command (`vc status`, `vc.status`) or by its own name (`brv.vc.status/1`); `None` if there
    /// is none.
    pub fn named(all: &[Described], name: &str, part: SchemaPart) -> Option<Self> {
        let name = name.strip_prefix("brv.").or_else(|| name.strip_prefix("brv ")).unwrap_or(name);
        let (command, number) =
            name.split_once('/').map_or((name, None), |(name, number)| (name, Some(number)));
        let command = command.replace('.', " ");
        let is_numbered = |name: &str| number.is_none_or(|number| name.rsplit('/').next() == Some(number));
        if let Some(document) = input(&command).filter(|_| is_numbered(&schema(&command))) {
            return Some(Self { schemas: None, one: Some(OneSchema { name: schema(&command), document }) });
        }
        let known = all.iter().find(|known| known.command == command)?;
        is_numbered(&known.name()).then_some(())?;
        let document = if part == SchemaPart::Whole { known.whole() } else { known.data() };
        Some(Self { schemas: None, one: Some(OneSchema { name: known.name(), document }) })
    }
}

fn unknown(all: &[Described], name: &str) -> Failure {
    let typed = name.strip_prefix("brv.").unwrap_or(name);
    let typed = typed.split('/').next().unwrap_or_default().replace('.', " ");
    let hint = match nearest(&typed, all.iter().map(|known| known.command)) {
        Some(meant) => format!("perhaps `{meant}`; `brv schema` lists all names"),
        None => "`brv schema` lists all names".to_owned(),
    };
    Failure::usage(format!("no schema named `{name}`")).hinting(Some(hint))
}

fn list(screen: &mut Screen, all: &[KnownSchema]) {
    let widest = all.iter().map(|known| width(&known.schema)).max().unwrap_or_default();
    for known in all {
        let gap = " ".repeat(widest + 2 - width(&known.schema));
        let printed_by = match known.command {
            "error" => "wrong arguments".to_owned(),
            "version" => "brv --version".to_owned(),
            command => format!("brv {command}"),
        };
        screen.text(Style::Name, &known.schema).plain(gap).line(printed_by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::described::described;

    #[test]
    fn a_schema_goes_by_the_name_of_its_command_and_by_its_own() {
        let all = [described::<u8>("vc add"), described::<u8>("vc status")];
        for name in ["vc status", "vc.status", "brv vc status", "brv.vc.status/1", "brv.vc.status"] {
            let found = Outcome::named(&all, name, SchemaPart::Whole).and_then(|found| found.one);
            assert_eq!(found.map(|one| one.name).as_deref(), Some("brv.vc.status/1"), "{name}");
        }
        for name in ["vc nothing", "brv.vc.status/2", "curate.ops/2"] {
            assert!(Outcome::named(&all, name, SchemaPart::Whole).is_none(), "{name}");
        }
    }
}
