//! A command as a tool of a program: the schema of its input, from what the parser knows, and its arguments from JSON.
//!
//! The names are those of the flags, in snake case, or of the fields. Flags of the terminal, such as `--format` and
//! `--quiet`, are not input.

use super::row::Row;
use crate::say::Failure;
use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value, json};
use std::any::TypeId;
use std::ffi::OsString;
use std::num::{NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize};

/// A command that can be called: that of a row, or one below it, such as `vc remote add`.
#[derive(Debug)]
pub struct Callable {
    pub row: &'static Row,
    /// What is typed after the name of the row.
    below: Option<String>,
    /// Its own arguments, without those that all commands have.
    command: Command,
}

impl Callable {
    /// The command that is typed so, after `brv`.
    pub fn named(rows: &'static [Row], name: &str) -> Option<Self> {
        Self::all(rows).find(|one| one.name() == name)
    }

    /// All of them.
    pub fn all(rows: &'static [Row]) -> impl Iterator<Item = Self> {
        rows.iter().filter(|row| row.is_command()).flat_map(Self::of)
    }

    fn of(row: &'static Row) -> Vec<Self> {
        let command = Command::new(row.word()).about(row.about);
        let command = row.own().map_or(command.clone(), |own| (own.describe)(command));
        let below = command.get_subcommands().map(|below| Self {
            row,
            below: Some(below.get_name().to_owned()),
            command: below.clone(),
        });
        let below: Vec<Self> = below.collect();
        [Self { row, below: None, command }].into_iter().chain(below).collect()
    }

    /// What is typed after `brv`.
    pub fn name(&self) -> String {
        [self.row.name].into_iter().chain(self.below.as_deref()).collect::<Vec<_>>().join(" ")
    }

    /// The schema of its input.
    pub fn input_schema(&self) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for arg in inputs(&self.command) {
            properties.insert(name(arg), property(arg));
            if arg.is_required_set() {
                required.push(name(arg));
            }
        }
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    }

    /// What would be typed after the name of its row for this input.
    ///
    /// # Errors
    /// An input that is not an object, an unknown name, or a value of another type.
    pub fn arguments(&self, input: &Value) -> Result<Vec<OsString>, Failure> {
        let Value::Object(given) = input else { return Err(Failure::usage("the input must be an object")) };
        self.refuse_unknown(given)?;
        let mut line: Vec<String> = self.below.iter().cloned().collect();
        for arg in inputs(&self.command).filter(|arg| !arg.is_positional()) {
            for text in given_for(arg, given)? {
                let takes = arg.get_action().takes_values();
                line.push(if takes { format!("{}={text}", flag(arg)) } else { flag(arg) });
            }
        }
        line.extend(words(&self.command, given)?);
        Ok(line.into_iter().map(OsString::from).collect())
    }

    fn refuse_unknown(&self, given: &Map<String, Value>) -> Result<(), Failure> {
        let known: Vec<String> = inputs(&self.command).map(name).collect();
        let Some(unknown) = given.keys().find(|key| !known.contains(key)) else { return Ok(()) };
        let failure = Failure::usage(format!("`{}` has no input `{unknown}`", self.name()));
        Err(failure.hinting(Some(format!("it has: {}", known.join(", ")))))
    }
}

/// The words of the line that are not flags, in their order. None of them is read as a flag.
fn words(command: &Command, given: &Map<String, Value>) -> Result<Vec<String>, Failure> {
    let (mut first, mut last, mut absent) = (Vec::new(), Vec::new(), None);
    for arg in inputs(command).filter(|arg| arg.is_positional()) {
        let texts = given_for(arg, given)?;
        match (&absent, arg.is_last_set()) {
            (_, true) => last.extend(texts),
            (None, false) if texts.is_empty() => absent = Some(name(arg)),
            (Some(absent), false) if !texts.is_empty() => {
                return Err(Failure::usage(format!("`{}` needs `{absent}`", name(arg))));
            }
            _ => first.extend(texts),
        }
    }
    let has_last = command.get_arguments().any(Arg::is_last_set);
    match first.iter().find(|text| has_last && text.starts_with('-') && *text != "-") {
        Some(flag) => Err(Failure::usage(format!("`{flag}` is not a value here"))),
        None if has_last => Ok([first, vec!["--".into()], last].concat()),
        None if first.is_empty() => Ok(first),
        None => Ok([vec!["--".into()], first].concat()),
    }
}

/// The texts of an argument's value; none if it is not given.
fn given_for(arg: &Arg, given: &Map<String, Value>) -> Result<Vec<String>, Failure> {
    let Some(value) = given.get(&name(arg)).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    texts(arg, value).ok_or_else(|| {
        let wanted = property(arg)["type"].as_str().unwrap_or_default().to_owned();
        Failure::usage(format!("`{}` must be of the type {wanted}", name(arg)))
    })
}

fn inputs(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_input = |arg: &&Arg| {
        let is_shown = !["format", "help", "version"].contains(&arg.get_id().as_str());
        is_shown && !arg.is_hide_set()
    };
    command.get_arguments().filter(is_input)
}

fn name(arg: &Arg) -> String {
    arg.get_long().unwrap_or(arg.get_id().as_str()).replace('-', "_")
}

fn flag(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => unreachable!("what is not positional has a flag"),
    }
}

/// Whether it takes several values.
fn is_list(arg: &Arg) -> bool {
    let takes_several = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    matches!(arg.get_action(), ArgAction::Append) || takes_several
}

fn property(arg: &Arg) -> Value {
    let mut property = Map::new();
    let choices: Vec<Value> = arg.get_possible_values().iter().map(|value| value.get_name().into()).collect();
    let mut one = json!({ "type": kind(arg) });
    if arg.get_action().takes_values() && !choices.is_empty() {
        one["enum"] = choices.into();
    }
    match is_list(arg) {
        true => {
            property.insert("type".into(), "array".into());
            property.insert("items".into(), one);
        }
        false => property.extend(one.as_object().cloned().unwrap_or_default()),
    }
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
    property.extend(help.map(|help| ("description".into(), help.into())));
    Value::Object(property)
}

/// The JSON type of one value.
fn kind(arg: &Arg) -> &'static str {
    match arg.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => "boolean",
        ArgAction::Count => "integer",
        _ if is_number(arg) => "integer",
        _ if arg.get_value_parser().type_id() == TypeId::of::<f64>() => "number",
        _ => "string",
    }
}

/// Whether the parser makes a whole number of its value.
fn is_number(arg: &Arg) -> bool {
    let made = arg.get_value_parser().type_id();
    let numbers = [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<i64>(),
        TypeId::of::<NonZeroU16>(),
        TypeId::of::<NonZeroU32>(),
        TypeId::of::<NonZeroU64>(),
        TypeId::of::<NonZeroUsize>(),
    ];
    numbers.iter().any(|number| made == *number)
}

/// The words for a value; a flag that is not set has none. `None`: the value is of another type.
fn texts(arg: &Arg, value: &Value) -> Option<Vec<String>> {
    match (kind(arg), value) {
        (_, Value::Array(values)) if is_list(arg) => {
            let one = |value: &Value| texts(arg, value).filter(|_| !value.is_array());
            let texts: Option<Vec<Vec<String>>> = values.iter().map(one).collect();
            texts.map(|texts| texts.concat())
        }
        ("boolean", Value::Bool(set)) => Some(if *set { vec![String::new()] } else { Vec::new() }),
        ("integer", Value::Number(number)) => {
            let count = number.as_i64()?;
            match arg.get_action() {
                ArgAction::Count => Some(vec![String::new(); usize::try_from(count).ok()?.min(9)]),
                _ => Some(vec![count.to_string()]),
            }
        }
        ("number", Value::Number(number)) => Some(vec![number.to_string()]),
        ("string", Value::String(text)) => Some(vec![text.clone()]),
        _ => None,
    }
}
