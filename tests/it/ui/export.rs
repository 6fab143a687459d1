//! `brv ui --export`: a folder of pages for readers without brv, of what people here stand behind.

use super::browser::browser;
use crate::curate::apply;
use crate::described;
use crate::env::{Env, program};
use crate::init::{commit, project, write};
use crate::review::done;
use crate::withheld::{self, STEERING, entry};
use serde_json::{Value, json as value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Every file of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for child in std::fs::read_dir(folder).into_iter().flatten() {
        let child = child.unwrap();
        let name = child.file_name().into_string().unwrap();
        let kind = child.file_type().unwrap();
        if kind.is_dir() {
            let below = files(&child.path()).into_iter();
            found.extend(below.map(|(path, bytes)| (format!("{name}/{path}"), bytes)));
        } else if kind.is_symlink() {
            let target = std::fs::read_link(child.path()).unwrap();
            found.insert(name, target.into_os_string().into_encoded_bytes());
        } else {
            found.insert(name, std::fs::read(child.path()).unwrap());
        }
    }
    found
}

/// Export to `site`, and give what the command says.
#[track_caller]
fn exported(env: &Env, arguments: &[&str]) -> Value {
    let ran = env.brv(&[&["ui", "--export", "site", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    described::check(&envelope, &["ui export"]);
    envelope["data"].clone()
}

fn page(env: &Env, file: &str) -> String {
    std::fs::read_to_string(env.path("site").join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn unescaped(text: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn decoded(address: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), address.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        match first {
            b'%' => {
                bytes.push(u8::from_str_radix(std::str::from_utf8(&after[..2]).unwrap(), 16).unwrap());
                rest = &after[2..];
            }
            byte => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Each link of each page leads to a file of the site, and nothing is fetched from elsewhere. How many links there are.
#[track_caller]
fn walk(site: &Path) -> usize {
    let all = files(site);
    let mut count = 0;
    let mut reached = std::collections::BTreeSet::from(["index.html".to_owned()]);
    for (name, bytes) in all.iter().filter(|(name, _)| name.ends_with(".html")) {
        let text = std::str::from_utf8(bytes).unwrap();
        assert!(
            !text.contains("<script>") && !text.contains(" style=") && !text.contains(" onclick="),
            "{name}"
        );
        for (attribute, part) in ["href=\"", "src=\""]
            .iter()
            .flat_map(|name| text.split(name).skip(1).map(move |part| (*name, part)))
        {
            let address = unescaped(part.split('"').next().unwrap());
            if address.starts_with('#') {
                continue;
            }
            if attribute == "href=\""
                && ["http://", "https://", "mailto:"].iter().any(|start| address.starts_with(start))
            {
                continue;
            }
            assert!(!address.contains([':', '?']) && !address.starts_with('/'), "{name}: {address}");
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
            let address = decoded(&address);
            for part in address.split('/') {
                match part {
                    ".." => drop(parts.pop().unwrap_or_else(|| panic!("{name}: {address}"))),
                    part => parts.push(part),
                }
            }
            let target = parts.join("/");
            assert!(all.contains_key(&target), "{name} leads to {target}");
            reached.insert(target);
            count += 1;
        }
    }
    for name in all.keys().filter(|name| name.ends_with(".html")) {
        assert!(reached.contains(name), "no page leads to {name}");
    }
    let index: Value = serde_json::from_slice(&all["index.json"]).unwrap();
    for entry in index["entries"].as_array().unwrap() {
        assert!(all.contains_key(&decoded(entry["page"].as_str().unwrap())), "{entry}");
    }
    let script = std::str::from_utf8(&all["index.js"]).unwrap();
    let same = script.strip_prefix("globalThis.brvIndex = ").unwrap().strip_suffix(";\n").unwrap();
    assert_eq!(serde_json::from_str::<Value>(same).unwrap(), index);
    count
}

fn small() -> Env {
    let env = project(&[
        ("context.md", "---\ntitle: Shop\nsummary: What the shop knows\n---\n# Shop\n"),
        (
            "auth/tokens.md",
            "---\ntitle: Tokens\nsummary: How long\nrelated: [auth/keys]\n---\n# Tokens\n\n## Facts\n\n- **life**: 24 hours\n",
        ),
        ("auth/keys.md", "---\ntitle: Keys\n---\nSee [tokens](tokens.md) and [gone](gone.md).\n"),
        ("ops/deploy.md", "---\ntitle: Deploying\n---\nOn Mondays.\n"),
    ]);
    commit(&env, "start");
    env
}

#[test]
fn a_site_is_a_function_of_its_commit() {
    let env = small();
    let data = exported(&env, &[]);
    assert_eq!((&data["entries"], &data["folders"]), (&value!(3), &value!(2)), "{data}");
    assert_eq!(data["left_out"], value!({"pending": 0, "withheld": 0, "uncommitted": 0}));
    let first = files(&env.path("site"));
    assert_eq!(data["files"], value!(first.len() - 1), "all but the note: {:?}", first.keys());
    walk(&env.path("site"));
    let tokens = page(&env, "entry/auth/tokens.html");
    for text in [
        "<h1 dir=\"auto\">Tokens</h1>",
        "24 hours",
        "How long",
        "last changed <time>2023-11-14</time>",
        "brv <span>Shop</span>",
        env!("CARGO_PKG_VERSION"),
    ] {
        assert!(tokens.contains(text), "{text}: {tokens}");
    }
    assert!(
        tokens.contains(&data["commit"].as_str().unwrap()[..12])
            && page(&env, "entry/auth/keys.html").contains("x gone")
    );
    // what is not committed is not there, and counted; who looks again writes nothing
    write(&env, &[("ops/deploy.md", "Secretly changed.\n"), ("ops/new.md", "Secretly new.\n")]);
    let again = exported(&env, &[]);
    assert_eq!((&again["written"], &again["left_out"]["uncommitted"]), (&value!(0), &value!(2)), "{again}");
    assert_eq!(files(&env.path("site")), first);
    let said = env.brv(&["ui", "--export", "site"]);
    assert!(
        said.stdout.starts_with("file:///")
            && said.stdout.contains("site/index.html: 3 entries in 2 folders"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains("2 texts on disk are not committed") && said.stdout.lines().count() == 2,
        "{}",
        said.stdout
    );
    // another clone, in a folder of another name
    let other = Env::new();
    done(other.brv(&["vc", "clone", env.path(".brv/context-tree").to_str().unwrap()]));
    exported(&other, &[]);
    assert_eq!(files(&other.path("site")), first);
    // nobody's mail address
    for (name, bytes) in &first {
        assert!(!String::from_utf8_lossy(bytes).contains("example.com"), "{name}");
    }
}

#[test]
fn an_older_commit_is_shown_as_it_was_and_files_that_no_longer_belong_go() {
    let env = small();
    let tree = env.path(".brv/context-tree");
    std::fs::remove_file(tree.join("ops/deploy.md")).unwrap();
    write(
        &env,
        &[("auth/tokens.md", "---\ntitle: Tokens\n---\nThey live 12 hours.\n"), ("net/port.md", "# Port\n")],
    );
    commit(&env, "later");
    exported(&env, &[]);
    let now = files(&env.path("site"));
    let stranger = [("CNAME", "a.example\n"), ("entry/net/notes.txt", "mine\n"), ("tree/own.html", "mine\n")];
    for (name, text) in stranger {
        std::fs::write(env.path("site").join(name), text).unwrap();
    }
    let data = exported(&env, &["--at", "HEAD~1"]);
    assert!(data["removed"] == 2 && data["left_out"]["uncommitted"] == 0, "{data}");
    let mut before = files(&env.path("site"));
    for (name, text) in stranger {
        assert_eq!(before.remove(name).as_deref(), Some(text.as_bytes()), "{name} stays");
    }
    assert!(!before.contains_key("entry/net/port.html") && before.contains_key("entry/ops/deploy.html"));
    assert!(page(&env, "entry/auth/tokens.html").contains("24 hours"));
    exported(&env, &[]);
    let mut again = files(&env.path("site"));
    stranger.iter().for_each(|(name, _)| drop(again.remove(*name)));
    assert_eq!(again, now);
    assert!(!env.path("site/entry/ops").exists(), "nor is an empty folder left");
}

#[test]
fn what_waits_is_shown_as_it_was_before_and_what_is_withheld_is_not() {
    let (env, other) = withheld::team();
    write(
        &env,
        &[
            ("ops/old.md", &entry("Old", "The old host is red.")),
            ("ops/near.md", "---\ntitle: Near\nrelated: [ops/attacks, ops/old]\n---\nNear.\n"),
        ],
    );
    commit(&env, "more");
    done(env.brv(&["vc", "push"]));
    withheld::push(&env, &other, &[("ops/keys.md", &entry("Deploy keys", STEERING))]);
    withheld::pull(&env);
    let bot = env.with("BRV_ACTOR", "bot");
    let operations = value!([
        {"type": "DELETE", "path": "ops/old.md", "reason": "unused"},
        {"type": "ADD", "path": "ops", "title": "Attacks", "reason": "known", "content": {"facts": [{"subject": "attack", "statement": STEERING}]}},
        {"type": "UPDATE", "path": "ops/deploys.md", "reason": "seen", "title": "Deploys of today",
            "content": {"facts": [{"subject": "host", "statement": format!("{STEERING} Now.")}]}},
    ]);
    done(apply(&bot, &operations).0);
    let env = bot.with("BRV_ACTOR", "");
    let data = exported(&env, &[]);
    assert_eq!(data["left_out"], value!({"pending": 1, "withheld": 1, "uncommitted": 0}), "{data}");
    assert_eq!(data["earlier"], value!(2), "{data}");
    walk(&env.path("site"));
    let all = files(&env.path("site"));
    for (name, bytes) in &all {
        let text = String::from_utf8_lossy(bytes);
        for absent in ["gnore all", "Deploys of today", "Deploy keys", "Attacks"] {
            assert!(!text.contains(absent), "{name}: {absent}");
        }
    }
    assert!(
        page(&env, "entry/ops/old.html").contains("The old host is red."),
        "a deletion that waits took nothing"
    );
    assert!(page(&env, "entry/ops/deploys.html").contains("blue host"));
    assert!(page(&env, "entry/ops/deploys.html").contains("This is the text from before it."));
    assert!(!page(&env, "entry/ops/near.html").contains("x gone"), "what is left out is not gone");
    let index = page(&env, "index.html");
    for said in ["1 text waits for review", "1 text is withheld", "2 texts are shown as before"] {
        assert!(index.contains(said), "{said}: {index}");
    }
    // before the change, nothing waited
    let before = exported(&env, &["--at", "HEAD~1"]);
    assert_eq!((&before["left_out"]["pending"], &before["earlier"]), (&value!(0), &value!(0)), "{before}");
    exported(&env, &[]);
    // moved since, it still waits
    done(env.brv(&["vc", "mv", "ops/deploys.md", "net/deploys.md"]));
    commit(&env, "moved");
    exported(&env, &[]);
    assert!(!page(&env, "entry/net/deploys.html").contains("gnore all"));
    assert!(page(&env, "entry/net/deploys.html").contains("blue host"));
    // approved, it is there
    let rows = crate::review::data(&env, &["review", "pending"], 0)["pending"].take();
    for row in rows.as_array().unwrap() {
        done(env.brv(&["review", "approve", row["id"].as_str().unwrap()]));
    }
    let data = exported(&env, &[]);
    assert_eq!(data["left_out"], value!({"pending": 0, "withheld": 0, "uncommitted": 0}), "{data}");
    assert!(
        !env.path("site/entry/ops/old.html").exists()
            && page(&env, "entry/ops/keys.html").contains("gnore all")
    );
}

#[test]
fn a_merge_and_a_new_folder_that_wait_are_not_seen() {
    let env = small();
    write(
        &env,
        &[
            ("auth/old.md", "---\ntitle: Old keys\n---\n## Facts\n\n- **place**: in the vault\n"),
            ("ops/uses.md", "---\ntitle: Uses\nrelated: [auth/old]\n---\nUses [old](../auth/old.md).\n"),
        ],
    );
    commit(&env, "old");
    exported(&env, &[]);
    let before = files(&env.path("site"));
    let bot = env.with("BRV_ACTOR", "bot");
    let operations = value!([
        {"type": "MERGE", "path": "auth", "title": "Keys", "source": "auth/old.md", "reason": "same topic"},
        {"type": "ADD", "path": "attacks/known", "title": "Attacks", "reason": "known", "content": {"facts": [{"subject": "attack", "statement": STEERING}]}},
    ]);
    let (ran, said) = apply(&bot, &operations);
    done(ran);
    let env = bot.with("BRV_ACTOR", "");
    exported(&env, &[]);
    let mut after = files(&env.path("site"));
    let old = String::from_utf8(after["entry/auth/old.html"].clone()).unwrap();
    assert!(
        old.contains("in the vault") && !page(&env, "entry/auth/keys.html").contains("in the vault"),
        "{said}"
    );
    assert!(
        page(&env, "entry/ops/uses.html").contains("entry/auth/old.html"),
        "{}",
        page(&env, "entry/ops/uses.html")
    );
    assert!(!after.keys().any(|name| name.contains("attacks")), "{:?}", after.keys());
    // but for what is said of it
    let same = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).replace(" last changed <time>2023-11-14</time>", "");
        let lines =
            text.lines().filter(|line| !line.starts_with("<p>Commit ") && !line.contains("waits for review"));
        lines.filter(|line| !line.contains("\"commit\":\"")).collect::<Vec<_>>().join("\n")
    };
    for (name, bytes) in &before {
        assert_eq!(same(&after.remove(name).unwrap()), same(bytes), "{name}");
    }
    assert_eq!(after.into_keys().collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn a_change_waits_on_its_branch_and_under_what_was_edited_since() {
    let env = small();
    done(env.brv(&["vc", "switch", "-c", "dream/x"]));
    let bot = env.with("BRV_ACTOR", "bot");
    let update = value!([{"type": "UPDATE", "path": "auth/tokens.md", "reason": "seen", "title": "Tokens",
        "content": {"facts": [{"subject": "life", "statement": STEERING}]}}]);
    done(apply(&bot, &update).0);
    let env = bot.with("BRV_ACTOR", "");
    let tokens = env.path(".brv/context-tree/auth/tokens.md");
    let text = std::fs::read_to_string(&tokens).unwrap();
    std::fs::write(&tokens, format!("{text}\nEdited by hand.\n")).unwrap();
    commit(&env, "by hand");
    done(env.brv(&["vc", "switch", "main"]));
    let main = exported(&env, &[]);
    assert_eq!(main["earlier"], value!(0), "{main}");
    let dream = exported(&env, &["--at", "dream/x"]);
    assert_eq!(dream["earlier"], value!(1), "{dream}");
    let shown = page(&env, "entry/auth/tokens.html");
    assert!(
        shown.contains("24 hours") && !shown.contains("gnore all") && !shown.contains("Edited by hand."),
        "{shown}"
    );
}

#[test]
fn bytes_of_any_kind_are_shown() {
    let env = small();
    let tree = env.path(".brv/context-tree");
    std::fs::write(tree.join("ops/latin.md"), b"---\ntitle: Latin\n---\ncaf\xe9 <b>\n").unwrap();
    std::fs::write(tree.join("ops/dos.md"), "---\r\ntitle: Dos\r\n---\r\nOne\r\n").unwrap();
    std::fs::write(tree.join("ops/empty.md"), "").unwrap();
    let marked = "---\ntitle: Marked\n---\n<<<<<<< ours\nOurs.\n=======\nTheirs.\n>>>>>>> theirs\n";
    std::fs::write(tree.join("ops/marked.md"), marked).unwrap();
    env.git(&tree, &["add", "."]);
    env.git(&tree, &["commit", "-q", "-m", "any"]);
    let data = exported(&env, &[]);
    assert_eq!((&data["entries"], &data["left_out"]["uncommitted"]), (&value!(7), &value!(0)), "{data}");
    walk(&env.path("site"));
    assert!(
        page(&env, "entry/ops/latin.html").contains("not UTF-8")
            && page(&env, "entry/ops/dos.html").contains("<p>One")
    );
    let marked = page(&env, "entry/ops/marked.html");
    assert!(
        marked.contains("Ours.") && !marked.contains("Theirs.") && marked.contains("In conflict"),
        "{marked}"
    );
}

#[test]
fn what_an_operation_left_to_be_committed_waits_once_it_is() {
    let env = small();
    done(env.brv(&["config", "set", "commit.auto", "false"]));
    let bot = env.with("BRV_ACTOR", "bot");
    done(apply(&bot, &value!([{"type": "DELETE", "path": "ops/deploy.md", "reason": "unused"}])).0);
    let env = bot.with("BRV_ACTOR", "");
    let staged = exported(&env, &[]);
    assert_eq!(
        (&staged["earlier"], &staged["left_out"]["uncommitted"]),
        (&value!(0), &value!(1)),
        "{staged}"
    );
    let tree = env.path(".brv/context-tree");
    env.git(&tree, &["commit", "-q", "-a", "-m", "by hand"]);
    let data = exported(&env, &[]);
    assert_eq!((&data["earlier"], &data["left_out"]["uncommitted"]), (&value!(1), &value!(0)), "{data}");
    assert!(page(&env, "entry/ops/deploy.html").contains("On Mondays."));
}

#[test]
fn a_folder_with_something_else_is_left_as_it_is() {
    let env = small();
    let refused = |dir: &str, said: &str| {
        let before = (files(&env.path(".brv")), files(&env.path("site")), files(&env.path("elsewhere")));
        let ran = env.brv(&["ui", "--export", dir]);
        assert_eq!(ran.code, 6, "{dir}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(said), "{dir}: {}", ran.stderr);
        let after = (files(&env.path(".brv")), files(&env.path("site")), files(&env.path("elsewhere")));
        assert!(before == after, "{dir}");
    };
    std::fs::create_dir_all(env.path("elsewhere/sub")).unwrap();
    refused("elsewhere", "no export wrote");
    std::fs::write(env.path("elsewhere/mine.txt"), "mine\n").unwrap();
    refused("elsewhere", "no export wrote");
    refused("elsewhere/mine.txt", "not a folder");
    refused(".brv/context-tree/site", "in the context tree");
    refused(".brv/context-tree/.git/site", "in the context tree");
    exported(&env, &[]);
    // what stands where a page would
    std::fs::remove_file(env.path("site/entry/auth/keys.html")).unwrap();
    std::fs::create_dir(env.path("site/entry/auth/keys.html")).unwrap();
    refused("site", "something else");
    std::fs::remove_dir(env.path("site/entry/auth/keys.html")).unwrap();
    let note = env.path("site/.brv-site");
    let noted = std::fs::read_to_string(&note).unwrap();
    std::fs::write(
        &note,
        noted.replace("\"entry/auth/keys.html\",", "\"../elsewhere/mine.txt\", \"../elsewhere/x.html\","),
    )
    .unwrap();
    std::fs::write(env.path("site/entry/auth/keys.html"), "mine\n").unwrap();
    refused("site", "something else");
    std::fs::remove_file(env.path("site/entry/auth/keys.html")).unwrap();
    std::fs::write(env.path("elsewhere/x.html"), "mine\n").unwrap();
    exported(&env, &[]);
    assert!(
        env.path("elsewhere/mine.txt").exists() && env.path("elsewhere/x.html").exists(),
        "a note is not believed"
    );
    std::fs::write(&note, "{}\n").unwrap();
    refused("site", "not what this brv writes");
    std::fs::write(&note, noted).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        std::fs::rename(env.path("site/entry/auth"), env.path("elsewhere/auth")).unwrap();
        symlink(env.path("elsewhere/auth"), env.path("site/entry/auth")).unwrap();
        refused("site", "something else");
        std::fs::remove_file(env.path("site/entry/auth")).unwrap();
        symlink(env.path("site"), env.path("linked")).unwrap();
        done(env.brv(&["ui", "--export", "linked"]));
        walk(&env.path("site"));
        symlink(env.path(".brv/context-tree"), env.path("inside")).unwrap();
        refused("inside/site", "in the context tree");
    }
    for arguments in
        [&["--port", "5000"][..], &["--no-open"], &["--detach"], &["--read-only"], &["auth/keys"]]
    {
        assert_eq!(env.brv(&[&["ui", "--export", "other"], arguments].concat()).code, 2, "{arguments:?}");
    }
    assert_eq!(env.brv(&["ui", "--at", "HEAD"]).code, 2);
    assert_eq!(env.brv(&["ui", "--export", "other", "--at", "nothing"]).code, 2);
    assert!(!env.path("other").exists());
    let bare = project(&[]);
    let ran = bare.brv(&["ui", "--export", "other"]);
    assert!(ran.code != 0 && !bare.path("other").exists(), "{}", ran.stderr);
}

#[test]
fn what_was_killed_is_completed_by_the_next_export() {
    let env = small();
    let many: Vec<(String, String)> = (0..300)
        .map(|number| (format!("many/e{number}.md"), format!("---\ntitle: E{number}\n---\nText\n")))
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (&**path, &**text)).collect();
    write(&env, &many);
    commit(&env, "many");
    exported(&env, &[]);
    let whole = files(&env.path("site"));
    std::fs::remove_dir_all(env.path("site")).unwrap();
    for wait in [5, 20, 40, 60, 80, 120, 200] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        env.prepare(&mut command);
        let at = if wait % 40 == 0 { "HEAD~1" } else { "HEAD" };
        command.args(["ui", "--export", "site", "--at", at]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        drop(child.kill());
        drop(child.wait());
    }
    std::fs::create_dir_all(env.path("site/entry/many")).unwrap();
    std::fs::write(env.path("site/entry/many/.brv-tmp-killed"), "half").unwrap();
    std::fs::write(env.path("site/.brv-tmp-killed"), "half").unwrap();
    exported(&env, &[]);
    assert!(files(&env.path("site")) == whole);
}

#[test]
fn any_name_and_title_has_a_page_that_links_reach() {
    let env = small();
    let tree = env.path(".brv/context-tree");
    let named = |title: &str, links: &str| format!("---\ntitle: {title:?}\n---\n# T\n\n{links}\n");
    let paths = [
        "a b/c & d 'e' #1 100%.md",
        "a b/index.md",
        "index.md",
        "index/index.md",
        "auth/Tokens.md",
        "auth.html/x.md",
        "AUTH/tokens.md",
        "é/日本 语.md",
        "tree/entry.md",
        "x~p2/~.md",
        "[br]/(a)+b;c=d,e@f!.md",
        "deep/a/b/c/d/e/f/g.md",
    ];
    let links = "[1](</a b/c & d 'e' #1 100%.md>) [2](/a%20b/index.md) [3](/auth.html/x.md) [4](</é/日本 语.md>) [5](/auth/) \
        [6](javascript:alert(1)) [7](//evil.example/x.md) [8](https://a.example/b) ![i](/auth/tokens.md) <script>alert(1)</script>\n\n\
        <img src=https://evil.example/x onerror=alert(1)>";
    let text = named("\u{202e}<script>alert(1)</script> \"q\" & </title>", links);
    let all: Vec<(&str, &str)> = paths.iter().map(|path| (*path, &*text)).collect();
    env.commit(&tree, &all);
    let many: Vec<(String, String)> =
        (0..450).map(|number| (format!("many/n{number}.md"), named("N", ""))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (&**path, &**text)).collect();
    env.commit(&tree, &many);
    let key = ["AKIA", "IOSFODNN7EXAMPLQ"].concat();
    env.commit(
        &tree,
        &[("auth/secret.md", &named(&format!("key {key}"), &format!("aws_access_key_id = {key}")))],
    );
    env.commit(&tree, &[(&format!("auth/{key}.md"), "Named like a key.\n"), ("_notes/_x.md", "X\n")]);
    let data = exported(&env, &[]);
    assert_eq!(data["entries"], value!(paths.len() + 456), "{data}");
    assert_eq!(page(&env, ".nojekyll"), "");
    assert!(walk(&env.path("site")) > 3_000);
    let written = files(&env.path("site"));
    let lower: std::collections::BTreeSet<String> = written.keys().map(|name| name.to_lowercase()).collect();
    assert_eq!(lower.len(), written.len(), "no two differ in case alone");
    assert!(
        written.contains_key("tree/many~p3.html")
            && page(&env, "tree/many~p3.html").contains("401 to 450 of 450")
    );
    for (name, bytes) in &written {
        let text = String::from_utf8_lossy(bytes);
        assert!(!name.contains(&key) && !text.contains(&key) && !text.contains('\u{202e}'), "{name}");
        if name.ends_with(".html") {
            assert!(
                !text.contains("<script>") && !text.contains("<img") && !text.contains("href=\"javascript"),
                "{name}"
            );
        }
    }
    assert!(
        page(&env, "entry/a b/index.html")
            .contains("href=\"../../entry/a%20b/c%20%26%20d%20%27e%27%20%231%20100%25.html\"")
    );
}

#[test]
fn trees_that_others_wrote_are_shown_whole() {
    for name in ["brv", "observatory", "older"] {
        let env = project(&[]);
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees").join(name);
        let all = files(&from);
        let texts: Vec<(&str, String)> =
            all.iter().map(|(path, bytes)| (&**path, String::from_utf8_lossy(bytes).into_owned())).collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, &**text)).collect();
        write(&env, &texts);
        commit(&env, "all");
        let data = exported(&env, &[]);
        assert!(walk(&env.path("site")) > 50, "{name}");
        let listed = crate::review::data(&env, &["tree", "--at", "HEAD"], 0);
        assert_eq!(data["entries"], listed["entries"], "{name}");
    }
}

#[test]
fn a_browser_reads_the_files_without_a_server() {
    let Some((packages, chromium)) = browser() else { return };
    let env = small();
    write(
        &env,
        &[(
            "net/ports & more.md",
            "---\ntitle: \"Ports <b>\"\nsummary: All of them\n---\nSee [keys](../auth/keys.md).\n\n| a |\n|-|\n| b |\n",
        )],
    );
    commit(&env, "ports");
    exported(&env, &[]);
    let script = env.path("export.js");
    std::fs::write(&script, include_str!("export.js")).unwrap();
    let mut command = Command::new(program("node").expect("playwright is there, and so is node"));
    env.prepare(&mut command);
    command.arg(&script).arg(env.path("site")).env("NODE_PATH", packages).env("CHROMIUM", chromium);
    let shots = std::env::var_os("BRV_IT_SHOTS").map(PathBuf::from);
    command.envs(shots.map(|folder| ("SHOTS", folder)));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.ends_with("done\n"), "{said}");
}
