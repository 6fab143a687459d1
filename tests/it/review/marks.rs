//! What searches say of changes that wait, and that a rejected text is served nowhere.

use super::*;

fn pending_of(env: &Env, arguments: &[&str], list: &str) -> Value {
    let data = data(env, arguments, 0);
    data[list].as_array().unwrap().iter().find(|row| row["path"] == TOKENS).unwrap_or(&Value::Null)["pending"]
        .clone()
}

const ASKED: [(&[&str], &str); 2] =
    [(&["search", "token lifetime"], "results"), (&["query", "token lifetime"], "sources")];

#[test]
fn an_entry_whose_change_waits_is_marked_until_it_is_decided() {
    let env = shared();
    for (command, list) in ASKED {
        assert_eq!(pending_of(&env, command, list), Value::Null, "{command:?}");
    }
    curate(
        &env,
        value!([{"type": "UPDATE", "path": TOKENS, "reason": "gone", "remove": {"facts": ["issuer"]}}]),
    );
    for (command, list) in ASKED {
        // the second answer may come from the cache
        for _ in 0..2 {
            assert_eq!(pending_of(&env, command, list), value!(["fact_removed"]), "{command:?}");
        }
        assert!(done(env.brv(command)).stdout.contains("pending review"), "{command:?}");
    }
    done(env.brv(&["review", "approve", &id(&env, TOKENS)]));
    for (command, list) in ASKED {
        assert_eq!(pending_of(&env, command, list), Value::Null, "{command:?}");
    }
}

#[test]
fn a_push_ends_the_mark() {
    let env = shared();
    curate(
        &env,
        value!([{"type": "UPDATE", "path": TOKENS, "reason": "gone", "remove": {"facts": ["issuer"]}}]),
    );
    assert_eq!(pending_of(&env, ASKED[1].0, ASKED[1].1), value!(["fact_removed"]));
    done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
    for (command, list) in ASKED {
        assert_eq!(pending_of(&env, command, list), Value::Null, "{command:?}");
    }
}

#[test]
fn a_rejected_text_is_served_nowhere() {
    let env = shared();
    curate(
        &env,
        value!([
            {"type": "UPDATE", "path": TOKENS, "reason": "wrong", "remove": {"facts": ["issuer"]},
                "content": {"facts": [{"subject": "colour", "statement": "chartreuse tokens"}]}},
            {"type": "ADD", "path": "auth/new", "title": "New", "reason": "new", "markdown": "New.\n"},
        ]),
    );
    let served = |env: &Env| {
        ["search", "query"].iter().any(|command| {
            let ran = env.brv(&[command, "which colour chartreuse tokens", "--json"]);
            let answer = json(&ran.stdout)["data"].clone();
            let rows = [&answer["results"], &answer["sources"], &answer["answer"], &answer["passages"]];
            rows.iter().any(|row| row.to_string().contains("chartreuse"))
        })
    };
    assert!(served(&env) && served(&env));
    done(env.brv(&["review", "reject", &id(&env, TOKENS)]));
    assert!(!served(&env));
    assert_eq!(pending_of(&env, ASKED[0].0, ASKED[0].1), Value::Null);
}

#[test]
fn the_stub_of_an_archived_entry_is_marked() {
    let later = "2024-06-01T00:00:00Z";
    let env = crate::dream::dreaming().with("BRV_CLOCK", later).with("GIT_COMMITTER_DATE", later);
    let remote = env.bare("team.git");
    done(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]));
    done(env.brv(&["vc", "push", "-u", "origin", "main"]));
    let plan = crate::dream::plan(&env);
    let weak =
        plan["prune"].as_array().unwrap().iter().find(|weak| weak["path"] == "ops/backups.md").unwrap();
    let archive = value!([{"candidate": weak["id"], "action": "ARCHIVE", "reason": "old"}]);
    crate::dream::decide(&env, &plan, archive, 0);
    let why = waits(&env).into_iter().map(|(_, why)| why.split(' ').next().unwrap().to_owned());
    assert_eq!(why.collect::<Vec<_>>(), ["archived"]);
    done(env.brv(&["derive"]));
    for (command, list) in [("search", "results"), ("query", "sources")] {
        let rows = data(&env, &[command, "backups restored once a quarter"], 0)[list].clone();
        let stub = |row: &&Value| row["path"] == "_archived/ops/backups.stub.md";
        let stub =
            rows.as_array().unwrap().iter().find(stub).unwrap_or_else(|| panic!("{command}: {rows:#}"));
        assert_eq!(stub["pending"][0], "archived", "{command}: {rows:#}");
    }
}
