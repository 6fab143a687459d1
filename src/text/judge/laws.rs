//! Property tests of weights and notes, over random text.

use super::*;
use proptest::prelude::*;

/// What the lists look for, and the text around it.
const PIECES: [&str; 36] = [
    "because",
    "must not",
    "never",
    "since",
    " v1",
    "rather than",
    "fails",
    "5",
    "ms",
    "->",
    "Windows",
    "if",
    "`",
    "a::b",
    "--x",
    "Add",
    "This commit ",
    "I'll",
    "thanks",
    "see #",
    "https://a.b",
    "I",
    "me",
    "tests",
    "?",
    ":",
    ".",
    ". ",
    " ",
    ", ",
    "However, ",
    "[1]",
    "(#2)",
    "é",
    "’",
    "-",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => proptest::sample::select(&PIECES[..]).prop_map(String::from),
        2 => "[A-Za-z]{1,9} ",
        1 => "\\PC{0,3}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// The characters that are not white space.
fn black(text: &str) -> String {
    text.chars().filter(|char| !characters::is_space(*char)).collect()
}

proptest! {
    #![proptest_config(crate::cases::held_to(512))]

    #[test]
    fn any_text_is_weighed(text in text(), other in any::<String>()) {
        for text in [&text, &other] {
            weigh(text);
            note(text);
            lists::is_form(text);
            lists::generated_text(text);
            lists::is_generated_subject(text, &other);
            lists::bot(text, &other);
            lists::is_side(text);
        }
    }

    #[test]
    fn sentences_have_all_of_a_text_in_order(text in text(), other in any::<String>()) {
        for text in [text, other] {
            prop_assert_eq!(black(&sentences(&text).concat()), black(&text));
        }
    }

    #[test]
    fn a_sentence_weighs_the_same_wherever_it_stands(before in text(), own in text(), after in text()) {
        let page = format!("{before}{own}{after}");
        let there = &page[before.len()..before.len() + own.len()];
        prop_assert_eq!(weigh(there), weigh(&own));
        prop_assert_eq!(kind(weigh(there).marks), kind(weigh(&own).marks));
    }

    #[test]
    fn what_is_written_is_read_again(message in proptest::collection::vec((text(), 0..3usize), 0..6)) {
        let sentences: Vec<Sentence> =
            message.iter().map(|(text, paragraph)| Sentence::new(text, *paragraph, false)).collect();
        let written = write(&sentences);
        prop_assert_eq!(written.is_some(), sum(&sentences) >= TAKEN);
        if let Some(written) = &written {
            let noted = note(&written.text);
            prop_assert_eq!((noted.weight, noted.lead_weight, noted.kind), (written.weight, written.lead_weight, written.kind));
            prop_assert!(written.text.contains(&written.lead));
            prop_assert!(noted.lead_weight <= noted.weight);
        }
        prop_assert_eq!(write(&sentences), written);
    }
}
