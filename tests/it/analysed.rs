//! What is kept of texts by their blobs: `links` and `vc check` say the same with it, without it, and whatever stands in its place.

use crate::env::Env;
use std::fs;
use std::path::{Path, PathBuf};

/// What happens to a file of the cache.
type Damage = fn(&Path);

/// Entries that link to each other, claim things about one subject, and share most of their words; the last commit changes three.
fn tree(env: &Env) -> PathBuf {
    let project = env.path("project");
    fs::create_dir_all(&project).unwrap();
    assert_eq!(env.brv_in(&project, &["init"]).code, 0);
    let tree = project.join(".brv/context-tree");
    let words: Vec<String> = (0..60).map(|word| format!("word{}", word * 7919 % 1009)).collect();
    for number in 0..40 {
        let folder = tree.join(format!("domain{}", number % 4));
        fs::create_dir_all(&folder).unwrap();
        let subject = if number == 5 || number == 6 { "Retry limit of the worker" } else { "Limit" };
        let shared = words[..if matches!(number, 5 | 9 | 13) { 60 } else { 5 }].join(" ");
        let text = format!(
            "---\nrelated: [domain{}/entry_{}]\n---\n# Entry {number}\n\n{shared}\n\n## Facts\n\n- **{subject}**: {number} \
             times\n- **Own {number}**: [next](entry_{}.md)\n",
            (number + 1) % 4,
            number + 1,
            number + 4
        );
        fs::write(folder.join(format!("entry_{number}.md")), text).unwrap();
    }
    fs::write(tree.join("domain1/out.md"), "# Out\n\nSee [x](../../x.md).\n").unwrap();
    env.git(&tree, &["add", "."]);
    env.git(&tree, &["commit", "-q", "-m", "all"]);
    for name in ["domain1/entry_5.md", "domain1/entry_9.md", "domain2/entry_6.md"] {
        let text = fs::read_to_string(tree.join(name)).unwrap();
        fs::write(tree.join(name), format!("{text}- **Added**: now\n")).unwrap();
    }
    env.git(&tree, &["rm", "-q", "domain3/entry_7.md"]);
    env.git(&tree, &["commit", "-q", "-a", "-m", "change"]);
    project
}

const ASKED: [&[&str]; 5] = [
    &["vc", "check", "HEAD~1...HEAD", "--fail-on", "never", "--json"],
    &["links", "domain1/entry_5", "--json"],
    &["links", "domain1", "--json"],
    &["links", "domain1/entry_5", "--at", "HEAD~1", "--json"],
    &["links", "--broken", "--json"],
];

fn answers(env: &Env, project: &Path) -> Vec<String> {
    let answer = |asked: &&[&str]| {
        let ran = env.brv_in(project, asked);
        assert_eq!(ran.code, 0, "{asked:?}: {}{}", ran.stdout, ran.stderr);
        ran.stdout
    };
    ASKED.iter().map(answer).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_none_or(|it| it != "lock")).collect()
}

#[test]
fn links_and_checks_are_the_same_with_and_without_what_is_kept() {
    let env = Env::new();
    let project = tree(&env);
    let kept = project.join(".brv/cache/analysis");
    let first = answers(&env, &project);
    for found in ["BRV004", "BRV005", "BRV011", "entry_5.md"] {
        assert!(first[0].contains(found), "{found}: {}", first[0]);
    }
    assert!(first[1].contains("entry_1.md") && first[1].contains("entry_4.md"), "{}", first[1]);
    assert!(first[2].contains("../../x.md"), "a link out of the tree: {}", first[2]);
    assert_eq!(files(&kept).len(), 4, "two files with their lists");
    assert_eq!(answers(&env, &project), first);
    let damages: [Damage; 5] = [
        |file| fs::write(file, b"").unwrap(),
        |file| fs::write(file, [7; 4096]).unwrap(),
        |file| {
            let bytes = fs::read(file).unwrap();
            fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
        },
        |file| {
            let turned = fs::read(file).unwrap().into_iter().map(|byte| byte ^ 4);
            fs::write(file, turned.collect::<Vec<u8>>()).unwrap();
        },
        |file| fs::remove_file(file).unwrap(),
    ];
    for (number, damage) in damages.iter().enumerate() {
        for file in files(&kept) {
            damage(&file);
            assert_eq!(answers(&env, &project), first, "{number} {}", file.display());
        }
    }
}

#[test]
fn what_changed_since_is_read_and_another_project_is_not_believed() {
    let env = Env::new();
    let project = tree(&env);
    answers(&env, &project);
    let entry = project.join(".brv/context-tree/domain0/entry_0.md");
    let text = fs::read_to_string(&entry).unwrap();
    fs::write(&entry, format!("{text}\nSee [it](../domain1/entry_5.md).\n")).unwrap();
    let linked = env.brv_in(&project, &["links", "domain1/entry_5", "--json"]).stdout;
    assert!(linked.contains("domain0/entry_0.md"), "{linked}");
    fs::write(&entry, text).unwrap();
    let linked = env.brv_in(&project, &["links", "domain1/entry_5", "--json"]).stdout;
    assert!(!linked.contains("domain0/entry_0.md"), "{linked}");
    // the files of a project stand under its own name
    let names = |project: &Path| {
        let mut names: Vec<_> = files(&project.join(".brv/cache/analysis"))
            .iter()
            .map(|file| file.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    let other = Env::new();
    let elsewhere = tree(&other);
    answers(&other, &elsewhere);
    assert_eq!(names(&project).len(), 4);
    assert!(names(&project).iter().all(|name| !names(&elsewhere).contains(name)));
}

#[test]
fn a_cache_that_cannot_be_written_costs_time_only() {
    let env = Env::new();
    let project = tree(&env);
    let first = answers(&env, &project);
    let kept = project.join(".brv/cache/analysis");
    fs::remove_dir_all(&kept).unwrap();
    fs::write(&kept, "a file in its place").unwrap();
    assert_eq!(answers(&env, &project), first);
    assert_eq!(fs::read_to_string(&kept).unwrap(), "a file in its place");
}
