//! The variables that brv reads, in one table: `brv help environment` and the man page show it.
//!
//! Reads none of them: each is read where its value is used.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    pub names: &'static [&'static str],
    /// Whether there are more of the kind, known from git.
    pub more: bool,
    /// What it does, in markdown.
    pub meaning: &'static str,
}

const fn row(names: &'static [&'static str], meaning: &'static str) -> Variable {
    Variable { names, more: false, meaning }
}

/// All of them, in the order in which they are shown.
pub const VARIABLES: [Variable; 37] = [
    row(&["BRV_TOKEN"], "a token for https remotes"),
    row(&["BRV_TOKEN_HOST"], "the host that gets the token, with its port unless 443; a clone needs it"),
    row(&["BRV_USER"], "the user name for the token; `x-access-token` if unset"),
    row(&["BRV_ACTOR", "BRV_SESSION"], "the actor and the session of the caller; each operation keeps them"),
    row(&["BRV_COLOR"], "`auto`, `always` or `never`; `NO_COLOR` applies, too"),
    row(
        &["BRV_PAGER"],
        "the pager, empty for none; if unset, `GIT_PAGER`, the user's `core.pager`, then `PAGER`",
    ),
    row(&["GIT_EDITOR"], "the editor; if unset, the user's `core.editor`, `VISUAL`, then `EDITOR`"),
    row(&["BRV_COMMIT_AUTO"], "`false`: `brv curate` and its like stage their changes and make no commit"),
    row(
        &["BRV_HOOKS", "BRV_HOOKS_MARK"],
        "`BRV_HOOKS=0`: hooks of git and agents do nothing, except the gate before a push; `brv hooks test` sets both",
    ),
    row(&["BRV_DREAM_AUTO"], "`true`: brv dreams in the background when a dream is due"),
    row(&["BRV_AGENTS_OFFER"], "`false`: brv asks no agent to file what its commit does not say"),
    row(&["BRV_CACHE_SHARED"], "`false`: keep nothing derived for other clones"),
    row(&["BRV_HOOKS_ENABLED"], "`false`: git hooks do nothing"),
    row(&["BRV_HOOKS_QUOTA"], "how many commits a day the git hooks may curate; 20 if unset"),
    row(&["BRV_LOCK_TIMEOUT"], "seconds to wait for another `brv` that is writing; 10 if unset"),
    row(&["BRV_QUERY_CACHE_SECONDS"], "how long `brv query` may repeat an answer; 60 if unset"),
    row(&["BRV_REVIEW_ENABLED"], "`false`: brv marks no risky changes and holds no push"),
    row(
        &["BRV_REVIEW_PUSH"],
        "`block`, `warn` or `off` for a push with changes that wait for review; `block` if unset",
    ),
    row(&["BRV_SEARCH_FRESHNESS"], "seconds until a search looks for edited files again; 2 if unset"),
    row(
        &["BRV_SERVED_KEEP_DAYS"],
        "days that brv keeps which entries agents were given; 90 if unset, 0: nothing",
    ),
    row(
        &["BRV_INDEX_ENGINE", "BRV_INDEX_CA_FILE", "BRV_INDEX_KEY_ENV", "BRV_INDEX_KEY_COMMAND"],
        "the settings `index.*`",
    ),
    row(&["BRV_UI_PORT", "BRV_UI_KEYS", "BRV_UI_EDITOR"], "the settings `ui.*` of these names"),
    row(&["BRV_MODEL_URL", "BRV_MODEL_API", "BRV_MODEL_NAME"], "the settings `model.*` of these names"),
    row(&["BRV_MODEL_COMMAND", "BRV_MODEL_PARAMS"], "likewise"),
    row(&["BRV_MODEL_KEY_ENV", "BRV_MODEL_KEY_COMMAND"], "likewise"),
    row(&["BRV_MODEL_TIMEOUT", "BRV_MODEL_DAILY_TOKENS", "BRV_MODEL_BACKGROUND"], "likewise"),
    row(
        &["BRV_MODEL_EMBED_URL", "BRV_MODEL_EMBED_NAME", "BRV_MODEL_EMBED_WAIT"],
        "likewise: see `brv help models`",
    ),
    row(&["OPENAI_API_KEY", "ANTHROPIC_API_KEY"], "the key of a language model, each for its own host only"),
    row(&["BRV_CONFIG_HOME"], "the folder of the user's `config.yaml`"),
    row(&["BRV_NETWORK_TIMEOUT"], "seconds that a remote may be silent; 120 if unset"),
    row(&["BRV_CLOCK"], "the current time for tests, as in RFC 3339"),
    Variable { names: &["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"], more: true, meaning: "as in git" },
    row(&["GIT_SSH_COMMAND", "GIT_SSH", "GIT_SSH_VARIANT"], "the program for ssh remotes"),
    row(
        &["https_proxy", "http_proxy", "all_proxy", "no_proxy"],
        "the proxies for http remotes, with curl's meaning",
    ),
    Variable {
        names: &["GIT_SSL_CAINFO", "GIT_SSL_NO_VERIFY"],
        more: true,
        meaning: "as in git, as are `GIT_ASKPASS` and `GIT_ALLOW_PROTOCOL`",
    },
    row(&["NETRC"], "the file with passwords for hosts; `~/.netrc` if unset"),
    row(&["COLUMNS"], "the width of lines without a terminal"),
];

impl Variable {
    /// The names as a table shows them: `A`, `B` and so on.
    pub fn shown(&self, quote: &str) -> String {
        let names: Vec<String> = self.names.iter().map(|name| format!("{quote}{name}{quote}")).collect();
        let more = if self.more { " and so on" } else { "" };
        format!("{}{more}", names.join(", "))
    }
}
