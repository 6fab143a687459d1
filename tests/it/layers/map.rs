//! The map of the house, on the first screen of CONTRIBUTING and of the crate's documentation.

use std::path::Path;

#[test]
fn the_map_is_the_same_in_both_places_and_names_every_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let page = read("CONTRIBUTING.md");
    let map = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let documentation: String = read("src/lib.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"])
        .collect();
    assert!(documentation.contains(map), "src/lib.rs has another map than CONTRIBUTING");
    assert!(map.lines().count() <= 15);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let documentation = words(&documentation);
    let after_map = page.split("```").nth(2).unwrap();
    for paragraph in after_map.split("\n- ").skip(1) {
        let paragraph = words(paragraph.split("\n\n").next().unwrap());
        assert!(documentation.contains(&paragraph), "src/lib.rs does not say: {paragraph}");
    }
    for child in std::fs::read_dir(root.join("src")).unwrap().map(|child| child.unwrap()) {
        let folder = format!("{}/", child.file_name().to_str().unwrap());
        assert!(!child.path().is_dir() || map.contains(&folder), "the map lacks src/{folder}");
    }
}
