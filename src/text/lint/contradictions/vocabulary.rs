//! The English words that the rule knows.

/// Words that say nothing about the matter.
const STOP: [&str; 60] = [
    "a", "about", "all", "always", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "do",
    "does", "each", "edition", "every", "follow", "for", "from", "has", "have", "i", "in", "into", "is",
    "it", "its", "live", "lives", "may", "must", "of", "on", "only", "onto", "or", "our", "over", "per",
    "release", "run", "runs", "should", "so", "that", "the", "their", "they", "this", "to", "use", "used",
    "uses", "version", "we", "will", "with",
];

/// Words that say how much or how long, not of what.
pub(super) const BOUNDS: [&str; 36] = [
    "above",
    "after",
    "around",
    "approximately",
    "at",
    "below",
    "bounded",
    "capped",
    "exactly",
    "exceeds",
    "expire",
    "expired",
    "expires",
    "fewer",
    "grows",
    "larger",
    "last",
    "lasts",
    "later",
    "least",
    "limit",
    "limited",
    "longer",
    "maximum",
    "more",
    "most",
    "newer",
    "older",
    "roughly",
    "set",
    "shorter",
    "smaller",
    "than",
    "up",
    "valid",
    "within",
];

const NEGATIONS: [&str; 9] =
    ["not", "never", "no", "cannot", "without", "don't", "isn't", "aren't", "doesn't"];

/// Pairs of words; only one can hold.
const OPPOSITES: [(&str, &str); 43] = [
    ("always", "never"),
    ("allowed", "forbidden"),
    ("allowed", "disabled"),
    ("allowed", "refused"),
    ("allowed", "denied"),
    ("accepted", "rejected"),
    ("accepted", "refused"),
    ("enabled", "disabled"),
    ("on", "off"),
    ("yes", "no"),
    ("true", "false"),
    ("required", "optional"),
    ("mandatory", "optional"),
    ("public", "private"),
    ("public", "internal"),
    ("synchronous", "asynchronous"),
    ("manual", "automatic"),
    ("manually", "automatically"),
    ("mutable", "immutable"),
    ("strict", "lenient"),
    ("sync", "async"),
    ("open", "closed"),
    ("active", "passive"),
    ("kept", "removed"),
    ("kept", "deleted"),
    ("kept", "dropped"),
    ("keeps", "deletes"),
    ("keeps", "removes"),
    ("shared", "private"),
    ("global", "local"),
    ("ascending", "descending"),
    ("forward", "backward"),
    ("bounded", "unlimited"),
    ("waits", "fails"),
    ("waits", "dropped"),
    ("blocks", "fails"),
    ("sorted", "unsorted"),
    ("singular", "plural"),
    ("eager", "lazy"),
    ("eagerly", "lazily"),
    ("persistent", "memory"),
    ("soft", "hard"),
    ("logical", "physical"),
];

/// What makes a word its own opposite.
const UN: [&str; 5] = ["un", "in", "im", "dis", "non"];

/// Words that name the case that a statement is about: with another case both may hold.
pub(super) const CASES: [&str; 40] = [
    "actual",
    "average",
    "current",
    "currently",
    "goal",
    "measured",
    "target",
    "admin",
    "admins",
    "android",
    "ci",
    "dev",
    "development",
    "formerly",
    "guest",
    "guests",
    "ios",
    "laptop",
    "legacy",
    "linux",
    "locally",
    "macos",
    "members",
    "mobile",
    "new",
    "old",
    "previously",
    "prod",
    "production",
    "since",
    "staging",
    "test",
    "tests",
    "until",
    "users",
    "weekdays",
    "weekends",
    "windows",
    "writes",
    "reads",
];

/// Words that name a case only beside another one of them: `client` and `server`, `before` and `after`.
pub(super) const SIDES: [&str; 34] = [
    "after",
    "backend",
    "before",
    "client",
    "clients",
    "default",
    "desktop",
    "external",
    "first",
    "frontend",
    "input",
    "integration",
    "internal",
    "last",
    "local",
    "master",
    "max",
    "maximum",
    "min",
    "minimum",
    "negative",
    "output",
    "positive",
    "primary",
    "public",
    "read",
    "replica",
    "request",
    "response",
    "second",
    "secondary",
    "server",
    "unit",
    "write",
];

/// Words that say what happens to a thing, not which thing it is.
pub(super) const VERBS: [&str; 44] = [
    "begin", "begins", "carries", "handles", "through", "via", "come", "comes", "ends", "expire", "expires",
    "fire", "fires", "give", "gives", "go", "goes", "happen", "happens", "holds", "keep", "keeps", "last",
    "lasts", "means", "needs", "out", "reach", "reaches", "refresh", "retry", "send", "sends", "start",
    "starts", "stay", "stays", "stop", "stops", "take", "takes", "wait", "waits", "write",
];

/// Words of a bound from above, and from below.
pub(super) const UPPER: [&str; 13] = [
    "below", "capped", "fewer", "less", "max", "maximum", "most", "shorter", "smaller", "under", "up",
    "within", "beyond",
];
pub(super) const LOWER: [&str; 10] =
    ["above", "exceed", "exceeds", "larger", "least", "longer", "min", "minimum", "more", "older"];

/// Words that set two ranges apart: `within a region`, `across regions`.
pub(super) const INSIDE: [&str; 3] = ["within", "inside", "in"];
pub(super) const OUTSIDE: [&str; 4] = ["across", "outside", "beyond", "between"];

/// Words around the main words of a sentence.
pub(super) const ARTICLES: [&str; 8] = ["a", "an", "the", "is", "are", "we", "it", "they"];

/// Words that begin a condition.
pub(super) const CONDITIONS: [&str; 9] =
    ["where", "when", "if", "unless", "while", "whenever", "except", "otherwise", "during"];

/// Words in front of the object of a sentence, which is what it says.
pub(super) const OBJECT: [&str; 22] = [
    "as", "at", "by", "from", "in", "into", "needs", "on", "onto", "prefer", "prefers", "requires", "speaks",
    "to", "under", "use", "uses", "with", "after", "above", "below", "follow",
];

/// What has one name.
pub(super) const PROPERTIES: [&str; 79] = [
    "algorithm",
    "author",
    "backend",
    "branch",
    "broker",
    "bucket",
    "client",
    "codec",
    "color",
    "colour",
    "compiler",
    "contact",
    "container",
    "currency",
    "database",
    "day",
    "domain",
    "driver",
    "editor",
    "encoding",
    "engine",
    "format",
    "formatter",
    "framework",
    "function",
    "gateway",
    "generator",
    "hash",
    "host",
    "hostname",
    "identifier",
    "ide",
    "image",
    "indentation",
    "interface",
    "language",
    "layout",
    "lead",
    "level",
    "library",
    "license",
    "linter",
    "loader",
    "locale",
    "location",
    "maintainer",
    "manager",
    "method",
    "mode",
    "model",
    "name",
    "order",
    "owner",
    "parser",
    "platform",
    "policy",
    "port",
    "prefix",
    "protocol",
    "provider",
    "proxy",
    "region",
    "registry",
    "rng",
    "runner",
    "runtime",
    "scheduler",
    "scheme",
    "shell",
    "store",
    "strategy",
    "style",
    "syntax",
    "team",
    "timezone",
    "tool",
    "toolchain",
    "vendor",
    "zone",
];

/// What is itself an amount, at the end of a subject: `login grace`, `upload limit`.
pub(super) const MEASURED: [&str; 24] = [
    "age",
    "attempts",
    "capacity",
    "count",
    "cutoff",
    "deadline",
    "delay",
    "depth",
    "expiry",
    "grace",
    "interval",
    "length",
    "lifetime",
    "limit",
    "period",
    "probes",
    "quota",
    "redirects",
    "retention",
    "size",
    "threshold",
    "timeout",
    "ttl",
    "window",
];

/// Whether a word says nothing about the matter.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.contains(&word)
}

pub(super) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

pub(super) fn is_opposite(one: &str, other: &str) -> bool {
    let listed = |one: &str, other: &str| OPPOSITES.contains(&(one, other));
    let is_un = |one: &str, other: &str| {
        one.len() > 3
            && UN
                .iter()
                .any(|un| other.strip_prefix(un).is_some_and(|rest| rest.trim_start_matches('-') == one))
    };
    listed(one, other) || listed(other, one) || is_un(one, other) || is_un(other, one)
}

/// Whether something is done, which may be done beside something else: `stored`, `signed`.
pub(super) fn is_participle(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed")
        || ["kept", "written", "built", "sent", "taken", "split", "held", "read", "set", "made"]
            .contains(&word)
}

pub(super) fn is_adjective(word: &str) -> bool {
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    word.len() > 4 && ends(&["al", "ive", "ous", "less", "ful", "ic", "ed"])
        || word.len() > 6 && ends(&["able", "ible", "ally"])
}

pub(super) fn is_plural(subject: &str) -> bool {
    subject.ends_with('s') && !["ss", "us", "is", "as"].iter().any(|end| subject.ends_with(end))
}
