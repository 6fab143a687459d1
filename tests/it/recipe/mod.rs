//! The recipe for a new command in CONTRIBUTING, with the command that it makes: `brv note`.

mod cli;
mod note;

use crate::described;
use crate::env::{Env, context_of};
use crate::init::{commit, project};
use brv::cli::parser::{help_of_all, parse, parser};
use brv::cli::row::{Group, Row};
use brv::cli::table;
use brv::cli::tool::Callable;
use brv::say::Reply;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;

const ROWS: &[Row] = &[table::verb::<cli::Arguments>(Group::Curate, "Append a fact to an entry")];

fn tree() -> Env {
    let env = project(&[("auth/tokens.md", "# Tokens\n\n- Tokens live 24 hours.")]);
    env.brv(&["vc", "add", "."]);
    commit(&env, "first");
    env
}

fn note() -> Callable {
    Callable::named(ROWS, "note").unwrap()
}

/// The schema of what it prints.
fn schema() -> Value {
    let printed = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    printed.into_generator().into_root_schema_for::<note::Outcome>().to_value()
}

/// What a program gets that calls the tool.
fn called(env: &Env, input: &Value) -> (Value, Reply) {
    let line = note().arguments(input).unwrap();
    let line = ["brv", "note"].into_iter().map(OsString::from).chain(line);
    let typed = parse(ROWS, line).unwrap();
    let reply = typed.row.own().unwrap().reply.unwrap();
    let mut replies = Vec::new();
    reply(&typed.matches, &context_of(env.root(), &env.environment()), table::CATALOG, &mut |one| {
        replies.push(one)
    })
    .unwrap();
    let reply = replies.pop().unwrap();
    (serde_json::from_str(&reply.json).unwrap(), reply)
}

#[test]
fn a_row_makes_parser_help_and_tool() {
    let mut parser = parser(ROWS);
    let help = parser.find_subcommand_mut("note").unwrap().render_help().to_string();
    assert!(help.contains("--into <PATH>") && help.contains("--format <FORMAT>"), "{help}");
    let all = help_of_all(ROWS).render_help().to_string();
    assert!(all.contains("Curate:\n  note "), "{all}");
    assert!(
        parse(ROWS, ["brv", "note", "--help"]).unwrap_err().to_string().contains("The fact, in one line")
    );
    let schema = schema();
    assert_eq!(schema["properties"]["entry"]["type"], "string");
    assert_eq!(
        note().input_schema(),
        json!({
            "type": "object",
            "properties": {
                "text": { "type": "string", "description": "The fact, in one line" },
                "into": { "type": "string", "description": "The entry that gets it" },
            },
            "required": ["text"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn a_note_is_a_line_in_a_commit_that_can_be_undone() {
    let env = tree();
    let file = crate::env::tree(&env).join("auth/tokens.md");
    let before = std::fs::read(&file).unwrap();
    let (envelope, reply) = called(&env, &json!({ "text": "--keys rotate", "into": "auth/tokens" }));
    assert_eq!(envelope["schema"], "brv.note/1");
    assert_eq!((&envelope["data"]["entry"], &envelope["warnings"]), (&json!("auth/tokens.md"), &json!([])));
    assert_eq!(reply.text, "noted - --keys rotate in auth/tokens.md\n");
    let schema = schema();
    described::valid(&schema, &schema, &envelope["data"]).unwrap();
    let after = std::fs::read_to_string(&file).unwrap();
    assert_eq!(after, "# Tokens\n\n- Tokens live 24 hours.\n- --keys rotate\n");
    let shown = env.git(&crate::env::tree(&env), &["show", "HEAD:auth/tokens.md"]);
    assert_eq!(shown.trim_end(), after.trim_end());
    let (again, _) = called(&env, &json!({ "text": "--keys rotate", "into": "auth/tokens" }));
    assert_eq!((&again["ok"], &again["data"]["commit"]), (&json!(true), &Value::Null));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), after, "already said");
    assert_eq!(env.brv(&["undo"]).code, 0);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn what_cannot_be_noted_changes_nothing() {
    let env = tree();
    let head = env.git(&crate::env::tree(&env), &["rev-parse", "HEAD"]);
    for input in
        [json!({ "text": "x", "into": "auth/nothing" }), json!({ "text": "a\nb", "into": "auth/tokens" })]
    {
        let (envelope, reply) = called(&env, &input);
        assert_eq!((&envelope["ok"], &envelope["error"]["code"]), (&json!(false), &json!("usage")));
        assert!(reply.failure.is_some() && reply.text.is_empty());
    }
    assert_eq!(env.git(&crate::env::tree(&env), &["rev-parse", "HEAD"]), head);
    for (input, said) in [
        (json!({ "text": 7 }), "`text` must be of the type string"),
        (json!({ "texts": "x" }), "`note` has no input `texts`"),
        (json!([]), "the input must be an object"),
    ] {
        assert_eq!(note().arguments(&input).unwrap_err().stop.message, said);
    }
}

/// A file of this folder as it stands in its crate, where its kind of operation has its own name.
fn in_its_crate(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let code = std::fs::read_to_string(root.join("tests/it/recipe").join(name)).unwrap();
    let code = code.replace("use super::note", "use brv_commands::note").replace("use brv::", "use crate::");
    let code = code.replace("Kind::Curate", "Kind::Note");
    let is_use = |line: &&str| line.starts_with("use ");
    let mut uses: Vec<&str> = code.split_inclusive('\n').filter(is_use).collect();
    uses.sort_by_key(|line| (!line.starts_with("use crate::"), *line));
    let (above, _) = code.split_once("use ").unwrap();
    let below: String = code[above.len()..].split_inclusive('\n').filter(|line| !is_use(line)).collect();
    [above, &uses.concat(), &below].concat()
}

/// The blocks of code in CONTRIBUTING are the files of this folder. `BRV_README=write` puts them there.
#[test]
fn the_recipe_in_contributing_is_this_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("CONTRIBUTING.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut written = page.clone();
    let mut lines = 0;
    for name in ["note.rs", "cli.rs"] {
        let code = in_its_crate(name);
        lines += code.lines().count();
        let mark = format!("<!-- tests/it/recipe/{name} -->\n\n```rust\n");
        let (above, rest) = written.split_once(&mark).unwrap_or_else(|| panic!("no block for {name}"));
        let (_, below) = rest.split_once("```\n").unwrap();
        written = format!("{above}{mark}{code}```\n{below}");
    }
    assert!(lines <= 120, "{lines} lines");
    if std::env::var_os("BRV_README").is_some_and(|value| value == "write") {
        std::fs::write(path, &written).unwrap();
    } else {
        assert!(
            written == page,
            "`BRV_README=write cargo test --test it recipe::` puts the code of the recipe into CONTRIBUTING"
        );
    }
}

#[test]
fn values_become_words_and_none_of_them_a_flag() {
    let line = |name: &str, input: Value| -> Result<String, String> {
        let called = Callable::named(table::ROWS, name).unwrap();
        let line = called.arguments(&input).map_err(|failure| failure.stop.message)?;
        let line = line.into_iter().map(|word| word.into_string().unwrap());
        let line: Vec<String> =
            ["brv"].into_iter().chain(called.row.name.split(' ')).map(Into::into).chain(line).collect();
        parse(table::ROWS, &line).map_err(|error| error.to_string())?;
        Ok(line.join(" "))
    };
    let search =
        json!({ "text": ["--fresh", "b"], "limit": 3, "related": true, "explain": false, "scope": "-x" });
    assert_eq!(line("search", search).unwrap(), "brv search --limit=3 --scope=-x --related -- --fresh b");
    let diff = json!({ "arguments": ["HEAD~1"], "paths": ["-a.md"] });
    assert_eq!(line("vc diff", diff).unwrap(), "brv vc diff HEAD~1 -- -a.md");
    let diff = json!({ "arguments": ["--output=x"] });
    assert_eq!(line("vc diff", diff).unwrap_err(), "`--output=x` is not a value here");
    let wrong = line("search", json!({ "text": ["a"], "limit": "5" }));
    assert_eq!(wrong.unwrap_err(), "`limit` must be of the type integer");
    assert!(line("search", json!({ "text": ["a"], "limit": -1 })).unwrap_err().contains("-1"));
    assert!(line("search", json!({ "text": [["a"]] })).is_err());
    assert_eq!(
        line("vc checkout", json!({ "words": ["-"], "quiet": null })).unwrap_err(),
        "`vc checkout` has no input `quiet`"
    );
    assert_eq!(line("vc checkout", json!({ "words": ["-"] })).unwrap(), "brv vc checkout - --");
    assert_eq!(
        line("vc log", json!({ "max_count": 5, "skip": null })).unwrap(),
        "brv vc log --max-count=5 --"
    );
    assert!(line("search", json!({ "text": ["a"], "limit": 500 })).unwrap_err().contains("500"));
    let remote = json!({ "name": "origin", "url": "https://git.example.org/a.git" });
    assert_eq!(
        line("vc remote add", remote).unwrap(),
        "brv vc remote add -- origin https://git.example.org/a.git"
    );
    assert_eq!(
        line("vc remote add", json!({ "verbose": true })).unwrap_err(),
        "`vc remote add` has no input `verbose`"
    );
}

/// The inputs of the commands that stand: no two of one name, and each is taken from JSON as the parser takes it.
#[test]
fn every_command_can_be_called_with_json() {
    let mut seen = 0;
    for called in Callable::all(table::ROWS) {
        let (row, schema) = (called.row, called.input_schema());
        let mut input = serde_json::Map::new();
        for (name, property) in schema["properties"].as_object().unwrap() {
            if schema["required"].as_array().unwrap().contains(&json!(name)) {
                let one = property.get("items").unwrap_or(property);
                let value = one.get("enum").map_or(json!("x"), |choices| choices[0].clone());
                let value = if one["type"] == "integer" { json!(1) } else { value };
                let is_list = property["type"] == "array";
                input.insert(name.clone(), if is_list { json!([value, value]) } else { value });
            }
        }
        let line = called.arguments(&Value::Object(input)).unwrap();
        let line: Vec<OsString> =
            ["brv"].into_iter().chain(row.name.split(' ')).map(OsString::from).chain(line).collect();
        match parse(table::ROWS, line.clone()) {
            Ok(typed) => assert_eq!(typed.row.name, row.name),
            Err(error) => assert!(
                error.kind() == clap::error::ErrorKind::MissingRequiredArgument
                    || error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
                "{line:?}: {error}"
            ),
        }
        seen += 1;
    }
    assert!(seen > 50);
}

/// A draft is made without a lock: what it relies on may be gone when it is saved.
#[test]
fn nothing_is_written_of_an_item_whose_commit_is_gone() {
    use brv_engine::write::landing::{self, Draft, Item};
    use brv_engine::write::operation::files_only::Rewrite;
    let env = tree();
    let folder = crate::env::tree(&env);
    env.commit(&folder, &[("auth/late.md", "# Late\n"), ("b.md", "# B\n")]);
    let cx = context_of(env.root(), &env.environment());
    let opened = cx.open().unwrap();
    let path = |name: &str| brv_base::path::TreePath::parse(name.as_bytes()).unwrap();
    let remove = |name: &str| Rewrite::edit(&opened.scope, &path(name), |_| Ok(None)).unwrap();
    let late = Item { files: vec![remove("auth/late.md")], relies: vec!["auth/late.md".into()] };
    let words = |paths: &std::collections::BTreeSet<&bstr::BStr>| (format!("{} files", paths.len()), vec![]);
    let draft = Draft::new(vec![late, Item::of(remove("auth/tokens.md"))], &words);
    env.git(&folder, &["reset", "-q", "HEAD~1"]);
    let saved =
        landing::save(cx.parts(&opened), brv_engine::journal::OperationKind::Archive, &draft).unwrap();
    assert_eq!(saved.differed, ["auth/late.md"]);
    assert!(folder.join("auth/late.md").exists() && !folder.join("auth/tokens.md").exists());
    assert_eq!(
        env.git(&folder, &["show", "--format=%s", "--name-only", "HEAD"]),
        "1 files\n\nauth/tokens.md"
    );
    let (failed, whole) = (saved.complete(), Draft::new(vec![Item::of(remove("b.md"))], &words));
    assert!(failed.unwrap_err().message.contains("auth/late.md"));
    std::fs::write(folder.join("b.md"), "# B, saved\n").unwrap();
    let saved =
        landing::save(cx.parts(&opened), brv_engine::journal::OperationKind::Archive, &whole).unwrap();
    assert_eq!((saved.differed.len(), saved.commit), (1, None));
    assert_eq!(std::fs::read(folder.join("b.md")).unwrap(), b"# B, saved\n");
}
