//! What people and their agents do in a clone: they state, replace and remove facts, dream, take dreams back, and review.

use super::clones::{FOLDERS, Team, dropped};
use super::ledger::{Fact, Standing, facts, standing};
use super::writer;
use serde_json::{Value, json as value};
use std::collections::BTreeSet;

impl Team {
    /// A new entry with a few facts.
    pub fn add(&mut self, at: usize, folder: &str) {
        let said: Vec<Fact> = (0..1 + self.numbers.below(3)).map(|_| self.ledger.state(None)).collect();
        let number = said[0].0.clone();
        let about: Vec<Value> = said
            .iter()
            .map(|(subject, statement)| value!({"subject": subject, "statement": statement}))
            .collect();
        let prose = format!("What holds for {number} of {folder}.");
        self.curate(
            at,
            value!({"type": "ADD", "path": folder, "title": format!("About {number}"), "reason": "new",
            "content": {"narrative": {"highlights": prose}, "facts": about}}),
        );
    }

    /// An entry with some of its facts, if the tree has any.
    fn some(&mut self, before: &Standing) -> Option<(String, Fact)> {
        let all: Vec<(&Fact, &BTreeSet<String>)> = before.iter().collect();
        let (fact, paths) = all.get(self.numbers.below(all.len().max(1)))?;
        Some((paths.first()?.clone(), (*fact).clone()))
    }

    /// Whatever statements about a subject an entry no longer has, a person took back.
    fn settle(&mut self, at: usize, before: &Standing, path: &str, subject: &str) {
        let text = std::fs::read_to_string(self.tree(at).join(path)).unwrap_or_default();
        let left = facts(&text);
        let was = before.iter().filter(|((own, _), paths)| own == subject && paths.contains(path));
        self.ledger.gone.extend(was.map(|(fact, _)| fact.clone()).filter(|fact| !left.contains(fact)));
    }

    pub fn edit(&mut self, at: usize) {
        match self.numbers.below(12) {
            0 | 1 => self.step(at, "add an entry", |team, _| {
                let folder = team.numbers.pick(&FOLDERS);
                team.add(at, folder);
            }),
            2 | 3 => self.step(at, "add a fact", |team, before| {
                let Some((path, _)) = team.some(before) else { return };
                let (subject, statement) = team.ledger.state(None);
                team.curate(
                    at,
                    value!({"type": "UPDATE", "path": path, "reason": "learned",
                    "content": {"facts": [{"subject": subject, "statement": statement}]}}),
                );
            }),
            4 | 5 => self.step(at, "replace a fact", |team, before| {
                let Some((path, (subject, _))) = team.some(before) else { return };
                let (subject, statement) = team.ledger.state(Some(&subject));
                team.curate(
                    at,
                    value!({"type": "UPDATE", "path": path, "reason": "measured",
                    "content": {"facts": [{"subject": subject, "statement": statement}]}}),
                );
                team.settle(at, before, &path, &subject);
            }),
            6 => self.step(at, "remove a fact", |team, before| {
                let Some((path, (subject, _))) = team.some(before) else { return };
                team.curate(
                    at,
                    value!({"type": "UPDATE", "path": path, "reason": "no longer so",
                    "remove": {"facts": [subject]}}),
                );
                team.settle(at, before, &path, &subject);
            }),
            7 => self.step(at, "copy an entry", |team, before| {
                let Some((path, _)) = team.some(before) else { return };
                let text = std::fs::read_to_string(team.tree(at).join(&path)).unwrap();
                let (folder, _) = path.rsplit_once('/').unwrap();
                let body = text.split_once("\n---\n").map_or(text.as_str(), |(_, body)| body);
                let title = format!("Copy {}", team.numbers.below(100_000));
                team.curate(
                    at,
                    value!({"type": "ADD", "path": folder, "title": title, "reason": "seen twice",
                    "markdown": body.trim_start()}),
                );
            }),
            8 => self.step(at, "commit in the host repository", |team, before| {
                let known = team.some(before).map(|(_, (subject, _))| subject);
                let is_known = team.numbers.below(2) == 0;
                let (subject, statement) = team.ledger.state(known.filter(|_| is_known).as_deref());
                let message = format!("Measure {subject}\n\nFact: {subject}: {statement}");
                team.commit_code(at, &message);
                // the same author may restate what they stated
                let after = standing(&team.tree(at));
                let was = before.keys().filter(|(own, _)| *own == subject);
                team.ledger
                    .gone
                    .extend(was.filter(|fact| !after.contains_key(*fact)).cloned().collect::<Vec<_>>());
                assert!(after.contains_key(&(subject, statement)), "a commit taught nothing");
            }),
            9 if self.numbers.below(3) == 0 => self.step(at, "delete an entry", |team, before| {
                let Some((path, _)) = team.some(before) else { return };
                team.curate(at, value!({"type": "DELETE", "path": path, "reason": "wrong"}));
                let was = before.iter().filter(|(_, paths)| paths.contains(&path));
                team.ledger.gone.extend(was.map(|(fact, _)| fact.clone()));
            }),
            _ => self.step(at, "edit by hand", |team, before| {
                let Some((path, (subject, statement))) = team.some(before) else { return };
                let file = team.tree(at).join(&path);
                let text = std::fs::read_to_string(&file).unwrap();
                let line = text.lines().find(|line| line.contains(&statement)).unwrap().to_owned() + "\n";
                let mut stated = |subject| {
                    let (subject, statement) = team.ledger.state(subject);
                    format!("- **{subject}**: {statement}\n")
                };
                let (text, is_gone) = match team.numbers.below(4) {
                    0 => (text.replace(&line, &stated(Some(&subject))), true),
                    1 => (text.replace(&line, ""), true),
                    _ => (text.replace(&line, &format!("{line}{}", stated(None))), false),
                };
                team.ledger.gone.extend(Some((subject, statement)).filter(|_| is_gone));
                std::fs::write(&file, text).unwrap();
                if team.numbers.below(2) == 0 {
                    team.brv(at, &["vc", "commit", "-a", "-m", "by hand"], &[0]);
                }
            }),
        }
    }

    pub fn tidy(&mut self, at: usize) {
        match self.numbers.below(12) {
            0..3 => self.step(at, "dream without a writer", |team, _| {
                team.brv(at, &["dream", "--force"], &[0]);
            }),
            3..7 => self.step(at, "dream with a writer", |team, _| team.dream(at, &[])),
            7 => self.step(at, "dream on a branch", |team, _| team.dream(at, &["--branch"])),
            8 => self.step(at, "undo a dream", |team, _| {
                // anybody's
                let dreams = ["log", "-n60", "--format=%(trailers:key=Brv-Dream,valueonly,separator=)"];
                let dreams = team.env.git(&team.tree(at), &dreams);
                let ids: Vec<&str> = dreams.lines().filter(|line| line.starts_with("drm-")).collect();
                match ids.get(team.numbers.below(4)) {
                    Some(id) => team.brv(at, &["dream", "--undo", id], &[0, 5, 6]),
                    None => team.brv(at, &["dream", "--undo"], &[0, 5, 6]),
                };
            }),
            9 => self.step(at, "undo the last operation", |team, _| {
                let last = team.data(at, &["op", "log", "-n", "1"], &[0]);
                // what a person stated is not to be taken back here
                if ["dream", "undo", "reject"].iter().any(|kind| last["operations"][0]["kind"] == *kind) {
                    // by its id: a bare undo passes over undos, to what a person stated before
                    let id = last["operations"][0]["id"].as_str().unwrap();
                    team.brv(at, &["undo", id], &[0, 5, 6]);
                }
            }),
            _ => self.step(at, "review", |team, _| {
                let rows = team.rows(at, &["review", "--all"]);
                if !rows.is_empty() {
                    let row = rows[team.numbers.below(rows.len().min(6))].clone();
                    team.review(at, &row);
                }
            }),
        }
    }

    fn dream(&mut self, at: usize, flags: &[&str]) {
        let plan = self.data(at, &["dream", "--plan", "--force"], &[0]);
        let decisions = writer::decide(&plan, &self.tree(at), &mut self.numbers);
        let arguments = [&["dream", "--decisions", "-"], flags].concat();
        self.reading(at, &arguments, &decisions.to_string(), &[0, 1]);
    }

    /// Reject or approve a change: what a person approves that it drops, they took back.
    pub fn review(&mut self, at: usize, row: &Value) {
        let verb = if self.numbers.below(3) == 0 { "reject" } else { "approve" };
        let ran = self.brv(at, &["review", verb, row["id"].as_str().unwrap()], &[0, 5, 6]);
        if verb == "approve" && ran.code == 0 {
            let dropped = dropped(row);
            let is_dropped = |fact: &&Fact| dropped.contains(&format!("{}: {}", fact.0, fact.1));
            self.ledger
                .gone
                .extend(self.ledger.stated.iter().filter(is_dropped).cloned().collect::<Vec<_>>());
        }
    }
}
