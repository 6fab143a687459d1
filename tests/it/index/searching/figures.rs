//! The figures of an index are asked once a minute, and kept where nobody else reads them.

use super::super::engine::{Engine, Family};
use super::{Organisation, entry, places};
use std::path::PathBuf;

const SOON: (&str, &str) = ("BRV_CLOCK", "2023-11-14T22:14:19Z");
const LATER: (&str, &str) = ("BRV_CLOCK", "2023-11-14T22:14:20Z");
const BEFORE: (&str, &str) = ("BRV_CLOCK", "2023-11-14T22:13:19Z");

impl Organisation {
    /// How many requests a search sends, at a time.
    fn requests_at(&self, time: &[(&str, &str)], arguments: &[&str]) -> usize {
        self.engine.forget_calls();
        let ran = self.env.brv_with(time, &[&["index", "search", "--json"], arguments].concat());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let calls = self.engine.calls().len();
        assert_eq!(super::envelope(&ran)["data"]["stats"]["requests"], calls);
        calls
    }

    fn figures(&self) -> Vec<PathBuf> {
        let folder = self.env.path("home/.cache/brv/index-figures-1");
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }
}

#[test]
fn figures_are_kept_for_a_minute_and_new_words_are_asked_for_alone() {
    let organisation = Organisation::small();
    let first = organisation.requests_at(&[], &["card retries"]);
    let again = organisation.requests_at(&[], &["card retries"]);
    // files, their texts, those beside them, marks; at first also whose index it is, its version and its figures
    assert_eq!((first, again), (7, 4));
    assert_eq!(organisation.requests_at(&[], &["retries of gateways"]), 5);
    assert_eq!(organisation.requests_at(&[SOON], &["card gateways"]), 4);
    assert_eq!(organisation.requests_at(&[LATER], &["card retries"]), 7);
    // a clock that was set back
    assert_eq!(organisation.requests_at(&[BEFORE], &["card retries"]), 7);
    // another text counts after the minute only
    organisation.add("ops", &[entry("cards/lost.md", "Lost cards", "A lost card is blocked.")]);
    organisation.push();
    let documents = |time: (&str, &str)| {
        let ran = organisation.env.brv_with(&[time], &["index", "search", "lost card", "--json"]);
        let data = super::envelope(&ran)["data"].clone();
        (places(&data)[0].clone(), data["stats"]["documents"].as_u64().unwrap())
    };
    let found = "ops/cards/lost.md".to_owned();
    assert_eq!(documents(("BRV_CLOCK", "2023-11-14T22:14:00Z")), (found.clone(), 4));
    assert_eq!(documents(("BRV_CLOCK", "2023-11-14T22:15:00Z")), (found, 5));
}

#[test]
fn kept_figures_are_private_and_damaged_ones_are_asked_for_again() {
    let organisation = Organisation::small();
    let first = organisation.search(&["card retries"]);
    let files = organisation.figures();
    let [file] = &files[..] else { panic!("{files:?}") };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let kept = std::fs::read_to_string(file).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(!name.contains("127") && kept.contains("\"documents\":4"), "{name} {kept}");
    let far = kept.replace("\"at\":1700000000", "\"at\":9223372036854775807");
    assert_ne!(far, kept);
    for damaged in ["", "{", "[]", "null", "\u{0}\u{0}", "{\"at\":1700000000}", &kept[..kept.len() / 2], &far]
    {
        std::fs::write(file, damaged).unwrap();
        assert_eq!(organisation.requests_at(&[], &["card retries"]), 7, "{damaged}");
        assert_eq!(organisation.search(&["card retries"])["results"], first["results"], "{damaged}");
    }
    // what cannot be kept is asked for again
    std::fs::remove_file(file).unwrap();
    std::fs::create_dir(file).unwrap();
    assert_eq!(organisation.requests_at(&[], &["card retries"]), 7);
}

#[test]
fn indexes_and_engines_have_figures_of_their_own() {
    let organisation = Organisation::small();
    let push = |arguments: &[&str]| {
        let ran = organisation.env.brv(&[&["index", "push", "--remotes"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    let one = organisation.remote("shop").display().to_string();
    std::fs::write(organisation.env.path("one.txt"), format!("{one} - - alone\n")).unwrap();
    push(&["one.txt", "--index", "second"]);
    let other = Engine::start(Family::Elasticsearch);
    push(&["one.txt", "--engine", &other.url]);
    let documents =
        |arguments: &[&str]| organisation.search(arguments)["stats"]["documents"].as_u64().unwrap();
    for _ in 0..2 {
        assert_eq!(documents(&["carts"]), 4);
        assert_eq!(documents(&["carts", "--index", "second"]), 2);
        assert_eq!(documents(&["carts", "--engine", &other.url]), 2);
    }
    assert_eq!(organisation.figures().len(), 3);
    // another engine behind the same host is asked whose index that is
    organisation.engine.forget_calls();
    organisation
        .refused(9, &["index", "search", "carts", "--engine", &format!("{}/es", organisation.engine.url)]);
    assert_eq!(organisation.engine.calls()[0].path, "/es/brv/_mapping");
    // the same engine by another spelling of its address is the same one
    assert_eq!(documents(&["carts", "--engine", &format!("{}/", organisation.engine.url)]), 4);
    assert_eq!(organisation.figures().len(), 3);
}
