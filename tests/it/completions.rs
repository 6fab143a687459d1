//! Shell completions, requested the way the installed shells request them.

use crate::env::{Env, program};
use crate::init::{commit, project, write};
use crate::lab::picture;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const BREAKS: &str = " \t\n\"'><=;|&(:";

/// A tree with branches, a tag, remotes, a name with a space and one that a shell would obey.
fn tree() -> Env {
    let env =
        project(&[("auth/jwt/token.md", "a\n"), ("auth/with space/a b.md", "b\n"), ("x;y/$z.md", "c\n")]);
    commit(&env, "first");
    let tree = env.path(".brv/context-tree");
    env.git(&tree, &["branch", "feature/new"]);
    env.git(&tree, &["tag", "v1"]);
    env.git(&tree, &["remote", "add", "origin", "https://git.example.org/a.git"]);
    env.git(&tree, &["remote", "add", "team", "https://git.example.org/b.git"]);
    write(&env, &[("auth/jwt/token.md", "changed\n"), ("new/entry.md", "new\n")]);
    env
}

/// The completions that bash offers for a line.
fn offered(env: &Env, folder: &Path, line: &str) -> Vec<String> {
    let ran = env.brv_in(folder, &["__complete", "bash", line, BREAKS]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}");
    ran.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn names_and_paths_of_the_tree_are_offered() {
    let env = tree();
    for (line, expected) in [
        ("brv vc log f", &["feature/new"][..]),
        ("brv vc diff main..v", &["main..v1"]),
        ("brv vc tag -d ", &["v1"]),
        ("brv vc push ", &["origin", "team"]),
        ("brv vc push -u origin m", &["main"]),
        ("brv vc push --force-with-lease=ma", &["main"]),
        ("git brv push origin ma", &["main"]),
        ("brv vc remote remove t", &["team"]),
        ("brv vc config user.", &["user.email", "user.name", "user.signingkey"]),
        ("brv vc add ", &["auth/", "new/"]),
        ("brv vc add auth/", &["auth/jwt/"]),
        ("brv vc add .b", &[".brv/context-tree/"]),
        ("brv vc add .brv/context-tree/n", &[".brv/context-tree/new/"]),
        ("brv vc log -- ", &["auth/", "new/", "x\\;y/"]),
        ("brv vc log -- auth/w", &["auth/with\\ space/"]),
        ("brv vc log -- \"auth/with space/", &["auth/with space/a b.md"]),
        ("brv vc log -- x\\;y/", &["x\\;y/\\$z.md"]),
        // bash keeps the text before its word break
        ("brv vc show HEAD:auth/jwt/", &["auth/jwt/token.md"]),
        ("brv vc diff --format=wo", &["words"]),
        ("brv curate --into ", &["auth", "auth/jwt", "auth/with\\ space", "x\\;y"]),
        ("brv curate --into auth/j", &["auth/jwt"]),
        ("brv archive restore ", &[]),
        ("brv help saf", &["safety"]),
        ("brv vc clone -b ", &[]),
        ("brv no such thing ", &[]),
    ] {
        assert_eq!(offered(&env, env.root(), line), expected, "{line}");
    }
    let inside = env.path(".brv/context-tree/auth");
    assert_eq!(offered(&env, &inside, "brv vc log -- "), ["jwt/", "with\\ space/"]);
    assert_eq!(offered(&env, &inside, "brv vc log -- ../n"), ["../new/"]);
    assert_eq!(offered(&env, &env.path("home"), "brv -C .. vc add n"), ["new/"]);
}

#[test]
fn schemas_are_offered_by_the_names_that_there_are() {
    let env = Env::new();
    let all =
        brv::cli::schema::Outcome::list(&brv::cli::table::schemas(brv::cli::table::ROWS)).schemas.unwrap();
    let all: Vec<String> = all.into_iter().map(|known| known.schema).collect();
    assert_eq!(offered(&env, env.root(), "brv schema "), all);
    assert_eq!(offered(&env, env.root(), "brv schema brv.vc.config"), ["brv.vc.config/1"]);
}

#[test]
fn completing_changes_nothing_and_says_nothing_else() {
    let env = tree();
    let before = picture(env.root(), &|_| false);
    for line in ["brv vc add ", "brv vc push ", "brv vc log ", "brv vc show HEAD:", "brv vc config ", "brv -"]
    {
        offered(&env, env.root(), line);
    }
    assert_eq!(before, picture(env.root(), &|_| false));
    let nowhere = Env::new();
    for line in ["brv vc add ", "brv vc push ", "brv vc config user.n", "brv vc log \"x", "brv \u{1b}"] {
        assert_eq!(offered(&nowhere, nowhere.root(), line), [""; 0], "{line}");
    }
}

#[test]
#[cfg(unix)]
fn a_name_that_acts_reaches_no_terminal() {
    let env = tree();
    std::fs::write(env.path(".brv/context-tree/auth/esc\u{1b}[2J.md"), "x\n").unwrap();
    let path = env.path(".brv/context-tree");
    env.git(&path, &["add", "-A"]);
    assert_eq!(offered(&env, env.root(), "brv vc log -- auth/e"), ["$'auth/esc\\033[2J.md'"]);
    let fish = env.brv(&["__complete", "fish", "brv", "vc", "log", "--", "auth/e"]);
    assert_eq!((fish.code, fish.stdout.as_str()), (0, ""));
}

#[test]
fn many_entries_are_no_burden() {
    let files: Vec<(String, String)> = (0..4200)
        .map(|number| (format!("d{}/t{}/e{number}.md", number % 10, number % 100), "x\n".into()))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let env = project(&files);
    commit(&env, "many");
    let start = Instant::now();
    assert_eq!(offered(&env, env.root(), "brv vc log -- d1/").len(), 10);
    write(&env, &[("d3/t13/e13.md", "changed\n"), ("style.md", "new\n")]);
    // all folders if looking at everything would take too long, then the changed files
    assert_eq!(offered(&env, env.root(), "brv vc add ").len(), 11);
    assert_eq!(offered(&env, env.root(), "brv vc add s"), ["style.md"]);
    assert_eq!(offered(&env, env.root(), "brv vc add d3/"), ["d3/t13/"]);
    assert_eq!(offered(&env, env.root(), "brv vc add d4/"), [""; 0]);
    // a bound that only a wrong complexity reaches, even on a slow machine without optimisation
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

/// Run a command in a shell that has loaded brv's script; `None`, with a message, if the shell is missing.
fn in_shell(env: &Env, shell: &str, script: &str) -> Option<String> {
    let Some(path) = program(shell) else {
        println!("{shell} is not on this machine: skipped");
        return None;
    };
    let mut command = Command::new(path);
    env.prepare(&mut command);
    let brv = Path::new(env!("CARGO_BIN_EXE_brv")).parent().unwrap();
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = [brv.to_path_buf()].into_iter().chain(std::env::split_paths(&old));
    let flags: &[&str] = match shell {
        "bash" => &["--norc", "--noprofile"],
        "zsh" => &["-f"],
        _ => &["--no-config"],
    };
    let output = command
        .env("PATH", std::env::join_paths(all).unwrap())
        .env("LC_ALL", "C.UTF-8")
        .env("TERM", "dumb")
        .args(flags)
        .args(["-c", script])
        .output()
        .unwrap();
    assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
#[cfg(unix)]
fn bash_inserts_what_is_offered() {
    let env = tree();
    let script = r#"
        source <(brv completions bash) || exit
        complete -p brv >/dev/null || exit
        for line in "brv vc pu" "brv vc log auth/with\\ " 'brv vc show v1:auth/jwt/' 'brv vc log "auth/w' "git brv pus"; do
            COMP_LINE=$line COMP_POINT=${#line} COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
            _brv
            printf '%s\n' "${COMPREPLY[*]}"
        done
        _git_brv
        printf '%s|\n' "${COMPREPLY[*]}""#;
    if let Some(said) = in_shell(&env, "bash", script) {
        assert_eq!(
            said.lines().collect::<Vec<_>>(),
            ["pull push", "auth/with\\ space/", "auth/jwt/token.md", "auth/with space/", "push", "push |"]
        );
    }
}

#[test]
#[cfg(unix)]
fn fish_inserts_what_is_offered() {
    let env = tree();
    let script = "brv completions fish | source
        for line in 'brv vc pu' 'git brv pus' 'brv vc log -- auth/with' 'brv vc log -- auth/with\\ space/' 'brv vc show v1:auth/jwt/' 'brv vc push '
            complete -C $line
        end";
    if let Some(said) = in_shell(&env, "fish", script) {
        let words: Vec<&str> = said.lines().map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!(
            words,
            [
                "pull",
                "push",
                "push",
                "auth/with space/",
                "auth/with space/a b.md",
                "v1:auth/jwt/token.md",
                "origin",
                "team"
            ]
        );
    }
}

/// zsh completes only where its line editor runs: in a terminal of its own, into which the keys are typed.
#[test]
#[cfg(unix)]
fn zsh_inserts_what_is_offered() {
    let env = tree();
    let script = r#"
        zmodload zsh/zpty || { print missing; exit 0 }
        zpty typist "TERM=dumb zsh -f -i"
        zpty -w typist 'PS1=; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source <(brv completions zsh); args() { print -r -- "<${(j:|:)@}>" }; compdef _brv args; print ready$((1+1))'
        zpty -r typist said '*ready2*'
        zpty -w typist $'args vc pus\t'
        zpty -r typist said '*<*>*'; print -r -- ${${said##*<}%%>*}
        zpty -w typist $'args vc log -- auth/w\ta\t'
        zpty -r typist said '*<*>*'; print -r -- ${${said##*<}%%>*}
        zpty -w typist $'args vc show v1:auth/j\t\t'
        zpty -r typist said '*<*>*'; print -r -- ${${said##*<}%%>*}
        zpty -d typist"#;
    let Some(said) = in_shell(&env, "zsh", script) else { return };
    if said.trim() == "missing" {
        println!("this zsh has no zsh/zpty: skipped");
        return;
    }
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        ["vc|push", "vc|log|--|auth/with space/a b.md", "vc|show|v1:auth/jwt/token.md"]
    );
}

#[test]
fn powershell_gets_texts_that_it_can_insert() {
    let env = tree();
    let script = env.brv(&["completions", "powershell"]).stdout;
    assert!(script.contains("Register-ArgumentCompleter -Native -CommandName brv, git-brv"));
    assert!(script.contains("__complete powershell @words $current"));
    let open = |char: char| script.matches(char).count();
    assert_eq!((open('{'), open('(')), (open('}'), open(')')));
    let ask = |words: &[&str]| env.brv(&[&["__complete", "powershell", "brv"], words].concat()).stdout;
    assert_eq!(ask(&["vc", "log", "--", "=auth/w"]), "'auth/with space/'\tauth/with space/\t\n");
    assert_eq!(ask(&["vc", "pus", "="]), "");
    assert_eq!(ask(&["vc", "=pus"]), "push\tpush\tSend commits to a remote\n");
}

#[test]
fn archived_entries_are_offered_where_one_is_restored_or_shown() {
    let env = project(&[("auth/jwt/token.md", "# Token\n"), ("auth/old.md", "# Old\n"), ("b.md", "# B\n")]);
    commit(&env, "first");
    assert_eq!(env.brv(&["archive", "run", "auth/old", "b"]).code, 0);
    for verb in ["restore", "show"] {
        assert_eq!(offered(&env, env.root(), &format!("brv archive {verb} ")), ["auth/old.md", "b.md"]);
        assert_eq!(offered(&env, env.root(), &format!("brv archive {verb} au")), ["auth/old.md"]);
    }
}
