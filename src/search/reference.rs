//! A small tree and questions with their outcomes: the tree is of none of the sets by which constants were chosen.

use super::laws::{build, search, tree};
use super::{Changes, SearchResults};

/// Path, fields and body of each entry; all were created on one day.
const ENTRIES: [(&str, &str, &str); 10] = [
    (
        "api_design/rate_limiting.md",
        "title: \"Rate limiting\"\nsummary: \"Token bucket per API key\"\ntags: [api]\nkeywords: [rate, limit]",
        "## Narrative\nThe gateway uses a token bucket in Redis: 100 requests per minute per API key, burst 20. Exceeding returns HTTP 429 with Retry-After.",
    ),
    (
        "auth/jwt/token_rotation.md",
        "title: \"JWT refresh token rotation\"\nsummary: \"Refresh tokens rotate on each use\"\ntags: [auth]\nkeywords: [jwt, refresh, rotation]",
        "## Raw Concept\n**Task:** Rotate refresh tokens\n**Files:** src/auth/refreshToken.rs\n\n## Narrative\nAccess tokens live 15 minutes. Each refresh issues a new refresh token and revokes the old one; reuse of a revoked token revokes the whole family.\n\n## Facts\n- **access token lifetime**: 15 minutes [project]\n- **refresh token lifetime**: 30 days [project]\n- **signing algorithm**: RS256 with keys from Vault [convention]",
    ),
    (
        "caching/redis.md",
        "title: \"Caching\"\nsummary: \"Redis cache with 5 minute TTL\"\ntags: [caching]\nkeywords: [redis, ttl]",
        "## Narrative\nProduct pages are cached in Redis for 5 minutes. Cache keys carry the locale and the price list version. Invalidation is by pub/sub on price changes.",
    ),
    (
        "conventions/code_style.md",
        "title: \"Code style\"\nsummary: \"Conventions for Rust and TypeScript\"\ntags: [style]\nkeywords: [rustfmt, eslint]",
        "## Facts\n- **indentation**: four spaces in Rust, two in TypeScript [convention]\n- **error handling**: thiserror in libraries, anyhow in binaries [convention]\n- **test runner**: cargo nextest for Rust, vitest for TypeScript [convention]\n- Anna prefers small pull requests under 300 lines [preference]",
    ),
    (
        "database/choice.md",
        "title: \"Database choice\"\nsummary: \"PostgreSQL 16 is the primary store\"\ntags: [database]\nkeywords: [postgres]",
        "## Narrative\nWe chose PostgreSQL over MySQL because of JSONB and partial indexes. MySQL was dropped in 2024.\n\n## Facts\n- **primary database**: PostgreSQL 16 [project]\n- **connection pool**: pgbouncer in transaction mode, 40 connections [project]",
    ),
    (
        "deploy/production.md",
        "title: \"Deploy to production\"\nsummary: \"Blue-green deployment with Argo\"\ntags: [deploy]\nkeywords: [argo, kubernetes]",
        "## Narrative\nDeployments run through Argo CD. A release is tagged, the image is built by CI and the green pool takes traffic after smoke tests. Rollback: switch the service selector back to blue.\n\n## Rules\nNever deploy on Friday after 15:00.",
    ),
    (
        "frontend/state.md",
        "title: \"Frontend state\"\nsummary: \"Zustand replaces Redux\"\ntags: [frontend]\nkeywords: [zustand, redux]",
        "## Narrative\nState is kept in Zustand stores, one per feature. Server state is in TanStack Query. Redux was removed because of boilerplate.",
    ),
    (
        "incident_response/2026_01_12_login.md",
        "title: \"Incident 2026-01-12: login outage\"\nsummary: \"Login was down for 47 minutes\"\ntags: [incident]\nkeywords: [login, outage]",
        "## Narrative\nOn January 12, 2026 logins failed for 47 minutes because the Vault certificate expired. Marcus renewed it by hand; an alert was added.",
    ),
    (
        "observability/logging.md",
        "title: \"Logging\"\nsummary: \"Structured JSON logs\"\ntags: [observability]\nkeywords: [tracing, logs]",
        "## Narrative\nServices log JSON through the tracing crate to stdout; Loki keeps them for 14 days. Personal data must not be logged.",
    ),
    (
        "team/roles.md",
        "title: \"Team\"\nsummary: \"Who does what\"\ntags: [team]\nkeywords: [roles]",
        "## Facts\n- **backend lead**: Marcus Weber [team]\n- **frontend lead**: Anna Kowalski [team]\n- **on-call rotation**: weekly, starts Monday 09:00 [team]",
    ),
];

/// What a question may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Direct,
    Passages,
    NotCovered,
}

use Outcome::{Direct, NotCovered, Passages};

/// Question, relevance, outcome and the first entry.
const QUESTIONS: [(&str, f64, Outcome, &str); 22] = [
    ("refresh token rotation", 1.00, Direct, "auth/jwt/token_rotation.md"),
    ("What is the access token lifetime?", 1.00, Direct, "auth/jwt/token_rotation.md"),
    ("How long do refresh tokens live?", 1.00, Direct, "auth/jwt/token_rotation.md"),
    ("which signing algorithm do we use for JWT?", 1.00, Direct, "auth/jwt/token_rotation.md"),
    ("Which database do we use?", 0.94, Direct, "database/choice.md"),
    ("Why did we choose PostgreSQL over MySQL?", 1.00, Direct, "database/choice.md"),
    ("Rate limiting", 1.00, Direct, "api_design/rate_limiting.md"),
    ("What is the rate limit per API key?", 1.00, Direct, "api_design/rate_limiting.md"),
    ("When was the login outage?", 0.99, Direct, "incident_response/2026_01_12_login.md"),
    ("What happened in January 2026?", 0.99, Direct, "incident_response/2026_01_12_login.md"),
    ("Who is the backend lead?", 0.99, Direct, "team/roles.md"),
    ("Who is Anna Kowalski?", 0.91, Direct, "team/roles.md"),
    ("test runner for TypeScript", 1.00, Direct, "conventions/code_style.md"),
    ("How do we roll back a deployment?", 0.99, Direct, "deploy/production.md"),
    ("Where is Redis used?", 0.74, Passages, "caching/redis.md"),
    ("Redux", 0.96, Direct, "frontend/state.md"),
    ("caching", 1.00, Direct, "caching/redis.md"),
    ("What is our vacation policy?", 0.00, NotCovered, ""),
    ("GraphQL schema federation", 0.00, NotCovered, ""),
    ("How do we handle GDPR deletion requests?", 0.14, NotCovered, "conventions/code_style.md"),
    ("postgress conection pool", 0.94, Direct, "database/choice.md"),
    ("the", 0.31, NotCovered, "deploy/production.md"),
];

fn outcome(found: &SearchResults) -> Outcome {
    match (found.is_covered(), found.is_direct()) {
        (false, _) => NotCovered,
        (true, false) => Passages,
        (true, true) => Direct,
    }
}

#[test]
fn each_question_has_its_outcome() {
    let texts = ENTRIES.map(|(path, fields, body)| {
        let times = "createdAt: 2026-02-03T10:00:00Z\nupdatedAt: 2026-02-03T10:00:00Z";
        (path, format!("---\n{fields}\n{times}\n---\n\n{body}\n"))
    });
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, &**text)).collect();
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(&files);
    let index = build(folder.path(), &tree);
    let mut others = Vec::new();
    for (question, relevance, expected, first) in QUESTIONS {
        let found = search(&index, &Changes::default(), &tree, question);
        assert_eq!(outcome(&found), expected, "{question}: {found:?}");
        assert_eq!(found.best.as_ref().map_or("", |path| path.as_str()), first, "{question}");
        if (found.relevance - relevance).abs() >= 0.03 {
            others.push(format!("{question}: {:.2}", found.relevance));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn camel_case_is_split_where_the_whole_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree(&[("a.md", "A refresh token is rotated."), ("b.md", "calls refreshTokenNow()")]);
    let index = build(folder.path(), &tree);
    let words = |text: &str| search(&index, &Changes::default(), &tree, text).hits[0].words.clone();
    assert_eq!(words("refreshToken"), ["refresh", "token"]);
    assert_eq!(words("refreshTokenNow"), ["refreshtokennow"]);
}
