//! The phrases with which texts steer an agent, and where a text has one.
//!
//! Each pattern is a sequence of words; `|` separates alternatives, a leading `?` marks one that may be
//! missing, a leading `!` the place that is searched for. Does not know code, documents, nor how a text is encoded.

use super::folding::Form;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::ops::Range;
use std::sync::OnceLock;

/// The list. What is searched for is the place that is rarest in texts; the first one if none is marked.
const PATTERNS: [&str; 64] = [
    // what came before does not hold
    "ignore|disregard|forget|override ?all|?any|?every|?each ?of ?the|?your|?my previous|prior|above|earlier|preceding ?system|?safety instructions|instruction|rules|rule|prompts|prompt|directions|guidelines|context",
    "ignore|disregard|forget|override ?all|?any ?of your|its ?own|?previous|?prior|?earlier|?current|?original|?system|?safety instructions|rules|prompt|guidelines|guidance|directions|training|programming|restrictions|constraints|safeguards",
    "ignore|disregard|forget ?the|?any|?all system|developer prompt|instructions|instruction|message",
    "ignore|disregard|forget ?all|?any|?every|?the ?of ?the instructions|instruction|rules|rule|guidelines|directions|prompts ?that|?which you|you've",
    "ignore|disregard|forget everything|anything|all you|that|above|before ?you ?were|?was|?have|?had ?been told|instructed|said|given|learned|know|above|before|this",
    "forget everything|anything above|before|.",
    "not|don't|never|stop !follow|following|obey|obeying ?the ?your your|previous|prior|earlier|system|original ?previous|?earlier|?original|?own|?system instructions|rules|guidelines|directions|prompt",
    "longer bound|restricted|limited|constrained by ?any|?your|?the guidelines|rules|instructions|restrictions|policies|policy",
    "you|i must|will|shall ?now|?always|?simply|?freely !ignore|disregard|forget|bypass|break|violate ?all|?any ?of the|your|my|these ?own|?previous|?safety|?content|?system rules|guidelines|instructions|restrictions|policies|safeguards",
    "your previous|prior|earlier|original|real|true|actual|secret|hidden !instructions|instruction|rules|guidelines|orders|prompt|directives",
    "your new !task|goal|objective|mission|instructions|role|identity is|are",
    "the|all|any|these !previous|prior|above|earlier|preceding instructions|rules|directions|guidelines|prompts|prompt is|are|were ?now|?hereby|?all void|cancelled|canceled|revoked|superseded|suspended|null|overridden",
    "instructions|rules|messages above|before this should|must be ignored|disregarded",
    "this|these|following instruction|instructions|message|prompt|rule|rules !override|overrides|supersede|supersedes|outrank|outranks ?all|?any|?the|?your|?every previous|prior|earlier|system ?instructions|?rules|?ones",
    "override|overrides|supersede|supersedes|replace|replaces|outrank|outranks ?all|?any ?of your ?previous|?prior|?earlier|?other|?own|?system guidelines|instructions|rules|prompt|directives|training",
    // another role
    "you are !now|henceforth|hereby ?a|?an|?the ?unrestricted|?unfiltered|?jailbroken|?uncensored|?different|?new ai|agent|chatbot|dan|assistant|model",
    "an|a|as !unrestricted|unfiltered|jailbroken|uncensored ?language|?ai ai|assistant|model|agent|chatbot",
    "dan|jailbreak|jailbroken|unrestricted mode",
    "from !now on ?, you|your are|will|must|should|may|shall|name",
    "from this !point|moment on|forward|onward|onwards ?, you|your are|will|must|should|shall",
    "you will|must|shall|should from !now on",
    "act|behave|respond as ?if|?though ?you ?are|?were|?an|?a !unrestricted|unfiltered|jailbroken|uncensored|dan",
    "pretend ?that you are|have|were",
    "pretend to be ?the|?an|?a administrator|admin|user|developer|owner|maintainer|human|operator",
    "you have no|without ?any !restrictions|guidelines|guardrails",
    // behind the user's back
    "not|never|don't ?ever !tell|inform|alert|warn the|your user|human|operator|developer|reviewer that|about|this|anything|what|before|of|why|how|and|.",
    "not|never|don't ?ever !mention|reveal|disclose this|these|that|any|the ?of ?these|?this ?note|?text|?message|?instruction|?instructions|?rule|?rules|?prompt|?fact|?change to ?the|?your user|human|operator|developer|reviewer|anyone|anybody",
    "not|never|don't let the|your user|human|operator|developer|reviewer !know|notice|find",
    "sure|ensure ?that the|your user|human|operator|reviewer does|doesn't|never|will|cannot ?not|?never notice|notices|know|learn|find|see",
    "keep this|it|that ?a !secret|hidden from the|your user|human|operator|developer|reviewer",
    "hide|conceal this|it|these ?change|?note|?fact|?instruction|?instructions from the|your user|human|operator|developer|reviewer",
    "without !telling|informing|asking|notifying|alerting|warning the|your user|human|operator",
    "without !telling|informing anyone|anybody",
    "without ?the user's !confirmation|approval|permission",
    "whatever the|your user asks|says|said|wants|requests",
    "regardless|matter ?of what the|your user asks|says|said|wants|requests",
    "lie to the|your user|human|operator|reviewer",
    "if !asked about this|it|that ?file|?change ?, deny|say|answer|claim|pretend|lie",
    "secretly|covertly add|copy|insert|install|run|execute|upload|send|push|commit|include|append|write",
    "silently|quietly add|install|upload|send|push|commit|insert|append this|these|the|a|all",
    "trust this|these ?file|?page|?document|?text|?note|?instructions more|over ?than the|your user",
    // what is not for others
    "reveal|print|output|show|repeat|display|leak|disclose|expose ?me|?us ?the ?text|?content|?contents|?words ?of your|the|all ?full|?entire|?whole ?hidden|?original|?initial|?secret hidden|initial|secret|system !prompt|instructions|prompts",
    "reveal|print|output|show|repeat|display|leak|disclose|expose ?me|?us ?the ?text|?content|?contents|?words ?of your ?full|?entire|?whole ?hidden|?original|?initial|?secret|?previous|?system !prompt|instructions|guidelines",
    "send|post|upload|forward|exfiltrate|transmit|email|leak|paste all|any|every|your|their ?of ?the|?your ?stored|?available|?saved|?environment|?env !credentials|secrets|passwords|tokens|variables|cookies ?in|?found|?from ?the|?this ?environment|?file|?repository here|in|to",
    "send|post|upload|forward|exfiltrate|transmit|email|leak|paste ?all|?any|?the|your ?of api|private|secret|ssh|access !key|keys here|in|to",
    "send|post|upload|forward|email ?all|?the user's|users|your ?whole|?full|?entire conversation|chat|browsing history to",
    "exfiltrate|leak all|any|the|this|your ?user's|?users ?of ?the|?stored|?private|?environment data|credentials|secrets|files|tokens|keys|contents|passwords|variables",
    "include|paste|put it|them|its ?content|?contents in|into your !answer|reply",
    "bypass|disable|circumvent|evade|ignore|skip your|all|any ?of ?your|?built-in|?content !safety|ethical|moderation ?and|?or guidelines|guardrails|restrictions|filter|filters|policy|policies|limits|rules|checks",
    // addressed to a model
    "new|updated|real|actual|secret|hidden system|developer !instructions|instruction|directive|directives",
    "begin|end|start|beginning ?of ?the ?new system|developer !instructions|prompt|message",
    "attention|important|notice|note|message|instruction|instructions for|to ?all|?any|?the ai|llm|language|coding|automated !agent|agents|assistant|assistants|model|models|bot|bots",
    "note|instruction|instructions|message for|to ?all|?any|?the ai|ais|llm|llms :|,|.",
    "attention ?all|?, ?all ai|llm|language agents|assistants|models|agent|assistant|model",
    "if you|you're|youre ?are|?re a|an ?large ai|llm|language|automated|autonomous|coding ?language !model|assistant|agent|system|bot",
    "ai|llm|language|coding|automated !agent|agents|assistant|assistants|model|models|bot|bots ?that|?which|?who reads|read|reading|processes|process|processing|sees|see|parses|parse this|these ?file|?document|?page|?text|?note|?entry ?, ?it|?they must|should|shall|has|have",
    "as an|a ai|llm|language ?language !model|assistant|agent ?, you must|should|will|are|shall",
    "as an|a !ai|llm ?, you must|should|will|are|shall",
    // do it, and do not ask
    "run|execute|paste ?the following|this|these ?shell command|commands|code|script !immediately|silently",
    "run|execute|paste ?the following|this|these ?shell command|commands|code|script ?now without !confirmation|asking|approval|review|permission|telling|informing",
    "approve|accept|merge|allow this|all|every|any ?pull|?tool|?function request|change|requests|changes|calls|call without|automatically ?review|?reading|?asking|?looking",
    "do !whatever|everything|exactly ?that ?what this|these page|file|document|text|message|note|instructions tells|says|tell|say",
    "obey ?all|?only ?the|?these instructions|commands|orders ?given in|of|from|on|below ?this",
    "follow only|exclusively ?the|?these instructions in|of|from|on|below ?this",
];

/// Signs with which chat models mark who speaks: in prose they are out of place.
const TOKENS: [&str; 11] = [
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "[system message]",
    "[system prompt]",
];

/// One place of a pattern: alternative words, or nothing.
struct Place {
    words: Vec<&'static str>,
    is_optional: bool,
}

struct Pattern {
    places: Vec<Place>,
    sought: usize,
}

struct Phrases {
    patterns: Vec<Pattern>,
    /// Finds the words that are searched for, then the tokens.
    search: AhoCorasick,
    /// The pattern of each word; `None` for a token.
    patterns_of: Vec<Option<usize>>,
}

fn phrases() -> &'static Phrases {
    static PHRASES: OnceLock<Phrases> = OnceLock::new();
    PHRASES.get_or_init(|| {
        let patterns: Vec<Pattern> = PATTERNS.into_iter().map(pattern).collect();
        let mut words: Vec<&str> = Vec::new();
        let mut patterns_of = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            for word in &pattern.places[pattern.sought].words {
                words.push(word);
                patterns_of.push(Some(number));
            }
        }
        for token in TOKENS {
            words.push(token);
            patterns_of.push(None);
        }
        // every byte of a tree goes through it: the fastest form, though the largest (some 100 KiB)
        let search = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(&words)
            .expect("a few short words fit into an automaton");
        Phrases { patterns, search, patterns_of }
    })
}

fn pattern(text: &'static str) -> Pattern {
    let place = |written: &'static str| {
        let is_optional = written.split('|').all(|word| word.starts_with('?'));
        let words = written.split('|').map(|word| word.trim_start_matches(['?', '!'])).collect();
        Place { words, is_optional }
    };
    let sought = text.split(' ').position(|place| place.starts_with('!')).unwrap_or_default();
    Pattern { places: text.split(' ').map(place).collect(), sought }
}

/// Where a text has a pattern or a token, by the place where its word that is searched for ends.
pub(super) fn said(text: &str, form: Form) -> impl Iterator<Item = Range<usize>> {
    let phrases = phrases();
    phrases.search.find_overlapping_iter(text).filter_map(move |hit| {
        if !begins_word(text, hit.start()) {
            return None;
        }
        match phrases.patterns_of[hit.pattern().as_usize()] {
            None => Some(hit.range()).filter(|range| !is_link(text, range)),
            Some(pattern) => phrases.patterns[pattern].around(text, hit.start(), form),
        }
    })
}

fn begins_word(text: &str, offset: usize) -> bool {
    !text[..offset].chars().next_back().is_some_and(char::is_alphanumeric)
}

/// Whether a token in brackets is the text of a link, or the label of one: `[INST](url)`, `[INST][1]`, `[INST]: url`.
fn is_link(text: &str, token: &Range<usize>) -> bool {
    let after = text[token.end..].lines().next().unwrap_or_default();
    let before = text[..token.start].rsplit('\n').next().unwrap_or_default();
    if !text[token.clone()].ends_with(']') {
        return false;
    }
    if let Some(label) = after.strip_prefix('[') {
        let is_token =
            TOKENS.iter().any(|one| after.get(..one.len()).is_some_and(|it| it.eq_ignore_ascii_case(one)));
        return label.contains(']') && !is_token;
    }
    if let Some(target) = after.strip_prefix(':') {
        // one word, and perhaps a title
        let rest = target.trim().split_once([' ', '\t']).map_or("", |(_, rest)| rest.trim_start());
        let is_target = !target.trim().is_empty() && (rest.is_empty() || rest.starts_with(['"', '\'', '(']));
        return is_target && before.trim_matches([' ', '\t', '>']).is_empty();
    }
    after.starts_with('(') && after.contains(')')
}

impl Pattern {
    /// Where the pattern stands whose place that is searched for begins at `offset`.
    fn around(&self, text: &str, offset: usize, form: Form) -> Option<Range<usize>> {
        let (before, after) = self.places.split_at(self.sought);
        let end = matches(after.iter(), offset, &|offset| next_word(text, offset, form))?;
        let start = matches(before.iter().rev(), offset, &|offset| previous_word(text, offset, form))?;
        Some(start..end)
    }
}

/// Where the places end that are matched from `offset` on, in the direction of `step`.
fn matches<'p, 't>(
    mut places: impl Iterator<Item = &'p Place> + Clone,
    offset: usize,
    step: &impl Fn(usize) -> (&'t str, usize),
) -> Option<usize> {
    let Some(place) = places.next() else { return Some(offset) };
    let (word, end) = step(offset);
    let is_there = place.words.iter().any(|one| is_same(one, word));
    let taken = is_there.then(|| matches(places.clone(), end, step)).flatten();
    taken.or_else(|| place.is_optional.then(|| matches(places, offset, step)).flatten())
}

fn is_same(one: &str, word: &str) -> bool {
    let is_typographic =
        || word.contains('\u{2019}') && word.replace('\u{2019}', "'").eq_ignore_ascii_case(one);
    one.eq_ignore_ascii_case(word) || is_typographic()
}

/// What may stand between words: white space, emphasis, quotes.
const BETWEEN: [char; 9] = [' ', '\t', '\r', '\n', '*', '_', '>', '"', '`'];

const fn is_mark(c: char) -> bool {
    matches!(c, ',' | '.' | ':')
}

fn in_word(c: char, form: Form) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}') || (c == '-' && form == Form::Prose)
}

/// Whether the byte at `at` joins two words of data: a hyphen inside, or the mark of a comment that goes on.
fn joins(text: &str, at: usize, form: Form) -> bool {
    if form == Form::Prose {
        return false;
    }
    let before = &text[..at];
    match text.as_bytes().get(at) {
        Some(b'-') => {
            before.ends_with(char::is_alphanumeric) && text[at + 1..].starts_with(char::is_alphanumeric)
        }
        Some(b'#') => before.trim_end_matches([' ', '\t']).ends_with('\n'),
        _ => false,
    }
}

/// The word before, and where it begins; see [`next_word`].
fn previous_word(text: &str, offset: usize, form: Form) -> (&str, usize) {
    let mut before = text[..offset].trim_end_matches(BETWEEN);
    while before.ends_with(['-', '#']) && joins(text, before.len() - 1, form) {
        before = before[..before.len() - 1].trim_end_matches(BETWEEN);
    }
    if text[before.len()..offset].matches('\n').count() > 1 {
        return ("", offset);
    }
    let rest = match before.ends_with(is_mark) {
        true => &before[..before.len() - 1],
        false => before.trim_end_matches(|c| in_word(c, form)),
    };
    (&before[rest.len()..], rest.len())
}

/// The next word, and where it ends: letters, digits, hyphens and apostrophes, or a comma, a full stop or a colon
/// alone. No words beyond the end of a paragraph.
fn next_word(text: &str, offset: usize, form: Form) -> (&str, usize) {
    let mut word = text[offset..].trim_start_matches(BETWEEN);
    while word.starts_with(['-', '#']) && joins(text, text.len() - word.len(), form) {
        word = word[1..].trim_start_matches(BETWEEN);
    }
    let start = text.len() - word.len();
    if text[offset..start].matches('\n').count() > 1 {
        return ("", offset);
    }
    let length = match word.starts_with(is_mark) {
        true => 1,
        false => word.find(|c| !in_word(c, form)).unwrap_or(word.len()),
    };
    (&word[..length], start + length)
}
