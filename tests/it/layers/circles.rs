//! Find import cycles between files of any module.
//!
//! A tie is a path from one file to another, by `use` or in the code; a name that a `mod.rs` re-exports ties to the
//! file that defines it. A `mod.rs` is tied to none of its own children: it
//! holds the types that they share and re-exports or calls their functions, so a folder counts as one module there.

use super::source::{CRATES, File, expand, files, imports, own_crate};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// The maximum number of source files in one folder.
const MOST_FILES: usize = 40;

/// `["git", "refs"]`
type Module = Vec<String>;

#[test]
fn no_file_imports_itself_round_a_corner() {
    let files = files();
    let house = House::of(&files);
    let mut faults = String::new();
    for circle in house.circles() {
        writeln!(faults, "a circle of {}:", circle.len()).unwrap();
        for module in &circle {
            let into = house.ties[*module].iter().filter(|other| circle.contains(*other));
            let into: Vec<String> = into.map(|other| other.join("::")).collect();
            writeln!(faults, "    {} -> {}", module.join("::"), into.join(", ")).unwrap();
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// At every level of `src`: a child is a file, or a folder with everything below it, and a `mod.rs` belongs to its
/// folder.
#[test]
fn no_two_children_of_a_folder_import_each_other_round_a_corner() {
    let mut faults = String::new();
    for arrows in arrows_between_children(&files()).values() {
        let mut ties: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for [from, to] in arrows.keys() {
            ties.entry(from.clone()).or_default().insert(to.clone());
            ties.entry(to.clone()).or_default();
        }
        for circle in (House { ties }).circles() {
            let names: Vec<String> = circle.iter().map(|child| child.join("::")).collect();
            writeln!(faults, "a circle of {}:", names.join(", ")).unwrap();
            let within = |[from, to]: &[Module; 2]| circle.contains(from) && circle.contains(to);
            for ([from, to], places) in arrows.iter().filter(|(arrow, _)| within(arrow)) {
                let last = |module: &Module| module.last().cloned().unwrap_or_default();
                writeln!(faults, "    {} -> {}: {}", last(from), last(to), places.join(" ")).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn no_folder_has_more_files_than_a_reader_looks_through() {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for file in files() {
        let folder = file.name.rsplit_once('/').map_or("", |(folder, _)| folder);
        *folders.entry(folder.to_owned()).or_default() += 1;
    }
    let crowded: Vec<_> = folders.iter().filter(|(_, count)| **count > MOST_FILES).collect();
    assert!(crowded.is_empty(), "{crowded:#?}");
}

/// The arrows between the children of one folder, each with the places (file and line) that draw it.
type Arrows = BTreeMap<[Module; 2], Vec<String>>;

/// For each folder, what its children import of each other.
fn arrows_between_children(files: &[File]) -> BTreeMap<Module, Arrows> {
    let modules: BTreeSet<&Module> = files.iter().map(|file| &file.module).collect();
    let handed_on: HashMap<Vec<String>, Vec<String>> = files.iter().flat_map(handed_on).collect();
    let mut found: BTreeMap<Module, Arrows> = BTreeMap::new();
    for file in files {
        for (line, path) in imports(file) {
            let Some(other) = home_of(&path, &modules, &handed_on) else { continue };
            let shared = file.module.iter().zip(&other).take_while(|(own, other)| own == other).count();
            // a folder and what is in it are not two children
            if shared == file.module.len() || shared == other.len() {
                continue;
            }
            let arrow = [file.module[..=shared].to_vec(), other[..=shared].to_vec()];
            let places = found.entry(file.module[..shared].to_vec()).or_default().entry(arrow).or_default();
            let place = format!("{}:{line}", file.name);
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    found
}

/// The ties between modules.
struct House {
    ties: BTreeMap<Module, BTreeSet<Module>>,
}

impl House {
    fn of(files: &[File]) -> Self {
        let modules: BTreeSet<&Module> = files.iter().map(|file| &file.module).collect();
        let handed_on: HashMap<Vec<String>, Vec<String>> = files.iter().flat_map(handed_on).collect();
        let mut ties: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for file in files.iter().filter(|file| !file.module.is_empty()) {
            let own = ties.entry(file.module.clone()).or_default();
            for (_, path) in imports(file) {
                let Some(other) = home_of(&path, &modules, &handed_on) else { continue };
                let is_child = file.name.ends_with("/mod.rs") && other.starts_with(&file.module);
                if other != file.module && !is_child {
                    own.insert(other);
                }
            }
        }
        Self { ties }
    }

    /// Each set of two or more modules that reach each other.
    fn circles(&self) -> Vec<BTreeSet<&Module>> {
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            self.ties.keys().map(|module| (module, self.reached_from(module))).collect();
        let mut circles: Vec<BTreeSet<&Module>> = Vec::new();
        for (module, others) in &reached {
            let is_known = circles.iter().any(|circle| circle.contains(module));
            if others.contains(module) && !is_known {
                circles
                    .push(others.iter().filter(|other| reached[*other].contains(module)).copied().collect());
            }
        }
        circles
    }

    fn reached_from(&self, module: &Module) -> BTreeSet<&Module> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&Module> = self.ties[module].iter().collect();
        while let Some(module) = next.pop() {
            if let Some((module, ties)) = self.ties.get_key_value(module)
                && reached.insert(module)
            {
                next.extend(ties);
            }
        }
        reached
    }
}

/// The names that a file re-exports by `pub use`, each with the path that it stands for.
fn handed_on(file: &File) -> Vec<(Vec<String>, Vec<String>)> {
    let code = file.lines.join("\n");
    let mut found = Vec::new();
    for statement in code.split(';') {
        let Some((before, path)) = statement.rsplit_once("use ") else { continue };
        let word = before.rsplit('\n').next().unwrap_or_default().trim();
        if !word.starts_with("pub") {
            continue;
        }
        let mut base = file.module.clone();
        let mut path = path.trim();
        if let Some(rest) = path.strip_prefix("crate::") {
            (base, path) = (own_crate(&file.module), rest);
        }
        if let Some((name, rest)) = path.strip_prefix("brv_").and_then(|path| path.split_once("::"))
            && CRATES.contains(&name)
        {
            (base, path) = (vec![name.to_owned()], rest);
        }
        path = path.strip_prefix("self::").unwrap_or(path);
        while let Some(rest) = path.strip_prefix("super::") {
            base.pop();
            path = rest;
        }
        expand(path, &base, &mut |target| {
            if let Some(name) = target.last() {
                found.push(([file.module.clone(), vec![name.clone()]].concat(), target.clone()));
            }
        });
    }
    found.retain(|(name, target)| name != target);
    found
}

/// The file that a path resolves to, through re-exports.
fn home_of(
    path: &[String],
    modules: &BTreeSet<&Module>,
    handed_on: &HashMap<Vec<String>, Vec<String>>,
) -> Option<Module> {
    let mut path: Vec<String> = path.iter().filter(|part| *part != "self").cloned().collect();
    // names are re-exported a few times at most
    for _ in 0..8 {
        let home = (1..=path.len()).rev().find(|end| modules.contains(&path[..*end].to_vec()))?;
        match path.get(..=home).and_then(|name| handed_on.get(name)) {
            Some(target) => path = [target.as_slice(), &path[home + 1..]].concat(),
            None => return Some(path[..home].to_vec()),
        }
    }
    None
}

fn file(name: &str, text: &str) -> File {
    File {
        name: format!("src/{name}.rs"),
        module: name.trim_end_matches("/mod").split('/').map(Into::into).collect(),
        lines: text.lines().map(Into::into).collect(),
    }
}

#[test]
fn folders_that_import_each_other_are_found_with_the_lines_that_do() {
    let files = [
        file("room/mod", "pub mod left;\npub mod right;\npub use left::deep::Deep;"),
        file("room/left/mod", "pub mod deep;\npub mod flat;"),
        file("room/left/deep", "pub struct Deep;"),
        file("room/left/flat", "\nuse crate::room::right::one;"),
        file("room/right/mod", "pub mod one;\npub mod two;"),
        file("room/right/one", ""),
        file("room/right/two", "use crate::room::Deep;"),
    ];
    let arrows = &arrows_between_children(&files)[&vec!["room".to_owned()]];
    let arrows: Vec<(String, String)> = arrows
        .iter()
        .map(|([from, to], places)| (format!("{} {}", from[1], to[1]), places.join(" ")))
        .collect();
    assert_eq!(
        arrows,
        [
            ("left right".to_owned(), "src/room/left/flat.rs:2".to_owned()),
            ("right left".to_owned(), "src/room/right/two.rs:1".to_owned()),
        ]
    );
}

#[test]
fn a_circle_is_found_through_names_that_are_handed_on() {
    let files = [
        file("room/mod", "pub mod a;\nmod b;\npub use b::Thing;"),
        file("room/a", "use super::Thing;"),
        file("room/b", "fn f() { crate::room::a::g() }"),
        file("room/c", "use super::a;"),
    ];
    let house = House::of(&files);
    let circles = house.circles();
    assert_eq!(circles.len(), 1);
    let names: Vec<String> = circles[0].iter().map(|module| module.join("/")).collect();
    assert_eq!(names, ["room/a", "room/b"]);
}
