//! Misbehaving servers: whatever they send, a command ends soon, in bounded memory, with one clean sentence and the
//! right exit code, and the repository is unchanged.

use crate::env::{Env, Ran};
use crate::hostile_server::{
    Bytes, Carrier, Fault, Liar, Object, Version, Wares, blob, commit, delta, delta_by_name, delta_by_place,
    entry, entry_head, lines, lying_entry, object, pack, pack_of, tree,
};
use crate::lab::{assert_harmless, picture};
use gix::ObjectId;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const GIT: Carrier = Carrier::Git;
const HTTP: Carrier = Carrier::Http;
const V0: Version = Version::Zero;
const V2: Version = Version::Two;

/// The maximum memory that a server may make brv use.
const MEMORY_KIB: u64 = 512 << 10;
/// The maximum time, on a busy machine with an unoptimised build.
const PATIENCE: Duration = Duration::from_secs(30);

/// Two commits: the first was cloned, the second is new.
struct Story {
    first: Object,
    before: Vec<Object>,
    note: Object,
    folder: Object,
    root: Object,
    second: Object,
}

impl Story {
    fn new() -> Self {
        let old = blob(b"# Old\n");
        let old_root = tree(&[("100644", "old.md", old.id)]);
        let first = commit(old_root.id, &[]);
        let note = blob("# New\n\nA line of some length.\n".repeat(50).as_bytes());
        let folder = tree(&[("100644", "new.md", note.id)]);
        let root = tree(&[("40000", "bread", folder.id), ("100644", "old.md", old.id)]);
        let second = commit(root.id, &[first.id]);
        Self { before: vec![old, old_root, first.clone()], first, note, folder, root, second }
    }

    fn wares(tip: ObjectId, pack: Vec<u8>) -> Wares {
        let refs = vec![(b"HEAD".to_vec(), tip.to_string()), (b"refs/heads/main".to_vec(), tip.to_string())];
        Wares { refs, head: "refs/heads/main".into(), pack }
    }

    /// The first commit alone.
    fn begin(&self) -> Wares {
        Self::wares(self.first.id, pack(&self.before.iter().collect::<Vec<_>>()))
    }

    /// A valid answer with the second commit.
    fn rest(&self) -> Vec<&Object> {
        vec![&self.second, &self.root, &self.folder, &self.note]
    }

    fn honest(&self) -> Wares {
        Self::wares(self.second.id, pack(&self.rest()))
    }

    /// A bad pack for a plausible tip.
    fn with(&self, pack: Vec<u8>) -> Wares {
        Self::wares(self.second.id, pack)
    }
}

/// Any failure; other tests check which one.
const UNKNOWN: i32 = -1;

/// The expected end of a run.
struct Expected {
    code: i32,
    /// Text that the error must contain.
    words: &'static str,
}

struct Case {
    name: String,
    carrier: Carrier,
    version: Version,
    wares: Wares,
    fault: Fault,
    expected: Expected,
}

fn case(name: impl Into<String>, wares: Wares, fault: Fault, code: i32, words: &'static str) -> Case {
    let expected = Expected { code, words };
    Case { name: name.into(), carrier: GIT, version: V2, wares, fault, expected }
}

impl Case {
    fn over(mut self, carrier: Carrier, version: Version) -> Self {
        self.carrier = carrier;
        self.version = version;
        self.name = format!("{} ({carrier:?}, {version:?})", self.name);
        self
    }
}

/// A project cloned from the first commit, copied for each case.
struct Ground {
    env: Env,
    original: PathBuf,
    url: String,
}

impl Ground {
    fn new(story: &Story) -> Self {
        let env = Env::new();
        let liar = Liar::start(GIT, V2, story.begin(), Fault::None);
        let ran = env.brv(&["vc", "clone", &liar.url, "original"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let original = env.path("original");
        Self { env, original, url: liar.url }
    }

    /// With its own commit that the remote does not have.
    fn ahead(story: &Story) -> Self {
        let ground = Self::new(story);
        let tree = ground.original.join(".brv/context-tree");
        ground.env.commit(&tree, &[("bread/ours.md", "# Ours\n")]);
        ground
    }

    fn copy(&self, name: &str, url: &str) -> PathBuf {
        let project = self.env.path(name);
        for (path, bytes) in picture(&self.original, &|_| false) {
            let path = project.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let config = project.join(".brv/context-tree/.git/config");
        for folder in ["refs", "objects"] {
            std::fs::create_dir_all(config.with_file_name(folder)).unwrap();
        }
        let text = std::fs::read_to_string(&config).unwrap();
        assert!(text.contains(&self.url));
        std::fs::write(&config, text.replace(&self.url, url)).unwrap();
        project
    }
}

/// Run the program; also returns the memory it used, if the system reports it.
fn measured(env: &Env, folder: &Path, arguments: &[&str]) -> (Ran, u64, Duration) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.current_dir(folder).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let begun = Instant::now();
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    // the program would block on a pipe that is not read
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes).map(|_| bytes)
    });
    let err = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        err.read_to_end(&mut bytes).map(|_| bytes)
    });
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        // it has its name only once the memory is its own, and no longer that of the process that started it
        let is_started = text.starts_with("Name:\tbrv\n");
        let peak = text
            .lines()
            .filter(|_| is_started)
            .find_map(|line| line.strip_prefix("VmHWM:")?.trim().split(' ').next());
        most = most.max(peak.and_then(|peak| peak.parse().ok()).unwrap_or(0));
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = Output {
        status: child.wait().unwrap(),
        stdout: out.join().unwrap().unwrap(),
        stderr: err.join().unwrap().unwrap(),
    };
    (Ran::of(&output), most, begun.elapsed())
}

/// Run all cases, a few at a time, and report every one that failed.
fn run_all(ground: &Ground, cases: &[Case], command: &[&str], check: impl Fn(&Case, &Ran, &Path) + Sync) {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let liar = Liar::start(case.carrier, case.version, case.wares.clone(), case.fault.clone());
                let folder = case.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
                let project = ground.copy(&folder, &liar.url);
                let (ran, memory, time) = measured(&ground.env, &project, command);
                let Expected { code, words } = case.expected;
                let as_expected = ran.code == code || (code == UNKNOWN && ran.code > 0);
                assert!(as_expected && ran.stderr.contains(words), "{time:?} {ran:?}");
                println!("{time:?} {memory} {}", case.name);
                assert!(memory < MEMORY_KIB, "{memory} KiB");
                assert_harmless(&ran);
                check(case, &ran, &project);
                ground.env.fsck(&project.join(".brv/context-tree"));
                std::fs::remove_dir_all(project).unwrap();
            }));
            if let Err(panic) = tried {
                let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                failed.lock().unwrap().push(format!("{}: {text}", case.name));
            }
        }
    };
    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// Check that there is one line of error and nothing else, and that the project is byte for byte as before.
fn refused(ground: &Ground) -> impl Fn(&Case, &Ran, &Path) + Sync {
    move |_, ran, project| {
        assert_eq!(ran.stdout, "");
        let said: Vec<_> = ran.stderr.lines().filter(|line| !line.starts_with("hint: ")).collect();
        assert_eq!(said.len(), 1, "{}", ran.stderr);
        assert!(said[0].len() < 700, "{}", ran.stderr);
        let skip = |path: &str| path.ends_with(".git/config") || path.contains("/cache/");
        let (before, after) = (picture(&ground.original, &skip), picture(project, &skip));
        let differ: Vec<_> = after.keys().filter(|path| before.get(*path) != after.get(*path)).collect();
        assert!(before == after, "{differ:?}");
    }
}

fn ways() -> [(Carrier, Version); 4] {
    [(GIT, V2), (GIT, V0), (HTTP, V2), (HTTP, V0)]
}

#[test]
fn an_honest_one_is_fetched_from_in_all_ways() {
    let story = Story::new();
    let ground = Ground::new(&story);
    let cases: Vec<_> = ways()
        .into_iter()
        .map(|(carrier, version)| case("honest", story.honest(), Fault::None, 0, "").over(carrier, version))
        .collect();
    run_all(&ground, &cases, &["vc", "pull"], |_, _, project| {
        assert!(project.join(".brv/context-tree/bread/new.md").is_file());
    });
}

#[test]
fn deltas_of_what_is_here_of_what_comes_later_and_of_deltas_are_resolved() {
    let story = Story::new();
    let ground = Ground::new(&story);
    // `# Old\n` and the text inserted after it
    let more = |before: u64, text: &str| {
        let length = u8::try_from(text.len()).unwrap();
        let copy = [&[0x90, u8::try_from(before).unwrap(), length], text.as_bytes()].concat();
        delta(before, before + u64::from(length), &copy)
    };
    let texts = ["# Old\n", "# Old\none\n", "# Old\none\ntwo\n", "# Old\none\ntwo\nthree\n"];
    let blobs = texts.map(|text| blob(text.as_bytes()));
    let root = tree(&[
        ("100644", "old.md", blobs[1].id),
        ("100644", "three.md", blobs[3].id),
        ("100644", "two.md", blobs[2].id),
    ]);
    let tip = commit(root.id, &[story.first.id]);
    let later = delta_by_name(blobs[2].id, &more(14, "three\n"));
    let thin = delta_by_name(blobs[0].id, &more(6, "one\n"));
    let near = delta_by_place(thin.len() as u64, &more(10, "two\n"));
    let pack = pack_of(5, &[later, thin, near, entry(&root), entry(&tip)]);
    let cases: Vec<_> = ways()
        .into_iter()
        .map(|(carrier, version)| {
            case("deltas", Story::wares(tip.id, pack.clone()), Fault::None, 0, "").over(carrier, version)
        })
        .collect();
    run_all(&ground, &cases, &["vc", "pull"], |_, _, project| {
        for (name, text) in ["old.md", "two.md", "three.md"].iter().zip(&texts[1..]) {
            let path = project.join(".brv/context-tree").join(name);
            assert_eq!(std::fs::read_to_string(path).unwrap(), *text);
        }
    });
}

fn broken_packs(story: &Story) -> Vec<Case> {
    let honest = pack(&story.rest());
    let mut damaged = honest.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    let mut garbled = honest.clone();
    garbled[40] ^= 0x55;
    let other = blob(b"something else");
    let wrong_root = commit(story.note.id, &[story.first.id]);
    let bad_tree = object(2, b"100644 no end");
    let of_bad_tree = commit(bad_tree.id, &[story.first.id]);
    let bad_commit = object(1, b"tree nothing\n\n");
    let orphan = commit(story.root.id, &[other.id]);
    let case = |name: &str, wares, words| case(name, wares, Fault::None, 9, words);
    let raw = |name: &str, entry: Vec<u8>, words| case(name, story.with(pack_of(1, &[entry])), words);
    let copy = |size| delta(size, size, &[0x90, u8::try_from(size).unwrap()]);
    let (a, b) = (blob(b"aaaa"), blob(b"bbbb"));
    vec![
        case("cut off in an object", story.with(honest[..honest.len() / 2].to_vec()), "is truncated"),
        case("cut off in the checksum", story.with(honest[..honest.len() - 5].to_vec()), "is truncated"),
        case("empty", story.with(Vec::new()), "is truncated"),
        case("no pack", story.with(b"<html>Sorry</html>".to_vec()), "the pack is not a pack"),
        case("a wrong checksum", story.with(damaged), "its checksum does not match"),
        case("garbled", story.with(garbled), "the pack "),
        case("no objects", story.with(pack(&[])), "the commit "),
        case("fewer objects", story.with(pack_of(9, &[entry(&story.note)])), "the pack "),
        raw("an unknown kind", lying_entry(5, 1, b"x"), "an unknown kind"),
        raw("kind nought", lying_entry(0, 1, b"x"), "an unknown kind"),
        raw("longer than it says", lying_entry(3, 3, b"longer"), "does not match its header"),
        raw("shorter than it says", lying_entry(3, 30, b"short"), "does not match its header"),
        raw("not compressed", [entry_head(3, 5), b"plain".to_vec()].concat(), "cannot be unpacked"),
        case("without the commit", story.with(pack(&[&story.root, &story.folder])), "the commit "),
        case("without the root", story.with(pack(&[&story.second, &story.note])), "the tree "),
        case("without a folder", story.with(pack(&[&story.second, &story.root, &story.note])), "the tree "),
        case(
            "another blob",
            story.with(pack(&[&story.second, &story.root, &story.folder, &other])),
            "the blob ",
        ),
        case(
            "a blob as a tree",
            Story::wares(wrong_root.id, pack(&[&wrong_root, &story.note])),
            "is not a tree",
        ),
        case(
            "a blob as a parent",
            Story::wares(orphan.id, pack(&[&orphan, &other, &story.root, &story.folder, &story.note])),
            "is not a commit",
        ),
        case("a broken tree", Story::wares(of_bad_tree.id, pack(&[&of_bad_tree, &bad_tree])), "is damaged"),
        case("a broken commit", Story::wares(bad_commit.id, pack(&[&bad_commit])), "is damaged"),
        raw("a delta of itself", delta_by_place(0, &copy(4)), "whose base is not in it"),
        raw("a delta of what is before the pack", delta_by_place(500, &copy(4)), "whose base is not in it"),
        raw("a delta of the header", delta_by_place(6, &copy(4)), "an invalid base"),
        raw("a delta of what nobody has", delta_by_name(a.id, &copy(4)), "cannot be unpacked"),
        case(
            "deltas of each other",
            story.with(pack_of(2, &[delta_by_name(b.id, &copy(4)), delta_by_name(a.id, &copy(4))])),
            "cannot be unpacked",
        ),
        case(
            "a delta of another base",
            story.with(pack_of(2, &[entry(&a), delta_by_place(entry(&a).len() as u64, &copy(9))])),
            "cannot be unpacked",
        ),
        case(
            "a delta that copies what is not there",
            story.with(pack_of(
                2,
                &[entry(&a), delta_by_place(entry(&a).len() as u64, &delta(4, 9, &[0x91, 200, 9]))],
            )),
            "cannot be unpacked",
        ),
        raw("a cut-off delta", delta_by_place(12, &[0x80]), "the pack has a delta"),
    ]
}

#[test]
fn a_broken_pack_is_refused_and_nothing_of_it_stays() {
    let story = Story::new();
    let ground = Ground::new(&story);
    let mut cases = broken_packs(&story);
    let (_, half) = (0, pack(&story.rest()));
    for (carrier, version) in ways() {
        let wares = story.with(half[..half.len() / 2].to_vec());
        cases.push(case("half a pack", wares, Fault::None, 9, "is truncated").over(carrier, version));
    }
    run_all(&ground, &cases, &["vc", "fetch"], refused(&ground));
}

fn bombs(story: &Story) -> Vec<Case> {
    let case = |name: &str, wares, words| case(name, wares, Fault::None, 6, words);
    let raw = |name: &str, entry: Vec<u8>, words| case(name, story.with(pack_of(1, &[entry])), words);
    let small = blob(&[b'x'; 1 << 16]);
    let (first, many) = (entry(&small), 100_000);
    // copies the base again and again
    let grown = |size: u64| delta(1 << 16, size, &[0x80].repeat(usize::try_from(size >> 16).unwrap()));
    let mut chain = vec![first.clone()];
    let mut tiny = vec![entry(&blob(b"x"))];
    let mut named = Vec::new();
    for number in 0..many {
        let before = tiny.last().unwrap().len() as u64;
        tiny.push(delta_by_place(before, &delta(1, 1, &[1, b'y'])));
        named.push(delta_by_name(object(3, &u32::to_be_bytes(number)).id, &delta(1, 1, &[1, b'y'])));
    }
    let big = 90 << 20;
    let bomb = grown(big);
    let same = delta(big, big, &[0xf0, 0, 0, 0x10].repeat(90));
    let bomb = delta_by_place(first.len() as u64, &bomb);
    let mut before = bomb.len() as u64;
    chain.push(bomb);
    for _ in 0..200 {
        let next = delta_by_place(before, &same);
        before = next.len() as u64;
        chain.push(next);
    }
    // nested trees, each with ten entries of the next
    let mut nested = vec![tree(&[("100644", "a.md", story.note.id)])];
    for _ in 0..12 {
        let below = nested.last().unwrap().id;
        let names: Vec<String> = (0..10).map(|number| format!("f{number}")).collect();
        nested.push(tree(&names.iter().map(|name| ("40000", name.as_str(), below)).collect::<Vec<_>>()));
    }
    let billions = commit(nested.last().unwrap().id, &[story.first.id]);
    nested.extend([story.note.clone(), billions.clone()]);
    let mut deep = vec![tree(&[("100644", "a.md", story.note.id)])];
    for _ in 0..20_000 {
        deep.push(tree(&[("40000", "f", deep.last().unwrap().id)]));
    }
    let bottomless = commit(deep.last().unwrap().id, &[story.first.id]);
    deep.extend([story.note.clone(), bottomless.clone()]);
    let pile = |objects: &[Object]| pack(&objects.iter().collect::<Vec<_>>());
    vec![
        raw("a blob of two gigabytes", entry_head(3, 2 << 30), "an object of 2147483648 bytes"),
        raw("a blob of 2^63 bytes", entry_head(3, 1 << 63), "an object of 9223372036854775808 bytes"),
        raw("a size without end", [vec![0xbf], vec![0xff; 50]].concat(), "an object of"),
        raw("a delta of 2^40 bytes", delta_by_name(small.id, &delta(4, 1 << 40, b"x")), "an object of"),
        raw("a base of 2^40 bytes", delta_by_name(small.id, &delta(1 << 40, 4, b"x")), "an object of"),
        case("four billion objects", story.with(pack_of(u32::MAX, &[])), "a pack of 4294967295 objects"),
        case("a delta bomb", story.with(pack_of(202, &chain)), "that unpacks to more than"),
        case("a chain by places", story.with(pack_of(many + 1, &tiny)), "a chain of more than"),
        case("a chain by names", story.with(pack_of(many, &named)), "that name their base by id"),
        case(
            "billions of files",
            Story::wares(billions.id, pile(&nested)),
            "a tree with more than 1000000 files",
        ),
        case("no bottom", Story::wares(bottomless.id, pile(&deep)), "nested more than"),
    ]
}

#[test]
fn a_bomb_is_refused_before_it_goes_off() {
    let story = Story::new();
    let ground = Ground::new(&story);
    let mut cases = bombs(&story);
    let zeros = vec![0; 64 << 20];
    let bomb = pack_of(1, &[lying_entry(3, 10, &zeros)]);
    cases.push(case("a zlib bomb", story.with(bomb), Fault::None, 9, "longer than its header says"));
    run_all(&ground, &cases, &["vc", "fetch"], refused(&ground));
}

fn floods(story: &Story) -> Vec<Case> {
    let id = story.second.id;
    let endless = |texts: &[&str]| Bytes::Endless(lines(texts));
    let reference = format!("{id} refs/heads/again\n");
    let (version, long) = ("version 2\n", format!("\u{1}{}", "x".repeat(1000)));
    let shallow = format!("shallow {}\n", story.note.id);
    let case = |name: &str, fault, words| case(name, story.honest(), fault, 6, words);
    let v0 = |case: Case| case.over(GIT, V0);
    vec![
        case("refs", Fault::List(endless(&[&reference])), "bytes of refs"),
        case("refs over http", Fault::List(endless(&[&reference])), "bytes of refs").over(HTTP, V2),
        case("capabilities", Fault::Greeting(endless(&[version, &long[1..]])), "bytes of refs"),
        case("capabilities on a band", Fault::Greeting(endless(&[version, &long])), "bytes of refs"),
        v0(case(
            "refs in the greeting",
            Fault::Greeting(endless(&[&format!("{id} HEAD\0x\n"), &reference])),
            "",
        )),
        v0(case(
            "acknowledgements",
            Fault::Negotiation(endless(&[&format!("ACK {id} common\n")])),
            "answers",
        )),
        v0(case("refusals", Fault::Negotiation(endless(&["NAK\n"])), "")),
        case(
            "where the history ends",
            Fault::Negotiation(Bytes::Opened(lines(&["shallow-info\n"]), lines(&[&shallow]))),
            "bytes of answers",
        ),
        case("words", Fault::Band(2, Bytes::Endless(b"counting\r".to_vec())), "bytes of messages"),
        case("words over http", Fault::Band(2, Bytes::Endless(b"on and on\n".to_vec())), "bytes of messages")
            .over(HTTP, V2),
        case("data behind the pack", Fault::Behind(Bytes::Endless(vec![0; 5000])), "after the pack"),
    ]
}

#[test]
fn what_has_no_end_is_ended() {
    let story = Story::new();
    let ground = Ground::new(&story);
    run_all(&ground, &floods(&story), &["vc", "fetch"], refused(&ground));
}

/// Invalid ref names; the first is rejected, and the error shows its name escaped.
const NAMES: [&str; 12] = [
    "refs/heads/\u{1b}[31mred",
    "refs/heads/bell\u{7}",
    "refs/heads/del\u{7f}",
    "refs/heads/a..b",
    "refs/heads/../../../config",
    "refs/heads/x.lock",
    "refs/heads/.hidden",
    "refs/heads/a@{1}",
    "refs/heads/a\\b",
    "refs/heads/a:b",
    "refs/heads//a",
    "config",
];

fn bad_lists(story: &Story) -> Vec<Case> {
    let id = story.second.id;
    let listed = |name: &str| {
        let mut wares = story.honest();
        wares.refs.push((name.as_bytes().to_vec(), id.to_string()));
        wares
    };
    let mut cases = Vec::new();
    let long = format!("refs/heads/{}", "x".repeat(60_000));
    cases.push(case("a name that no disk takes", listed(&long), Fault::None, 9, "not a valid ref name"));
    for name in NAMES {
        for version in [V0, V2] {
            let what = name.escape_debug().to_string();
            cases.push(case(what, listed(name), Fault::None, 9, "not a valid ref name").over(GIT, version));
        }
    }
    let list = |texts: &[&str]| Fault::List(Bytes::Once(lines(texts)));
    let greet = |bytes: &[u8]| Fault::Greeting(Bytes::Once(bytes.to_vec()));
    let case = |name: &str, fault, words| case(name, story.honest(), fault, 9, words);
    let v0 = |case: Case| case.over(GIT, V0);
    cases.extend([
        case("an id that is none", list(&["nothing refs/heads/main\n", "0000"]), ""),
        case("a short id", list(&["1234 refs/heads/main\n", "0000"]), ""),
        case("no name", list(&[&format!("{id}\n"), "0000"]), ""),
        case("an unknown attribute", list(&[&format!("{id} refs/heads/main run:me\u{1b}[2J\n"), "0000"]), ""),
        case(
            "an object that nobody has",
            list(&[&format!("{} refs/heads/main\n", story.note.id), "0000"]),
            "",
        ),
        case("a list that is cut off", Fault::List(Bytes::Once(lines(&[&format!("{id} HEAD\n")]))), ""),
        case("no greeting", greet(b""), ""),
        case("a greeting in html", greet(b"<html><body>Hello</body></html>"), ""),
        case("a greeting that is cut off", greet(b"000e"), ""),
        case("a length of three", greet(b"0003"), ""),
        case("a length that is too long", greet(b"fff5version 2"), ""),
        case("a length that is none", greet(b"zzzzversion 2\n"), ""),
        case(
            "an error without end",
            greet(&lines(&[&format!("ERR {}", "no ".repeat(20_000)), "0000"])),
            "no no",
        ),
        case("version 7", greet(&lines(&["version 7\n", "0000"])), ""),
        case(
            "an error with escapes",
            greet(&lines(&["ERR \u{1b}[31mgo away\u{7}\r\u{1b}]0;t\u{7}"])),
            "go away",
        ),
        v0(case("a list without capabilities", greet(&lines(&[&format!("{id} HEAD\n"), "0000"])), "")),
        v0(case("a symref that is none", Fault::Capability("symref=HEAD"), "")),
        v0(case(
            "a peeled tag of nothing",
            greet(&lines(&[&format!("{id} refs/tags/v^{{}}\0x\n"), "0000"])),
            "",
        )),
        case("a section that nobody knows", Fault::Negotiation(Bytes::Once(lines(&["surprise\n"]))), ""),
        case(
            "addresses of packs that nobody asked for",
            Fault::Negotiation(Bytes::Once(lines(&["packfile-uris\n", "x ext::sh -c true\n", "0001"]))),
            "",
        ),
        case("a band that there is not", Fault::Band(9, Bytes::Once(b"x".to_vec())), ""),
        case("no pack", Fault::NoPack, ""),
        v0(case("no pack", Fault::NoPack, "")),
        case("no pack", Fault::NoPack, "").over(HTTP, V2),
        case("no pack", Fault::NoPack, "").over(HTTP, V0),
    ]);
    cases.push(crate::misbehave::case(
        "other ids",
        story.honest(),
        Fault::Capability("object-format=sha256"),
        6,
        "SHA-256",
    ));
    cases
}

#[test]
fn a_list_of_refs_or_an_answer_that_is_wrong_is_refused() {
    let story = Story::new();
    let ground = Ground::new(&story);
    run_all(&ground, &bad_lists(&story), &["vc", "fetch"], refused(&ground));
}

#[test]
fn what_is_odd_but_harmless_comes_through_without_a_control_character() {
    let story = Story::new();
    let ground = Ground::new(&story);
    let mut dashed = story.honest();
    for name in ["refs/heads/-f", "refs/heads/--upload-pack=touch here", "refs/heads/-f\u{202e}x"] {
        dashed.refs.push((name.replace(' ', "_").into_bytes(), story.second.id.to_string()));
    }
    let mut twice = story.honest();
    twice.refs.push((b"refs/heads/main".to_vec(), story.first.id.to_string()));
    let noise = b"\x1b[31mcounting\x1b[0m 1%\r\x1b[2Jcounting 2%\r\x07\n\x1b]0;title\x07".to_vec();
    let mut cases = vec![
        case("dashes", dashed, Fault::None, 0, ""),
        case("twice", twice, Fault::None, 0, ""),
        case("an unknown capability", story.honest(), Fault::Capability("\u{1b}[31mrun=me"), 0, ""),
    ];
    for (carrier, version) in ways() {
        let fault = Fault::Band(2, Bytes::Once(noise.clone()));
        cases.push(case("progress", story.honest(), fault, 0, "").over(carrier, version));
    }
    let fatal = Fault::Band(3, Bytes::Once(b"\x1b[2Jfatal:\x07 no".to_vec()));
    cases.push(case("words on the band of errors", story.honest(), fatal, 0, "remote: fatal: no\n"));
    let ends = Bytes::Once(lines(&["shallow-info\n", &format!("shallow {}\n", story.first.id), "0001"]));
    cases.push(case("an end of what is here", story.honest(), Fault::Negotiation(ends), 0, ""));
    run_all(&ground, &cases, &["vc", "pull"], |_, _, project| {
        let tree = project.join(".brv/context-tree");
        assert!(tree.join("bread/new.md").is_file());
        assert!(!tree.join(".git/shallow").exists());
        assert_eq!(ground.env.git(&tree, &["rev-parse", "HEAD~1"]), story.first.id.to_string());
        ground.env.git(&tree, &["merge-base", "--is-ancestor", &story.first.id.to_string(), "origin/main"]);
    });
}

#[test]
fn a_head_that_leads_astray_leads_to_main() {
    let story = Story::new();
    let env = Env::new();
    let whole = story.before.iter().chain(story.rest()).collect::<Vec<_>>();
    for (number, head) in
        ["refs/heads/-f", "refs/heads/../../../config", "refs/tags/main", "HEAD", "refs/heads/absent", "../x"]
            .into_iter()
            .enumerate()
    {
        for version in [V0, V2] {
            let mut wares = Story::wares(story.second.id, pack(&whole));
            wares.head = head.into();
            let liar = Liar::start(GIT, version, wares, Fault::None);
            let name = format!("clone-{number}-{version:?}");
            let ran = env.brv(&["vc", "clone", &liar.url, &name]);
            assert_eq!(ran.code, 0, "{head}: {ran:?}");
            assert_harmless(&ran);
            let tree = env.path(&name).join(".brv/context-tree");
            assert_eq!(env.git(&tree, &["symbolic-ref", "HEAD"]), "refs/heads/main", "{head}");
            env.fsck(&tree);
        }
    }
}

#[test]
fn a_clone_of_a_bomb_leaves_no_folder() {
    let story = Story::new();
    let env = Env::new();
    for (number, case) in bombs(&story).into_iter().chain(broken_packs(&story)).enumerate() {
        if number % 4 != 0 {
            continue;
        }
        let liar = Liar::start(GIT, V2, case.wares, case.fault);
        let (ran, memory, _) = measured(&env, env.root(), &["vc", "clone", &liar.url, "new/fresh"]);
        assert_eq!(ran.code, case.expected.code, "{}: {ran:?}", case.name);
        assert!(memory < MEMORY_KIB, "{}: {memory} KiB", case.name);
        assert!(!env.path("new").exists(), "{}", case.name);
    }
}

#[test]
fn http_that_is_no_git_is_refused() {
    let story = Story::new();
    let ground = Ground::new(&story);
    let page = |text: &str| Fault::Page(Bytes::Once(text.replace('\n', "\r\n").into_bytes()));
    let mut cases: Vec<_> = [
        "ext::sh -c 'touch here' {target}",
        "ext://sh{target}",
        "file:///etc{target}",
        "git://127.0.0.1:1{target}",
        "ssh://-oProxyCommand=touch/here{target}",
        "ftp://127.0.0.1:1{target}",
        "http://127.0.0.1:1/elsewhere",
        "http://127.0.0.1:1{target}",
        "//\u{1b}[31m{target}",
        "{target}",
    ]
    .into_iter()
    .map(|to| case(format!("to {}", to.escape_debug()), story.honest(), Fault::Redirect(to.into()), 9, ""))
    .collect();
    cases.extend(
        [
            ("a page", page("HTTP/1.1 200 OK\nContent-Type: text/html\n\n<h1>Hello</h1>")),
            ("no http", page("SSH-2.0-OpenSSH_9.9\n")),
            ("an error", page("HTTP/1.1 500 \u{1b}[31mNo\nContent-Length: 0\n\n")),
            ("nothing", page("")),
            (
                "headers without end",
                Fault::Page(Bytes::Opened(b"HTTP/1.1 200 OK\r\n".to_vec(), b"X-Header: x\r\n".to_vec())),
            ),
            (
                "a page without end",
                Fault::Page(Bytes::Opened(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".to_vec(),
                    b"<b>on</b>".to_vec(),
                )),
            ),
            (
                "an error without end",
                Fault::Page(Bytes::Opened(b"HTTP/1.1 404 No\r\n\r\n".to_vec(), b"<b>on</b>".to_vec())),
            ),
        ]
        .map(|(name, fault)| case(name, story.honest(), fault, 9, "")),
    );
    let cases: Vec<_> = cases.into_iter().map(|case| case.over(HTTP, V2)).collect();
    run_all(&ground, &cases, &["vc", "fetch"], refused(&ground));
    assert!(!ground.env.path("here").exists());
}

fn reports(story: &Story) -> Vec<Case> {
    let case = |name: &str, fault, code, words| {
        let fault = Fault::Report(fault);
        case(name, story.begin(), fault, code, words)
    };
    let whole = |texts: &[&str]| Bytes::Once([lines(texts), b"0000".to_vec()].concat());
    let ours = "ok refs/heads/main\n";
    let rejected = "unpack index-pack died \u{1b}[31mof hunger\n";
    vec![
        case("yes", whole(&["unpack ok\n", ours]), 0, ""),
        case(
            "more than was asked",
            whole(&["unpack ok\n", ours, "ok refs/heads/other\n", "ng x y\n"]),
            0,
            "",
        ),
        case("nothing", Bytes::Once(Vec::new()), UNKNOWN, ""),
        case("garbage", Bytes::Once(b"<html>\x1b[2J".to_vec()), UNKNOWN, ""),
        case("cut off", Bytes::Once(b"000eunpack ok\n0019ok refs".to_vec()), UNKNOWN, ""),
        case("nothing of the ref", whole(&["unpack ok\n"]), UNKNOWN, ""),
        case("of another ref", whole(&["unpack ok\n", "ok refs/heads/mainly\n"]), UNKNOWN, ""),
        case("without the pack", whole(&[ours]), UNKNOWN, ""),
        case("not unpacked", whole(&[rejected, "ng refs/heads/main unpacker error\n"]), 9, ""),
        case("not unpacked and yet moved", whole(&[rejected, ours]), 9, ""),
        case("no", whole(&["unpack ok\n", "ng refs/heads/main \u{1b}[31mhook\u{7} says no\n"]), 9, ""),
        case("without end", Bytes::Endless(lines(&["unpack ok\n"])), UNKNOWN, ""),
    ]
}

#[test]
fn a_push_is_done_when_the_server_says_so_of_this_ref_and_not_before() {
    let story = Story::new();
    let ground = Ground::ahead(&story);
    let tracked = |tree: &Path| ground.env.git(tree, &["rev-parse", "origin/main"]);
    let check = |case: &Case, ran: &Ran, project: &Path| {
        let tree = project.join(".brv/context-tree");
        match case.expected.code {
            0 => assert_eq!(tracked(&tree), ground.env.git(&tree, &["rev-parse", "HEAD"])),
            code => {
                assert!(code == 9 || [6, 9].contains(&ran.code), "{ran:?}");
                assert_eq!(tracked(&tree), story.first.id.to_string());
            }
        }
    };
    let mut cases = reports(&story);
    cases.extend(reports(&story).into_iter().map(|case| case.over(HTTP, V0)));
    let hook = |bytes: Bytes| Fault::Hook(bytes);
    let words = Bytes::Endless(b"thinking\n".to_vec());
    cases.push(case("a hook without end", story.begin(), hook(words), UNKNOWN, ""));
    let words = Bytes::Endless(b"\x1b[31mthinking ".to_vec());
    cases.push(case("a line without end", story.begin(), hook(words), UNKNOWN, "bytes of messages"));
    run_all(&ground, &cases, &["vc", "push"], check);
}
