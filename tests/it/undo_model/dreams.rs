//! Dreams and reviews between the other steps: a decider that decides well, and one that lies.

use super::Lab;
use crate::init::json;
use serde_json::{Value, json as value};

impl Lab {
    /// Dream, or take a dream back, or decide about a change.
    pub(super) fn dream_or_review(&mut self, at: usize) {
        match self.random.below(10) {
            0 => self.may_stop(at, "dream --force"),
            1 => self.may_stop(at, "dream --force --branch"),
            2..6 => {
                self.twin(at);
                self.decide(at);
            }
            6 => self.may_stop(at, "dream --undo"),
            7 => {
                let logs = self.clones[at].project.join(".brv/dream-log");
                let names = std::fs::read_dir(logs).into_iter().flatten();
                let mut names: Vec<String> =
                    names.map(|log| log.unwrap().file_name().into_string().unwrap()).collect();
                names.sort();
                if !names.is_empty() {
                    let name = names[self.random.below(names.len())].trim_end_matches(".json").to_owned();
                    self.may_stop(at, &format!("dream --undo {name}"));
                }
            }
            _ => self.review(at),
        }
    }

    /// Commit all, and a file that says what another one says.
    fn twin(&mut self, at: usize) {
        let files = self.clones[at].disk();
        let Some(words) = files.values().nth(self.random.below(files.len().max(1))) else { return };
        self.words += 1;
        self.clones[at].write(&format!("f{}.md", self.words), words);
        self.act(at, "vc add --all");
        self.act(at, "vc commit -m twin");
    }

    /// Run a command that may conflict or be refused, and then changes nothing.
    fn may_stop(&mut self, at: usize, line: &str) {
        let disk = self.clones[at].disk();
        let ran = self.act(at, line);
        // one on a branch counts once it is merged
        let is_apart = ran.code == 2 && line.starts_with("dream --undo drm-");
        assert!(is_apart || [0, 5, 6].contains(&ran.code), "{line}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.code == 0 || self.clones[at].disk() == disk, "{line} stopped, and wrote");
    }

    fn data(&self, at: usize, line: &str) -> Value {
        let ran = self.brv(at, &format!("{line} --json"));
        assert_eq!(ran.code, 0, "{line}: {}{}", ran.stdout, ran.stderr);
        json(&ran.stdout)["data"].clone()
    }

    /// Decide about some of a plan. Nothing but what a plan shows may go, whatever a decider says.
    fn decide(&mut self, at: usize) {
        let plan = self.data(at, "dream --plan --force");
        let mut decisions: Vec<Value> = Vec::new();
        for cluster in plan["consolidate"].as_array().unwrap() {
            let (id, files) = (&cluster["id"], cluster["files"].as_array().unwrap());
            let first = &files[0]["path"];
            let decision = match self.random.below(6) {
                0 | 1 => value!({"candidate": id, "action": "MERGE", "into": first, "reason": "same"}),
                2 => value!({"candidate": id, "action": "CROSS_REFERENCE", "reason": "related"}),
                3 => {
                    let text = std::fs::read_to_string(self.clones[at].tree().join(first.as_str().unwrap()));
                    let text = text.unwrap();
                    let body = text.rsplit_once("---\n").map_or(text.as_str(), |(_, body)| body);
                    let text = format!("Lately.\n\n{body}");
                    value!({"candidate": id, "action": "TEMPORAL_UPDATE", "path": first, "markdown": text, "reason": "new"})
                }
                4 => value!({"candidate": id, "action": "SKIP", "reason": "no"}),
                _ => self.lie(id, files),
            };
            decisions.push(decision);
        }
        decisions.push(self.lie(&value!("c1"), &[]));
        // one that decides twice about everything
        if self.random.below(4) == 0 {
            decisions.extend(decisions.clone());
        }
        let is_other = self.random.below(8) == 0;
        let id = if is_other { value!("drm-1") } else { plan["id"].clone() };
        let decisions = value!({"plan": id, "decisions": decisions}).to_string();
        // the largest input is 11 MB
        let is_none = is_other || decisions.len() > 11_000_000;
        self.carry_out(at, &decisions, is_none);
    }

    fn carry_out(&mut self, at: usize, decisions: &str, is_none: bool) {
        let file = self.env.path("decisions.json");
        std::fs::write(&file, decisions).unwrap();
        let before = self.clones[at].disk();
        let ran = self.act(at, "dream --decisions ../decisions.json --json");
        let after = self.clones[at].disk();
        if is_none {
            assert_eq!((ran.code, after), (2, before), "decisions about no plan here");
            return;
        }
        // 6: no commit can be made now
        assert!([0, 1, 6].contains(&ran.code), "{}{}", ran.stdout, ran.stderr);
        let data = json(&ran.stdout)["data"].clone();
        let applied =
            data["operations"].as_array().into_iter().flatten().filter(|row| row["status"] == "applied");
        let named: Vec<String> = applied.map(|row| row["inputs"].to_string()).collect();
        self.dreamt += named.len();
        for name in before.keys().filter(|name| !after.contains_key(*name)) {
            assert!(named.iter().any(|inputs| inputs.contains(name.as_str())), "{name} went: {data:#}");
        }
    }

    /// A decision that must be refused, and would do harm.
    fn lie(&mut self, id: &Value, files: &[Value]) -> Value {
        let path = files.first().map_or(value!("f0.md"), |file| file["path"].clone());
        let with = |candidate: &Value, action: &str, more: Value| {
            let mut decision = value!({"candidate": candidate, "action": action, "reason": "a lie"});
            decision.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            decision
        };
        let update = |text: String| with(id, "TEMPORAL_UPDATE", value!({"path": path, "markdown": text}));
        match self.random.below(9) {
            0 => with(&value!("c99"), "MERGE", value!({})),
            1 => with(id, "MERGE", value!({"into": path, "sources": ["nowhere.md"]})),
            2 => with(id, "MERGE", value!({"into": "other/domain.md", "sources": [path]})),
            3 => with(id, "ARCHIVE", value!({})),
            4 => update(format!("key: AKIA{}\n", "IOSFODNN7EXAMPLQ")),
            5 => update("<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n".to_owned()),
            6 => update("x".repeat(10_000_000)),
            7 => with(&value!("s1"), "CREATE", value!({"path": "../../f0.md", "markdown": "x\n"})),
            _ => value!({"candidate": id, "action": "DELETE", "reason": "all of it"}),
        }
    }

    fn review(&mut self, at: usize) {
        let rows = self.data(at, "review --all");
        let rows = rows["pending"].as_array().unwrap();
        if rows.is_empty() {
            return;
        }
        let id = rows[self.random.below(rows.len())]["id"].as_str().unwrap();
        let verb = ["approve", "reject", "reject"][self.random.below(3)];
        self.may_stop(at, &format!("review {verb} {id}"));
    }

    /// After both have pulled: what waits for review is the same in both, but for what was approved in one.
    pub(super) fn agree(&self) {
        if self.head(0) != self.head(1) {
            return;
        }
        let rows = |at: usize| -> Vec<String> {
            let all = self.data(at, "review --all")["pending"].clone();
            let log = self.data(1 - at, "review log")["decisions"].clone();
            let is_approved = |row: &&Value| {
                log.as_array()
                    .unwrap()
                    .iter()
                    .any(|one| one["id"] == row["id"] && one["decision"] == "approved")
            };
            let others =
                all.as_array().unwrap().iter().filter(|row| !is_approved(row) && !row["commit"].is_null());
            others.map(ToString::to_string).collect()
        };
        assert_eq!(rows(0), rows(1), "both clones say the same of {}", self.head(0));
    }
}
