//! Property tests that every document must pass, over random ones.

use proptest::prelude::*;

use super::edit::Effect;
use super::*;

/// Pieces that make envelopes, fields and blocks meet in every order.
const PIECES: [&str; 64] = [
    "---\n",
    "---\r\n",
    "---",
    "\u{feff}",
    "title: a\n",
    "title: \"a\" # c\n",
    "title:\n",
    "tags: [a, b]\n",
    "tags: []\n",
    "tags:\n- a\n- b\n",
    "tags:\n  - a # c\n\n",
    "summary: |\n  x\n\n",
    "summary: a\r\n",
    "x: {a: b}\n",
    "x: &x 1\n",
    "y: *x\n",
    "z: !t a\n",
    "? k\n: v\n",
    "a: b: c\n",
    "\tx: y\n",
    "# c\n",
    "tags: [a,\n  b]\n",
    "tags: [a, # c\n b]\n",
    "\n",
    "\r\n",
    "\r",
    "\0",
    "  ",
    "\t",
    "# H\n",
    "## Facts\n",
    "### H ###\r\n",
    "H\n===\n",
    "H\n---\n",
    "- **s**: x [team]\n",
    "- a\n",
    "  - b\n",
    "1. c\n",
    "* \n",
    "```\n",
    "```rs\n",
    "~~~~\n",
    "> q\n",
    "| a |\n|---|\n",
    "| b |\n",
    "[r]: x.md\n",
    "<div>\n",
    "<!--\n",
    "-->\n",
    "    code\n",
    "***\n",
    "text\n",
    "text",
    "[a](b.md) ",
    "`",
    "@a/b.md\n",
    "## Relations\n",
    "<<<<<<< a\n",
    "=======\n",
    ">>>>>>> b\n",
    "é漢",
    "**Task:** t\n",
    "## Raw Concept\n",
    "'",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(0..PIECES.len(), 0..24).prop_map(|at| at.into_iter().map(|at| PIECES[at]).collect())
}

/// YAML noise between fences.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    const TOKENS: [&str; 32] = [
        "a", "b: ", ":", " ", "\n", "\r\n", "- ", "-", "#", " #", "[", "]", "{", "}", ",", "\"", "'", "|",
        ">-", "&a", "*a", "!t ", "%", "@", "? ", "\t", "é", "...", "<<: ", "\n  ", "tags:", "\\",
    ];
    let tokens = prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..16);
    tokens.prop_map(|tokens| format!("---\nk: {}\n---\n", tokens.concat()).into_bytes())
}

/// Bytes of every kind: noise, pieces, and pieces with broken bytes between them.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let broken = (pieces(), any::<u8>(), pieces())
        .prop_map(|(a, byte, b)| [a.as_bytes(), &[byte], b.as_bytes()].concat());
    let fenced = (pieces(), pieces()).prop_map(|(a, b)| format!("---\n{a}---\n{b}").into_bytes());
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..64),
        pieces().prop_map(String::into_bytes),
        broken,
        fenced,
        noise()
    ]
}

/// Frontmatter as people and tools write it, and a body.
fn ordinary() -> impl Strategy<Value = String> {
    let title = prop::sample::select(
        &["", "title: a\n", "title: 'it''s' # c\n", "title: \"x: y\"\n", "title: |-\n  a\n  b\n"][..],
    );
    let summary = prop::sample::select(
        &["", "# c\nsummary: s\n", "summary:\n", "summary: >\n  folded\n  text\n\n"][..],
    );
    let tags = prop::sample::select(
        &[
            "",
            "tags:\n",
            "tags: []\n",
            "tags: [a, \"b c\", 'd']\n",
            "tags: [ a,b , ]\n",
            "tags:\n- a\n- b # c\n",
            "tags:\n  - 'a'\n\n  # c\n  - b\n",
            "tags: [\n  a,\n  b\n]\n",
            "tags: [1.0, null, true]\n",
        ][..],
    );
    let other = prop::sample::select(
        &["", "own: {a: [b]}\n", "own:\n  deep:\n    - x: 1\n      y: 2\n", "\"own\": 0x1F\n\n# end\n"][..],
    );
    let ends = prop::sample::select(&["\n", "\r\n"][..]);
    (title, summary, tags, other, ends, pieces(), any::<bool>()).prop_map(|(a, b, c, d, end, body, swap)| {
        let fields = if swap { [d, c, a, b].concat() } else { [a, b, c, d].concat() };
        format!("---\n{fields}---\n{body}").replace("\r\n", "\n").replace('\n', end)
    })
}

/// Pieces with the sections of an entry between them.
fn sections() -> impl Strategy<Value = Vec<u8>> {
    let titles = [
        "\n## Raw Concept\n",
        "\n**Files:** a  b, `c`\n",
        "**Changes:**\n- a   b\n\n",
        "\n## Narrative\n\n",
        "\n### Rules\n",
        "# Narrative\n",
        "\n### Structure\n\n",
        "\n## Snippets\n\n",
        "\n## Facts\n",
    ];
    let title = prop::sample::select(titles.to_vec()).prop_map(str::to_owned);
    let piece = prop::sample::select(&PIECES[..]).prop_map(str::to_owned);
    let parts = prop::collection::vec(prop_oneof![title, piece], 0..16);
    parts.prop_map(|parts| parts.concat().into_bytes())
}

fn value() -> impl Strategy<Value = String> {
    let nasty = [
        "",
        " a ",
        "null",
        "0012",
        "NO",
        "a: b",
        "it's",
        "say \"so\"",
        "a #b",
        "- a",
        "[x",
        "a, b",
        "\u{2028}",
        "\u{feff}",
        "a\nb",
        "\\",
        "true",
        "1.10",
        "漢字",
        "&a",
        "!b",
        "---",
        "\u{7f}",
        "\u{85}",
        "%",
        "@x",
        "a:",
    ];
    prop_oneof![prop::sample::select(nasty.to_vec()).prop_map(str::to_owned), ".{0,10}", "[ -~]{0,10}"]
}

/// The bytes outside the frontmatter text, the fences included.
fn outside(document: &Document) -> (Vec<u8>, Vec<u8>) {
    let bytes = document.as_bytes();
    match &document.envelope.frontmatter {
        Some(fenced) => (bytes[..fenced.text.start].to_vec(), bytes[fenced.text.end..].to_vec()),
        None => (Vec::new(), document.body_bytes().to_vec()),
    }
}

proptest! {
    #![proptest_config(crate::cases::held_to(256))]

    #[test]
    fn rendering_gives_back_what_was_parsed_and_reading_never_panics(bytes in bytes()) {
        let document = Document::parse(bytes.clone());
        let _ = (document.problems().to_vec(), document.meta(), document.title(), document.attributes());
        let _ = (document.facts(), document.links(), document.conflicts(), document.concept());
        let _ = format!("{document:?} {:?}", document.frontmatter());
        prop_assert_eq!(document.text().len(), bytes.len());
        prop_assert_eq!(document.as_bytes(), &bytes[..]);
        prop_assert_eq!(document.into_bytes(), bytes);
    }

    #[test]
    fn an_outline_beside_another_is_that_of_the_whole(
        head in pieces(), old in pieces(), new in pieces(), tail in pieces(),
    ) {
        let [known, body] = [old, new].map(|middle| format!("{head}{middle}{tail}").replace(['\r', ':'], ""));
        if let Some((outline, middle)) = beside::read(&known, &Outline::of(&known), &body) {
            prop_assert_eq!(&outline, &Outline::of(&body));
            let counts = [outline.blocks().len(), Outline::of(&known).blocks().len()];
            prop_assert_eq!(counts[0] - middle.other.end, counts[1] - middle.known.end);
            prop_assert_eq!(middle.other.start, middle.known.start);
        }
    }

    #[test]
    fn blocks_and_sections_tile_the_body(bytes in bytes()) {
        let document = Document::parse(bytes);
        let (body, outline) = (document.body(), document.outline());
        let mut at = 0;
        for block in outline.blocks() {
            prop_assert_eq!(block.span.start, at);
            prop_assert!(block.span.start < block.span.end && block.content.end <= block.span.end);
            prop_assert!(at == 0 || body[..at].ends_with(['\n', '\r']));
            prop_assert!(block.content.start >= at && body[at..block.content.start].trim().is_empty());
            prop_assert!(body[block.content.end..block.span.end].trim().is_empty());
            at = block.span.end;
        }
        prop_assert_eq!(at, body.len());
        let mut at = 0;
        for section in outline.sections() {
            prop_assert_eq!(section.heading.start, at);
            prop_assert_eq!(section.heading.end, section.content.start);
            at = section.content.end;
        }
        prop_assert_eq!(at, body.len());
    }

    #[test]
    fn facts_and_links_are_where_they_say(bytes in bytes()) {
        let document = Document::parse(bytes);
        for fact in document.facts() {
            let text = document.body()[fact.span].split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert!(text.contains(&fact.statement));
        }
        for span in document.links().into_iter().filter_map(|link| link.span) {
            prop_assert!(document.body().get(span).is_some());
        }
    }

    #[test]
    fn a_value_that_was_set_reads_back_and_nothing_else_changes(text in ordinary(), value in value(), at in 0..5_usize) {
        let key = ["title", "summary", "createdAt", "status", "newKey"][at];
        let before = Document::parse(text);
        let mut after = before.clone();
        prop_assert!(after.set_scalar(key, value.as_str()).is_ok());
        let read_again = Document::parse(after.as_bytes());
        prop_assert_eq!(read_again.field(key).and_then(Value::as_str), Some(value.as_str()));
        prop_assert_eq!(outside(&before), outside(&read_again));
        for (name, value) in before.fields().iter().filter(|(name, _)| name.as_str() != Some(key)) {
            let name = name.as_str().expect("names are texts");
            prop_assert_eq!(read_again.field(name), Some(value));
            prop_assert_eq!(read_again.field_lines(name), before.field_lines(name));
        }
        prop_assert_eq!(after.set_scalar(key, value.as_str()), Ok(Effect::Unchanged));
    }

    #[test]
    fn an_item_added_and_removed_again_leaves_the_bytes_as_they_were(text in ordinary(), value in value()) {
        let before = Document::parse(text);
        let mut after = before.clone();
        let nulls = matches!(before.field("tags"), Some(Value::List(items)) if items.contains(&Value::Null));
        match after.add_to_list("tags", &value) {
            Ok(Effect::Changed) => {
                prop_assert_eq!(outside(&before), outside(&after));
                prop_assert_eq!(after.meta().tags.last().cloned(), Some(value.clone()));
                prop_assert_eq!(after.remove_from_list("tags", &value), Ok(Effect::Changed));
                let had = before.field("tags").is_some_and(|tags| !tags.to_list().is_empty());
                prop_assert!(!had || before.as_bytes() == after.as_bytes(), "{:?}", after);
            }
            Ok(Effect::Unchanged) => prop_assert!(before.meta().tags.contains(&value)),
            Err(error) => prop_assert!(nulls, "{error}"),
        }
    }

    #[test]
    fn a_list_can_be_set_to_anything(text in ordinary(), items in prop::collection::vec(value(), 0..4)) {
        let mut document = Document::parse(text);
        let nulls = matches!(document.field("tags"), Some(Value::List(items)) if items.contains(&Value::Null));
        match document.set_list("tags", &items) {
            Ok(_) => prop_assert_eq!(document.field("tags").map(Value::to_list), Some(items)),
            Err(error) => prop_assert!(nulls, "{error}"),
        }
    }

    #[test]
    fn a_body_is_replaced_without_a_change_above_it(bytes in bytes(), body in bytes()) {
        let before = Document::parse(bytes);
        let mut after = before.clone();
        if after.replace_body(&body).is_ok() {
            prop_assert_eq!(after.body_bytes(), &body[..]);
            prop_assert_eq!(after.fields(), before.fields());
            prop_assert!(after.as_bytes().starts_with(&before.as_bytes()[..before.body_start()]));
        } else {
            prop_assert_eq!(&before, &after);
        }
    }

    #[test]
    fn an_edit_is_made_whole_or_not_at_all(bytes in bytes(), value in value(), at in 0..6) {
        let before = Document::parse(bytes);
        let mut after = before.clone();
        let other = Document::parse("---\ntags:\n  - x # c\ntitle: |\n  t\n---\n");
        let (key, result) = match at {
            0 => ("title", after.set_scalar("title", value.as_str())),
            1 => ("tags", after.add_to_list("tags", &value)),
            2 => ("tags", after.remove_from_list("tags", "a")),
            3 => ("tags", after.copy_field("tags", &other)),
            4 => ("summary", after.remove_field("summary")),
            _ => ("tags", after.set_list("tags", &["b", value.as_str()])),
        };
        let others = |document: &Document| {
            let fields = document.fields().iter().filter(|(name, _)| name.as_str() != Some(key));
            fields.cloned().collect::<Vec<_>>()
        };
        prop_assert_eq!(before.body_bytes(), after.body_bytes());
        match result {
            Ok(Effect::Changed) => prop_assert_eq!(others(&before), others(&Document::parse(after.as_bytes()))),
            Ok(Effect::Unchanged) | Err(_) => prop_assert_eq!(before.as_bytes(), after.as_bytes()),
        }
    }

    #[test]
    fn a_document_revised_with_its_own_parts_is_unchanged(bytes in prop_oneof![bytes(), sections()]) {
        let before = Document::parse(bytes);
        let mut after = before.clone();
        if after.revise(&EntryBody::of(&before)).is_ok() {
            prop_assert_eq!(before.as_bytes(), after.as_bytes());
        }
        // given markdown has no lone `\r`, which is a line ending here and none there
        let is_plain = !before.body().replace("\r\n", "").contains('\r');
        if is_plain && after.revise_markdown(before.body()).is_ok() {
            prop_assert_eq!(before.as_bytes(), after.as_bytes());
        }
    }

    #[test]
    fn markdown_is_brought_in_without_a_loss_of_what_it_does_not_name(bytes in bytes(), given in pieces()) {
        let before = Document::parse(bytes);
        let mut after = before.clone();
        let new = format!("## Quite new\n\n{}", given.replace('\r', ""));
        let named: Vec<String> = Outline::of(&new).sections().iter().map(|one| normal(&one.title)).collect();
        match after.revise_markdown(&new) {
            Ok(_) => {
                let kept = |document: &Document| -> Vec<String> {
                    let sections = document.sections().iter().skip(1);
                    let others = sections.filter(|one| !named.contains(&normal(&one.title)));
                    others.map(|one| document.body()[one.content.clone()].trim().to_owned()).collect()
                };
                prop_assert_eq!(kept(&before), kept(&after), "{:?}", after.text());
                let _ = after.frontmatter();
                prop_assert_eq!(&before.as_bytes()[..before.body_start()], &after.as_bytes()[..before.body_start()]);
            }
            Err(_) => prop_assert_eq!(&before, &after),
        }
    }
}
