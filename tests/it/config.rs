//! `brv config` as a user calls it.

use crate::env::Env;
use crate::init::{json, project};

/// The user's file.
fn user(env: &Env) -> std::path::PathBuf {
    env.path("home/.config/brv/config.yaml")
}

fn text(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn each_value_is_shown_with_the_layer_that_wins() {
    let env = project(&[]).with("BRV_PAGER", "cat");
    assert_eq!(env.brv(&["config", "set", "lock.timeout", "3"]).code, 0);
    assert_eq!(env.brv(&["config", "set", "color", "never"]).code, 0);
    assert_eq!(text(&env.path(".brv/config.yaml")), "lock.timeout: 3\n");
    assert_eq!(text(&user(&env)), "color: never\n");
    assert_eq!(
        env.brv(&["config"]).stdout,
        "agents.offer=true\ncache.shared=true\ncolor=never\ncommit.auto=true\ndream.auto=false\nhooks.enabled=true\nhooks.quota=20\nlock.timeout=3\nmodel.background=false\nmodel.daily_tokens=500000\nmodel.embed_wait=0.2\nmodel.timeout=30\npager=cat\nquery.cache_seconds=60\nreview.enabled=true\nreview.push=block\nsearch.freshness=2\nserved.keep_days=90\nui.keys=on\n"
    );
    let origins = env.brv(&["config", "list", "--origin"]).stdout;
    assert_eq!(
        origins,
        "default\t\tagents.offer=true\ndefault\t\tcache.shared=true\nuser\thome/.config/brv/config.yaml\tcolor=never\ndefault\t\tcommit.auto=true\ndefault\t\tdream.auto=false\ndefault\t\thooks.enabled=true\ndefault\t\thooks.quota=20\ndefault\t\tindex.ca_file=(not set)\ndefault\t\tindex.engine=(not set)\ndefault\t\tindex.key_command=(not set)\ndefault\t\tindex.key_env=(not set)\nproject\t.brv/config.yaml\tlock.timeout=3\ndefault\t\tmodel.api=(not set)\ndefault\t\tmodel.background=false\ndefault\t\tmodel.command=(not set)\ndefault\t\tmodel.daily_tokens=500000\ndefault\t\tmodel.embed_name=(not set)\ndefault\t\tmodel.embed_url=(not set)\ndefault\t\tmodel.embed_wait=0.2\ndefault\t\tmodel.key_command=(not set)\ndefault\t\tmodel.key_env=(not set)\ndefault\t\tmodel.name=(not set)\ndefault\t\tmodel.params=(not set)\ndefault\t\tmodel.timeout=30\ndefault\t\tmodel.url=(not set)\nenvironment\tBRV_PAGER\tpager=cat\ndefault\t\tquery.cache_seconds=60\ndefault\t\treview.enabled=true\ndefault\t\treview.push=block\ndefault\t\tsearch.freshness=2\ndefault\t\tserved.keep_days=90\ndefault\t\tui.editor=(not set)\ndefault\t\tui.keys=on\ndefault\t\tui.port=(not set)\n"
    );
    let shown = json(&env.brv(&["config", "get", "color", "--color", "always", "--json"]).stdout);
    assert_eq!(shown["data"]["setting"]["origin"], "flag");
    assert_eq!(env.brv(&["config", "get", "color", "--user"]).stdout, "never\n");
    assert_eq!(env.brv(&["config", "get", "color", "--project"]).code, 1);
    let ran = env.brv(&["config", "set", "--user", "pager", "more"]);
    assert!(ran.stderr.contains("`BRV_PAGER` overrides `pager`"), "{}", ran.stderr);
}

#[test]
fn what_is_personal_counts_from_no_project_and_is_not_written_to_one() {
    let env = project(&[]);
    let file = env.path(".brv/config.yaml");
    for (key, value) in [
        ("pager", "touch owned"),
        ("color", "never"),
        ("model.url", "http://evil"),
        ("index.engine", "https://evil"),
        ("index.key_command", "touch owned"),
        ("agents.offer", "false"),
        ("trust.x", "1"),
        ("search.freshness", "60"),
        ("query.cache_seconds", "86400"),
        ("served.keep_days", "90"),
        ("ui.editor", "evil:{path}"),
        ("ui.port", "80"),
    ] {
        let ran = env.brv(&["config", "set", "--project", key, value]);
        assert_eq!((ran.code, ran.stdout.as_str()), (6, ""), "{key} {}", ran.stderr);
        assert!(ran.stderr.contains("cannot be set"), "{}", ran.stderr);
    }
    assert!(!file.exists());
    std::fs::write(&file, "pager: touch owned\nmodel:\n  url: http://evil\nlock.timeout: 2\n").unwrap();
    let listed = json(&env.brv(&["config", "list", "--json"]).stdout);
    assert_eq!(listed["warnings"].as_array().unwrap().len(), 2, "{listed}");
    assert!(listed["data"]["settings"][12]["value"].is_null(), "{listed}");
    assert_eq!(listed["data"]["settings"][11]["value"], "2");
    assert_eq!(env.brv(&["config", "get", "pager", "--project"]).code, 1);
    // every command warns
    let ran = env.brv(&["vc", "status"]);
    assert!(ran.stderr.contains("sets `pager`, which only the user may set: ignored"), "{}", ran.stderr);
    // a key without effect can be removed
    assert_eq!(env.brv(&["config", "unset", "--project", "pager"]).code, 0);
    assert_eq!(env.brv(&["config", "unset", "--project", "model.url"]).code, 0);
    assert_eq!(text(&file), "model:\nlock.timeout: 2\n");
}

#[test]
fn comments_and_form_stay() {
    let env = project(&[]);
    let file = env.path(".brv/config.yaml");
    std::fs::write(&file, "# ours\nlock:\n  # slow disks\n  timeout: 5 # seconds\n").unwrap();
    let ran = env.brv(&["config", "set", "lock.timeout", "9"]);
    assert_eq!(ran.stdout, "Set lock.timeout to 9 in .brv/config.yaml.\n");
    assert_eq!(text(&file), "# ours\nlock:\n  # slow disks\n  timeout: 9 # seconds\n");
    assert_eq!(env.brv(&["config", "get", "lock.timeout"]).stdout, "9\n");
    assert_eq!(env.brv(&["config", "unset", "lock.timeout"]).code, 0);
    assert_eq!(env.brv(&["config", "get", "lock.timeout"]).stdout, "10\n");
    let again = env.brv(&["config", "unset", "lock.timeout"]);
    assert_eq!(again.code, 1, "{}", again.stderr);
}

#[test]
fn what_makes_no_sense_is_told_and_nothing_is_written() {
    let env = Env::new();
    let ran = env.brv(&["config", "set", "colour", "never"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("did you mean `color`?"), "{}", ran.stderr);
    let ran = env.brv(&["config", "set", "color", "sometimes"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("is not auto, always or never"), "{}", ran.stderr);
    assert_eq!(env.brv(&["config", "set", "--project", "lock.timeout", "3"]).code, 3);
    assert!(!user(&env).exists());
    // outside a project, the user's file is written
    assert_eq!(env.brv(&["config", "set", "lock.timeout", "3"]).code, 0);
    assert_eq!(text(&user(&env)), "lock.timeout: 3\n");
}

#[test]
fn a_file_that_stops_every_command_is_put_right_by_this_one() {
    let env = Env::new();
    std::fs::create_dir_all(user(&env).parent().unwrap()).unwrap();
    std::fs::write(user(&env), "color: sometimes\nlock.timeout: 4\n").unwrap();
    assert_eq!(env.brv(&["init"]).code, 2);
    assert_eq!(env.brv(&["config", "list"]).code, 2);
    assert_eq!(env.brv(&["config", "set", "--user", "color", "never"]).code, 0);
    assert_eq!(text(&user(&env)), "color: never\nlock.timeout: 4\n");
    assert_eq!(env.brv(&["config", "get", "lock.timeout"]).stdout, "4\n");
}

#[test]
fn a_project_whose_file_means_nothing_stops_no_command() {
    let env = project(&[("auth/a.md", "# A\n")]);
    for (text, warning) in [
        (
            "lock.timeout: soon\n",
            "sets `lock.timeout` to `soon`, which is not a number of seconds up to one day: ignored",
        ),
        ("- nothing\n", "is not a mapping of settings"),
        ("lock.timeout: \"3\n", "is not a mapping of settings"),
    ] {
        std::fs::write(env.path(".brv/config.yaml"), text).unwrap();
        for arguments in [
            &["vc", "status"][..],
            &["vc", "add", "--all"],
            &["vc", "commit", "--allow-empty", "-m", "one"],
            &["config", "list"],
            &["status"],
            &["derive"],
            &["op", "log"],
        ] {
            let ran = env.brv(arguments);
            assert_eq!(ran.code, 0, "{text} {arguments:?} {}", ran.stderr);
            assert!(ran.stderr.contains(warning), "{text} {arguments:?} {}", ran.stderr);
        }
        let told = json(&env.brv(&["vc", "log", "--json"]).stdout);
        assert!(told["warnings"][0].as_str().unwrap().contains(warning), "{told}");
    }
    assert_eq!(env.brv(&["config", "set", "--project", "lock.timeout", "soon"]).code, 2);
}

#[test]
fn a_project_does_not_say_how_old_answers_may_be() {
    let env = project(&[("auth/a.md", "# A\n\nRetries stop after five.\n")])
        .with("BRV_CLOCK", "2026-11-20T10:00:00Z");
    let file = env.path(".brv/config.yaml");
    std::fs::write(&file, "search.freshness: 86400\nquery:\n  cache_seconds: 86400\n").unwrap();
    let shown = json(&env.brv(&["config", "list", "--json"]).stdout);
    let value = |key: &str| {
        let all = shown["data"]["settings"].as_array().unwrap();
        all.iter().find(|one| one["key"] == key).unwrap().clone()
    };
    for (key, default) in [("search.freshness", "2"), ("query.cache_seconds", "60")] {
        assert_eq!((&value(key)["value"], &value(key)["set_by"]), (&default.into(), &"user".into()));
        let ran = env.brv(&["search", "retries"]);
        assert!(
            ran.stderr.contains(&format!("sets `{key}`, which only the user may set: ignored")),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(env.brv(&["config", "set", "search.freshness", "5"]).code, 0);
    assert_eq!(text(&user(&env)), "search.freshness: 5\n");
}

#[test]
fn the_help_names_every_setting_and_those_that_a_project_may_set() {
    use brv_base::config::{Key, Setter};
    let page = include_str!("../../src/cli/help/topics/environment.md").replace('\n', " ");
    let (_, settings) = page.split_once("## Settings").unwrap();
    let (all, rest) = settings.split_once("file may set only").unwrap();
    let of_project = rest.split_once(", so").unwrap().0;
    let is_named = |text: &str, key: Key| {
        let family = key.name().split_once('.').map(|(family, _)| format!("`{family}.*`"));
        text.contains(&format!("`{}`", key.name())) || family.is_some_and(|family| text.contains(&family))
    };
    for key in Key::ALL {
        assert!(is_named(all, key), "{}", key.name());
        assert_eq!(is_named(of_project, key), key.setter() == Setter::Anyone, "{}", key.name());
    }
}

#[test]
fn a_project_that_would_be_laxer_is_named_and_written_to_no_file_of_it() {
    let env = project(&[]);
    let file = env.path(".brv/config.yaml");
    for (key, value) in
        [("review.push", "off"), ("review.push", "warn"), ("review.enabled", "false"), ("lock.timeout", "11")]
    {
        let ran = env.brv(&["config", "set", "--project", key, value]);
        assert_eq!((ran.code, file.exists()), (6, false), "{key} {}", ran.stderr);
        assert!(ran.stderr.contains("for a project: it would be laxer"), "{}", ran.stderr);
        // without a place it is the user's own
        assert_eq!(env.brv(&["config", "set", key, value]).code, 0);
        assert_eq!((file.exists(), text(&user(&env))), (false, format!("{key}: {value}\n")));
        std::fs::remove_file(user(&env)).unwrap();
        std::fs::write(&file, format!("{key}: {value}\n")).unwrap();
        let warning = format!("sets `{key}` to `{value}`, but a project may only make review stricter");
        for command in [&["config", "list"][..], &["status"]] {
            let ran = env.brv(command);
            assert!(ran.code == 0 && ran.stderr.contains(&warning), "{command:?} {}", ran.stderr);
        }
        assert_eq!(env.brv(&["config", "get", key, "--project"]).code, 1);
        std::fs::remove_file(&file).unwrap();
    }
    assert_eq!(env.brv(&["config", "set", "--project", "review.push", "block"]).code, 0);
    let ran = env.brv(&["config", "set", "--user", "review.push", "warn"]);
    assert!(ran.stderr.contains(".brv/config.yaml` overrides `review.push`"), "{}", ran.stderr);
    assert!(env.brv(&["config", "--origin"]).stdout.contains("project\t.brv/config.yaml\treview.push=block"));
    let ran = env.brv(&["config", "set", "--user", "review.push", "off"]);
    assert_eq!(
        (ran.stderr.as_str(), env.brv(&["config", "get", "review.push"]).stdout.as_str()),
        ("", "off\n")
    );
}
