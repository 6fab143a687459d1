//! What became of the names of an entry in a file: gone, or what introduces one is another.
//!
//! Text is compared. The lines of call sites, comments and imports may change.

use super::around::{NearbyChange, around, recounted};
use super::citations::is_sign;
use super::declaration::joined;
use super::names::{How, is_comment};
use super::shown;
use super::sides::{Altered, Sides};
use super::text::{Introduction, NameQuery, Text};
use super::words::Counter;

/// What was found out about a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameFinding {
    Altered(Altered),
    /// Something around it changed, which matters if the words of both are rare in the code.
    Perhaps(NearbyChange),
}

/// What became of a name that stands in `before`; `None` if nothing did, or it does not stand there.
pub fn compare(
    before: &Text,
    after: &Text,
    asked: &NameQuery<'_>,
    counter: &mut Counter,
) -> Option<NameFinding> {
    if asked.is_prose {
        let missing = missing(before, after, asked.name).filter(|_| !is_sign(asked.name));
        return missing.map(NameFinding::Altered);
    }
    if is_sign(asked.name) {
        return unquoted(before, after, asked.name).map(NameFinding::Altered);
    }
    // a variable of a shell is set without the sign with which it is used
    if let Some(name) = asked.name.strip_prefix('$').filter(|name| before.gives(name)) {
        let own = |altered: Altered| Altered { name: asked.name.to_owned(), ..altered };
        let found = compare(before, after, &NameQuery { name, ..*asked }, counter)?;
        return Some(match found {
            NameFinding::Altered(altered) => NameFinding::Altered(own(altered)),
            NameFinding::Perhaps(around) => NameFinding::Perhaps(around.map(own)),
        });
    }
    let (first, _) = before.standing(asked.name).next()?;
    if before.is_everywhere(asked.name) {
        return None;
    }
    let (was, now) = (before.introducing(asked), after.introducing(asked));
    let sides = Sides { before, after, asked: *asked, was, now };
    let surely = altered(&sides, first).or_else(|| recounted(&sides));
    surely.map(NameFinding::Altered).or_else(|| around(&sides, counter).map(NameFinding::Perhaps))
}

/// A name that is altered; `first` is the first line of then on which it stands.
fn altered(sides: &Sides<'_>, first: usize) -> Option<Altered> {
    let Sides { before, after, asked, was, now } = sides;
    let is_there = |one: &&Introduction| now.iter().any(|other| other.declaration.is(&one.declaration));
    let stands_now = after.standing(asked.name).next().is_some();
    let is_lost = |one: &&Introduction| !is_there(one) && (one.how != How::Mentioned || !stands_now);
    let at = match was.iter().find(is_lost) {
        Some(one) => one.line,
        None if !stands_now && (!was.is_empty() || !asked.is_word()) => first,
        None => return None,
    };
    // what took the place of what is gone
    let is_new = |one: &&Introduction| !was.iter().any(|other| other.declaration.is(&one.declaration));
    let new = now.iter().find(is_new).or(now.first()).map(|one| one.line);
    let is_gone = !stands_now || is_gone(was, now);
    let after_text = new.filter(|_| !is_gone).map(|line| joined(&after.lines[line..]));
    let line = new.unwrap_or_else(|| at.min(after.lines.len().saturating_sub(1))) + 1;
    let (before, after) = shown::pair(Some(&joined(&before.lines[at..])), after_text.as_deref());
    Some(Altered { name: asked.name.to_owned(), line, is_gone, before, after })
}

/// Whether nothing introduces a name any more that something did; a function is gone where a variable has its name.
fn is_gone(was: &[Introduction], now: &[Introduction]) -> bool {
    let strongest = |all: &[Introduction]| all.iter().map(|one| one.how).min();
    match (strongest(was), strongest(now)) {
        (Some(How::Item), now) => now.is_none_or(|how| how > How::Declared),
        (Some(was), now) => was < How::Mentioned && now.is_none_or(|how| how == How::Mentioned),
        (None, _) => false,
    }
}

/// A sign that the code no longer has as a literal.
fn unquoted(before: &Text, after: &Text, sign: &str) -> Option<Altered> {
    let literals = [format!("'{sign}'"), format!("\"{sign}\"")];
    let quoting = |text: &Text| {
        let has = |line: &&String| !is_comment(line) && literals.iter().any(|literal| line.contains(literal));
        text.lines.iter().find(has).cloned()
    };
    let was = quoting(before).filter(|_| quoting(after).is_none())?;
    let (before, after) = shown::pair(Some(&was), None);
    Some(Altered { name: sign.to_owned(), line: 1, is_gone: true, before, after })
}

/// A name that a text for people no longer has.
fn missing(before: &Text, after: &Text, name: &str) -> Option<Altered> {
    let was = before.mentioning(name)?;
    let is_missing = after.mentioning(name).is_none();
    let (before, after) = shown::pair(Some(was), None);
    is_missing.then(|| Altered { name: name.to_owned(), line: 1, is_gone: true, before, after })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stale::said::Said;

    fn altered_line(before: &str, after: &str, name: &str) -> Option<usize> {
        look(before, after, name, &format!("it is `{name}`")).map(|altered| altered.line)
    }

    fn look(before: &str, after: &str, name: &str, said: &str) -> Option<Altered> {
        let (said, is_prose) = (&Said::of(said), false);
        let asked = NameQuery { name, said, is_prose };
        match compare(&Text::new(before), &Text::new(after), &asked, &mut Counter::default()) {
            Some(NameFinding::Altered(altered)) => Some(altered),
            _ => None,
        }
    }

    #[test]
    fn what_introduces_a_name_counts_and_a_call_does_not() {
        for (before, after, name) in [
            ("const MAX: u32 = 5;", "const MAX: u32 = 7;", "MAX"),
            ("pub fn connect(a: u8) {", "pub fn connect(a: u8, b: u8) {", "connect"),
            ("class Store(Base):", "class Store:", "Store"),
            ("  timeout: 30s", "  timeout: 60s", "timeout"),
            ("\"port\": 80,", "\"port\": 81,", "port"),
            ("func (c *Client) Dial() error {", "func (c *Client) Dial(x int) error {", "Dial"),
            ("self.limit = 3", "self.limit = 4", "limit"),
            ("#define LIMIT 3", "#define LIMIT 4", "LIMIT"),
            ("x := retry(3)", "x := retry(4)", "x"),
            ("static int connect(int a) {", "static int connect(int a, long b) {", "connect"),
            ("def f(retries=5):", "def f(retries=6):", "retries"),
        ] {
            assert_eq!(altered_line(before, after, name), Some(1), "{before}");
            let (call, other) =
                (format!("{before}\n    use({name}, 1);\n"), format!("{before}\n    use({name}, 2);\n"));
            assert_eq!(altered_line(&call, &other, name), None, "{before}");
        }
        for (before, after, name) in [
            ("let a = 1;\na = 2;", "let a = 1;\na = 3;", "a"),
            ("let x = 1;\ncall(retries=5)", "let x = 1;\ncall(retries=6)", "x"),
            ("def f(retries=5):\n  g(retries=5)", "def f(retries=5):\n  g(retries=6)", "retries"),
            ("enum A {}\nmatch a { A::B => 1 }", "enum A {}\nmatch a { A::B => 2 }", "A"),
            ("use a::{B, Name};", "use a::{Name, B};", "Name"),
            ("/// limit: what it is", "/// limit: it is", "limit"),
            ("return retry_all(3);", "return retry_all(4);", "retry_all"),
        ] {
            assert_eq!(altered_line(before, after, name), None, "{before}");
        }
    }

    #[test]
    fn how_a_definition_is_written_does_not_count() {
        for (before, after, name) in [
            ("fn f(a: u8, b: u8) -> u8 {", "pub(crate) fn f(\n    a: u8,\n    b: u8,\n) -> u8 {", "f"),
            ("struct Iter<'w, 'a: 'w, S: T + 'w> {", "pub struct Iter<'a, S: T> {", "Iter"),
            ("fn f(self) -> Wrapper<'a> {", "fn f(self) -> Wrapper<'a, S> {", "f"),
            ("const A: u8 = 1; // one", "const A: u8 = 1; // still one", "A"),
        ] {
            assert_eq!(altered_line(before, after, name), None, "{before}");
        }
        assert_eq!(altered_line("a: Vec<u8>,", "a: Vec<u16>,", "a"), Some(1));
    }

    #[test]
    fn a_name_is_a_whole_word_and_blanks_do_not_count() {
        assert_eq!(altered_line("fn retry_all() {\n", "fn retry() {\n", "retry"), None);
        assert_eq!(altered_line("  fn a( x ) {\n", "fn a( x ) {\r\n", "a"), None);
        assert_eq!(altered_line("fn a() {}\nfn b() {}\n", "fn b() {}\n", "a"), Some(1));
        assert_eq!(altered_line("// see foo_bar\nx\n", "x\n", "foo_bar"), Some(1));
        assert_eq!(altered_line("fn b() {}\n", "fn c() {}\n", "a"), None);
    }

    #[test]
    fn the_place_is_where_the_name_is_introduced_now() {
        assert_eq!(altered_line("const A: u8 = 1;\n", "\n\nconst A: u8 = 2;\n", "A"), Some(3));
    }

    #[test]
    fn the_line_decides_whether_a_modifier_counts() {
        let (before, after) = ("pub fn f(a: u8) {", "pub async fn f(a: u8) {");
        assert_eq!(look(before, after, "f", "`f` takes a number"), None);
        assert!(look(before, after, "f", "`f` is blocking").is_some());
        assert_eq!(look("fn f(a: u8, b: u8)", "fn f(x: u64, b: u8)", "f", "`f`"), None, "another type");
        assert!(look("fn f(a: u8, b: u8)", "fn f(a: u64, b: u8)", "f", "`a` of `f` is a byte").is_some());
        assert!(look("fn f(&self)", "fn f(s: u8)", "f", "`f`").is_some());
        assert_eq!(look("fn f(self) -> A<'a> {", "fn f(mut self) -> Self {", "f", "`f`"), None);
        assert!(look("fn f(self) -> bool {", "fn f(self) -> Self {", "f", "`f`").is_some());
        assert_eq!(look("trait F: Send {", "trait F: Send + Sync {", "F", "`F`"), None);
        assert!(
            look("trait F: Send {", "trait F: Send + Sync {", "F", "`F` is `Send`, not `Sync`").is_some()
        );
    }

    #[test]
    fn a_sign_is_gone_where_it_is_no_literal_any_more() {
        let is_gone = |after: &str| look("split(';') // ';'", after, ";", "at `;`").is_some();
        assert!(is_gone("split(',');\n// ';'") && !is_gone("split(\";\")"));
        assert_eq!(look("a;", "b", ";", "at `;`"), None, "it was not a literal");
    }

    #[test]
    fn gone_is_told_from_altered() {
        let is_gone = |before: &str, after: &str| {
            look(before, after, "max", "`max`").map(|found| (found.is_gone, found.after))
        };
        assert_eq!(is_gone("fn max() {}", "fn other() {}"), Some((true, None)));
        assert_eq!(is_gone("fn max() {}", "use a::max;\nmax();"), Some((true, None)));
        assert_eq!(is_gone("fn max() {}", "let max = 1;"), Some((true, None)));
        assert_eq!(
            is_gone("const max: u8 = 1;", "const max: u8 = 2;"),
            Some((false, Some("const max: u8 = 2;".into())))
        );
    }

    #[test]
    fn a_text_for_people_only_misses_names() {
        let said = Said::of("`MAX_TRIES`");
        let asked = NameQuery { name: "MAX_TRIES", said: &said, is_prose: true };
        let look = |after: &str| {
            compare(&Text::new("MAX_TRIES: five"), &Text::new(after), &asked, &mut Counter::default())
        };
        assert_eq!(look("set max_tries"), None);
        assert!(matches!(look("set max_tries_2"), Some(NameFinding::Altered(Altered { is_gone: true, .. }))));
    }
}
