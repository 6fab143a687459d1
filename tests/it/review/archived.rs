//! Rejections of archived entries: the entry and its record come and go together, and other records stay.

use super::*;
use crate::dream::{decide, log, plan, state};

const ONE: &str = "ops/backups.md";
const TWO: &str = "ops/restores.md";

/// Two old entries in a folder, at the remote; its overview, if it has one.
fn old(overview: Option<&str>) -> Env {
    let later = "2024-06-01T00:00:00Z";
    let text =
        |title: &str| format!("---\ntitle: {title}\n---\n\nThe {title} are looked at once a quarter.\n");
    let (one, two) = (text("backups"), text("restores"));
    let mut files =
        vec![(ONE, one.as_str()), (TWO, two.as_str()), ("auth/keys.md", "# Keys\n\nIn the vault.\n")];
    files.extend(overview.map(|text| ("ops/context.md", text)));
    let env = project(&files);
    crate::init::commit(&env, "start");
    let env = env.with("BRV_CLOCK", later).with("GIT_COMMITTER_DATE", later).with("GIT_AUTHOR_DATE", later);
    let remote = env.bare("team.git");
    done(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]));
    done(env.brv(&["vc", "push", "-u", "origin", "main"]));
    env
}

/// Archive entries by a dream; returns its data.
fn archive(env: &Env, paths: &[&str]) -> Value {
    let plan = plan(env);
    let weak = |path: &&str| {
        let all = plan["prune"].as_array().unwrap();
        let one = all.iter().find(|weak| weak["path"] == *path).unwrap_or_else(|| panic!("{plan:#}"));
        value!({"candidate": one["id"], "action": "ARCHIVE", "reason": "old"})
    };
    decide(env, &plan, paths.iter().map(weak).collect(), 0)
}

fn archived(env: &Env) -> Vec<String> {
    let listed = data(env, &["archive", "list"], 0);
    listed["archived"].as_array().unwrap().iter().map(|one| text(&one["path"])).collect()
}

fn at(env: &Env, path: &str) -> Option<String> {
    std::fs::read_to_string(tree(env).join(path)).ok()
}

#[test]
fn a_rejected_archive_leaves_no_record_and_counts_as_an_undo() {
    for (overview, is_pushed) in [(None, false), (Some("# Ops\n\nWhat Mia runs.\n"), false), (None, true)] {
        let env = old(overview);
        let before =
            (at(&env, ONE), at(&env, "ops/context.md"), env.git(&tree(&env), &["rev-parse", "HEAD"]));
        let dream = archive(&env, &[ONE])["id"].clone();
        assert_eq!((at(&env, ONE), archived(&env)), (None, vec![ONE.to_owned()]));
        if is_pushed {
            done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
        }
        done(env.brv(&["review", "reject", &id(&env, ONE)]));
        assert_eq!((at(&env, ONE), at(&env, "ops/context.md")), (before.0, before.1), "{overview:?}");
        assert_eq!(archived(&env), [""; 0]);
        let head = env.git(&tree(&env), &["rev-parse", "HEAD"]);
        assert_eq!(head == before.2, !is_pushed, "what no remote has leaves no trace");
        assert_eq!(
            (&log(&env, &dream)["status"], &state(&env)["totalDreams"]),
            (&value!("undone"), &value!(0))
        );
        // and back again
        done(env.brv(&["undo", &crate::undo::last(&env)]));
        assert_eq!((at(&env, ONE), archived(&env)), (None, vec![ONE.to_owned()]));
        assert_eq!(log(&env, &dream)["status"], "completed");
        env.fsck(&tree(&env));
    }
}

#[test]
fn of_two_archived_entries_each_comes_back_alone() {
    let env = old(None);
    let before = (at(&env, ONE), at(&env, TWO));
    let dream = archive(&env, &[ONE, TWO])["id"].clone();
    done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
    let bo = clone(&env);
    done(env.brv(&["review", "reject", &id(&env, ONE)]));
    assert_eq!(
        (at(&env, ONE), at(&env, TWO), archived(&env)),
        (before.0.clone(), None, vec![TWO.to_owned()])
    );
    let overview = at(&env, "ops/context.md").unwrap();
    assert!(overview.contains("restores.md") && !overview.contains("backups.md"), "{overview}");
    assert_eq!(log(&env, &dream)["status"], "completed", "half of it stands");
    // what somebody adds to the overview meanwhile stays
    crate::init::write(&env, &[("ops/context.md", format!("{overview}\n# Ops\n").as_str())]);
    crate::init::commit(&env, "overview");
    done(env.brv(&["review", "reject", &id(&env, TWO)]));
    assert_eq!((at(&env, ONE), at(&env, TWO)), before);
    assert_eq!((archived(&env), at(&env, "ops/context.md").unwrap().trim()), (vec![], "# Ops"));
    // on another clone by the commit alone
    done(env.brv_in(&bo, &["review", "reject", dream.as_str().unwrap(), TWO]));
    let text = std::fs::read_to_string(bo.join(".brv/context-tree/ops/context.md")).unwrap();
    assert!(text.contains("backups.md") && !text.contains("restores.md"), "{text}");
}

/// The other way round: a path of `archive restore` that is taken back is archived again, not gone.
#[test]
fn an_entry_that_an_undo_takes_away_again_gets_its_record_back() {
    let env = old(None);
    done(env.brv(&["archive", "run", "ops/backups", "ops/restores"]));
    let overview = at(&env, "ops/context.md");
    done(env.brv(&["archive", "restore", "ops/backups", "ops/restores"]));
    let restored = crate::undo::last(&env);
    done(env.brv(&["undo", &restored, ONE]));
    assert_eq!((at(&env, ONE), archived(&env)), (None, vec![ONE.to_owned()]));
    assert!(at(&env, TWO).is_some());
    done(env.brv(&["undo", &restored, TWO]));
    assert_eq!(at(&env, "ops/context.md"), overview);
    assert_eq!(archived(&env), [ONE, TWO]);
}
