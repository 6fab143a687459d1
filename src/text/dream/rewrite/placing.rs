//! Where what a text lacks of an entry is joined with it: behind what the text says under the same headings.

use crate::doc::Document;

/// What is left of an entry, below the title of the text that it is joined with, if it has no title itself. Without one its
/// paragraphs and sections would stand before the title of the text.
pub fn below_title(rest: Vec<u8>, written: &Document) -> Vec<u8> {
    let left = Document::parse(&rest[..]);
    if !left.is_utf8() || left.body().trim().is_empty() || title(&left).is_some() {
        return rest;
    }
    let Some(title) = title(written) else { return rest };
    let (head, body) = left.text().split_at(left.body_start());
    let lead = if head.is_empty() { "" } else { "\n" };
    [head, lead, title, "\n\n", body.trim_start_matches(['\r', '\n'])].concat().into_bytes()
}

/// The heading of the first level that a body begins with, as written.
fn title(document: &Document) -> Option<&str> {
    let body = document.body();
    let first = document.outline().sections().iter().find(|section| section.level > 0)?;
    let is_first = body.get(..first.heading.start)?.trim().is_empty();
    (first.level == 1 && is_first).then(|| body[first.heading.clone()].trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curate::{self, CurateKind, Operation, Setting, Sides};

    const WRITTEN: &str = "---\ntitle: Jobs\n---\n\n# Jobs\n\nOf jobs.\n\n## Facts\n\n- **a**: 1\n";

    fn below(rest: &str, written: &str) -> String {
        String::from_utf8(below_title(rest.into(), &Document::parse(written))).unwrap()
    }

    #[test]
    fn what_has_no_title_gets_that_of_the_text() {
        assert_eq!(below("---\ntitle: B\n---\nB.\n", WRITTEN), "---\ntitle: B\n---\n\n# Jobs\n\nB.\n");
        assert_eq!(below("\n## Facts\n", "Jobs\n====\n\nA.\n"), "Jobs\n====\n\n## Facts\n");
        for (rest, written) in
            [("# B\n\nB.\n", WRITTEN), ("---\ntitle: B\n---\n\n", WRITTEN), ("B.\n", "A.\n\n# C\n")]
        {
            assert_eq!(below(rest, written), rest);
        }
    }

    #[test]
    fn the_text_comes_first_and_what_it_lacks_behind_it() {
        let rest = below("---\ntitle: B\n---\n\nB b.\n\n## Facts\n\n- **b**: 2\n\n## More\n\nM.\n", WRITTEN);
        let operation = Operation {
            kind: CurateKind::Merge,
            path: "a/b/c.md".to_owned(),
            reason: "same".to_owned(),
            source: Some("a/b/d.md".to_owned()),
            ..Operation::default()
        };
        let path = |text: &[u8]| brv_base::path::TreePath::parse(text).unwrap();
        let (target, source) = (path(b"a/b/c.md"), path(b"a/b/d.md"));
        let sides = Sides {
            path: &target,
            by_title: false,
            current: Some(WRITTEN.as_bytes()),
            base: None,
            source: Some((&source, rest.as_bytes())),
        };
        let joined = curate::apply(&operation, &sides, &Setting { now: 0, leads: &|_| true }).unwrap();
        let after = Document::parse(joined.bytes.unwrap());
        let body = "# Jobs\n\nOf jobs.\n\nB b.\n\n## Facts\n\n- **a**: 1\n- **b**: 2\n\n## More\n\nM.\n";
        assert_eq!(after.body().trim_start(), body);
    }
}
