//! The picture of `brv vc log --graph` has the commits, the order and the edges of git's.

use crate::env::Env;
use crate::init::project;
use crate::log::{SHAPES, drawn, same};
use std::collections::BTreeSet;
use std::path::Path;

/// What somebody who looks at a picture reads in it.
#[derive(Debug, Default)]
struct Picture {
    /// From top to bottom.
    commits: Vec<String>,
    /// Child and parent.
    edges: BTreeSet<(String, String)>,
    /// What stands right of it.
    text: String,
}

/// A picture in the making: of each lane, whose line it is.
#[derive(Debug, Default)]
struct Reader {
    picture: Picture,
    lanes: Vec<Vec<String>>,
    /// The lane of the last commit, and how wide its rows are.
    lane: usize,
    width: usize,
}

impl Reader {
    fn read(text: &str) -> Picture {
        let mut reader = Self::default();
        let mut is_below_star = false;
        for line in text.lines() {
            let width = line.find(|sign| !" |*+-.'/\\".contains(sign)).unwrap_or(line.len());
            if let Some(star) = line[..width].find('*') {
                reader.width = width;
                reader.star(&line[..width], star / 2, line[width..].trim_start_matches("commit "));
                is_below_star = true;
            } else if is_below_star {
                let width = reader.width.min(line.len());
                reader.link(format!("{:1$}", &line[..width], reader.width).as_bytes());
                is_below_star = false;
            }
            reader.picture.text += line.get(reader.width..).unwrap_or_default();
            reader.picture.text.push('\n');
        }
        reader.picture
    }

    fn star(&mut self, signs: &str, lane: usize, text: &str) {
        let id = text[..7].to_owned();
        self.lanes.resize(self.lanes.len().max(signs.len() / 2), Vec::new());
        for (at, children) in self.lanes.iter_mut().enumerate() {
            match signs.as_bytes().get(2 * at) {
                Some(b'|') => assert!(!children.is_empty(), "a line from nowhere: {signs}"),
                Some(b'*') => {
                    self.picture.edges.extend(children.iter().map(|child| (child.clone(), id.clone())));
                    *children = vec![id.clone()];
                }
                // only a commit without parents may end like this
                _ => assert!(std::mem::take(children).len() < 2, "a line to nowhere: {signs}"),
            }
        }
        self.picture.commits.push(id);
        self.lane = lane;
    }

    fn link(&mut self, signs: &[u8]) {
        let (lane, before) = (self.lane, self.lanes.clone());
        let sign = |at: usize| signs.get(at).copied().unwrap_or(b' ');
        self.lanes.resize(signs.len() / 2, Vec::new());
        for (at, line) in self.lanes.iter_mut().enumerate() {
            if !matches!(sign(2 * at), b'|' | b'+' | b'-') {
                line.clear();
            }
        }
        let from = before[lane].clone();
        if lane > 0 && sign(2 * lane - 1) == b'/' {
            self.lanes[lane - 1].extend(from.clone());
        }
        match sign(2 * lane + 1) {
            b'/' => self.lanes[lane].extend(before[lane + 1].clone()),
            b'\\' => self.lanes[lane + 1].extend(from.clone()),
            _ => {}
        }
        let right = (lane + 1..self.lanes.len()).take_while(|at| sign(2 * at - 1) == b'-');
        let left = (0..lane).rev().take_while(|at| sign(2 * at + 1) == b'-');
        for at in right.chain(left) {
            match sign(2 * at) {
                b'+' | b'.' => self.lanes[at].extend(from.clone()),
                b'\'' => self.lanes[lane].extend(before[at].clone()),
                _ => {}
            }
        }
    }
}

/// What brv draws.
fn picture(env: &Env, arguments: &[&str]) -> Picture {
    let ours = env.brv(&[&["vc", "log", "--graph"], arguments].concat());
    assert_eq!(ours.code, 0, "{arguments:?}: {}", ours.stderr);
    Reader::read(&ours.stdout)
}

/// Both draw the same history.
fn same_picture(env: &Env, tree: &Path, arguments: &[&str]) -> Picture {
    let ours = picture(env, arguments);
    let mut git = vec!["log", "--graph", "--format=@%H %P"];
    git.extend(arguments.iter().filter(|one| **one != "-p"));
    let theirs = env.git(tree, &git);
    let theirs: Vec<Vec<String>> = (theirs.lines().filter_map(|line| line.split_once('@')))
        .map(|(_, ids)| ids.split_whitespace().map(|id| id[..7].to_owned()).collect())
        .collect();
    let commits: Vec<String> = theirs.iter().map(|ids| ids[0].clone()).collect();
    let parents = if arguments.contains(&"--first-parent") { 1 } else { usize::MAX };
    let edges = theirs
        .iter()
        .flat_map(|ids| ids[1..].iter().take(parents).map(|parent| (ids[0].clone(), parent.clone())));
    let edges: BTreeSet<_> = edges.filter(|(_, parent)| commits.contains(parent)).collect();
    assert_eq!(ours.commits, commits, "{arguments:?}");
    assert_eq!(ours.edges, edges, "{arguments:?}");
    ours
}

#[test]
fn the_picture_has_gits_commits_order_and_edges() {
    for shape in SHAPES {
        let env = project(&[]);
        let tree = drawn(&env, shape);
        for arguments in [
            &[][..],
            &["--", "f1.md", "f2.md"],
            &["--author", "Ada"],
            &["--no-merges"],
            &["--first-parent"],
            &["-n", "4", "--skip", "2"],
            &["main~2..main"],
        ] {
            let whole = same_picture(&env, &tree, arguments);
            let short = picture(&env, &[&["--oneline"], arguments].concat());
            assert_eq!((short.commits, short.edges), (whole.commits, whole.edges), "{arguments:?}");
        }
        for arguments in [&[][..], &["-p", "-n", "5"]] {
            let text = env.git(&tree, &[&["log", "--topo-order"], arguments].concat());
            assert_eq!(same_picture(&env, &tree, arguments).text.trim_end(), text, "{arguments:?}");
        }
    }
}

#[test]
fn random_histories_have_gits_edges() {
    let mut seed = 7_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let env = project(&[]);
    for _ in 0..12 {
        let mut history: Vec<Vec<usize>> = vec![Vec::new()];
        for number in 1..30 {
            let count = [1, 1, 1, 2, 2, 3, 4][random(7)];
            let mut parents: Vec<usize> = (0..count).map(|_| number - 1 - random(number.min(6))).collect();
            let mut seen = std::collections::HashSet::new();
            parents.retain(|parent| seen.insert(*parent));
            history.push(parents);
        }
        let history: Vec<&[usize]> = history.iter().map(Vec::as_slice).collect();
        let tree = drawn(&env, &history);
        let whole = same_picture(&env, &tree, &[]);
        let short = picture(&env, &["--oneline"]);
        assert_eq!((short.commits, short.edges), (whole.commits, whole.edges));
        same_picture(&env, &tree, &["--no-follow", "--", "f1.md"]);
        same(&env, &tree, &["--oneline", "--", "f1.md", "f2.md"]);
        same(&env, &tree, &["--oneline", "--first-parent", "main~1..main"]);
    }
}
