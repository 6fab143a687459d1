//! Several callers in one process: each has its own identity, tokens and settings.

use crate::env::{Env, context_of};
use crate::lab::write;
use crate::servers::{Http, ServerMode};
use brv_commands::init;
use brv_commands::vc::{add, clone, commit};
use brv_engine::{Actor, FailureKind};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// ada:secret
const ADA: &str = "YWRhOnNlY3JldA==";
/// bob:wrong
const BOB: &str = "Ym9iOndyb25n";

fn caller(name: &str) -> Env {
    let address = format!("{name}@example.com");
    ["AUTHOR", "COMMITTER"].iter().fold(Env::new().with("BRV_ACTOR", name), |env, role| {
        env.with(format!("GIT_{role}_NAME"), name).with(format!("GIT_{role}_EMAIL"), &address)
    })
}

fn commits(env: &Env) -> PathBuf {
    let project = env.path("project");
    std::fs::create_dir(&project).unwrap();
    let variables = env.environment();
    let cx = |folder: &Path| {
        let mut cx = context_of(folder, &variables);
        cx.actor = Actor::of(&variables);
        cx
    };
    let options = init::Options {
        initial_branch: "main".into(),
        host: init::HostRule::Exclude,
        home: init::TreeHome::Own,
    };
    let outcome = init::run(&cx(&project), &options).unwrap();
    let tree = PathBuf::from(outcome.tree);
    for number in 0..5 {
        write(&tree, &[(&format!("notes/{number}.md"), &format!("# Note {number}\n"))]);
        let all = add::Options { selection: add::Selection::Everything, ..add::Options::default() };
        add::run(&cx(&tree), &all).unwrap();
        let options = commit::Options { message: vec!["note".into()], ..commit::Options::default() };
        commit::run(&cx(&tree), &options).unwrap();
    }
    tree
}

#[test]
fn two_callers_in_one_process_commit_each_in_their_own_name() {
    let callers = ["ada", "bob"].map(|name| (name, caller(name)));
    std::thread::scope(|threads| {
        for (name, env) in &callers {
            threads.spawn(move || {
                let tree = commits(env);
                let said = env.git(&tree, &["log", "--format=%an <%ae> %cn"]);
                assert_eq!(said.lines().count(), 5);
                for line in said.lines() {
                    assert_eq!(line, format!("{name} <{name}@example.com> {name}"));
                }
                let actors = "--format=%(trailers:key=Brv-Actor,valueonly,separator=%x2C)";
                let operations = env.git(&tree, &["log", actors, "--glob=refs/brv/ops"]);
                let actors: HashSet<&str> = operations.lines().filter(|line| !line.is_empty()).collect();
                assert_eq!(actors, HashSet::from([*name]));
            });
        }
    });
}

#[test]
fn two_callers_in_one_process_show_each_their_own_token() {
    let host = Env::new();
    let work_tree = host.path("work");
    host.git(host.root(), &["init", "-q", work_tree.to_str().unwrap()]);
    host.commit(&work_tree, &[("a.md", "# A\n")]);
    let bare = host.bare("bare.git");
    host.git(&work_tree, &["push", "-q", bare.to_str().unwrap(), "HEAD:main"]);
    let Some((server, authority)) = Http::start_tls(&host, host.root(), ServerMode::Basic(ADA)) else {
        return;
    };
    let callers = [("ada", "secret"), ("bob", "wrong")].map(|(user, token)| {
        let caller = caller(user).with("BRV_USER", user).with("BRV_TOKEN", token);
        caller.with("BRV_TOKEN_HOST", server.address()).with("GIT_SSL_CAINFO", &authority)
    });
    let [ada, bob] = std::thread::scope(|threads| {
        let cloning = callers.each_ref().map(|env| {
            let url = server.url("bare.git");
            threads.spawn(move || {
                let variables = env.environment();
                let options = crate::lab::clone_options(Path::new(&url), &env.path("project"));
                clone::run(&context_of(env.root(), &variables), &options)
            })
        });
        cloning.map(|one| one.join().unwrap())
    });
    assert!(ada.is_ok(), "{:?}", ada.err());
    assert!(matches!(bob.unwrap_err().kind(), FailureKind::Authentication(_)));
    let mut shown: Vec<String> =
        server.seen().into_iter().filter_map(|request| request.authorization).collect();
    shown.sort();
    shown.dedup();
    assert_eq!(shown, [format!("Basic {ADA}"), format!("Basic {BOB}")]);
}
