//! A range finds what a check of the whole tree finds about the entries that it touches, though it parses only what may
//! concern them.

use super::World;
use crate::init::json;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers drawn by a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}

const SUBJECTS: [&str; 6] =
    ["token lifetime", "Token  Lifetime", "retry limit", "port", "Owner name", "有效期"];
const VALUES: [&str; 5] = ["12 hours", "24 hours", "3", "5", "never"];
const PROSE: [&str; 3] = [
    "The client asks again after a pause that doubles with each attempt, up to a minute, and gives up after five.",
    "Sessions are kept in the database, and a job that runs each night removes those that are older than a month.",
    "Nobody deploys on a Friday, since the people who know the service are hard to reach until Monday morning.",
];

fn path(dice: &mut Dice) -> String {
    format!(
        "{}/{}.md",
        dice.pick(&["auth", "ops", "ops/deep"]),
        dice.pick(&["a b", "keys_2", "観測", "note", "old", "x"])
    )
}

/// An entry with facts, prose that others have too, and links in each form.
fn entry(dice: &mut Dice) -> String {
    let target = path(dice);
    let bare = target.trim_end_matches(".md");
    let name = target.rsplit('/').next().unwrap();
    let related = match dice.roll(4) {
        0 => format!("related: [{bare}]\n"),
        1 => format!("related:\n  - \"{target}\"\n"),
        2 => format!("related: [{}]\n", target.split('/').next().unwrap()),
        _ => String::new(),
    };
    let link = match dice.roll(4) {
        0 => format!("See [it]({}).\n", name.replace(' ', "%20")),
        1 => format!("See [it](</{target}>).\n"),
        2 => format!("## Relations\n@{bare}\n"),
        _ => String::new(),
    };
    let facts: String = (0..dice.roll(3))
        .map(|_| match dice.roll(3) {
            0 => format!("* **{}:** {}\n", dice.pick(&SUBJECTS), dice.pick(&VALUES)),
            _ => format!("- **{}**: {}\n", dice.pick(&SUBJECTS), dice.pick(&VALUES)),
        })
        .collect();
    // which of two is newer does not depend on the range
    let created = format!("2026-01-{:02}T{:02}:{:02}:00Z", 1 + dice.roll(28), dice.roll(24), dice.roll(60));
    format!(
        "---\ntitle: T\n{related}createdAt: {created}\n---\n\n{}\n\n{link}\n## Facts\n\n{facts}",
        dice.pick(&PROSE)
    )
}

type Findings = BTreeMap<String, (String, String, String)>;

/// The findings beside other entries, by fingerprint: rule, path, message.
fn findings(world: &World, what: &str) -> Findings {
    let ran = world.env.brv(&["vc", "check", what, "--fail-on", "never", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let data = json(&ran.stdout);
    let all = data["data"]["findings"].as_array().unwrap().iter();
    all.filter(|found| ["BRV004", "BRV005", "BRV011"].contains(&found["rule"].as_str().unwrap()))
        .map(|found| {
            (
                text(&found["fingerprint"]),
                (text(&found["rule"]), text(&found["path"]), text(&found["message"])),
            )
        })
        .collect()
}

#[test]
fn a_range_finds_what_concerns_it_and_parses_nothing_else() {
    let world = World::new();
    let mut dice = Dice(7);
    let mut found = BTreeMap::<String, usize>::new();
    for _ in 0..40 {
        let (path, text) = (path(&mut dice), entry(&mut dice));
        crate::lab::write(&world.tree(), &[(&path, &text)]);
    }
    world.commit(&[]);
    for round in 0..8 {
        let before = findings(&world, "--all");
        for _ in 0..=dice.roll(3) {
            let (one, other) = (path(&mut dice), path(&mut dice));
            match dice.roll(4) {
                0 if world.tree().join(&one).exists() => drop(world.git(&["rm", "-qf", &one])),
                1 if world.tree().join(&one).exists() && !world.tree().join(&other).exists() => {
                    std::fs::create_dir_all(world.tree().join(&other).parent().unwrap()).unwrap();
                    world.git(&["mv", &one, &other]);
                }
                _ => crate::lab::write(&world.tree(), &[(&one, &entry(&mut dice))]),
            }
        }
        world.commit(&[]);
        let listed =
            world.git(&["-c", "core.quotePath=off", "diff", "--name-only", "--no-renames", "HEAD~1", "HEAD"]);
        let touched: BTreeSet<&str> = listed.lines().collect();
        let all = findings(&world, "--all");
        let concerns = |print: &String, (rule, path, message): &(String, String, String)| {
            let names = |path: &&str| message.contains(&format!("`{path}")) && rule != "BRV004";
            let is_new = rule == "BRV004" && !before.contains_key(print);
            touched.contains(path.as_str()) || touched.iter().any(names) || is_new
        };
        let expected: Findings = all
            .iter()
            .filter(|(print, one)| concerns(print, one))
            .map(|(print, one)| (print.clone(), one.clone()))
            .collect();
        assert_eq!(findings(&world, "HEAD"), expected, "round {round}: {touched:?}");
        expected.into_values().for_each(|(rule, ..)| *found.entry(rule).or_default() += 1);
    }
    assert_eq!(found.len(), 3, "each rule is tried: {found:?}");
}
