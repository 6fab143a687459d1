//! The architecture: which module may import which, which crates may be used where, how long a file may be.

mod circles;
mod counted;
mod crates;
mod map;
mod names;
mod portable;
mod sizes;
mod source;

use source::{files, imports, rust_files, sources};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The rooms of a crate whose order cargo does not know, each with what it may use: a crate stands for all its rooms.
/// Which crate uses which is in the manifests, and [`circles`] holds the order of the rooms in the other crates.
const LADDER: [(&str, &[&str]); 35] = [
    ("base::path", &["base::json"]),
    ("base::content", &["base::json"]),
    ("base::json", &[]),
    ("base::environment", &[]),
    ("base::clock", &["base::environment", "base::english"]),
    ("base::english", &[]),
    ("base::progress", &[]),
    ("base::process", &["base::environment"]),
    ("base::parallel", &[]),
    ("base::messages", &[]),
    ("base::escape", &[]),
    ("base::sorting", &[]),
    ("base::nearest", &[]),
    ("base::shape", &[]),
    ("base::fs", &["base::content", "base::clock", "base::parallel", "base::shape"]),
    ("base::config", &["base::environment", "base::messages", "base::fs"]),
    ("text::doc", &["base::content", "base::sorting"]),
    ("text::words", &["base::content", "base::english"]),
    ("text::diff", &["base::content", "base::sorting", "text::doc"]),
    ("text::merge", &["base::content", "base::sorting", "text::doc", "text::diff", "text::judge"]),
    (
        "text::lint",
        &["base::shape", "base::sorting", "base::english", "text::words", "text::doc", "text::diff"],
    ),
    ("text::lifecycle", &[]),
    (
        "text::stale",
        &[
            "base::content",
            "base::messages",
            "base::english",
            "text::doc",
            "text::words",
            "text::diff",
            "text::lint",
        ],
    ),
    (
        "text::derive",
        &[
            "base::path",
            "base::content",
            "base::sorting",
            "base::english",
            "text::doc",
            "text::words",
            "text::lifecycle",
        ],
    ),
    (
        "text::brain",
        &[
            "base::json",
            "base::path",
            "base::content",
            "base::clock",
            "base::sorting",
            "text::doc",
            "text::words",
            "text::lint",
            "text::lifecycle",
            "text::stale",
            "text::judge",
        ],
    ),
    (
        "text::curate",
        &[
            "base::path",
            "base::content",
            "base::clock",
            "base::english",
            "text::doc",
            "text::words",
            "text::merge",
            "text::lint",
            "text::judge",
        ],
    ),
    (
        "text::dream",
        &[
            "base::path",
            "base::content",
            "base::english",
            "text::doc",
            "text::words",
            "text::lifecycle",
            "text::curate",
        ],
    ),
    ("text::judge", &["base::english", "text::doc"]),
    ("text::topics", &["base::path", "text::curate", "text::judge"]),
    ("text::commits", &["base::english", "text::doc", "text::judge"]),
    (
        "say",
        &[
            "base::path",
            "base::clock",
            "base::messages",
            "base::escape",
            "base::sorting",
            "text::doc",
            "text::diff",
            "text::merge",
            "text::lint",
            "text::stale",
            "engine",
            "commands",
        ],
    ),
    ("serve", &[]),
    (
        "mcp",
        &[
            "base::environment",
            "base::clock",
            "base::progress",
            "base::config",
            "engine",
            "commands",
            "say",
            "serve",
        ],
    ),
    (
        "web",
        &[
            "base::path",
            "base::environment",
            "base::clock",
            "base::progress",
            "base::process",
            "base::escape",
            "base::config",
            "engine",
            "commands",
            "say",
            "serve",
        ],
    ),
    (
        "cli",
        &[
            "base::path",
            "base::content",
            "base::environment",
            "base::clock",
            "base::progress",
            "base::process",
            "base::messages",
            "base::escape",
            "base::sorting",
            "base::nearest",
            "base::config",
            "text::diff",
            "engine",
            "commands",
            "say",
            "mcp",
            "web",
        ],
    ),
];

/// The crates whose rooms are in the table, not they themselves.
const IN_ROOMS: [&str; 2] = ["base", "text"];

/// The crates that the table leaves to cargo.
const LEFT_TO_CARGO: [&str; 4] = ["git", "search", "engine", "commands"];

/// `text::merge` of `text::merge::lines`, `git` of `git::refs::tags`.
fn room(module: &[String]) -> Option<String> {
    let first = module.first()?;
    match module.get(1) {
        Some(second) if IN_ROOMS.contains(&first.as_str()) => Some(format!("{first}::{second}")),
        _ => Some(first.clone()),
    }
}

/// Words that are allowed in some files only: the word, those files, and the reason.
const WALLS: [(&str, &[&str], &str); 21] = [
    (
        "reqwest",
        &["src/git/http.rs", "src/git/net/", "src/engine/agents/model/line.rs"],
        "each client is made in one place",
    ),
    ("rmcp", &["src/mcp/"], "the protocol is spoken in one room"),
    ("tokio", &["src/serve/", "src/mcp/", "src/web/server.rs"], "only servers wait for several clients"),
    (
        "hyper",
        &["src/serve/", "src/mcp/http.rs", "src/mcp/exchange.rs", "src/web/"],
        "only servers answer over HTTP",
    ),
    ("getrandom", &["src/serve/secret.rs"], "only servers have secrets"),
    ("gix", &["src/git/"], "gitoxide breaks monthly and stays in one room"),
    ("println", &["src/cli/"], "only the command line prints"),
    ("eprintln", &["src/cli/"], "only the command line prints"),
    ("print", &["src/cli/"], "only the command line prints"),
    ("eprint", &["src/cli/"], "only the command line prints"),
    ("clap", &["src/cli/"], "arguments are the command line's"),
    ("indicatif", &["src/cli/"], "bars are the command line's"),
    ("strsim", &["src/base/nearest.rs"], "one measure of likeness"),
    ("similar", &["src/text/diff/"], "sequences are compared in one room"),
    ("rusqlite", &["src/engine/open/state/"], "the state is stored in one room"),
    ("tantivy", &["src/search/"], "the index is read and written in one room"),
    ("tantivy_fst", &["src/search/"], "term dictionaries are the index's"),
    ("frostem", &["src/text/words/stems.rs"], "texts and questions are stemmed in one place"),
    (
        "jsonc_parser",
        &["src/engine/agents/connectors/json.rs"],
        "settings of other programs are parsed in one room",
    ),
    (
        "toml_edit",
        &["src/engine/agents/connectors/toml.rs"],
        "settings of other programs are parsed in one room",
    ),
    ("imara_diff", &["src/text/merge/lines.rs"], "only a merge of lines must align as git does"),
];

/// The maximum length of a file, in lines before its tests.
const MAX_LINES: usize = 700;

#[test]
fn imports_run_one_way() {
    let mut faults = String::new();
    let row = |room: &str| LADDER.iter().find(|(name, _)| *name == room);
    for file in files() {
        let Some(own) = room(&file.module) else { continue };
        // the roots of the crates
        if IN_ROOMS.contains(&own.as_str()) || LEFT_TO_CARGO.contains(&own.as_str()) {
            continue;
        }
        let Some((_, allowed)) = row(&own) else {
            writeln!(faults, "{}: the module `{own}` is not in the table", file.name).unwrap();
            continue;
        };
        for (line, target) in imports(&file) {
            let is_room = |other: &String| row(other).is_some() || LEFT_TO_CARGO.contains(&other.as_str());
            let Some(other) = room(&target).filter(is_room) else { continue };
            if other != own && !allowed.iter().any(|name| is_at_or_below(&other, name)) {
                writeln!(faults, "{}:{line}: `{own}` may not use `{}`", file.name, target.join("::"))
                    .unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// What commands have for other commands: the rest of a command is its own.
const OPEN: [&str; 13] = [
    "brain::digests",
    "brain::kept",
    "brain::sources",
    "commits",
    "config",
    "connectors::changes",
    "connectors::agents",
    "curate::propose",
    "dream::work",
    "hooks::changes",
    "hooks::lines",
    "undo::work",
    "vc::commit",
];

#[test]
fn a_command_uses_of_another_command_only_what_is_open() {
    let mut faults = String::new();
    for file in files() {
        let Some(own) = command(&file.module) else { continue };
        for (line, target) in imports(&file) {
            let Some(other) = command(&target).filter(|other| *other != own) else { continue };
            let path = target[1..].join("::");
            if !OPEN.iter().any(|open| is_at_or_below(&path, open)) {
                writeln!(faults, "{}:{line}: `{own}` uses `{path}` of `{other}`", file.name).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// `status` of `commands::status::…`, `vc::status` of `commands::vc::status::…`.
fn command(module: &[String]) -> Option<String> {
    match module.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["commands", "vc", name, ..] => Some(format!("vc::{name}")),
        ["commands", name, ..] => Some(name.to_owned()),
        _ => None,
    }
}

/// The modules that talk to people and programs.
const SURFACES: [&str; 3] = ["cli", "mcp", "web"];

/// The rooms of the engine that surfaces may name.
const SEEN: [&str; 3] = ["agents", "outcome", "write::written"];

/// If a surface needs a type of a block, the command whose options or outcome contain it re-exports it.
#[test]
fn a_surface_knows_commands_and_not_how_they_are_built() {
    let mut faults = String::new();
    for file in files() {
        if !file.module.first().is_some_and(|room| SURFACES.contains(&room.as_str())) {
            continue;
        }
        for (line, target) in imports(&file) {
            let is_room = target.first().is_some_and(|name| name == "engine")
                && target.get(1).is_some_and(|name| source::is_room(&format!("engine/{name}")));
            let path = target[1..].join("::");
            if path.is_empty() && LEFT_TO_CARGO.contains(&target[0].as_str()) {
                writeln!(faults, "{}:{line}: the whole of `{}`", file.name, target[0]).unwrap();
            }
            if is_room && !SEEN.iter().any(|seen| is_at_or_below(&path, seen)) {
                writeln!(faults, "{}:{line}: `{}`", file.name, target.join("::")).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Whether `path` is `room`, or something in it.
fn is_at_or_below(path: &str, room: &str) -> bool {
    path.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// A rule about a room that was renamed would hold for ever.
#[test]
fn every_rule_is_about_rooms_that_exist() {
    let ladder = LADDER.iter().flat_map(|(own, allowed)| [*own].into_iter().chain(allowed.iter().copied()));
    let rooms = ladder
        .chain(IN_ROOMS)
        .chain(LEFT_TO_CARGO)
        .chain(SURFACES)
        .map(|room| room.replace("::", "/"))
        .chain(OPEN.iter().map(|open| format!("commands/{}", room_of(open).replace("::", "/"))))
        .chain(SEEN.iter().map(|room| format!("engine/{}", room.replace("::", "/"))));
    let doors = WALLS.iter().flat_map(|(_, doors, _)| doors.iter().copied());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let gone: Vec<String> = rooms
        .filter(|room| !source::is_room(room))
        .chain(doors.filter(|door| !root.join(door).exists()).map(ToOwned::to_owned))
        .collect();
    assert!(gone.is_empty(), "rules about rooms that are not there: {gone:#?}");
}

/// The room of what is open, which may be a single type.
fn room_of(open: &str) -> &str {
    let is_type = |name: &str| name.starts_with(char::is_uppercase);
    open.rsplit_once("::").filter(|(_, last)| is_type(last)).map_or(open, |(room, _)| room)
}

/// What a rule allows and nobody does, a later change would do unseen.
#[test]
fn every_rule_allows_only_what_is_done() {
    let mut idle = Vec::new();
    let files = files();
    for (own, allowed) in LADDER {
        let of_room = files.iter().filter(|file| room(&file.module).as_deref() == Some(own));
        let used: BTreeSet<String> =
            of_room.flat_map(imports).filter_map(|(_, target)| room(&target)).collect();
        let is_used = |name: &&&str| used.iter().any(|used| is_at_or_below(used, name));
        // a macro writes this import
        let unused = allowed.iter().filter(|name| !is_used(name) && **name != "base::json");
        idle.extend(unused.map(|name| format!("`{own}` may use `{name}`")));
    }
    let by_others: BTreeSet<String> = files
        .iter()
        .filter_map(|file| Some((command(&file.module)?, file)))
        .flat_map(|(own, file)| imports(file).into_iter().map(move |(_, target)| (own.clone(), target)))
        .filter(|(own, target)| command(target).is_some_and(|other| other != *own))
        .map(|(_, target)| target[1..].join("::"))
        .collect();
    let unused = OPEN.iter().filter(|open| !by_others.iter().any(|path| is_at_or_below(path, open)));
    idle.extend(unused.map(|open| format!("commands may use `{open}`")));
    let surfaces =
        files.iter().filter(|file| file.module.first().is_some_and(|room| SURFACES.contains(&room.as_str())));
    let seen: BTreeSet<String> = surfaces
        .flat_map(imports)
        .filter(|(_, target)| target.first().is_some_and(|first| first == "engine"))
        .map(|(_, target)| target[1..].join("::"))
        .collect();
    let unused = SEEN.iter().filter(|room| !seen.iter().any(|path| is_at_or_below(path, room)));
    idle.extend(unused.map(|room| format!("surfaces may use `engine::{room}`")));
    assert!(idle.is_empty(), "nobody does: {idle:#?}");
}

/// What a look takes in.
const MOST_CHILDREN: usize = 16;

#[test]
fn a_folder_of_the_engine_is_seen_at_one_look() {
    let mut crowded = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine")];
    while let Some(folder) = folders.pop() {
        let children: Vec<_> =
            std::fs::read_dir(&folder).unwrap().map(|child| child.unwrap().path()).collect();
        if children.len() > MOST_CHILDREN {
            crowded.push((folder, children.len()));
        }
        folders.extend(children.into_iter().filter(|child| child.is_dir()));
    }
    assert!(crowded.is_empty(), "{crowded:#?}");
}

#[test]
fn each_wall_has_its_door_only() {
    let mut faults = String::new();
    for file in files() {
        for (number, line) in file.lines.iter().enumerate() {
            for (word, doors, reason) in WALLS {
                let inside = doors.iter().any(|door| file.name.starts_with(door));
                if !inside && uses(line, word) {
                    writeln!(faults, "{}:{}: `{word}`: {reason}", file.name, number + 1).unwrap();
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Whether `line` names the crate or macro `word`: `word::`, `word!`, `use word`.
fn uses(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let starts = !line[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_');
        let rest = &line[at + word.len()..];
        let macro_call = rest.starts_with("!(") || rest.starts_with("! (");
        starts && (macro_call || rest.starts_with("::"))
    })
}

/// A file that no module names is not compiled, and tests in it do not run.
#[test]
fn every_file_is_a_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_root =
        |path: &PathBuf| ["lib.rs", "main.rs", "git_brv.rs"].iter().any(|name| path.ends_with(name));
    let files = sources(root).into_iter().chain(rust_files(&root.join("tests/it")));
    let lost: Vec<PathBuf> = files.filter(|path| !is_root(path) && !is_named_above(path)).collect();
    assert!(lost.is_empty(), "no `mod` names {lost:#?}");
}

fn is_named_above(path: &Path) -> bool {
    let module = if path.ends_with("mod.rs") { path.parent().unwrap() } else { path };
    let line = format!("mod {};", module.file_stem().unwrap().to_str().unwrap());
    let attribute = format!("path = {:?}", path.file_name().unwrap());
    let folder = module.parent().unwrap();
    let above = ["lib.rs", "main.rs", "mod.rs"].map(|name| folder.join(name));
    above.into_iter().chain([folder.with_extension("rs")]).any(|above| {
        let text = std::fs::read_to_string(above).unwrap_or_default();
        text.lines().any(|known| known.ends_with(&line) || known.contains(&attribute))
    })
}

#[test]
fn no_file_is_longer_than_a_reader_holds() {
    let long: Vec<String> = files()
        .iter()
        .filter(|file| file.lines.len() > MAX_LINES)
        .map(|file| format!("{}: {} lines before its tests", file.name, file.lines.len()))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn every_file_says_what_it_knows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let silent: Vec<String> = files()
        .into_iter()
        .filter(|file| !file.module.is_empty())
        .filter(|file| !std::fs::read_to_string(root.join(&file.name)).unwrap().starts_with("//! "))
        .map(|file| file.name)
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

/// A law with its own configuration would fail by chance, and `BRV_LAW_SEED` would not affect it.
#[test]
fn every_law_draws_its_cases_in_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut laws = 0;
    let mut faults = String::new();
    for path in sources(root) {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (number, line) in lines.iter().enumerate() {
            if line.ends_with("proptest! {") {
                laws += 1;
                let next = lines.get(number + 1).copied().unwrap_or_default();
                if !next.starts_with("#![proptest_config(crate::cases::held_to(") {
                    writeln!(faults, "{}:{}: {next}", path.display(), number + 1).unwrap();
                }
            }
        }
    }
    assert!(laws > 10, "the laws are found");
    assert!(faults.is_empty(), "\n{faults}");
}
