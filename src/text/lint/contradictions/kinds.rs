//! Names by kind, where a project usually chooses one: databases, formats, hash functions. Two names of one kind answer
//! the same question about a subject, names of two kinds do not.
//!
//! Well-known names only: an unknown one is of no kind.

/// Each kind with its names, in the words of a statement: `sha 256`.
const KINDS: [&[&str]; 51] = [
    &[
        "postgresql",
        "postgres",
        "mysql",
        "mariadb",
        "sqlite",
        "oracle",
        "mongodb",
        "cassandra",
        "dynamodb",
        "cockroachdb",
        "sql server",
        "scylladb",
        "clickhouse",
    ],
    &["redis", "memcached", "valkey"],
    &["elasticsearch", "opensearch", "solr", "meilisearch", "typesense", "tantivy", "lucene"],
    &[
        "rust",
        "golang",
        "python",
        "java",
        "kotlin",
        "typescript",
        "javascript",
        "ruby",
        "php",
        "swift",
        "scala",
        "elixir",
        "c#",
    ],
    &[
        "json",
        "yaml",
        "toml",
        "xml",
        "csv",
        "protobuf",
        "msgpack",
        "avro",
        "cbor",
        "ini",
        "parquet",
        "plain text",
        "plain string",
    ],
    &["md 5", "sha 1", "sha 256", "sha 512", "blake 3", "bcrypt", "argon 2", "argon2id", "scrypt", "pbkdf 2"],
    &["rs 256", "hs 256", "es 256", "eddsa", "ed 25519", "rsa", "ecdsa"],
    &["gzip", "xz", "zstd", "brotli", "lz 4", "bzip 2", "snappy", "deflate"],
    &["kafka", "rabbitmq", "nats", "sqs", "pulsar", "activemq"],
    &["npm", "pnpm", "yarn", "bun"],
    &["pip", "poetry", "pipenv", "uv", "conda"],
    &["maven", "gradle", "bazel"],
    &["pytest", "unittest", "jest", "vitest", "mocha", "junit"],
    &["vim", "neovim", "emacs", "vs code", "vscode", "zed", "intellij"],
    &["bash", "zsh", "fish", "powershell"],
    &["aws", "gcp", "azure", "hetzner"],
    &["s 3", "gcs", "azure blob"],
    &["docker", "podman", "containerd"],
    &["kubernetes", "nomad", "ecs", "docker swarm"],
    &["terraform", "pulumi", "cloudformation", "opentofu"],
    &["github actions", "gitlab ci", "jenkins", "circleci", "buildkite"],
    &["blue green", "canary", "rolling", "recreate"],
    &["trunk based", "gitflow", "github flow"],
    &["nginx", "caddy", "traefik", "haproxy", "envoy"],
    &["prometheus", "datadog", "influxdb", "graphite"],
    &["django", "flask", "fastapi", "rails", "laravel", "spring boot"],
    &["axum", "actix", "rocket", "warp"],
    &["trace", "debug", "info", "warn", "warning", "error", "fatal"],
    &["main", "master", "trunk", "develop"],
    &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    &["mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"],
    &["utc", "local time", "cet", "pst", "gmt"],
    &["tab", "space", "tabs", "spaces"],
    &["serializable", "read committed", "repeatable read", "snapshot", "read uncommitted"],
    &["rest", "grpc", "graphql", "soap"],
    &["oauth", "saml", "oidc", "basic auth", "api key", "api keys", "mtls"],
    &["uuid", "ulid", "snowflake", "auto increment"],
    &["lru", "lfu", "fifo", "lifo"],
    &["at least 1", "at most 1", "exactly 1"],
    &["strong", "eventual"],
    &["stdout", "stderr", "syslog", "journald"],
    &["mit", "apache", "gpl", "bsd", "mpl", "agpl", "proprietary"],
    &["react", "vue", "svelte", "angular"],
    &["eslint", "biome"],
    &["ruff", "flake 8", "pylint"],
    &["jira", "linear", "github issues"],
    &["slack", "mattermost", "ms teams", "discord"],
    &["lf", "crlf"],
    &["utf 8", "utf 16", "latin 1", "ascii"],
    &["snake case", "camelcase", "camel case", "pascalcase", "pascal case", "kebab case"],
    &["english", "german", "french", "spanish", "portuguese", "japanese"],
];

/// Other spellings of names above, each with the one that counts.
const SPELLINGS: [(&str, &str); 8] = [
    ("postgres", "postgresql"),
    ("vscode", "vs code"),
    ("warning", "warn"),
    ("tabs", "tab"),
    ("spaces", "space"),
    ("api keys", "api key"),
    ("camel case", "camelcase"),
    ("pascal case", "pascalcase"),
];

fn spelt(name: &'static str) -> &'static str {
    SPELLINGS.iter().find(|(other, _)| *other == name).map_or(name, |(_, counts)| counts)
}

/// All spellings of a name.
pub(super) fn spellings(name: &'static str) -> impl Iterator<Item = &'static str> {
    let others = SPELLINGS.iter().filter(move |(_, counts)| *counts == name).map(|(other, _)| *other);
    std::iter::once(name).chain(others)
}

/// The kinds that a text of words has names of, each with the names.
pub(super) fn of(words: &str) -> Vec<(usize, Vec<&'static str>)> {
    let has = |name: &&&'static str| {
        words.match_indices(**name).any(|(at, _)| {
            let is_edge = |c: Option<char>| c.is_none_or(|c| c == ' ');
            is_edge(words[..at].chars().next_back()) && is_edge(words[at + name.len()..].chars().next())
        })
    };
    let kinds = KINDS.iter().enumerate();
    let named = kinds.map(|(kind, names)| {
        let mut names: Vec<_> = names.iter().filter(has).copied().map(spelt).collect();
        names.dedup();
        (kind, names)
    });
    named.filter(|(_, names)| !names.is_empty()).collect()
}
