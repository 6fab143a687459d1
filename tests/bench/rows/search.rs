//! Search and query: whole processes, by 200 different questions.

use super::sync;
use crate::lab::Lab;
use crate::pair::Pair;
use crate::table::{Sample, Side};
use std::path::Path;
use std::time::Duration;

const FIRST: &str = "first search, which makes the index";
const SIZE: &str = "search index";
const QUERY: &str = "query, tier 2 or 3, 200 questions";
const SLOWEST: &str = "the slowest 1 % of them";
const WALK: &str = "the same with a look at all files (--fresh)";
const CACHED: &str = "query answered before, tier 0";
const PULLED: &str = "the first query after a pull of 10 entries";
const MEMORY: &str = "memory: query";

/// How long a look at all files holds.
const WINDOW: Duration = Duration::from_secs(2);

/// How many questions.
const QUESTIONS: usize = 200;

pub fn run(lab: &Lab) {
    if lab.wants(&[FIRST, SIZE, QUERY, SLOWEST, WALK, CACHED, MEMORY]) {
        queries(lab);
    }
    if lab.wants(&[PULLED]) {
        after_pulls(lab);
    }
}

fn queries(lab: &Lab) {
    let pair = Pair::committed(lab, "searching");
    let project = pair.folder(Side::Brv);
    lab.run(lab.brv(project, &["derive"]));
    lab.solo(FIRST, 1, || lab.time(&mut lab.brv(project, &["search", "anything"])));
    lab.run(lab.brv(project, &["search", "anything"]));
    let index = project.join(".brv/cache/search-1");
    let files = std::fs::read_dir(&index).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
    let size = files.sum::<u64>();
    lab.solo(SIZE, 1, || Sample::Bytes(size));
    let questions = questions(lab);
    let ask = |question: &str, flags: &[&str]| ask(lab, project, question, flags);
    // the window stays open for as long as this takes
    let open = |question: &str| {
        lab.run(lab.brv(project, &["search", "anything", "--fresh", "--no-hits"]));
        ask(question, &[])
    };
    let mut left = questions.iter().cycle();
    let mut times = Vec::new();
    lab.solo(QUERY, QUESTIONS, || {
        let sample = open(left.next().unwrap());
        times.push(sample);
        sample
    });
    times.sort_by(|one: &Sample, other| one.seconds().total_cmp(&other.seconds()));
    if let Some(slowest) = times.get(times.len() * 99 / 100) {
        lab.solo(SLOWEST, 1, || *slowest);
    }
    let mut left = questions.iter().cycle();
    lab.solo(WALK, QUESTIONS / 4, || ask(left.next().unwrap(), &["--fresh"]));
    lab.solo(CACHED, QUESTIONS / 4, || {
        lab.run(lab.brv(project, &["query", &questions[0], "--fresh"]));
        lab.time(&mut lab.brv(project, &["query", &questions[0]]))
    });
    lab.solo(MEMORY, 1, || lab.memory(&mut lab.brv(project, &["query", &questions[1], "--no-cache"])));
}

/// What brv pulled is known without a look at all files, however long ago the last one was.
fn after_pulls(lab: &Lab) {
    let bare = sync::shared(lab, "searched");
    let steps = sync::steps(lab, &bare, lab.options.rounds);
    let project = lab.env.path("searching-clone");
    lab.run(lab.brv(lab.env.root(), &["vc", "clone", bare.to_str().unwrap(), project.to_str().unwrap()]));
    lab.run(lab.brv(&project, &["search", "anything"]));
    let questions = questions(lab);
    let mut rounds = steps.iter().zip(&questions);
    lab.solo(PULLED, steps.len(), || {
        let (step, question) = rounds.next().unwrap();
        lab.run(lab.git(&bare, &["update-ref", "refs/heads/main", step]));
        std::thread::sleep(WINDOW);
        lab.run(lab.brv(&project, &["vc", "pull"]));
        ask(lab, &project, question, &[])
    });
}

fn ask(lab: &Lab, project: &Path, question: &str, flags: &[&str]) -> Sample {
    let words = [&["query", question, "--no-cache"], flags].concat();
    lab.time(&mut lab.brv(project, &words))
}

/// Some words of an entry each, as a person would ask for them.
fn questions(lab: &Lab) -> Vec<String> {
    let files: Vec<_> = lab.files().iter().filter(|file| !file.path.ends_with("context.md")).collect();
    let step = (files.len() / QUESTIONS).max(1);
    let of_file = |file: &&crate::corpus::File| {
        let name =
            file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md").replace(['_', '-'], " ");
        format!("What is known about {name}?")
    };
    files.iter().step_by(step).take(QUESTIONS).map(of_file).collect()
}
