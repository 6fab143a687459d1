//! Fuzzing: fixtures, changed at random, must pass the laws of `tests/fuzz/laws.rs`.
//!
//! `BRV_FUZZ_SECONDS=600 cargo test --test it fuzzed::` runs for that long, with new numbers each second; a failing
//! input is reduced as far as possible and printed.

#[path = "../fuzz/laws.rs"]
mod laws;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// The number of rounds without `BRV_FUZZ_SECONDS`.
const TIMES: u64 = 150;
/// The maximum number of examples of one fault.
const EACH: usize = 4;

/// Laws known to be broken, with an example each. They are printed, but fail no test.
const OPEN: [&str; 3] = [
    // base "# a\nb\n", ours "# a c\nd\nb\ne\n", theirs "# a\nb\nf\n": a block placed where the other side changed what
    // precedes it
    "merge, a second merge of theirs changes nothing",
    "merge, a second merge of ours changes nothing",
    // base "a\n", ours "---\nb: c\n---\na\n", theirs "---\nd\n", an unclosed fence
    "merge, there is as much to decide both ways",
];

type Triple = [Vec<u8>; 3];

/// Return the broken law, if any.
type Check<'a> = &'a dyn Fn() -> Result<(), String>;

#[test]
fn changed_fixtures_keep_the_laws() {
    let seeds = seeds();
    assert!(seeds.len() > 100, "{} fixtures", seeds.len());
    let until = std::env::var("BRV_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let first: u64 =
        std::env::var("BRV_FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or_default();
    let mut found: Vec<(String, Triple)> = Vec::new();
    let mut number = 0;
    while until.map_or(number < TIMES, |until| Instant::now() < until) {
        let triple = changed(&seeds, &mut Random(first.wrapping_add(number)));
        if let Some(fault) = fault(&triple)
            && found.iter().filter(|(known, _)| kind(known) == kind(&fault)).count() < EACH
        {
            let small = smaller(triple, kind(&fault));
            let fault = self::fault(&small).unwrap_or(fault);
            println!("{fault}\n{}", shown(&small));
            found.push((fault, small));
        }
        number += 1;
    }
    println!("{number} triples");
    found.retain(|(fault, _)| !OPEN.contains(&kind(fault)));
    assert!(found.is_empty(), "{} laws are broken, of {number} triples", found.len());
}

fn shown(triple: &Triple) -> String {
    let [base, ours, theirs] = triple.each_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    format!("  base   {base:?}\n  ours   {ours:?}\n  theirs {theirs:?}")
}

/// The kind of fault, without its details.
fn kind(fault: &str) -> &str {
    fault.split(':').next().unwrap_or_default()
}

fn fault(triple: &Triple) -> Option<String> {
    let [base, ours, theirs] = triple;
    let checks: [(&str, Check<'_>); 3] = [
        ("document", &|| triple.iter().try_for_each(|bytes| laws::document(bytes))),
        ("merge", &|| laws::three(base, ours, theirs)),
        ("diff", &|| laws::difference(ours, theirs)),
    ];
    checks.into_iter().find_map(|(name, check)| match catch_unwind(AssertUnwindSafe(check)) {
        Ok(held) => held.err().map(|law| format!("{name}, {law}")),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            Some(format!(
                "{name} panics: {}",
                text.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default()
            ))
        }
    })
}

/// Reduce the input to as few lines as still show the fault.
fn smaller(mut triple: Triple, wanted: &str) -> Triple {
    let is_same = |triple: &Triple| fault(triple).is_some_and(|fault| kind(&fault) == wanted);
    let mut tries = 0;
    let mut size = 16;
    while size > 0 {
        let mut is_smaller = false;
        // the same line of all three, then lines of one
        for part in 0..4 {
            let mut at = 0;
            while at < triple.iter().map(|bytes| lines(bytes).len()).max().unwrap_or_default() && tries < 4000
            {
                let mut next = triple.clone();
                if part < 3 {
                    next[part] = without(&next[part], at, size);
                } else {
                    let gone: Vec<Vec<u8>> =
                        lines(&triple[0]).into_iter().skip(at).take(size).map(<[u8]>::to_vec).collect();
                    for bytes in &mut next {
                        *bytes = lines(bytes)
                            .into_iter()
                            .filter(|line| !gone.iter().any(|one| one == line))
                            .collect::<Vec<_>>()
                            .concat();
                    }
                }
                tries += 1;
                if next != triple && is_same(&next) {
                    triple = next;
                    is_smaller = true;
                } else {
                    at += size;
                }
            }
        }
        if !is_smaller {
            size /= 2;
        }
    }
    triple
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn without(bytes: &[u8], at: usize, count: usize) -> Vec<u8> {
    let lines = lines(bytes);
    let kept = lines.iter().enumerate().filter(|(number, _)| !(at..at + count).contains(number));
    kept.map(|(_, line)| *line).collect::<Vec<_>>().concat()
}

/// The merge cases, and every other document three times.
fn seeds() -> Vec<Triple> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut seeds = Vec::new();
    for folder in ["merge", "merge-known-wrong"] {
        let Ok(cases) = std::fs::read_dir(root.join(folder)) else { continue };
        let mut cases: Vec<_> = cases.map(|case| case.unwrap().path()).filter(|path| path.is_dir()).collect();
        cases.sort();
        let read = |path: &Path, name: &str| std::fs::read(path.join(name)).unwrap_or_default();
        seeds.extend(
            cases.iter().map(|path| ["base.md", "ours.md", "theirs.md"].map(|name| read(path, name))),
        );
    }
    let mut documents: Vec<_> =
        std::fs::read_dir(root.join("docs")).unwrap().map(|file| file.unwrap().path()).collect();
    documents.sort();
    for path in documents.into_iter().filter(|path| path.is_file()) {
        let bytes = std::fs::read(path).unwrap();
        seeds.push([bytes.clone(), bytes.clone(), bytes]);
    }
    seeds
}

/// SplitMix64: the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }
}

fn changed(seeds: &[Triple], random: &mut Random) -> Triple {
    random.next();
    let mut triple = seeds[random.below(seeds.len())].clone();
    for _ in 0..random.below(6) {
        let at = random.below(5);
        match at {
            // the same change to all three
            3 | 4 => {
                let seed = random.next();
                triple.iter_mut().for_each(|bytes| change(bytes, seeds, &mut Random(seed)));
            }
            _ => change(&mut triple[at], seeds, random),
        }
    }
    triple
}

/// Text that is unusual, or has a special meaning.
const ODD: [&[u8]; 26] = [
    b"\r\n",
    b"\r",
    b"\n",
    b"\n\n",
    b"\t",
    b"    ",
    b"---\n",
    b"```\n",
    b"~~~",
    b"<<<<<<< ours\n",
    b"=======\n",
    b">>>>>>> theirs\n",
    b"||||||| base\n",
    b"\xef\xbb\xbf",
    b"\0",
    b"\xff",
    b"\xe2\x80\xae",
    b"## Facts\n",
    b"- **a**: b\n",
    b"- ",
    b"1. ",
    b"| a | b |\n| --- | --- |\n",
    b"<div>\n",
    b"\n===\n",
    b"disputed: [a]\n",
    b"tags:\n  - a\n",
];

/// One random change of the bytes.
fn change(bytes: &mut Vec<u8>, seeds: &[Triple], random: &mut Random) {
    let all = lines(bytes).into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>();
    let at = random.below(all.len() + 1);
    let place = random.below(bytes.len() + 1);
    let mut put = |at: usize, new: &[Vec<u8>]| {
        let mut all = all.clone();
        all.splice(at..at, new.iter().cloned());
        *bytes = all.concat();
    };
    match random.below(10) {
        0 => put(at, &[all.get(random.below(all.len())).cloned().unwrap_or_default()]),
        1 => {
            let other = &seeds[random.below(seeds.len())][random.below(3)];
            let other = lines(other);
            let start = random.below(other.len());
            let new: Vec<Vec<u8>> =
                other.iter().skip(start).take(1 + random.below(4)).map(|line| line.to_vec()).collect();
            put(at, &new);
        }
        2 => *bytes = without(bytes, at, 1 + random.below(3)),
        3 => {
            let to = random.below(all.len());
            let mut all = all;
            if at < all.len() {
                let line = all.remove(at);
                all.insert(to, line);
            }
            *bytes = all.concat();
        }
        4 => bytes.truncate(place),
        5 | 6 => drop(bytes.splice(place..place, ODD[random.below(ODD.len())].iter().copied())),
        7 => put(at, &[ODD[random.below(ODD.len())].to_vec()]),
        8 => {
            if let Some(byte) = bytes.get_mut(place) {
                *byte = b"ab -#*|`<.\n0:["[random.below(14)];
            }
        }
        _ => {
            let end = (place + random.below(12)).min(bytes.len());
            bytes.drain(place..end);
        }
    }
}
