//! What a writer decides: each action, what a person must look at, and decisions that are refused alone.

use super::*;

fn decision(candidate: &str, action: &str, fields: Value) -> Value {
    let mut decision = value!({"candidate": candidate, "action": action, "reason": "because"});
    decision.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    decision
}

/// A text of the writer that says less than the entries.
const SHORTER: &str = "---\ntitle: Tokens of the gate\ntags: [auth, tokens]\nupdatedAt: \"2030-01-01T00:00:00Z\"\n---\n\nTokens are signed by the gate.\n\n## Facts\n- **lifetime**: access tokens live 12 hours [project]\n";

fn shorter(env: &Env, more: Value) -> (Value, Value) {
    let plan = plan(env);
    let mut fields = value!({"into": TOKENS, "sources": [COPY], "markdown": SHORTER, "confidence": 0.9});
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let merge = decision(&cluster(&plan, TOKENS), "MERGE", fields);
    (plan, merge)
}

#[test]
fn a_merge_keeps_what_the_text_of_the_writer_lacks_and_is_dated_by_its_inputs() {
    let env = dreaming();
    let (plan, merge) = shorter(&env, value!({}));
    let data = decide(&env, &plan, value!([merge]), 0);
    let row = data["operations"].as_array().unwrap().iter().find(|row| row["action"] == "MERGE").unwrap();
    let other_titles = |text: &Value| text.as_str().unwrap().starts_with("title: ");
    assert!(row["dropped"].as_array().unwrap().iter().all(other_titles), "{row:#}");
    assert_eq!(data["survival"]["facts"], value!({"before": 2, "after": 2, "dropped": 0}), "{data:#}");
    let merged = read(&env, TOKENS).unwrap();
    for part in [
        "title: Tokens of the gate",
        "updatedAt: \"2023-05-01T00:00:00Z\"",
        "\nTokens are signed by the gate.\n",
        "checked by every service behind it, without asking the gate again.",
        "- **lifetime**: access tokens live 12 hours",
        "- **signature**: ES256 with the key of the gate",
        "consolidated_from: [\"auth/lifetime/tokens.md\"]",
    ] {
        assert_eq!(merged.matches(part).count(), 1, "{part}: {merged}");
    }
    assert!(read(&env, COPY).is_none() && !merged.contains("disputed"), "{merged}");
}

#[test]
fn what_the_writer_names_is_dropped_and_listed() {
    let env = dreaming();
    let (plan, merge) = shorter(&env, value!({"drop": ["signature"]}));
    let data = decide(&env, &plan, value!([merge]), 0);
    let row = data["operations"].as_array().unwrap().iter().find(|row| row["action"] == "MERGE").unwrap();
    let dropped = row["dropped"].as_array().unwrap();
    assert!(dropped.contains(&value!("signature: ES256 with the key of the gate")), "{row:#}");
    assert_eq!(data["survival"]["facts"], value!({"before": 2, "after": 1, "dropped": 1}), "{data:#}");
    assert!(!read(&env, TOKENS).unwrap().contains("ES256"));
    let review = json(&env.brv(&["review", "--json"]).stdout)["data"].clone();
    let why = &review["pending"][0]["why"];
    assert!(why.as_array().unwrap().contains(&value!("fact_removed")), "{review:#}");
    assert!(review["pending"][0]["dropped"].to_string().contains("ES256"), "{review:#}");
}

#[test]
fn a_merge_that_names_what_is_not_there_or_says_all_again_is_refused() {
    let again = "The gate puts a signature below each token when somebody logs in, and whoever gets one later looks at the public half of it; nothing has to call back home.\n\n".repeat(8);
    for (more, part) in [
        (value!({"drop": ["the tokens"]}), "`drop` names `the tokens`"),
        (value!({"markdown": again}), "adds_nothing: "),
    ] {
        let env = dreaming();
        let before = env.git(&tree(&env), &["rev-parse", "HEAD"]);
        let (plan, merge) = shorter(&env, more);
        let data = decide(&env, &plan, value!([merge]), 1);
        assert_eq!(data["operations"][0]["status"], "refused", "{data:#}");
        assert!(data["operations"][0]["message"].as_str().unwrap().starts_with(part), "{data:#}");
        assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), before);
        assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
    }
}

/// What both say differently is kept twice, and without a writer such entries are not merged.
#[test]
fn a_merge_of_entries_that_disagree_keeps_both_statements_and_lists_them_as_disputed() {
    let env = dreaming();
    let plan = plan(&env);
    let merge = value!({"into": TOKENS, "sources": [PARTNER]});
    let data = decide(&env, &plan, value!([decision(&cluster(&plan, PARTNER), "MERGE", merge)]), 0);
    let merged = read(&env, TOKENS).unwrap();
    for part in [
        "live 12 hours",
        "live 13 hours",
        "disputed: [lifetime]",
        "consolidated_at: \"2023-11-14T22:13:20Z\"",
    ] {
        assert_eq!(merged.matches(part).count(), 1, "{part}: {merged}");
    }
    assert_eq!(data["survival"]["facts"], value!({"before": 3, "after": 3, "dropped": 0}), "{data:#}");
}

/// Pinned counts as core: any change of such an entry waits.
#[test]
fn relations_of_a_pinned_entry_wait() {
    let env = dreaming();
    let pinned = read(&env, TOKENS).unwrap().replacen("---\n", "---\npinned: true\n", 1);
    std::fs::write(tree(&env).join(TOKENS), pinned).unwrap();
    commit(&env, "pin");
    let plan = plan(&env);
    let link =
        decision(&cluster(&plan, TOKENS), "CROSS_REFERENCE", value!({"path": TOKENS, "confidence": 1.0}));
    let data = decide(&env, &plan, value!([link]), 0);
    assert_eq!(data["summary"]["flagged_for_review"], 1, "{data:#}");
    let review = json(&env.brv(&["review", "--json"]).stdout)["data"]["pending"].clone();
    assert_eq!((&review[0]["path"], &review[0]["why"]), (&value!(TOKENS), &value!(["pinned"])));
    let said = review[0]["line"].as_str().unwrap();
    assert!(said.starts_with("[dream/consolidate] Linked auth/tokens/lifetime.md"), "{said}");
    let later = "2024-06-01T00:00:00Z";
    let weak =
        json(&at(&env, later, &["dream", "--plan", "--force", "--json"]).stdout)["data"]["prune"].clone();
    assert!(
        !weak.to_string().contains(TOKENS) && weak.to_string().contains(PARTNER),
        "never pruned: {weak:#}"
    );
}

#[test]
fn an_update_keeps_order_and_style_and_waits_for_review_if_the_writer_is_not_sure() {
    for (confidence, waits) in [(value!(0.9), 0), (value!(0.6), 1), (Value::Null, 1)] {
        let env = dreaming();
        let plan = plan(&env);
        let body =
            read(&env, TOKENS).unwrap().split_once("---\n\n").unwrap().1.replace("12 hours", "13 hours");
        let mut fields = value!({"path": TOKENS, "markdown": body});
        if !confidence.is_null() {
            fields["confidence"] = confidence.clone();
        }
        let update = decision(&cluster(&plan, TOKENS), "TEMPORAL_UPDATE", fields);
        let data = decide(&env, &plan, value!([update]), 0);
        assert_eq!(data["summary"]["flagged_for_review"], waits, "{data:#}");
        let diff = env.git(&tree(&env), &["show", "--format=", "-U0"]);
        let changed: Vec<&str> = diff
            .lines()
            .filter(|line| {
                line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
            })
            .collect();
        assert_eq!(changed.len(), 4, "updatedAt and the fact: {diff}");
    }
}

/// However sure the writer is.
#[test]
fn a_text_that_says_what_nothing_says_waits() {
    for (from, to, why, part) in [
        ("12 hours", "48 hours", "unsupported", "not in its entries: 48 hours"),
        ("without asking", "always asking Redis at", "unsupported", "not in its entries: Redis"),
        (
            "without asking the gate again",
            "asking the gate again",
            "changed",
            "otherwise in its entries: Access tokens",
        ),
        ("ES256", "HS512", "unsupported", "not in its entries: HS512"),
    ] {
        let env = dreaming();
        let plan = plan(&env);
        let body = read(&env, TOKENS).unwrap().split_once("---\n\n").unwrap().1.replace(from, to);
        let fields = value!({"path": TOKENS, "markdown": body, "confidence": 1.0});
        let data =
            decide(&env, &plan, value!([decision(&cluster(&plan, TOKENS), "TEMPORAL_UPDATE", fields)]), 0);
        let row = &data["operations"][0];
        assert_eq!((&row["status"], &row["needs_review"]), (&value!("applied"), &value!(true)), "{row:#}");
        assert!(row["message"].as_str().unwrap().contains(part), "{row:#}");
        let review = json(&env.brv(&["review", "--json"]).stdout)["data"]["pending"].clone();
        assert!(review[0]["why"].as_array().unwrap().contains(&value!(why)), "{review:#}");
    }
}

/// What a commit, another entry or the cited code says may be quoted; a quote that stands nowhere waits itself.
#[test]
fn evidence_counts_where_it_stands() {
    for (quote, waits) in [
        ("Raise the lifetime of tokens to 48 hours", 0),
        ("keys rotate every 48 hours", 0),
        ("the lifetime is 48 hours", 1),
        ("48 hours", 1),
    ] {
        let env = dreaming();
        let keys = read(&env, KEYS).unwrap().replace("90 days", "48 hours");
        std::fs::write(tree(&env).join(KEYS), keys).unwrap();
        commit(&env, "Raise the lifetime of tokens to 48 hours");
        let plan = plan(&env);
        let body =
            read(&env, TOKENS).unwrap().split_once("---\n\n").unwrap().1.replace("12 hours", "48 hours");
        let fields = value!({"path": TOKENS, "markdown": body, "confidence": 1.0, "evidence": [quote]});
        let data =
            decide(&env, &plan, value!([decision(&cluster(&plan, TOKENS), "TEMPORAL_UPDATE", fields)]), 0);
        assert_eq!(data["summary"]["flagged_for_review"], waits, "{quote}: {data:#}");
        let message = data["operations"][0]["message"].as_str().unwrap_or_default().to_owned();
        assert_eq!(message.contains("evidence that stands nowhere"), waits == 1, "{quote}: {message}");
    }
}

#[test]
fn what_this_dream_changed_already_is_deferred() {
    let env = dreaming();
    let linking = read(&env, PARTNER).unwrap().replacen("---\n", &format!("---\nrelated: [{COPY}]\n"), 1);
    std::fs::write(tree(&env).join(PARTNER), linking).unwrap();
    commit(&env, "link");
    let plan = plan(&env);
    let merge = decision(&cluster(&plan, TOKENS), "MERGE", value!({"into": TOKENS, "sources": [COPY]}));
    let link = value!({"path": PARTNER, "related": [KEYS]});
    let link = decision(&cluster(&plan, PARTNER), "CROSS_REFERENCE", link);
    let data = decide(&env, &plan, value!([merge, link]), 0);
    let said = |row: &Value| (row["status"].clone(), row["message"].clone());
    let rows = data["operations"].as_array().unwrap();
    assert_eq!(rows[0]["status"], "applied", "{data:#}");
    assert_eq!(said(&rows[1]), (value!("deferred"), value!(format!("another decision changed `{PARTNER}`"))));
}

#[test]
fn relations_are_added_and_nothing_else_changes() {
    let env = dreaming();
    let plan = plan(&env);
    let link = decision(&cluster(&plan, PARTNER), "CROSS_REFERENCE", value!({}));
    let data = decide(&env, &plan, value!([link]), 0);
    assert_eq!(data["summary"]["flagged_for_review"], 0, "{data:#}");
    let text = read(&env, TOKENS).unwrap();
    assert!(text.contains("related: [") && text.contains("updatedAt: \"2023-03-01T00:00:00Z\""), "{text}");
    let diff = env.git(&tree(&env), &["show", "--format=", "-U0", "--", TOKENS]);
    assert_eq!(
        diff.lines().filter(|line| line.starts_with("-r") || line.starts_with("+r")).count(),
        2,
        "{diff}"
    );
    assert!(!diff.contains("+updatedAt"), "{diff}");
}

#[test]
fn a_synthesis_has_the_fields_of_the_seed_in_their_order_and_is_made_once() {
    let env = dreaming();
    let plan = plan(&env);
    assert_eq!(plan["synthesize"][0]["domains"], value!(["auth", "ops"]));
    let create = |path: Value| {
        let fields = value!({"title": "Keys and tokens of the gate", "summary": "The gate signs, the vault keeps", "tags": ["gate"], "keywords": ["vault"],
            "markdown": "The gate signs tokens with keys that the vault keeps.\n", "confidence": 0.6, "path": path});
        let mut one = decision("s1", "CREATE", fields);
        if one["path"].is_null() {
            one.as_object_mut().unwrap().remove("path");
        }
        one
    };
    let data = decide(&env, &plan, value!([create(Value::Null)]), 0);
    assert_eq!(
        (&data["summary"]["synthesized"], &data["summary"]["flagged_for_review"]),
        (&value!(1), &value!(1)),
        "{data:#}"
    );
    let output = data["operations"][0]["output"].as_str().unwrap();
    assert!(output.starts_with("synthesis/"), "{output}");
    let text = read(&env, output).unwrap();
    let keys: Vec<&str> = text.lines().skip(1).take(11).map(|line| line.split(':').next().unwrap()).collect();
    let seed = [
        "confidence",
        "sources",
        "synthesized_at",
        "type",
        "title",
        "summary",
        "tags",
        "related",
        "keywords",
        "createdAt",
        "updatedAt",
    ];
    assert_eq!(keys, seed, "{text}");
    assert!(
        text.contains("sources: [auth/_index.md, ops/_index.md]\n") && text.contains("related: []\n"),
        "{text}"
    );
    // the same insight under another name is there already
    let plan = super::plan(&env);
    assert_eq!(plan["synthesize"], value!([]), "nothing changed since");
    turn(&env);
    let plan = super::plan(&env);
    let data = decide(&env, &plan, value!([create(value!("synthesis/other.md"))]), 0);
    let row =
        &data["operations"].as_array().unwrap().iter().find(|row| row["action"] == "CREATE").unwrap().clone();
    assert_eq!(row["status"], "skipped", "{row:#}");
}

/// Old entries: one may go, one stays, one is to be merged by the next dream.
#[test]
fn prune_archives_keeps_and_suggests_and_the_next_dream_is_told() {
    let env = dreaming();
    let later = "2024-06-01T00:00:00Z";
    let run = |arguments: &[&str], input: Option<String>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        env.prepare(&mut command);
        command.env("BRV_CLOCK", later).env("GIT_COMMITTER_DATE", later).args(arguments).arg("--json");
        if let Some(input) = input {
            let file = env.path("decisions.json");
            std::fs::write(&file, input).unwrap();
            command.args(["--decisions", file.to_str().unwrap()]);
        }
        let ran = Ran::of(&command.output().unwrap());
        assert_eq!(ran.code, 0, "{arguments:?} {}{}", ran.stdout, ran.stderr);
        json(&ran.stdout)["data"].clone()
    };
    let plan = run(&["dream", "--plan", "--force"], None);
    let weak = |path: &str| {
        let all = plan["prune"].as_array().unwrap();
        let one = all.iter().find(|weak| weak["path"] == path).unwrap_or_else(|| panic!("{plan:#}"));
        assert_eq!((&one["signal"], &one["maturity"]), (&value!("staleness"), &value!("draft")), "{one:#}");
        assert!(one["days"].as_i64().unwrap() >= 121, "{one:#}");
        one["id"].as_str().unwrap().to_owned()
    };
    let decisions = value!([
        decision(&weak("ops/backups.md"), "ARCHIVE", value!({})),
        decision(&weak(KEYS), "KEEP", value!({})),
        decision(&weak(COPY), "MERGE_INTO", value!({"into": TOKENS})),
    ]);
    let input = value!({"plan": plan["id"], "decisions": decisions}).to_string();
    let data = run(&["dream"], Some(input));
    assert_eq!(
        (&data["summary"]["pruned"], &data["summary"]["flagged_for_review"]),
        (&value!(2), &value!(1)),
        "{data:#}"
    );
    assert!(read(&env, "ops/backups.md").is_none());
    assert!(read(&env, "ops/context.md").unwrap().contains("archived:"));
    let merges = &state(&env)["pendingMerges"];
    let expected = value!([{"sourceFile": COPY, "mergeTarget": TOKENS, "reason": "because", "suggestedByDreamId": data["id"]}]);
    assert_eq!(merges, &expected);
    // what was kept is not a candidate any more; what was suggested is a hint, whatever became of it since
    let next = run(&["dream", "--plan", "--force"], None);
    assert!(next["prune"].as_array().unwrap().iter().all(|weak| weak["path"] != KEYS), "{next:#}");
    let hints: Vec<&Value> =
        next["consolidate"].as_array().unwrap().iter().filter(|one| one["hint"].is_string()).collect();
    assert_eq!(hints.len(), 1, "{next:#}");
    // a later dream of another clone takes up nothing of this one
    let place = tree(&env);
    env.git(&place, &["checkout", "-q", "-b", "theirs"]);
    let theirs = "dream: 1 pruned\n\nBrv-Op: 20240701T000000.000Z-0a1b2c3d\nBrv-Dream: drm-1719792000000";
    env.git(
        &place,
        &[
            "-c",
            "user.name=B",
            "commit",
            "-q",
            "--allow-empty",
            "--date",
            "2024-07-01T00:00:00Z",
            "-m",
            theirs,
        ],
    );
    env.git(&place, &["checkout", "-q", "main"]);
    run(&["vc", "merge", "theirs"], None);
    assert_eq!((&state(&env)["totalDreams"], &state(&env)["pendingMerges"]), (&value!(2), &expected));
    // consumed by the dream, and taken back with the one that suggested it
    let undone = run(&["dream", "--undo", data["id"].as_str().unwrap()], None);
    assert_eq!(undone["status"], "undone");
    assert_eq!(state(&env)["pendingMerges"], value!([]));
    assert!(read(&env, "ops/backups.md").is_some());
}

#[test]
fn a_decider_that_lies_is_refused_decision_by_decision_and_the_rest_is_done() {
    let env = dreaming();
    let plan = plan(&env);
    let tokens = cluster(&plan, TOKENS);
    let before = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    let lies = value!([
        decision("c99", "MERGE", value!({})),
        decision(&tokens, "MERGE", value!({"into": TOKENS, "sources": ["auth/nowhere.md"]})),
        decision(&tokens, "MERGE", value!({"into": "ops/backups.md", "sources": [COPY]})),
        decision(&tokens, "MERGE", value!({"into": TOKENS, "sources": ["../../etc/passwd"]})),
        decision(&tokens, "ARCHIVE", value!({})),
        decision("s1", "CREATE", value!({"title": "x", "markdown": "y", "path": "../x.md"})),
        decision("s1", "CREATE", value!({"title": "x", "markdown": "y", "path": "auth/_index.md"})),
        decision("s1", "CREATE", value!({"title": "x", "markdown": "y", "path": "synthesis/My Note.md"})),
        decision("s1", "CREATE", value!({"title": "x", "markdown": "<<<<<<< a\n=======\n>>>>>>> b\n"})),
        decision(
            "s1",
            "CREATE",
            value!({"title": "x", "markdown": format!("key: AKIA{}", "IOSFODNN7EXAMPLQ")})
        ),
        decision(&tokens, "TEMPORAL_UPDATE", value!({"path": TOKENS, "markdown": "x".repeat((1 << 20) + 1)})),
        decision(
            &tokens,
            "TEMPORAL_UPDATE",
            value!({"path": PARTNER, "markdown": "---\ntitle: A\n---\n---\ntitle: B\n---\n\nText.\n"})
        ),
        decision(
            "s1",
            "CREATE",
            value!({"title": "x", "markdown": "---\ntitle: A\n---\n---\ntitle: B\n---\n\nText.\n"})
        ),
        value!({"candidate": tokens, "action": "DESTROY", "reason": "x"}),
        value!("no decision"),
    ]);
    let count = lies.as_array().unwrap().len();
    let data = decide(&env, &plan, lies, 1);
    assert_eq!(
        (&data["status"], &data["summary"]["errors"]),
        (&value!("completed"), &value!(count)),
        "{data:#}"
    );
    let named = |row: &&Value| row["status"] == "refused";
    let refused: Vec<&Value> = data["operations"].as_array().unwrap().iter().filter(named).collect();
    assert!(refused.iter().all(|row| !row["message"].as_str().unwrap().is_empty()), "{data:#}");
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), before);
    // another plan, and what is not a list of decisions at all
    for (input, code) in [
        (value!({"plan": "drm-1", "decisions": []}).to_string(), 2),
        ("[]".to_owned(), 2),
        ("{".to_owned(), 2),
        (format!("{{\"plan\": \"{}\"}}", "x".repeat(12 << 20)), 2),
    ] {
        let ran = env.brv_reading(&["dream", "--decisions", "-"], input.as_bytes());
        assert_eq!(
            ran.code,
            code,
            "{}{}",
            ran.stdout.chars().take(300).collect::<String>(),
            ran.stderr.chars().take(300).collect::<String>()
        );
    }
}

#[test]
fn one_decision_for_each_file_and_none_for_a_file_that_changed() {
    let env = dreaming();
    let plan = plan(&env);
    let tokens = cluster(&plan, TOKENS);
    let link = decision(&tokens, "CROSS_REFERENCE", value!({"path": TOKENS}));
    let update = decision(&tokens, "TEMPORAL_UPDATE", value!({"path": TOKENS, "markdown": "Other.\n"}));
    let merge = decision(&tokens, "MERGE", value!({"into": PARTNER, "sources": [COPY]}));
    let edited = format!("{}\nMore.\n", read(&env, COPY).unwrap());
    std::fs::write(tree(&env).join(COPY), &edited).unwrap();
    commit(&env, "meanwhile");
    let data = decide(&env, &plan, value!([link.clone(), update.clone(), merge]), 1);
    // what was decided about them together may be wrong of one of them now
    let refused: Vec<String> =
        ["CROSS_REFERENCE", "TEMPORAL_UPDATE", "MERGE"].map(|action| format!("c1 {action} refused")).into();
    assert_eq!(rows(&data)[..3], refused, "{data:#}");
    assert_eq!(read(&env, COPY).unwrap(), edited);
    let env = dreaming();
    let plan = super::plan(&env);
    let data = decide(&env, &plan, value!([link, update]), 0);
    assert_eq!(rows(&data)[..2], ["c1 CROSS_REFERENCE applied", "c1 TEMPORAL_UPDATE deferred"], "{data:#}");
}

#[test]
fn no_dream_removes_more_than_thirty_percent() {
    let texts: Vec<(String, String)> = (0..12)
        .map(|at| (format!("a/b/e{at}.md"), format!("---\ntitle: E{at}\n---\n\nThe queue of the workers is drained before a deploy begins, by hand and with care, number {at} of them.\n")))
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let env = project(&files);
    commit(&env, "start");
    let plan = plan(&env);
    let decisions: Vec<Value> = plan["consolidate"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cluster| decision(cluster["id"].as_str().unwrap(), "MERGE", value!({})))
        .collect();
    decide(&env, &plan, value!(decisions), 0);
    let left = std::fs::read_dir(tree(&env).join("a/b"))
        .unwrap()
        .filter(|entry| {
            let name = entry.as_ref().unwrap().file_name().into_string().unwrap();
            name.starts_with('e') && !name.contains(".abstract.") && !name.contains(".overview.")
        })
        .count();
    assert!(left >= 9, "{left} of 12 are left");
}

#[test]
fn a_skip_is_remembered_for_these_contents() {
    let env = dreaming();
    let plan = plan(&env);
    let skip = decision(&cluster(&plan, TOKENS), "SKIP", value!({}));
    let data = decide(&env, &plan, value!([skip]), 0);
    assert!(data["operation"].is_null(), "{data:#}");
    let next = super::plan(&env);
    assert!(next["consolidate"].as_array().unwrap().is_empty(), "{next:#}");
    // a dream that changed no file is undone on this clone, too
    let undone = dream(&env, &["--undo"], 0);
    assert_eq!((&undone["status"], &undone["operation"]), (&value!("undone"), &Value::Null));
    assert_eq!(log(&env, &data["id"])["status"], "undone");
    assert!(!super::plan(&env)["consolidate"].as_array().unwrap().is_empty());
}

/// Frontmatter with a key twice is nobody's to change: a writer gets an error, and without one the entry stays as it
/// is.
#[test]
fn what_cannot_be_merged_is_refused_to_a_writer_and_left_without_one() {
    let env = dreaming();
    let twice = read(&env, TOKENS).unwrap().replacen("---\n", "---\nnote: a\nnote: b\n", 1);
    std::fs::write(tree(&env).join(TOKENS), &twice).unwrap();
    commit(&env, "twice");
    let plan = plan(&env);
    let merge = value!({"into": TOKENS, "sources": [COPY], "markdown": "Shorter.\n"});
    let data = decide(&env, &plan, value!([decision(&cluster(&plan, TOKENS), "MERGE", merge)]), 1);
    assert_eq!(
        (&data["operations"][0]["status"], &data["summary"]["errors"]),
        (&value!("refused"), &value!(1))
    );
    let data = dream(&env, &["--force"], 0);
    assert_eq!(data["summary"]["errors"], 0, "{data:#}");
    assert_eq!((read(&env, TOKENS).unwrap(), read(&env, COPY).is_some()), (twice, true));
}
