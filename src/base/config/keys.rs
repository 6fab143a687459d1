//! The table of settings: every key that brv reads, the values it accepts, and who may set it.
//!
//! A key that nothing reads is not in this table.

use super::model_values::{self as model, Api};
use super::personal_values as personal;
use super::{Color, ReviewPush};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// `agents.offer`
    AgentsOffer,
    /// `cache.shared`
    CacheShared,
    /// `color`
    Color,
    /// `commit.auto`
    CommitAuto,
    /// `dream.auto`
    DreamAuto,
    /// `hooks.enabled`
    HooksEnabled,
    /// `hooks.quota`
    HooksQuota,
    /// `index.ca_file`
    IndexCaFile,
    /// `index.engine`
    IndexEngine,
    /// `index.key_command`
    IndexKeyCommand,
    /// `index.key_env`
    IndexKeyEnv,
    /// `lock.timeout`
    LockTimeout,
    /// `model.api`
    ModelApi,
    /// `model.background`
    ModelBackground,
    /// `model.command`
    ModelCommand,
    /// `model.daily_tokens`
    ModelDailyTokens,
    /// `model.embed_name`
    ModelEmbedName,
    /// `model.embed_url`
    ModelEmbedUrl,
    /// `model.embed_wait`
    ModelEmbedWait,
    /// `model.key_command`
    ModelKeyCommand,
    /// `model.key_env`
    ModelKeyEnv,
    /// `model.name`
    ModelName,
    /// `model.params`
    ModelParams,
    /// `model.timeout`
    ModelTimeout,
    /// `model.url`
    ModelUrl,
    /// `pager`
    Pager,
    /// `query.cache_seconds`
    QueryCacheSeconds,
    /// `review.enabled`
    ReviewEnabled,
    /// `review.push`
    ReviewPush,
    /// `search.freshness`
    SearchFreshness,
    /// `served.keep_days`
    ServedKeepDays,
    /// `ui.editor`
    UiEditor,
    /// `ui.keys`
    UiKeys,
    /// `ui.port`
    UiPort,
}

// Flags and the environment may set any key. A project's file may only be stricter: see [`is_laxer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SetBy")]
pub enum Setter {
    /// The project's and the user's file.
    Anyone,
    // what chooses what runs, where secrets go, how the user's screen looks, or how old the user's answers are
    /// Only the user's file.
    User,
}

/// Families of keys that no project may set, whether or not this version has them.
const PERSONAL_FAMILIES: [&str; 8] =
    ["agents.", "model.", "hooks.", "index.", "trust.", "credentials.", "served.", "ui."];

impl Key {
    /// All keys, sorted by name.
    pub const ALL: [Self; 34] = [
        Self::AgentsOffer,
        Self::CacheShared,
        Self::Color,
        Self::CommitAuto,
        Self::DreamAuto,
        Self::HooksEnabled,
        Self::HooksQuota,
        Self::IndexCaFile,
        Self::IndexEngine,
        Self::IndexKeyCommand,
        Self::IndexKeyEnv,
        Self::LockTimeout,
        Self::ModelApi,
        Self::ModelBackground,
        Self::ModelCommand,
        Self::ModelDailyTokens,
        Self::ModelEmbedName,
        Self::ModelEmbedUrl,
        Self::ModelEmbedWait,
        Self::ModelKeyCommand,
        Self::ModelKeyEnv,
        Self::ModelName,
        Self::ModelParams,
        Self::ModelTimeout,
        Self::ModelUrl,
        Self::Pager,
        Self::QueryCacheSeconds,
        Self::ReviewEnabled,
        Self::ReviewPush,
        Self::SearchFreshness,
        Self::ServedKeepDays,
        Self::UiEditor,
        Self::UiKeys,
        Self::UiPort,
    ];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// The name of the key, parts joined by dots.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AgentsOffer => "agents.offer",
            Self::CacheShared => "cache.shared",
            Self::Color => "color",
            Self::CommitAuto => "commit.auto",
            Self::DreamAuto => "dream.auto",
            Self::HooksEnabled => "hooks.enabled",
            Self::HooksQuota => "hooks.quota",
            Self::IndexCaFile => "index.ca_file",
            Self::IndexEngine => "index.engine",
            Self::IndexKeyCommand => "index.key_command",
            Self::IndexKeyEnv => "index.key_env",
            Self::LockTimeout => "lock.timeout",
            Self::ModelApi => "model.api",
            Self::ModelBackground => "model.background",
            Self::ModelCommand => "model.command",
            Self::ModelDailyTokens => "model.daily_tokens",
            Self::ModelEmbedName => "model.embed_name",
            Self::ModelEmbedUrl => "model.embed_url",
            Self::ModelEmbedWait => "model.embed_wait",
            Self::ModelKeyCommand => "model.key_command",
            Self::ModelKeyEnv => "model.key_env",
            Self::ModelName => "model.name",
            Self::ModelParams => "model.params",
            Self::ModelTimeout => "model.timeout",
            Self::ModelUrl => "model.url",
            Self::Pager => "pager",
            Self::QueryCacheSeconds => "query.cache_seconds",
            Self::ReviewEnabled => "review.enabled",
            Self::ReviewPush => "review.push",
            Self::SearchFreshness => "search.freshness",
            Self::ServedKeepDays => "served.keep_days",
            Self::UiEditor => "ui.editor",
            Self::UiKeys => "ui.keys",
            Self::UiPort => "ui.port",
        }
    }

    /// The environment variable that overrides both files.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::AgentsOffer => "BRV_AGENTS_OFFER",
            Self::CacheShared => "BRV_CACHE_SHARED",
            Self::Color => "BRV_COLOR",
            Self::CommitAuto => "BRV_COMMIT_AUTO",
            Self::DreamAuto => "BRV_DREAM_AUTO",
            Self::HooksEnabled => "BRV_HOOKS_ENABLED",
            Self::HooksQuota => "BRV_HOOKS_QUOTA",
            Self::IndexCaFile => "BRV_INDEX_CA_FILE",
            Self::IndexEngine => "BRV_INDEX_ENGINE",
            Self::IndexKeyCommand => "BRV_INDEX_KEY_COMMAND",
            Self::IndexKeyEnv => "BRV_INDEX_KEY_ENV",
            Self::LockTimeout => "BRV_LOCK_TIMEOUT",
            Self::ModelApi => "BRV_MODEL_API",
            Self::ModelBackground => "BRV_MODEL_BACKGROUND",
            Self::ModelCommand => "BRV_MODEL_COMMAND",
            Self::ModelDailyTokens => "BRV_MODEL_DAILY_TOKENS",
            Self::ModelEmbedName => "BRV_MODEL_EMBED_NAME",
            Self::ModelEmbedUrl => "BRV_MODEL_EMBED_URL",
            Self::ModelEmbedWait => "BRV_MODEL_EMBED_WAIT",
            Self::ModelKeyCommand => "BRV_MODEL_KEY_COMMAND",
            Self::ModelKeyEnv => "BRV_MODEL_KEY_ENV",
            Self::ModelName => "BRV_MODEL_NAME",
            Self::ModelParams => "BRV_MODEL_PARAMS",
            Self::ModelTimeout => "BRV_MODEL_TIMEOUT",
            Self::ModelUrl => "BRV_MODEL_URL",
            Self::Pager => "BRV_PAGER",
            Self::QueryCacheSeconds => "BRV_QUERY_CACHE_SECONDS",
            Self::ReviewEnabled => "BRV_REVIEW_ENABLED",
            Self::ReviewPush => "BRV_REVIEW_PUSH",
            Self::SearchFreshness => "BRV_SEARCH_FRESHNESS",
            Self::ServedKeepDays => "BRV_SERVED_KEEP_DAYS",
            Self::UiEditor => "BRV_UI_EDITOR",
            Self::UiKeys => "BRV_UI_KEYS",
            Self::UiPort => "BRV_UI_PORT",
        }
    }

    /// Whose files may set the key.
    pub const fn setter(self) -> Setter {
        match self {
            Self::AgentsOffer
            | Self::CacheShared
            | Self::Color
            | Self::DreamAuto
            | Self::HooksEnabled
            | Self::HooksQuota
            | Self::IndexCaFile
            | Self::IndexEngine
            | Self::IndexKeyCommand
            | Self::IndexKeyEnv
            | Self::ModelApi
            | Self::ModelBackground
            | Self::ModelCommand
            | Self::ModelDailyTokens
            | Self::ModelEmbedName
            | Self::ModelEmbedUrl
            | Self::ModelEmbedWait
            | Self::ModelKeyCommand
            | Self::ModelKeyEnv
            | Self::ModelName
            | Self::ModelParams
            | Self::ModelTimeout
            | Self::ModelUrl
            | Self::Pager
            | Self::QueryCacheSeconds
            | Self::SearchFreshness
            | Self::ServedKeepDays
            | Self::UiEditor
            | Self::UiKeys
            | Self::UiPort => Setter::User,
            Self::CommitAuto | Self::LockTimeout | Self::ReviewEnabled | Self::ReviewPush => Setter::Anyone,
        }
    }

    pub const fn about(self) -> &'static str {
        match self {
            Self::AgentsOffer => {
                "whether brv asks an agent after its commit to file what the commit does not say"
            }
            Self::CacheShared => {
                "whether what is derived is kept in your cache for other clones on this machine"
            }
            Self::Color => "when output is coloured",
            Self::CommitAuto => "whether commands that write knowledge, such as `brv curate`, commit it",
            Self::DreamAuto => "whether brv dreams in the background when a dream is due",
            Self::HooksEnabled => "whether the installed git hooks do anything",
            Self::HooksQuota => "how many commits a day the hooks may curate",
            Self::IndexCaFile => {
                "a file with the certificates that the search engine's is checked by, in PEM"
            }
            Self::IndexEngine => {
                "the address of the search engine that `brv index` uses, such as https://host:9200"
            }
            Self::IndexKeyCommand => "a command whose first line of output is the key of the search engine",
            Self::IndexKeyEnv => "the environment variable that has the key of the search engine",
            Self::LockTimeout => "how many seconds to wait for another brv or git that is writing",
            Self::ModelApi => "the interface of the model: openai, responses, anthropic or command",
            Self::ModelBackground => "whether hooks and dreams in the background may ask the model",
            Self::ModelCommand => "the program that answers as the model: a JSON list of its words",
            Self::ModelDailyTokens => "how many tokens the model may use in a day, in and out",
            Self::ModelEmbedName => "the name of the encoder, as its server calls it",
            Self::ModelEmbedUrl => "the address of an encoder that orders what is found, up to `/embeddings`",
            Self::ModelEmbedWait => "how many seconds a question waits for the encoder",
            Self::ModelKeyCommand => "a command whose first line of output is the key of the model",
            Self::ModelKeyEnv => "the environment variable that has the key of the model",
            Self::ModelName => "the name of the model, as its server calls it",
            Self::ModelParams => "fields to add to each request to the model: a JSON object",
            Self::ModelTimeout => "how many seconds one call to the model may take",
            Self::ModelUrl => {
                "the address of the model, up to the path of the interface, such as https://host/v1"
            }
            Self::Pager => "the program that shows long output; empty for none, unset for git's choice",
            Self::QueryCacheSeconds => "how many seconds `brv query` may repeat an answer",
            Self::ReviewEnabled => {
                "whether risky changes are marked for review; a team's brv.yaml can insist on it"
            }
            Self::ReviewPush => "how a push treats changes that wait for review",
            Self::SearchFreshness => "how many seconds a search waits before it looks for edited files again",
            Self::ServedKeepDays => {
                "for how many days brv keeps which entries agents were given; 0 keeps nothing"
            }
            Self::UiEditor => "the address that opens an entry in your editor, from the pages of `brv ui`",
            Self::UiKeys => "whether the pages of `brv ui` have keyboard shortcuts",
            Self::UiPort => "the port of the pages of `brv ui`",
        }
    }

    /// The values it accepts, worded to follow "which is not".
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Color => "auto, always or never",
            Self::AgentsOffer
            | Self::CacheShared
            | Self::CommitAuto
            | Self::DreamAuto
            | Self::HooksEnabled
            | Self::ModelBackground
            | Self::ReviewEnabled => "true or false",
            Self::ModelApi => "openai, responses, anthropic or command",
            Self::ModelCommand => "a JSON list of words, such as [\"claude\", \"-p\"]",
            Self::ModelDailyTokens => "a whole number",
            Self::IndexCaFile => "the path of a file",
            Self::IndexEngine => {
                "an https address, or a plain http one of this machine, such as https://host:9200"
            }
            Self::IndexKeyEnv | Self::ModelKeyEnv => "the name of a variable",
            Self::ModelEmbedName | Self::ModelName => "a name",
            Self::ModelParams => "a JSON object",
            Self::ModelTimeout => "a number of seconds from 1 to one day",
            Self::ModelEmbedUrl | Self::ModelUrl => {
                "an https address, or a plain http one of this machine, such as https://host/v1"
            }
            Self::HooksQuota => "a whole number up to 10000",
            Self::LockTimeout | Self::ModelEmbedWait | Self::QueryCacheSeconds | Self::SearchFreshness => {
                "a number of seconds up to one day"
            }
            Self::IndexKeyCommand | Self::ModelKeyCommand | Self::Pager => "a command",
            Self::ReviewPush => "block, warn or off",
            Self::ServedKeepDays => "a whole number up to 90",
            Self::UiEditor => "an editor's own scheme with {path}, such as vscode://file/{path}:{line}",
            Self::UiKeys => "on or off",
            Self::UiPort => "a port from 1 to 65535",
        }
    }

    pub fn accepts(self, value: &str) -> bool {
        match self {
            Self::Color => Color::parse(value).is_some(),
            Self::AgentsOffer
            | Self::CacheShared
            | Self::CommitAuto
            | Self::DreamAuto
            | Self::HooksEnabled
            | Self::ModelBackground
            | Self::ReviewEnabled => truth(value).is_some(),
            Self::ModelApi => Api::parse(value).is_some(),
            Self::ModelCommand => model::words(value).is_some(),
            Self::ModelDailyTokens => model::tokens(value).is_some(),
            Self::IndexCaFile => !value.trim().is_empty() && !value.contains(['\n', '\0']),
            Self::IndexEngine => model::engine(value).is_some(),
            Self::IndexKeyEnv | Self::ModelKeyEnv => model::is_variable(value.trim()),
            Self::ModelEmbedName | Self::ModelName => model::is_name(value.trim()),
            Self::ModelParams => model::params(value).is_some(),
            Self::ModelTimeout => seconds(value).is_some_and(|value| value >= Duration::from_secs(1)),
            Self::ModelEmbedUrl | Self::ModelUrl => model::base(value).is_some(),
            Self::HooksQuota => quota(value).is_some(),
            Self::LockTimeout | Self::ModelEmbedWait | Self::QueryCacheSeconds | Self::SearchFreshness => {
                seconds(value).is_some()
            }
            Self::IndexKeyCommand | Self::ModelKeyCommand | Self::Pager => !value.contains(['\n', '\0']),
            Self::ReviewPush => ReviewPush::parse(value).is_some(),
            Self::ServedKeepDays => personal::days(value).is_some(),
            Self::UiEditor => personal::editor(value).is_some(),
            Self::UiKeys => personal::switch(value).is_some(),
            Self::UiPort => personal::port(value).is_some(),
        }
    }
}

/// Whether no project may set the key with this name, which need not exist.
pub(super) fn is_personal(name: &str) -> bool {
    match Key::named(name) {
        Some(key) => key.setter() == Setter::User,
        None => PERSONAL_FAMILIES.iter().any(|family| name.starts_with(family)),
    }
}

/// The most seconds that a project may let others wait.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// What [`is_laxer`] holds a project to, in words.
pub(super) const STRICTER: &str = "a project may only make review stricter and waits shorter";

/// Whether a project's file may not set a key to this value: it would let pass what a user's own review stops, or make all
/// that work on it wait for a long time.
pub(super) fn is_laxer(key: Key, value: &str) -> bool {
    match key {
        Key::ReviewEnabled => truth(value) == Some(false),
        Key::ReviewPush => ReviewPush::parse(value).is_some_and(|value| value != ReviewPush::Block),
        Key::LockTimeout => seconds(value).is_some_and(|value| value > LONGEST_WAIT),
        _ => false,
    }
}

/// `true` or `false`.
pub(super) fn truth(text: &str) -> Option<bool> {
    text.trim().parse().ok()
}

/// A whole number up to 10,000.
pub(super) fn quota(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|number| *number <= 10_000)
}

/// A number of seconds up to one day.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    let seconds = text.trim().parse().ok().filter(|seconds| (0.0..=86_400.0).contains(seconds))?;
    Some(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_found_by_their_names() {
        assert!(Key::ALL.is_sorted_by_key(|key| key.name()));
        for key in Key::ALL {
            assert_eq!(Key::named(key.name()), Some(key));
            assert!(key.variable().starts_with("BRV_"));
        }
        assert_eq!(Key::named("Color"), None);
    }

    #[test]
    fn what_chooses_a_program_or_a_place_for_secrets_is_personal() {
        for name in [
            "pager",
            "model.url",
            "model.embed_url",
            "agents.offer",
            "hooks.after",
            "trust.quarantine",
            "credentials.helper",
            "served.keep_days",
            "served.where",
            "ui.port",
            "ui.theme",
        ] {
            assert!(is_personal(name), "{name}");
        }
        assert!(!is_personal("lock.timeout") && !is_personal("models") && !is_personal("search.top"));
    }
}
