//! One play of all commands, each with success and failure: for the tests of schemas and of what is printed.

use crate::env::{Env, Ran, tree};
use crate::index::engine::{Engine, Family};
use crate::init::{project, write};
use crate::models::encoder::Server;

/// A question for `brv eval`.
const GOLDEN: &str = "{\"question\": \"How long do tokens live?\", \"expected\": [\"auth/a.md\"]}\n";

/// Run all lines of the play, with these words at the end of each, and look at what they print.
pub fn play(end: &[&str], mut look: impl FnMut(&Env, &str, &Ran)) {
    let env = project(&[
        ("auth/a.md", "# A\n\nTokens live 24 hours.\n"),
        ("b.md", "# B\n"),
        ("x.exe", "MZ"),
        ("golden.jsonl", GOLDEN),
    ]);
    env.bare("team.git");
    let mut run = |lines: &[&str]| {
        for line in lines {
            let arguments: Vec<&str> = line.split(' ').chain(end.iter().copied()).collect();
            look(&env, line, &env.brv(&arguments));
        }
    };
    run(FIRST);
    write(&env, &[("auth/a.md", "# A\n\nTokens live 12 hours.\n"), ("c/d.md", "# D\n")]);
    run(THEN);
    env.git(env.root(), &["init", "-q"]);
    let message = "auth: tokens live shorter\n\nFact: token lifetime: 12 hours";
    env.git(env.root(), &["commit", "-q", "--allow-empty", "-m", message]);
    run(LAST);
    run(BRAIN);
    mark(&env);
    run(REVIEW);
    let text = "Tokens are signed by the gate with a key that it keeps in the vault, and each service checks them without asking it.";
    let copies =
        [("t/a/one.md", format!("# Tokens\n\n{text}\n")), ("t/a/one_2.md", format!("# Tokens\n\n{text}\n"))];
    env.commit(&tree(&env), &copies.each_ref().map(|(path, text)| (*path, text.as_str())));
    run(DREAM);
    run(CONNECT);
    run(MODEL);
    let encoder = Server::start();
    let env = encoder.with(env);
    let line = "derive --embed";
    let arguments: Vec<&str> = line.split(' ').chain(end.iter().copied()).collect();
    look(&env, line, &env.brv(&arguments));
    let engine = Engine::start(Family::OpenSearch);
    let env = env.with("BRV_INDEX_ENGINE", &engine.url);
    std::fs::write(env.path("trees.txt"), "team.git - - team\n").unwrap();
    for line in INDEX {
        let arguments: Vec<&str> = line.split(' ').chain(end.iter().copied()).collect();
        look(&env, line, &env.brv(&arguments));
    }
}

/// Before the first of them that succeeds there is no index.
const INDEX: &[&str] = &[
    "index search tokens",
    "index status",
    "index push --remotes missing.txt",
    "index push --remotes trees.txt --dry-run",
    "index push --remotes trees.txt",
    "index push --remotes trees.txt",
    "index push --remote /nowhere/notes.git",
    "index status",
    "index search how long do tokens live --explain",
    "index search !!!",
    "index check",
    "index check --index A",
    "index drop other",
    "index drop team",
    "index status",
];

/// A commit of another clone that marks a deletion for review.
fn mark(env: &Env) {
    let tree = tree(env);
    env.git(&tree, &["checkout", "-q", "-f", "-B", "reviewed"]);
    env.commit(&tree, &[("r/r.md", "# R\n\n- **one**: 1\n")]);
    env.git(&tree, &["rm", "-q", "r/r.md"]);
    let trailers =
        "Brv-Op: 20260102T030405.678Z-0a1b2c3d\nBrv-Reason: r/r.md: stale\nBrv-Review: r/r.md deleted";
    let message = format!("stale\n\n- DELETE r/r.md: stale\n\n{trailers}");
    env.git(&tree, &["commit", "-q", "-m", &message]);
}

const REVIEW: &[&str] = &[
    "review",
    "review pending",
    "review pending --all",
    "status",
    "review show 0a1b2c3d",
    "review show nothing",
    "vc push origin HEAD",
    "review approve 0a1b2c3d -m fine",
    "review approve nothing",
    "review reopen 0a1b2c3d -m later",
    "review reopen nothing",
    "review approve 0a1b2c3d -m fine",
    "review log",
    "review comment 0a1b2c3d -m why?",
    "review comment nothing -m why?",
    "review comments",
    "review comments 0a1b2c3d --wait 1",
    "review comments nothing",
    "review answer 6b4fe334b4 -m because",
    "review answer nothing -m because",
    "review reject 0a1b2c3d r -m needed",
    "review comments --all",
    "review reject 0a1b2c3d",
    "review reject nothing",
    "review approve 0a1b2c3d",
    "review reopen 0a1b2c3d",
    "review log",
    "review",
    "review pending --disable",
    "review pending --enable",
];

/// Two entries; one says everything that the other says.
const DREAM: &[&str] = &[
    "dream",
    "dream --if-due",
    "dream --force --dry-run",
    "dream --force --plan",
    "dream --force --branch tidy",
    "dream --force --branch tidy",
    "dream --force --model",
    "dream --force",
    "review",
    "dream --force",
    "dream --undo",
    "dream --undo",
    "dream --undo",
    "dream --undo drm-1",
    "dream --cancel drm-1",
    "dream --detach",
    "dream --detach --plan",
    "dream --decisions nothing.json",
];

/// An agent that few machines have.
const CONNECT: &[&str] = &[
    "connectors",
    "connectors list --scope user --type hook",
    "connectors install zed --scope user --dry-run",
    "connectors install zed --scope user",
    "connectors install zed --scope user",
    "connectors install zed --type hook",
    "connectors install nobody",
    "connectors status zed",
    "connectors test cursor",
    "connectors uninstall zed --dry-run",
    "connectors uninstall zed",
    "connectors uninstall",
    "connectors status",
    "connectors bundle --output dist",
    "connectors bundle --output dist",
];

/// Commits of the code.
const LAST: &[&str] = &[
    "stale",
    "stale list auth",
    "stale HEAD..nothing",
    "stale --workflow gitlab --install get-brv",
    "stale confirm auth/a",
    "stale confirm auth/a",
    "stale confirm nothing",
    "curate --commit HEAD --plan",
    "curate --commit HEAD --dry-run",
    "curate --commit HEAD",
    "curate --commit HEAD",
    "curate --commit nothing",
    "hooks run worker",
    "agent-hook claude",
    "hooks log",
    "jobs",
    "jobs list",
    "jobs wait job-1",
    "jobs wait job-9",
    "jobs cancel job-1",
];

/// First no model is set, then one that fails.
const MODEL: &[&str] = &[
    "model show",
    "model test",
    "model usage",
    "config set model.url http://example.com",
    "config set model.command [\"false\"]",
    "config set model.key_env KEY",
    "model show",
    "model test",
    "model usage",
    "config unset model.command",
    "config unset model.key_env",
];

/// What an agent should know first.
const BRAIN: &[&str] = &[
    "brain",
    "brain show --explain --l1 30",
    "brain --task token",
    "brain --since HEAD~1",
    "brain --since nothing",
    "brain --summary",
    "brain --for a.rs",
    "brain --session s",
    "served",
    "served --path nothing",
    "served --since whenever",
    "brain --if-none-match 0123456789abcdef",
    "brain --budget 0",
    "brain --scope nothing",
    "brain write AGENTS.md",
    "brain write AGENTS.md",
    "brain write ../outside.md",
    "brain unwrite AGENTS.md",
    "mcp --http 8.8.8.8:1",
    // a run that serves would not end; `ui::` has those
    "ui --no-open nothing",
    "ui --export site",
    "ui --export .brv/context-tree/site",
];

/// From an empty tree to one that is shared.
const FIRST: &[&str] = &[
    "--version",
    "vc statsu",
    "init",
    "vc init",
    "schema",
    "schema vc.add",
    "vc resolve --list",
    "vc repair b",
    "vc rm --dry-run b.md",
    "vc mv --dry-run b.md c.md",
    "vc revert HEAD",
    "derive --check",
    "vc status",
    "vc log",
    "vc push",
    "vc add x.exe",
    "vc add a-name-without-file",
    "vc add .",
    "vc status",
    "vc diff --staged",
    "vc commit -m first",
    "vc commit -m nothing",
    "derive",
    "derive --check",
    "derive --all",
    "derive --model",
    "derive --overviews",
    "vc remote add origin team.git",
    "vc remote",
    "vc remote set-url origin --host",
    "vc push -u origin main",
    "vc push",
    "vc fetch",
    "vc pull",
    "vc sync",
    "vc merge origin/main",
    "vc merge nothing",
    "vc merge --abort",
    "vc merge --continue",
    "vc log",
    "vc log -p --graph",
    "vc blame b.md",
    "vc blame --fact x b.md",
    "vc show",
    "vc show HEAD:auth",
    "vc show HEAD:auth/a.md",
    "vc show nothing",
    "vc branch topic",
    "vc branch -m topic other",
    "vc branch -avv",
    "vc branch -d other",
    "vc branch nothing/ here",
    "vc tag v1",
    "vc tag -m words v2",
    "vc tag",
    "vc tag -d v1",
    "vc tag -d nothing",
    "vc switch -c topic",
    "vc switch nothing",
    "vc checkout -",
    "vc checkout b.md",
    "vc restore b.md",
    "vc restore nothing",
    "vc reset",
    "vc reset b.md",
    "vc reset nothing",
    "vc config user.name Ada",
    "vc config list",
    "vc config get user.name",
    "vc config get no.such",
    "vc config unset user.name",
    "vc clone team.git clone",
    "demo show",
    "read",
    "read auth/a b --level l0",
    "read nothing",
    "status",
    "config",
    "config get color --origin",
    "config get pager",
    "config set lock.timeout 3",
    "config set color sometimes",
    "config unset lock.timeout",
    "links b",
    "links --broken",
    "signals",
    "signals --top 1",
    "signals nothing",
    "search token --explain --related",
    "query token --explain",
    "query zebra",
    "prime",
    "brain --for src/a.rs",
    "brain --for ../outside.rs",
    "eval none.jsonl",
    "eval .brv/context-tree/golden.jsonl",
    "links nothing",
    "tree",
    "tree auth",
    "tree --at HEAD",
    "read b --at HEAD",
    "links b --at HEAD",
    "tree nothing",
    "completions bash",
    "help vc push",
    "help safety",
    "man vc status",
    "merge-driver .brv/context-tree/b.md .brv/context-tree/b.md .brv/context-tree/b.md b.md",
];

/// After an edit by hand.
const THEN: &[&str] = &[
    "vc status",
    "vc diff",
    "vc diff --format text",
    "vc diff --format words",
    "vc diff --stat",
    "vc check --all",
    "vc commit -a -m edit",
    "vc gc",
    "op log",
    "op show last",
    "archive list",
    "archive show b",
    "archive run --dry-run",
    "archive run nothing",
    "archive restore nothing",
    "vc restore .",
    "archive run auth/a",
    "archive list",
    "archive show auth/a",
    "archive restore auth/a",
    "hooks test",
    "hooks status",
    "hooks install",
    "hooks status",
    "hooks uninstall",
    "op diff last",
    "op prune --dry-run",
    "curate words --into e/f --title T --reason r",
    "curate --model",
    "curate text --model --into auth/keys",
    "undo nothing",
    "undo --session nothing",
    "undo --dry-run",
    "undo",
];
