//! What a check says about cited files that are gone, and what its fix writes: as `brv stale` finds them.

use super::bases::by_hand;
use super::{state, tries};
use crate::env::Env;
use crate::init::json;
use crate::provenance::World;
use std::fmt::Write as _;

const ENTRY: &str = "code/files.md";

/// A project in a folder of the code's repository.
fn in_a_subfolder() -> World {
    let env = Env::new();
    env.git(env.root(), &["init", "-q", "code"]);
    let host = env.path("code/app");
    let world = World { env, host };
    world.commit("base.txt", "base\n");
    world.brv(&["init", "-q"]);
    world
}

/// What the check says about cited files, each with its line and fix.
fn stale(world: &World) -> Vec<(u64, String, Option<String>)> {
    let ran = world.env.brv_in(&world.host, &["vc", "check", "--all", "--json"]);
    let findings = json(&ran.stdout)["data"]["findings"].take();
    let of_files = findings.as_array().unwrap().iter().filter(|one| one["rule"] == "BRV012");
    let told = of_files.map(|one| {
        let message = one["message"].as_str().unwrap().to_owned();
        (one["line"].as_u64().unwrap(), message, one["fix"].as_str().map(str::to_owned))
    });
    told.collect()
}

/// The entry after the fix.
fn fixed(world: &World) -> String {
    world.env.brv_in(&world.host, &["vc", "check", "--all", "--fix"]);
    std::fs::read_to_string(world.tree().join(ENTRY)).unwrap()
}

fn moved(line: u64, old: &str, new: &str) -> (u64, String, Option<String>) {
    (line, format!("cites `{old}`, which moved to `{new}`"), Some(new.to_owned()))
}

#[test]
fn in_a_subfolder_both_meanings_are_looked_for_and_written() {
    let world = in_a_subfolder();
    for path in
        ["src/a.rs", "../shared/b.rs", "src/c.rs", "src/Maß zwei.rs", "Makefile", "src/d.rs", "src/e.rs"]
    {
        world.commit(path, &format!("// {path}\n{}", tries(3)));
    }
    let entry = "# Files\n\n`src/d.rs` has `self.max`, `src/Maß zwei.rs:4` has more, not `src/never.rs`.\n\n## Raw Concept\n**Files:**\n- src/a.rs (the loop)\n- shared/b.rs\n- src/c.rs#L1\n- Makefile\n- src/Maß zwei.rs\n- src/e.rs\n";
    by_hand(&world, &[(ENTRY, entry)], &["-m", "one"]);
    assert_eq!((stale(&world), state(&world, ENTRY)), (vec![], "fresh".to_owned()));
    for path in ["src", "../shared"] {
        let to = format!("{path}/new");
        std::fs::create_dir(world.host.join(&to)).unwrap();
        let files = std::fs::read_dir(world.host.join(path)).unwrap();
        for file in files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains('.'))
        {
            world.git(&["mv", &format!("{path}/{file}"), &to]);
        }
    }
    world.git(&["mv", "Makefile", "src/new/Makefile"]);
    world.git(&["rm", "-q", "src/new/e.rs", "-f"]);
    world.git(&["commit", "-q", "-m", "move"]);
    let expected = [
        moved(3, "src/d.rs", "src/new/d.rs"),
        moved(7, "src/a.rs", "src/new/a.rs"),
        moved(8, "shared/b.rs", "shared/new/b.rs"),
        moved(9, "src/c.rs", "src/new/c.rs"),
        moved(10, "Makefile", "src/new/Makefile"),
        moved(11, "src/Maß zwei.rs", "src/new/Maß zwei.rs"),
        (12, "cites `src/e.rs`, which is not in the code".to_owned(), None),
    ];
    assert_eq!(stale(&world), expected);
    let mended = entry
        .replace("src/", "src/new/")
        .replace("shared/", "shared/new/")
        .replace("Makefile", "src/new/Makefile")
        .replace("src/new/e.rs", "src/e.rs")
        .replace("src/new/never.rs", "src/never.rs");
    assert_eq!(fixed(&world), mended);
    assert_eq!(stale(&world), [expected[6].clone()]);
}

#[test]
fn each_of_hundreds_of_moved_files_is_found_also_after_two_moves() {
    let world = World::new();
    let mut entry = "# Files\n\n## Raw Concept\n**Files:**\n".to_owned();
    for at in 0..300 {
        world.write(&format!("src/f{at}.rs"), &format!("// {at}\n{}", tries(at)));
        writeln!(entry, "- src/f{at}.rs").unwrap();
    }
    world.commit("x.txt", "x\n");
    by_hand(&world, &[(ENTRY, &entry)], &["-m", "one"]);
    world.git(&["mv", "src", "lib"]);
    world.git(&["commit", "-q", "-m", "move"]);
    world.git(&["mv", "lib", "core"]);
    let found = stale(&world);
    assert!(
        found.len() == 300 && found.iter().all(|(_, _, fix)| fix.is_some()),
        "the second one is only staged"
    );
    world.git(&["commit", "-q", "-m", "move on"]);
    assert_eq!(fixed(&world), entry.replace("src/", "core/"));
    assert_eq!(stale(&world), []);
}

#[test]
fn where_it_is_not_certain_nothing_is_written() {
    let world = World::new();
    let text = |name: &str| format!("// {name}\n{}", tries(3));
    for path in ["src/twin.rs", "src/a.rs", "src/b.rs"] {
        world.commit(path, &text(path));
    }
    let entry = "# Files\n\n## Raw Concept\n**Files:**\n- src/twin.rs\n- src/a.rs\n- src/b.rs\n";
    by_hand(&world, &[(ENTRY, entry)], &["-m", "one"]);
    world.git(&["rm", "-q", "src/twin.rs"]);
    world.write("src/one.rs", &text("src/twin.rs"));
    world.commit("src/two.rs", &text("src/twin.rs"));
    world.git(&["mv", "src/a.rs", "src/c.rs"]);
    world.git(&["commit", "-q", "-m", "a to c"]);
    world.git(&["mv", "src/b.rs", "src/a.rs"]);
    world.git(&["commit", "-q", "-m", "b to a"]);
    let said = [
        (5, "cites `src/twin.rs`, which is not in the code".to_owned(), None),
        (7, "cites `src/b.rs`, which moved to `src/a.rs`".to_owned(), None),
    ];
    assert_eq!(stale(&world), said);
    assert_eq!(fixed(&world), entry);
    assert_eq!(state(&world, ENTRY), "gone");
}
