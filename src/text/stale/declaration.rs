//! The text of a declaration as far as it is compared: not who may use it and how, how it is broken into lines, its comment
//! or its lifetimes.

use super::citations::is_word_char;
use super::constant::Constant;
use super::modifiers::{unawaited, unqualified};
use super::said::Said;

/// The most lines over which the parameters of a declaration are followed.
const MOST_LINES: usize = 24;

/// A declaration in the form in which it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declaration {
    /// Its first line, if it goes on behind that.
    head: Option<String>,
    whole: String,
    /// Its value, where it is a constant or a setting that has a literal.
    constant: Option<Constant>,
}

impl Declaration {
    pub fn plain(line: &str, said: &Said) -> Self {
        Self { head: None, whole: unawaited(line, said), constant: None }
    }

    /// Whether both are the same. Of two that go on behind their first lines, these count; one that was only broken into
    /// lines is the same.
    pub fn is(&self, other: &Self) -> bool {
        if let (Some(one), Some(other)) = (&self.constant, &other.constant)
            && one.is(other)
        {
            return true;
        }
        match (&self.head, &other.head) {
            (Some(one), Some(other)) => is_same(one, other),
            _ => is_same(&self.whole, &other.whole),
        }
    }
}

/// Whether two declarations are the same, where `Self` may be any type: which one it is stands elsewhere.
fn is_same(one: &str, other: &str) -> bool {
    const OTHERS: [&str; 5] = ["Option", "Result", "Vec", "Box", "String"];
    let returned =
        |text: &'_ str| text.trim_end_matches('{').rsplit_once("->").map(|(_, kind)| kind.to_owned());
    let is_type = |kind: &str| {
        let name = kind.split('<').next().unwrap_or_default();
        kind.starts_with(char::is_uppercase) && !OTHERS.contains(&name)
    };
    one == other
        || match (returned(one), returned(other)) {
            (Some(kind), Some(own)) | (Some(own), Some(kind)) if own == "Self" && is_type(&kind) => {
                one.replace(&format!("->{kind}"), "->Self") == other.replace(&format!("->{kind}"), "->Self")
            }
            _ => false,
        }
}

/// The declaration of a name that stands in the first of these lines (with blanks collapsed) at this byte.
pub(super) fn declaration(lines: &[String], at: usize, name: &str, said: &Said) -> Declaration {
    let first = uncommented(&lines[0]);
    let parameter =
        first.get(..at).filter(|before| before.matches('(').count() > before.matches(')').count());
    if parameter.is_some() {
        let rest = &first[at..];
        let whole = tight(rest.split([',', ')']).next().unwrap_or(rest));
        return Declaration { head: None, whole, constant: None };
    }
    let whole = joined(lines);
    let compared = |text: &str| {
        let text = unawaited(&unqualified(text, said), said);
        let text = without_markers(&without_generics(&text, name), said);
        tight(&without_versions(&parameters(&text, name, said)))
    };
    let head = (whole.len() > first.len()).then(|| compared(first));
    let constant = Constant::of(&whole, at, name, said);
    Declaration { head, whole: compared(&whole), constant }
}

/// The declaration that begins on the first of these lines, on one line.
pub(super) fn joined(lines: &[String]) -> String {
    let mut whole = uncommented(&lines[0]).to_owned();
    for line in lines.iter().skip(1).take(MOST_LINES) {
        if whole.matches('(').count() <= whole.matches(')').count() {
            break;
        }
        whole.push(' ');
        whole.push_str(uncommented(line));
    }
    whole
}

/// With parameters only as far as they matter: how many there are, what is given where none is passed, and what the entry's
/// line names of them.
fn parameters(declaration: &str, name: &str, said: &Said) -> String {
    let found = declaration.find(&format!("{name}("));
    let Some(open) = found.map(|at| at + name.len()) else { return declaration.to_owned() };
    let mut depth = 0_usize;
    let mut close = None;
    let mut commas = vec![open];
    for (at, char) in declaration.char_indices().skip_while(|(at, _)| *at < open) {
        match char {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if declaration[..at].ends_with(['-', '=']) => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => commas.push(at),
            _ => {}
        }
        if depth == 0 {
            close = Some(at);
            break;
        }
    }
    let Some(close) = close else { return declaration.to_owned() };
    commas.push(close);
    let told = |parameter: &str| {
        if parameter.trim_start_matches(['&', ' ']).trim_start_matches("mut ") == "self" {
            return "self".to_owned();
        }
        // one that the line names is compared as it is
        let mut words = parameter.split(|char| !is_word_char(char));
        if words.any(|word| said.names(word)) {
            return parameter.to_owned();
        }
        let default = parameter.split_once('=').map(|(_, value)| value.trim()).unwrap_or_default();
        format!("={default}")
    };
    let all = commas.windows(2).map(|pair| &declaration[pair[0] + 1..pair[1]]);
    let all: Vec<String> = all.filter(|one| !one.trim().is_empty()).map(told).collect();
    format!("{}({}{}", &declaration[..open], all.join(","), &declaration[close..])
}

/// Bounds that say how a value may be shared, and nothing of what it does.
const MARKERS: [&str; 5] = ["Send", "Sync", "Sized", "Unpin", "'static"];

/// Without bounds that the entry's line does not name.
fn without_markers(declaration: &str, said: &Said) -> String {
    let bounds = declaration.split_once(": ").filter(|(before, _)| before.contains("trait "));
    let Some((before, bounds)) = bounds else { return declaration.to_owned() };
    let is_marker = |bound: &&str| {
        let bare = bound.trim().trim_start_matches('?').trim_end_matches(['{', ' ']);
        MARKERS.contains(&bare) && !said.names(bare)
    };
    let kept: Vec<&str> = bounds.split('+').filter(|bound| !is_marker(bound)).map(str::trim).collect();
    format!("{before}: {}{}", kept.join("+"), if declaration.ends_with('{') { "{" } else { "" })
}

/// Without the version in the table of a dependency, `{ version = "1.2.3" }`: it is seldom what an entry is about.
fn without_versions(text: &str) -> String {
    const KEY: &str = "version = \"";
    let Some((before, rest)) = text.split_once(KEY).filter(|(before, _)| before.contains('{')) else {
        return text.to_owned();
    };
    rest.split_once('"').map_or_else(|| text.to_owned(), |(_, behind)| format!("{before}{KEY}\"{behind}"))
}

/// A line without a comment at its end.
fn uncommented(line: &str) -> &str {
    let is_outside = |at: &usize| ['"', '`'].iter().all(|quote| line[..*at].matches(*quote).count() % 2 == 0);
    let starts = [" // ", " # "].iter().filter_map(|sign| line.find(sign)).filter(is_outside);
    line[..starts.min().unwrap_or(line.len())].trim_end()
}

/// Without the type parameters of the name itself, and without those that have a lifetime.
fn without_generics(declaration: &str, name: &str) -> String {
    let mut plain = String::with_capacity(declaration.len());
    let mut rest = declaration;
    while let Some(open) = rest.find('<') {
        let Some(length) = closing(&rest[open..]) else { break };
        let group = &rest[open..open + length];
        plain.push_str(&rest[..open]);
        if !plain.ends_with(name) && !group.contains('\'') {
            plain.push_str(&without_parameters(group));
        }
        rest = &rest[open + length..];
    }
    plain.push_str(rest);
    plain
}

/// A group in angle brackets without what can only be type parameters: `<S, B, Infallible>` is `<Infallible>`.
fn without_parameters(group: &str) -> String {
    let inner = &group[1..group.len() - 1];
    let is_parameter = |one: &&str| one.trim().len() == 1 && one.trim().starts_with(char::is_uppercase);
    let kept: Vec<&str> = inner.split(',').filter(|one| !is_parameter(one)).collect();
    if kept.is_empty() { String::new() } else { format!("<{}>", kept.join(",")) }
}

/// The length of a group in angle brackets; `None` if it is not closed: then `<` compares.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, char) in text.char_indices() {
        match char {
            '<' => depth += 1,
            '>' if before != '-' && before != '=' => depth = depth.checked_sub(1)?,
            ';' | '{' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
        before = char;
    }
    None
}

/// Without blanks, lifetimes of references, and a comma at the end of a list.
fn tight(text: &str) -> String {
    let without_lifetime = |word: &'_ str| match word.rfind("&'") {
        Some(at) if word[at + 2..].chars().all(char::is_alphanumeric) => word[..=at].to_owned(),
        _ => word.to_owned(),
    };
    let tight: String = text.split_whitespace().map(without_lifetime).collect();
    tight.replace(",)", ")").trim_end_matches([',', ';']).to_owned()
}
