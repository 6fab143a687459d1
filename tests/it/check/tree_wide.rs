//! Findings that only show beside other entries.

use super::World;
use serde_json::Value;

/// A text of so many different words.
fn words(from: u32, to: u32) -> String {
    (from..to).map(|word| format!("word{} ", word * 7919 % 10_007)).collect()
}

fn dated(day: &str, text: &str) -> String {
    format!("---\ntitle: A\ncreatedAt: 2026-01-{day}T00:00:00Z\n---\n\n{text}\n")
}

/// The findings of one rule: path and message.
fn of_rule(envelope: &Value, rule: &str) -> Vec<(String, String)> {
    let findings = envelope["data"]["findings"].as_array().unwrap().iter().filter(|one| one["rule"] == rule);
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    findings.map(|one| (text(one, "path"), text(one, "message"))).collect()
}

#[test]
fn statements_of_two_entries_contradict_each_other_only_about_one_property() {
    let world = World::new();
    let facts = |lines: &[&str]| format!("## Facts\n\n- **{}\n", lines.join("\n- **"));
    let old = ["Logs**: go to stdout", "Timeout**: 60 s", "Ids**: UUIDv7", "Rate**: 100/min", "Port**: 8080"];
    let new = [
        "Logs**: are JSON",
        "Timeout**: 1 minute",
        "Ids**: UUID v7",
        "Rate**: 100 per minute",
        "Port**: 9090",
    ];
    world.commit(&[("ops/old.md", &facts(&old))]);
    world.git(&["push", "-q"]);
    world.commit(&[("ops/new.md", &facts(&new))]);
    let found = of_rule(&world.check(&[], 0), "BRV005");
    assert_eq!(found, [("ops/new.md".into(), "`ops/old.md:7` says something else about `Port`".into())]);
}

#[test]
fn a_copy_is_reported_at_the_newer_entry_whichever_says_more() {
    let world = World::new();
    let text = words(0, 80);
    let long = format!("{text} {}", words(200, 500));
    world.commit(&[("ops/z.md", &format!("# Z\n\n{text}\n"))]);
    world.git(&["push", "-q"]);
    world.commit(&[("ops/a.md", &format!("# A\n\n{long}\n"))]);
    let told = [("ops/a.md".into(), "100 % of `ops/z.md` is also in the entry".into())];
    assert_eq!(of_rule(&world.check(&[], 0), "BRV011"), told, "what the change adds is the newer one");
    world.git(&["push", "-q"]);
    world.commit(&[("ops/a.md", &dated("02", &long)), ("ops/z.md", &dated("01", &text))]);
    assert_eq!(of_rule(&world.check(&[], 0), "BRV011"), told);
    assert_eq!(of_rule(&world.check(&["--all"], 0), "BRV011"), told, "the same wherever it is checked");
    world.commit(&[("ops/a.md", &dated("02", &long)), ("ops/z.md", &dated("03", &text))]);
    let told = [("ops/z.md".into(), "100 % of the entry is also in `ops/a.md`".into())];
    assert_eq!(of_rule(&world.check(&["--all"], 0), "BRV011"), told);
}

#[test]
fn a_link_that_is_only_spelled_otherwise_is_told_and_fixed() {
    let world = World::new();
    world.commit(&[("auth/jwt_tokens.md", "# JWT\n"), ("Web/rate-limits/a.md", "# A\n")]);
    world.git(&["push", "-q"]);
    let text =
        "---\nrelated: [web/rate_limits]\n---\n\nSee [a](../auth/JWT-tokens.md) and [b](other-tokens.md).\n";
    world.commit(&[("ops/links.md", text)]);
    let messages: Vec<String> =
        of_rule(&world.check(&[], 0), "BRV004").into_iter().map(|(_, message)| message).collect();
    assert_eq!(
        messages,
        [
            "links to `web/rate_limits`, which does not exist; is it `Web/rate-limits`?",
            "links to `../auth/JWT-tokens.md`, which does not exist; is it `auth/jwt_tokens.md`?",
            "links to `other-tokens.md`, which does not exist",
        ]
    );
    assert_eq!(world.env.brv(&["vc", "check", "--fix"]).code, 0);
    let fixed = std::fs::read_to_string(world.tree().join("ops/links.md")).unwrap();
    assert_eq!(fixed, text.replace("JWT-tokens", "jwt_tokens").replace("web/rate_limits", "Web/rate-limits"));
}

/// Twelve entries, each with a heading, a fact and twenty lines of text.
fn twelve(world: &World) -> Vec<(String, String)> {
    let text = |entry: u32| -> String {
        let lines = (0..20).map(|line| format!("Line {line} of entry {entry} says {}.\n", entry * 97 + line));
        format!("# Entry {entry}\n\n{}", lines.collect::<String>())
    };
    let entries: Vec<(String, String)> =
        (0..12).map(|entry| (format!("notes/n{entry:02}.md"), text(entry))).collect();
    commit(world, &entries);
    world.git(&["push", "-q"]);
    entries
}

fn commit(world: &World, files: &[(String, String)]) {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    world.commit(&files);
}

/// The first lines of an entry.
fn cut(text: &str, lines: usize) -> String {
    text.lines().take(lines).map(|line| format!("{line}\n")).collect()
}

#[test]
fn emptying_most_of_many_entries_is_a_mass_deletion() {
    let world = World::new();
    let entries = twelve(&world);
    let cut_to = |lines: usize, count: usize| -> Vec<(String, String)> {
        entries[..count].iter().map(|(path, text)| (path.clone(), cut(text, lines))).collect()
    };
    let told = |code| of_rule(&world.check(&["--staged"], code), "BRV009");
    let stage = |files: &[(String, String)]| {
        world.git(&["reset", "-q", "--hard"]);
        files.iter().for_each(|(path, text)| std::fs::write(world.tree().join(path), text).unwrap());
        world.git(&["add", "-A"]);
    };
    let message = |text: &str| [(".".to_owned(), text.to_owned())];
    stage(&cut_to(5, 8));
    assert_eq!(told(1), message("8 of 15 entries are emptied"));
    stage(&cut_to(5, 4));
    assert_eq!(told(0), [], "less than a third of the entries");
    let short = |text: &str| -> Vec<(String, String)> {
        entries[..8].iter().map(|(path, _)| (path.clone(), text.to_owned())).collect()
    };
    stage(&short("# Nothing\n"));
    assert_eq!(told(1), message("8 of 15 entries are emptied"));
    stage(&cut_to(18, 8));
    assert_eq!(told(0), [], "most is still there");
    stage(&cut_to(5, 3));
    world.git(&["rm", "-q", "notes/n10.md", "notes/n11.md"]);
    assert_eq!(told(1), message("5 of 15 entries are deleted or emptied"));
    let mut moved = cut_to(5, 8);
    moved.push(("notes/all.md".into(), entries[..8].iter().map(|(_, text)| text.as_str()).collect()));
    stage(&moved);
    assert_eq!(told(0), [], "the text stands in another entry");
    let anew = entries[..8].iter().map(|(path, text)| (path.clone(), text.replace("Line", "Row")));
    stage(&anew.collect::<Vec<_>>());
    assert_eq!(told(0), [], "written anew");
}

#[test]
fn a_pull_stops_at_entries_that_it_would_empty() {
    let world = World::new();
    let entries = twelve(&world);
    let other = world.env.path("other");
    let remote = world.env.path("remote.git");
    world.env.git(world.env.root(), &["clone", "-q", remote.to_str().unwrap(), "other"]);
    for (path, text) in &entries[..8] {
        world.env.commit(&other, &[(path, &cut(text, 1))]);
    }
    world.env.git(&other, &["push", "-q", "origin", "HEAD:main"]);
    let ran = world.env.brv(&["vc", "pull", "--json"]);
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    let envelope = crate::init::json(&ran.stdout);
    assert_eq!(envelope["error"]["message"], "8 of 15 entries would be emptied");
    assert_eq!(envelope["data"]["stopped"]["emptied"].as_array().unwrap().len(), 8, "{envelope}");
    let allowed = ["vc", "pull", "--allow", "mass-delete", "--reason", "they moved"];
    assert_eq!(world.env.brv(&allowed).code, 0);
}
