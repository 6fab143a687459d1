//! The table of commands: a row for each. Parser, dispatch, help, schemas and the tools of other surfaces follow from it.
//!
//! Knows which command belongs where; what a command does is in its own file.

use super::format::Format;
use super::parser::{self, help_of_all, parser, start_page};
use super::row::{CommandDetails, CommandRowKind, Group, Row};
use super::session::{Caller, Catalog, CommandStart, Run, start};
use super::verb::Verb;
use super::{
    answering, archive, brain, complete, config as settings, connectors, curate, demo, derive, dream, eval,
    help, hooks, index, init, jobs, links, man, mcp, merge_driver, model, op, query, read, review, schema,
    search, signals, stale, status, tree, undo, vc, web,
};
use crate::say::Exit;
use crate::say::described::{Described, described};
use brv_base::sorting;
use brv_commands::version::Program;
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use schemars::JsonSchema;

/// The row of a [`Verb`]; the flag `--format` comes with it.
pub const fn verb<V: Verb>(group: Group, about: &'static str) -> Row {
    let own = CommandDetails {
        describe: |command| {
            parser::described(command, if V::HAS_OWN_FORMATS { V::augment_args } else { with_format::<V> })
        },
        call: answering::call::<V>,
        reply: Some(answering::reply::<V>),
        schemas: V::SCHEMAS,
    };
    Row { name: V::NAME, group, about, kind: CommandRowKind::Command(own) }
}

/// The row of a command that prints by itself; `T` is the data of its JSON.
const fn run<C: Run + Args, T: JsonSchema>(group: Group, about: &'static str) -> Row {
    let own = CommandDetails {
        describe: |command| {
            parser::described(command, if C::HAS_OWN_FORMATS { C::augment_args } else { with_format::<C> })
        },
        call: call::<C>,
        reply: None,
        schemas: const { &[described::<T>(C::NAME)] },
    };
    Row { name: C::NAME, group, about, kind: CommandRowKind::Command(own) }
}

/// The row of a command whose standard output is a conversation.
const fn server<C: Run + Args>(group: Group, about: &'static str) -> Row {
    let own = CommandDetails {
        describe: |command| parser::described(command, C::augment_args),
        call: call::<C>,
        reply: None,
        schemas: &[],
    };
    Row { name: C::NAME, group, about, kind: CommandRowKind::Command(own) }
}

fn with_format<A: Args>(command: Command) -> Command {
    Format::augment_args(A::augment_args(command))
}

fn call<C: Run + Args>(matches: &ArgMatches, caller: Caller) -> Result<Exit, clap::Error> {
    let command = C::from_arg_matches(matches)?;
    let form = if C::HAS_OWN_FORMATS { command.form() } else { Format::from_arg_matches(matches)?.form() };
    let how = CommandStart { name: C::NAME, form, mends_settings: command.mends_settings() };
    let mut command = Some(command);
    Ok(start(how, caller, &mut |session| {
        command.take().map_or(Ok(Exit::Done), |command| command.run(session))
    }))
}

/// The row of `brv agent-hook`, which never fails and prints what its caller reads.
const fn agent_hook(group: Group, about: &'static str) -> Row {
    let own = CommandDetails {
        describe: |command| parser::described(command, hooks::agent::Arguments::augment_args),
        call: hooks::agent::call,
        reply: None,
        schemas: const { &[described::<brv_commands::agent_hook::Outcome>(hooks::agent::NAME)] },
    };
    Row { name: hooks::agent::NAME, group, about, kind: CommandRowKind::Command(own) }
}

const fn family(name: &'static str, group: Group, about: &'static str, examples: &'static str) -> Row {
    Row { name, group, about, kind: CommandRowKind::Family { examples, bare: None } }
}

/// A family with a member that runs if only the first word is typed.
const fn family_with(bare: &'static str, family: Row) -> Row {
    match family.kind {
        CommandRowKind::Family { examples, .. } => {
            Row { kind: CommandRowKind::Family { examples, bare: Some(bare) }, ..family }
        }
        CommandRowKind::Command(_) => family,
    }
}

/// Every command, in the order in which help lists them.
pub const ROWS: &[Row] = &[
    verb::<init::Arguments>(
        Group::Start,
        "Create the context tree of this project, or adopt an existing one",
    ),
    family(
        "vc",
        Group::Change,
        "Version control: stage, commit, compare and share the tree",
        "Examples:\n  brv vc status\n  brv vc add .\n  brv vc commit -m \"auth: tokens live 12 hours\"\n  brv vc push",
    ),
    verb::<init::AsVerb>(Group::Start, "Create the context tree of this project"),
    verb::<vc::clone::Arguments>(Group::Start, "Clone a tree from a remote into a project"),
    verb::<vc::config::Arguments>(Group::Maintain, "Get and set the tree's git settings, such as user.name"),
    verb::<vc::add::Arguments>(Group::Change, "Stage files for the next commit"),
    verb::<vc::commit::Arguments>(Group::Change, "Commit what is staged"),
    verb::<vc::status::Arguments>(Group::Inspect, "Show the branch, and what changed since the last commit"),
    verb::<vc::diff::Arguments>(
        Group::Inspect,
        "Show differences: by meaning on a terminal, in a pipe as git's patch",
    ),
    verb::<vc::log::Arguments>(Group::Inspect, "Show the commit history"),
    verb::<vc::show::Arguments>(Group::Inspect, "Show a commit, a tag, or a file at a commit"),
    verb::<vc::blame::Arguments>(Group::Inspect, "Show who wrote each line of a file, or who stated a fact"),
    verb::<vc::branch::Arguments>(Group::Branches, "List, create, rename and delete branches"),
    verb::<vc::tag::Arguments>(Group::Branches, "List, create, move and delete tags"),
    verb::<vc::switch::Arguments>(Group::Branches, "Switch to another branch, or create one"),
    verb::<vc::checkout::Arguments>(Group::Branches, "Switch to a branch or commit, or restore paths"),
    verb::<vc::restore::Arguments>(Group::Change, "Restore files from the index or from a commit"),
    verb::<vc::reset::Arguments>(Group::Change, "Move the branch to another commit, or unstage paths"),
    verb::<vc::remote::Arguments>(Group::Sync, "Set up the remotes that the tree is shared through"),
    verb::<vc::fetch::Arguments>(Group::Sync, "Fetch commits from a remote, without changing files"),
    verb::<vc::merge::Arguments>(Group::Merge, "Merge another branch or commit into the current branch"),
    verb::<vc::mv::Arguments>(Group::Change, "Move entries and folders, and update the links to them"),
    verb::<vc::pull::Arguments>(Group::Sync, "Fetch from a remote and merge into the current branch"),
    verb::<vc::push::Arguments>(Group::Sync, "Send commits to a remote"),
    verb::<vc::sync::Arguments>(Group::Sync, "Pull, then push; retry while others push at the same time"),
    verb::<vc::check::Arguments>(
        Group::Review,
        "Check what a change does to the knowledge: a review, and findings such as secrets and broken links",
    ),
    verb::<vc::repair::Arguments>(
        Group::Merge,
        "Redo the merge of a file that a git host or another tool merged line by line",
    ),
    verb::<vc::revert::Arguments>(Group::Change, "Revert commits with new ones, by meaning"),
    verb::<vc::rm::Arguments>(Group::Change, "Remove files from the index and the work tree"),
    verb::<vc::resolve::Arguments>(Group::Merge, "Resolve conflicts of a merge, and settle disputed facts"),
    verb::<vc::gc::Arguments>(
        Group::Maintain,
        "Pack all reachable objects into one file, and remove what is no longer needed",
    ),
    verb::<curate::Arguments>(Group::Curate, "Add, change, merge and delete entries, from JSON or flags"),
    family(
        "archive",
        Group::Curate,
        "Archive: entries removed from the tree, with a stub left and their bytes kept",
        "Examples:\n  brv archive run auth/old_draft\n  brv archive list\n  brv archive restore auth/old_draft",
    ),
    verb::<archive::run::Arguments>(Group::Curate, "Move entries out of the tree into the archive"),
    verb::<archive::list::Arguments>(Group::Curate, "List archived entries"),
    verb::<archive::show::Arguments>(Group::Curate, "Print an archived entry in full"),
    verb::<archive::restore::Arguments>(Group::Curate, "Restore archived entries to the tree"),
    family(
        "hooks",
        Group::Hooks,
        "Git hooks: commits of the code feed the tree",
        "Examples:\n  brv hooks install\n  brv hooks status\n  brv hooks log\n  brv hooks uninstall",
    ),
    verb::<hooks::install::Arguments>(Group::Hooks, "Make git call brv at commits, merges and pushes"),
    verb::<hooks::uninstall::Arguments>(Group::Hooks, "Remove brv from the git hooks"),
    verb::<hooks::status::Arguments>(Group::Hooks, "Show which git hooks call brv, and what is queued"),
    verb::<hooks::log::Arguments>(Group::Hooks, "Show what became of each commit, and why"),
    verb::<hooks::test::Arguments>(Group::Hooks, "Fire the post-commit hook, and check that it calls brv"),
    verb::<hooks::run::Arguments>(Group::Hooks, "Do the work of a git hook: git's hooks call this"),
    verb::<web::Arguments>(Group::Start, "Show the tree in a browser"),
    server::<mcp::Arguments>(Group::Agents, "Serve agents over the Model Context Protocol"),
    family(
        "connectors",
        Group::Agents,
        "Connectors: coding agents ask and feed the tree",
        "Examples:\n  brv connectors list\n  brv connectors install claude\n  brv connectors status\n  brv connectors uninstall claude",
    ),
    verb::<connectors::list::Arguments>(Group::Agents, "List coding agents, and whether they are found here"),
    verb::<connectors::install::Arguments>(Group::Agents, "Register brv with coding agents"),
    verb::<connectors::uninstall::Arguments>(Group::Agents, "Remove brv from the settings of coding agents"),
    verb::<connectors::status::Arguments>(
        Group::Agents,
        "Show what is registered, and whether the agents use it",
    ),
    verb::<connectors::test::Arguments>(
        Group::Agents,
        "Run the registered server and hooks of an agent, and show what its model would get",
    ),
    verb::<connectors::bundle::Arguments>(
        Group::Agents,
        "Write packages for agents: a plugin, an extension, an MCP bundle",
    ),
    agent_hook(Group::Agents, "Add what the project knows to an agent's context: its host's hooks call this"),
    verb::<dream::Arguments>(
        Group::Curate,
        "Tidy the tree: merge duplicates, link related entries, archive stale ones",
    ),
    family_with(
        "list",
        family(
            "jobs",
            Group::Hooks,
            "Jobs: what hooks queue for a worker in the background",
            "Examples:\n  brv jobs\n  brv jobs wait job-7",
        ),
    ),
    verb::<jobs::list::Arguments>(Group::Hooks, "List jobs: queued, running and done"),
    verb::<jobs::wait::Arguments>(Group::Hooks, "Wait until a job is done"),
    verb::<jobs::cancel::Arguments>(Group::Hooks, "Cancel a job that is queued or running"),
    family_with(
        "pending",
        family(
            "review",
            Group::Review,
            "Review: changes that an operation marked for a person to look at",
            "Examples:\n  brv review\n  brv review show 1a2b3c4d5e\n  brv review approve 1a2b3c4d5e\n  brv review reject 1a2b3c4d5e",
        ),
    ),
    verb::<review::pending::Arguments>(Group::Review, "List the changes that wait for review"),
    verb::<review::show::Arguments>(Group::Review, "Show what a change did to the knowledge"),
    verb::<review::approve::Arguments>(Group::Review, "Accept a change, so that pushes let it pass"),
    verb::<review::reject::Arguments>(Group::Review, "Revert a change, and keep the rest of its operation"),
    verb::<review::reopen::Arguments>(Group::Review, "Take an approval back, so that the change waits again"),
    verb::<review::comment::Arguments>(
        Group::Review,
        "Say something about a change or an entry, on this clone",
    ),
    verb::<review::comments::Arguments>(Group::Review, "List comments, or wait for one"),
    verb::<review::answer::Arguments>(Group::Review, "Answer a comment"),
    verb::<review::log::Arguments>(
        Group::Review,
        "Show what was approved, rejected and reopened, by whom and why",
    ),
    verb::<undo::Arguments>(Group::Undo, "Undo an operation: the last one of this session, or any other"),
    family(
        "op",
        Group::Undo,
        "Operation log: what was done here, by whom and why",
        "Examples:\n  brv op log\n  brv op log --path auth -n 5\n  brv op diff last",
    ),
    verb::<op::log::Arguments>(Group::Undo, "List logged operations, newest first"),
    verb::<op::show::Arguments>(
        Group::Undo,
        "Show an operation: who, when and why, what it changed, and whether it was undone",
    ),
    verb::<op::diff::Arguments>(Group::Undo, "Show what an operation changed in the files"),
    verb::<op::prune::Arguments>(
        Group::Undo,
        "Delete old operations from the log, or those that hold a file",
    ),
    verb::<derive::Arguments>(Group::Maintain, "Regenerate out-of-date summaries and other derived files"),
    verb::<status::Arguments>(
        Group::Read,
        "Show an overview of the project: what is in the tree, what changed, what is out of date",
    ),
    verb::<tree::Arguments>(Group::Read, "List folders and entries with their titles and summaries"),
    verb::<read::Arguments>(Group::Read, "Print an entry or a folder, in full or in short"),
    verb::<links::Arguments>(Group::Read, "Show the links from and to an entry or folder"),
    verb::<search::Arguments>(Group::Read, "Find the entries that match a text, best match first"),
    verb::<query::Arguments>(Group::Read, "Answer a question from the stored entries"),
    family_with(
        "show",
        family(
            "brain",
            Group::Read,
            "Brain: what an agent should know at the start of a session",
            "Examples:\n  brv brain\n  brv brain --task \"rotate the signing keys\"\n  brv brain write AGENTS.md",
        ),
    ),
    verb::<brain::show::Arguments>(
        Group::Read,
        "Print what an agent should know first, within a budget of tokens",
    ),
    verb::<brain::write::Arguments>(Group::Read, "Keep the summary in a file that agents read"),
    verb::<brain::unwrite::Arguments>(Group::Read, "Remove the summary from a file"),
    verb::<brain::prime::Arguments>(
        Group::Read,
        "Print what an agent must know to use this tree: its domains, how to ask, how to write here",
    ),
    verb::<eval::Arguments>(Group::Read, "Measure the search on questions whose answers are known"),
    verb::<signals::Arguments>(
        Group::Read,
        "Show how important, recent and settled entries are, by their use on this machine",
    ),
    verb::<brain::served::Arguments>(Group::Read, "Show which entries agents were given, when and why"),
    family_with(
        "list",
        family(
            "stale",
            Group::Review,
            "Stale entries: those about code that has changed since",
            "Examples:\n  brv stale\n  brv stale origin/main...HEAD --format github\n  brv stale confirm auth/tokens",
        ),
    ),
    verb::<stale::list::Arguments>(
        Group::Review,
        "Show the entries that name code which has been changed or removed",
    ),
    verb::<stale::confirm::Arguments>(Group::Review, "Record that entries still hold for the current code"),
    family(
        "index",
        Group::Sync,
        "Organisation: one index of many trees; whoever may read it reads all of it",
        "Examples:\n  brv index push --remotes trees.txt\n  brv index search \"which team decided on retries\"\n  brv index status",
    ),
    verb::<index::push::Arguments>(Group::Sync, "Bring the index up to date with the trees of many remotes"),
    verb::<index::search::Arguments>(Group::Sync, "Ask all trees of the index, best match first"),
    verb::<index::status::Arguments>(Group::Sync, "Show which trees the index has, and at which commits"),
    verb::<index::check::Arguments>(
        Group::Sync,
        "Try everything that an index needs on your engine, in an index of its own",
    ),
    verb::<index::drop::Arguments>(Group::Sync, "Remove a tree from the index"),
    family(
        "model",
        Group::Maintain,
        "Language model: what brv may ask, and what it spent",
        "Examples:\n  brv model show\n  brv model test\n  brv model usage",
    ),
    verb::<model::show::Arguments>(
        Group::Maintain,
        "Show the settings of the model, and where its key comes from",
    ),
    verb::<model::test::Arguments>(Group::Maintain, "Ask the model, and show what it can do"),
    verb::<model::usage::Arguments>(Group::Maintain, "Show the requests and tokens of each day"),
    verb::<settings::Arguments>(Group::Maintain, "Get and set brv's own settings"),
    verb::<schema::Arguments>(Group::Tools, "Print the JSON Schema of a command's --json output"),
    run::<demo::Arguments, brv_commands::demo::Outcome>(
        Group::Start,
        "Run a demo: two people share a tree, in a folder left for you to explore",
    ),
    verb::<complete::completions::Arguments>(
        Group::Tools,
        "Print a shell script that completes brv's commands, names and paths",
    ),
    verb::<man::Arguments>(Group::Tools, "Print the manual page of a command, or write all manual pages"),
    run::<merge_driver::Arguments, brv_commands::merge_driver::Outcome>(
        Group::Merge,
        "Merge one file for git: git runs this on merge, rebase, cherry-pick and stash in the tree",
    ),
    verb::<help::Arguments>(Group::Tools, "Show help for a command or a topic"),
];

/// What a command may ask about all of them.
pub const CATALOG: Catalog = Catalog {
    parser: root,
    help: || help_of_all(ROWS),
    start_page: || start_page(ROWS),
    schemas: || schemas(ROWS),
    commands: || Box::new(mcp::CommandTable(ROWS, CATALOG)),
};

/// All commands as the parser knows them, each with its full name.
pub fn root() -> Command {
    let mut root = parser(ROWS);
    root.build();
    root
}

/// The schemas of no command: the output for wrong arguments, and of `brv --version --json`.
const OWN: [Described; 2] = [described::<()>("error"), described::<Program>(help::version::NAME)];

/// All schemas, by name.
pub fn schemas(rows: &[Row]) -> Vec<Described> {
    let commands = rows.iter().filter_map(Row::own).flat_map(|own| own.schemas).copied();
    let mut all: Vec<Described> = commands.chain(OWN).collect();
    sorting::sort_by_key(&mut all, |one| one.command);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::described::generating::{SchemaGenerator, file, input};
    use brv_base::fs;
    use brv_commands::{curate, dream};
    use std::path::Path;

    /// `BRV_SCHEMAS=write` writes the file anew.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "whoever runs the test says so in a variable")]
    fn the_file_of_schemas_has_those_of_the_types_that_are_printed() {
        let operations = SchemaGenerator::into_root_schema_for::<curate::Operations>;
        let decisions = SchemaGenerator::into_root_schema_for::<dream::DecisionsInput>;
        let inputs = [
            ("curate ops", input(operations, "The input of `brv curate --ops`")),
            ("dream decisions", input(decisions, "The input of `brv dream --decisions`")),
        ];
        let made = file(&schemas(ROWS), &inputs);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/say/schemas.json");
        if std::env::var_os("BRV_SCHEMAS").is_some_and(|wanted| wanted == "write") {
            fs::replace(&path, made.as_bytes(), fs::Durability::Later).unwrap();
        }
        let is_same = fs::read(&path).unwrap() == made.as_bytes();
        assert!(is_same, "`BRV_SCHEMAS=write cargo test -p brv --lib schemas` writes the file anew");
    }
}
