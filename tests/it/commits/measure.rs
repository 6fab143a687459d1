//! What is filed, and where, measured on commits of other projects, which are no part of this one: the folder in
//! `BRV_COMMITS` has them, as `commits-NAME.jsonl`.

use super::Code;
use crate::env::Env;
use crate::init::json;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

const PROJECTS: [&str; 3] = ["ripgrep", "tokio", "bat"];

/// What was counted of one project.
#[derive(Default)]
struct Counts {
    filed: usize,
    worth_filed: usize,
    worth: usize,
    placed: usize,
    rightly_placed: usize,
}

#[test]
fn what_is_filed_is_worth_it_and_goes_where_people_look() {
    let Some(data) = std::env::var_os("BRV_COMMITS") else {
        eprintln!("skipped: BRV_COMMITS names no folder with histories of commits");
        return;
    };
    let mut all = Counts::default();
    for project in PROJECTS {
        let counts = measure(Path::new(&data), project);
        let Counts { filed, worth_filed, worth, placed, rightly_placed } = counts;
        println!(
            "{project}: worth filing {worth_filed} of {filed}, recall {worth_filed} of {worth}; right folder {rightly_placed} of {placed}"
        );
        all.filed += filed;
        all.worth_filed += worth_filed;
        all.worth += worth;
        all.placed += placed;
        all.rightly_placed += rightly_placed;
    }
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    let (precision, recall) = (share(all.worth_filed, all.filed), share(all.worth_filed, all.worth));
    let place = share(all.rightly_placed, all.placed);
    println!("precision {precision:.3}, recall {recall:.3}, place {place:.3}");
    assert!(precision >= 0.9 && place >= 0.8, "{precision} {place}");
}

/// Where both readers say the same, it counts as worth filing or not; a folder is right if both accept it.
fn measure(data: &Path, project: &str) -> Counts {
    let text = std::fs::read_to_string(data.join(format!("commits-{project}.jsonl"))).unwrap();
    let commits: Vec<Value> = text.lines().map(json).collect();
    let labels: Vec<Value> =
        include_str!("labels.jsonl").lines().map(json).filter(|label| label["project"] == project).collect();
    let code = Code { path: Env::new().path("none"), env: Env::new() };
    let code = Code { path: code.env.path("code"), ..code };
    code.env.git(code.env.root(), &["init", "-q", "code"]);
    let chosen: Vec<&Value> =
        labels.iter().map(|label| commits.iter().find(|commit| commit["n"] == label["n"]).unwrap()).collect();
    import(&code, &chosen);
    code.run(&["init", "-q"]);
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/commits").join(project);
    for (path, bytes) in crate::lab::picture(&tree, &|_| false) {
        let file = code.tree().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
    code.env.brv_in(&code.tree(), &["vc", "add", "."]);
    assert_eq!(code.env.brv_in(&code.tree(), &["vc", "commit", "-m", "tree"]).code, 0);
    let mut counts = Counts::default();
    let ids = code.git(&["rev-list", "--reverse", "main"]);
    for ((id, label), commit) in ids.lines().zip(&labels).zip(&chosen) {
        if commit["merge"] == true {
            continue;
        }
        let taken = code.data(&["curate", "--commit", id, "--dry-run"]);
        count(&mut counts, &taken["commits"][0], label);
    }
    counts
}

fn count(counts: &mut Counts, job: &Value, label: &Value) {
    let worth = label["worth"].as_array().unwrap();
    let is_filed = job["outcome"] == "curated";
    if worth[0] == worth[1] {
        counts.worth += usize::from(worth[0] == true);
        counts.filed += usize::from(is_filed);
        counts.worth_filed += usize::from(is_filed && worth[0] == true);
    }
    if is_filed {
        let path = job["entries"][0].as_str().unwrap();
        let folder = path.rsplit_once('/').unwrap().0;
        let accepts = |folders: &Value| folders.as_array().unwrap().iter().any(|one| one == folder);
        counts.placed += 1;
        counts.rightly_placed += usize::from(label["folders"].as_array().unwrap().iter().all(accepts));
    }
}

/// Make these commits, with the names of their files.
fn import(code: &Code, commits: &[&Value]) {
    let mut stream = String::new();
    for (number, commit) in (0_i64..).zip(commits) {
        let (subject, body) = (commit["subject"].as_str().unwrap(), commit["body"].as_str().unwrap());
        let message = format!("{subject}\n\n{body}\n");
        let time = 1_700_000_000 + number * 100;
        writeln!(stream, "commit refs/heads/main\ncommitter A <a@example.com> {time} +0000").unwrap();
        writeln!(stream, "data {}\n{message}", message.len()).unwrap();
        for file in commit["files"].as_array().unwrap() {
            let path = file.as_array().unwrap().last().unwrap().as_str().unwrap();
            let text = format!("{number} {path}\n");
            writeln!(stream, "M 100644 inline {path}\ndata {}\n{text}", text.len()).unwrap();
        }
    }
    let mut command = code.env.git_command(&code.path);
    let mut child = command.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    code.git(&["reset", "-q", "--hard", "main"]);
}
