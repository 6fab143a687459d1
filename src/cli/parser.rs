//! The parser of the command line, and the help that lists all commands: both are made from rows.

use super::globals::Globals;
use super::help;
use super::row::{CommandRowKind, Group, Row};
use crate::say::Exit;
use clap::builder::{Resettable, StyledStr};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::mem::ManuallyDrop;

/// What was typed: the flags that every command has, the row of the command, and its arguments.
#[derive(Debug)]
pub struct Typed<'r> {
    /// The flags that every command has.
    pub globals: Globals,
    /// The command.
    pub row: &'r Row,
    /// Its arguments.
    pub matches: ArgMatches,
}

/// Parse the arguments of a process; the first is its name.
///
/// # Errors
/// The parser's answer where no command is to be run: an error, help, or the version.
pub fn parse(
    rows: &[Row],
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<Typed<'_>, clap::Error> {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let is_typed = |row: &Row| arguments.iter().any(|argument| argument == row.word());
    // commands have no aliases, so a parser of the commands named in a valid line reads it as the full parser does; the
    // other commands matter only to errors and help
    match parse_by(rows, parser_of(rows, &is_typed), &arguments) {
        Err(answer) if answer.kind() != ErrorKind::DisplayVersion => parse_by(rows, parser(rows), &arguments),
        parsed => parsed,
    }
}

fn parse_by<'r>(rows: &'r [Row], parser: Command, arguments: &[OsString]) -> Result<Typed<'r>, clap::Error> {
    // it is not freed: nobody waits for that when the process ends
    let mut parser = ManuallyDrop::new(parser);
    let mut matches = parser.try_get_matches_from_mut(arguments)?;
    let globals = Globals::from_arg_matches(&matches).map_err(|error| error.format(&mut parser))?;
    let mut name = String::new();
    while let Some((word, below)) = matches.remove_subcommand() {
        name = format!("{name} {word}").trim_start().to_owned();
        matches = below;
        if let Some(row) = rows.iter().find(|row| row.name == name && row.is_command()) {
            return Ok(Typed { globals, row, matches });
        }
        if let Some(row) = bare(rows, &name) {
            match matches.subcommand_name() {
                None => return Ok(Typed { globals, row, matches }),
                Some(word) => check_own(row, word, &matches)?,
            }
        }
    }
    unreachable!("the parser has no command but those of the rows, and asks for one")
}

/// Refuse flags of the member that runs by default where another one was named.
fn check_own(row: &Row, word: &str, matches: &ArgMatches) -> Result<(), clap::Error> {
    // alone it does not know the names above it
    let mut own = command(&[], row, &|_| true).bin_name(format!("brv {}", row.name));
    own.build();
    let is_typed = |id: &clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    let ids: Vec<clap::Id> = matches.ids().cloned().collect();
    let is_own = |id: &&clap::Id| own.get_arguments().any(|argument| argument.get_id() == *id);
    match ids.iter().filter(is_own).find(|id| is_typed(id)) {
        None => Ok(()),
        Some(id) => {
            let message = format!("the flag --{id} cannot be used with `{word}`");
            Err(own.error(ErrorKind::ArgumentConflict, message))
        }
    }
}

/// The parser of these rows. A command's own arguments are described when it is called.
pub fn parser(rows: &[Row]) -> Command {
    parser_of(rows, &|_| true)
}

/// The parser of some of the rows.
fn parser_of(rows: &[Row], wanted: RowFilter<'_>) -> Command {
    // the flags describe themselves, too
    let root = Globals::augment_args(Command::new("brv"))
        .about(ABOUT)
        .long_about(None)
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(100)
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .before_help(EXAMPLES);
    let own = rows.iter().filter(|row| row.family().is_none() && wanted(row));
    root.subcommands(own.map(|row| command(rows, row, wanted)))
}

/// Which rows a parser is made of.
type RowFilter<'a> = &'a dyn Fn(&Row) -> bool;

const ABOUT: &str = "Version control for the knowledge of coding agents";

const EXAMPLES: &str = "Examples:
  brv init
  brv vc clone https://git.example.org/team/knowledge.git
  brv vc pull";

/// Parse the arguments of one command, whose name is not among them.
///
/// # Errors
/// The parser's.
pub fn parse_own(row: &Row, arguments: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let command = Command::new(row.word()).no_binary_name(true).disable_help_flag(true);
    let command = row.own().map_or(command.clone(), |own| (own.describe)(command));
    command.try_get_matches_from(arguments)
}

fn command(rows: &[Row], row: &Row, wanted: RowFilter<'_>) -> Command {
    let command = Command::new(row.word()).about(row.about);
    match &row.kind {
        CommandRowKind::Command(own) => command.defer(own.describe),
        CommandRowKind::Family { examples, bare } => {
            let members = rows.iter().filter(|other| other.family() == Some(row.name) && wanted(other));
            // the member that runs where only the first word is typed takes its flags there, too
            let own = bare.and_then(|_| self::bare(rows, row.name)?.own());
            let command = match own {
                Some(own) => (own.describe)(command).about(row.about).after_help(Resettable::Reset),
                None => command,
            };
            command
                .subcommand_required(bare.is_none())
                .arg_required_else_help(bare.is_none())
                .before_help(*examples)
                .subcommands(members.map(|member| self::command(rows, member, wanted)))
        }
    }
}

/// The member of a family that runs where only the name of the family is typed.
fn bare<'r>(rows: &'r [Row], family: &str) -> Option<&'r Row> {
    let bare = rows.iter().find_map(|row| match row.kind {
        CommandRowKind::Family { bare, .. } if row.name == family => bare,
        _ => None,
    })?;
    rows.iter().find(|row| row.family() == Some(family) && row.word() == bare)
}

/// The parser for the help of brv itself, which lists all commands in their groups.
pub fn help_of_all(rows: &[Row]) -> Command {
    let root = parser(rows).mut_subcommands(|command| command.hide(true));
    root.override_usage("brv [OPTIONS] <COMMAND>").help_template(in_groups(rows)).after_help(after_help())
}

/// How wide the lists of commands are.
const WIDTH: usize = 80;

/// The twenty commands of a day.
const DAILY: [&str; 20] = [
    "init",
    "vc clone",
    "status",
    "tree",
    "read",
    "search",
    "query",
    "brain show",
    "curate",
    "vc add",
    "vc commit",
    "vc restore",
    "vc status",
    "vc diff",
    "vc log",
    "review pending",
    "vc pull",
    "vc push",
    "vc resolve",
    "undo",
];

/// The page that is shown where nothing was typed: the commands of a day in their groups.
pub fn start_page(rows: &[Row]) -> String {
    let mut page = format!("{EXAMPLES}\n\n{ABOUT}\n\nUsage: brv [OPTIONS] <COMMAND>\n");
    for group in Group::ALL {
        let daily = group.commands(rows).map(|row| row.name).filter(|name| DAILY.contains(name));
        let names: Vec<&str> = daily.collect();
        if names.is_empty() {
            continue;
        }
        for (at, line) in filled(&names.join(", "), ", ", 21).iter().enumerate() {
            let title = if at == 0 { group.title() } else { "" };
            write!(page, "\n  {title:<17}  {line}").expect("memory takes all text");
        }
    }
    page.push_str(
        "

New here? Read `brv help start`. `brv help all` lists every command,
`brv help COMMAND` explains one, `brv help topics` lists the guides.
",
    );
    page
}

/// Text in lines that break behind `mark` and leave room for an indent.
fn filled(text: &str, mark: &str, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in text.split_inclusive(mark) {
        match lines.last_mut() {
            Some(line) if indent + line.len() + piece.trim_end().len() <= WIDTH => line.push_str(piece),
            _ => lines.push(piece.to_owned()),
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// The template of a help that says what each command does, by group.
fn in_groups(rows: &[Row]) -> StyledStr {
    let mut text = String::from("{before-help}{about-with-newline}\n{usage-heading} {usage}\n");
    for group in Group::ALL {
        write!(text, "\n\u{1b}[1m\u{1b}[4m{}:\u{1b}[0m\n", group.title()).expect("memory takes all text");
        for row in group.commands(rows) {
            let about = filled(row.about, " ", 19).join(&format!("\n{:19}", ""));
            let gap = " ".repeat(15_usize.saturating_sub(row.name.len()));
            writeln!(text, "  \u{1b}[1m{}\u{1b}[0m{gap}  {about}", row.name).expect("memory takes all text");
        }
    }
    text.push_str("\n{all-args}{after-help}");
    text.into()
}

/// The help topics and exit codes, printed at the end of the help.
fn after_help() -> String {
    let topics = help::Topic::ALL.map(help::Topic::name).join(", ");
    let lines = Exit::ALL.map(|exit| format!("{:>5}  {}", exit.number(), exit.meaning()));
    format!(
        "New here? Read `brv help start`.\nTopics of `brv help`: {topics}\n\nExit codes:\n{}",
        lines.join("\n")
    )
}

/// Describe the arguments of a command. All at once would take longer at every start than most commands.
pub fn described(command: Command, describe: fn(Command) -> Command) -> Command {
    // the description of the command is in the table, not beside its arguments
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    describe(command).about(Resettable::from(about)).long_about(Resettable::from(long_about))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table::{ROWS, root};

    /// With a second name, a line could mean a command that the parser of the typed words does not have.
    #[test]
    fn no_row_has_a_second_name_or_is_guessed() {
        let root = root();
        for row in ROWS {
            let words = row.name.split(' ');
            let command = words.fold(&root, |above, word| above.find_subcommand(word).unwrap());
            assert_eq!(command.get_all_aliases().count(), 0, "{}", row.name);
            assert!(command.get_short_flag().is_none() && command.get_long_flag().is_none(), "{}", row.name);
            assert!(!command.is_allow_external_subcommands_set(), "{}", row.name);
        }
    }

    #[test]
    fn a_line_is_read_as_by_the_parser_of_all_commands() {
        for line in [
            "brv vc log -n 10",
            "brv -C list jobs",
            "brv jobs",
            "brv jobs list",
            "brv stale stale",
            "brv stale list -- list",
            "brv brain --task vc",
            "brv query status --json",
            "brv vc commit -m log",
            "brv --json vc status",
            "brv config user.name vc",
            "brv vc config user.name push",
        ] {
            let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let (short, full) = (parse(ROWS, &words), parse_by(ROWS, parser(ROWS), &words));
            let told = |typed: Result<Typed<'_>, clap::Error>| match typed {
                Ok(Typed { globals, row, matches }) => {
                    let of = |id: &clap::Id| matches.get_raw(id.as_str()).map(Iterator::collect::<Vec<_>>);
                    let below = matches.subcommand().map(|(word, below)| (word, below.ids().count()));
                    let own: Vec<_> = matches.ids().map(|id| (id, of(id))).collect();
                    format!("{} {globals:?} {own:?} {below:?}", row.name)
                }
                Err(error) => error.to_string(),
            };
            assert_eq!(told(short), told(full), "{line}");
        }
    }
}
