//! Whether a host uses an entry: the program that it names, what comes before it, what the user decided in the host.

use super::{ConnectorState, ConnectorType, Host, Scope, Site};
use brv_base::process;
use brv_engine::agents::connectors::{self, Dialect, Target};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// How long a program may take to print its version.
const PATIENCE: Duration = Duration::from_secs(2);

type HealthFinding = Option<(ConnectorState, String)>;

impl Site {
    /// What is wrong with an entry that is as it should be.
    pub(super) fn health(&self, target: &Target, bytes: &[u8]) -> HealthFinding {
        if !matches!(target.kind, ConnectorType::Mcp | ConnectorType::Hook) {
            return None;
        }
        let entry = connectors::entry_in(&target.form, bytes)?;
        self.stale(target, bytes, &entry)
            .or_else(|| self.shadowed(target))
            .or_else(|| self.disabled(target, bytes, &entry))
            .or_else(|| self.untrusted(target, bytes))
    }

    fn stale(&self, target: &Target, bytes: &[u8], entry: &Value) -> HealthFinding {
        let program = match target.kind {
            ConnectorType::Hook => connectors::command_in(&target.form, bytes)
                .and_then(|command| connectors::hook_program(target.host, &command))?,
            _ => connectors::registered(entry)?.program,
        };
        let stale = |why: String| Some((ConnectorState::StaleBinary, why));
        let is_bare = !program.contains(['/', '\\']);
        // a file of the project may name anybody's program: only the word that brv writes is looked for
        if target.scope == Scope::Project && is_bare && program != "brv" {
            return None;
        }
        let path = match is_bare {
            true => process::find_on_path(&program, &self.environment),
            false => Some(PathBuf::from(&program)).filter(|path| path.is_file()),
        };
        let Some(path) = path else {
            let or_user = match self.has_scope(target.host, target.kind, Scope::User) {
                true => ", or use `--scope user`",
                false => "",
            };
            return stale(match (is_bare, target.scope) {
                (true, Scope::Project) => {
                    format!("`{program}` is not on PATH, where the host looks for it: put it there{or_user}")
                }
                (true, Scope::User) => format!("`{program}` is not on PATH"),
                (false, _) => format!("`{program}` does not exist"),
            });
        };
        // a path in a file of the project may be anybody's program: it is not run
        if self.is_this(&path.to_string_lossy()) || (target.scope == Scope::Project && !is_bare) {
            return None;
        }
        let version = self.version(&path)?;
        let own = concat!("brv ", env!("CARGO_PKG_VERSION"));
        (version != own)
            .then(|| (ConnectorState::StaleBinary, format!("`{program}` is {version}, this is {own}")))
    }

    /// The first line that a program prints with `--version`.
    fn version(&self, program: &Path) -> Option<String> {
        let mut command = process::command(program, &self.environment);
        process::lead_group(&mut command);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let begun = Instant::now();
        while matches!(child.try_wait(), Ok(None)) {
            if begun.elapsed() > PATIENCE {
                process::end(&mut child, process::Led::Yes);
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let output = child.wait_with_output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().next().map(|line| line.trim().chars().take(60).collect())
    }

    fn disabled(&self, target: &Target, bytes: &[u8], entry: &Value) -> HealthFinding {
        let is = |key: &str, value: bool| entry.get(key) == Some(&Value::Bool(value));
        if target.kind == ConnectorType::Mcp && (is("enabled", false) || is("disabled", true)) {
            return Some((ConnectorState::Disabled, "the entry itself says so".into()));
        }
        let whole = self.value(target, bytes);
        let says = |value: &Value, path: &str, wanted: &Value| value.pointer(path) == Some(wanted);
        match (target.host, target.kind) {
            (Host::Claude, ConnectorType::Hook) => {
                let is_off = |value: &Value| says(value, "/disableAllHooks", &Value::Bool(true));
                let is_off = is_off(&whole) || self.claude_decisions().iter().any(is_off);
                is_off.then(|| (ConnectorState::Disabled, "`disableAllHooks` is true".into()))
            }
            (Host::Codex, ConnectorType::Hook) => {
                let config = self.codex_config();
                let is_off = says(&config, "/features/hooks", &Value::Bool(false));
                is_off.then(|| (ConnectorState::Disabled, "`features.hooks` is false".into()))
            }
            (Host::Copilot, ConnectorType::Mcp) => {
                let settings = self.loose(self.folders.settings(Host::Copilot, "settings.json"))?;
                has_brv(&settings, "disabledMcpServers")
                    .then(|| (ConnectorState::Disabled, "`copilot mcp enable brv` switches it on".into()))
            }
            (Host::Gemini, ConnectorType::Mcp) => {
                let switches = self.folders.settings(Host::Gemini, "mcp-server-enablement.json");
                if self.loose(switches).is_some_and(|value| says(&value, "/brv/enabled", &Value::Bool(false)))
                {
                    return Some((ConnectorState::Disabled, "`gemini mcp enable brv` switches it on".into()));
                }
                let list = |path: &str| whole.pointer(path).and_then(Value::as_array).cloned();
                let is_out = list("/mcp/excluded").is_some_and(|all| all.contains(&Value::from("brv")))
                    || list("/mcp/allowed").is_some_and(|all| !all.contains(&Value::from("brv")));
                is_out.then(|| {
                    (ConnectorState::Disabled, "`mcp.allowed` or `mcp.excluded` keeps it out".into())
                })
            }
            _ => None,
        }
    }

    fn untrusted(&self, target: &Target, bytes: &[u8]) -> HealthFinding {
        let untrusted = |why: &str| Some((ConnectorState::Untrusted, why.to_owned()));
        match (target.host, target.kind, target.scope) {
            (Host::Claude, ConnectorType::Mcp, scope) => {
                let is_project = scope == Scope::Project;
                let is_off = |value: &Value| {
                    has_brv(value, "disabledMcpServers")
                        || is_project && has_brv(value, "disabledMcpjsonServers")
                };
                if self.claude_decisions().iter().any(is_off) {
                    return untrusted("it is switched off in this folder; `/mcp` in claude switches it on");
                }
                match is_project && !self.claude_approves() {
                    true => untrusted("claude asks for your approval when it starts in this folder"),
                    false => None,
                }
            }
            (Host::Claude, ConnectorType::Hook, Scope::Project) if !self.claude_trusts() => {
                untrusted("claude asks whether you trust this folder")
            }
            (Host::Codex, ConnectorType::Hook, _) => self.codex_hook_trust(target, bytes),
            (Host::Gemini, ConnectorType::Mcp, _) => self.gemini_trust(),
            _ => None,
        }
    }

    /// What a user decided in claude, for all folders and for this one.
    fn claude_decisions(&self) -> Vec<Value> {
        let user = self.loose(self.folders.settings(Host::Claude, "settings.json"));
        // the project cannot approve itself
        let project = self.claude_project_settings().filter(|_| self.claude_trusts());
        [user, project, self.claude_local(), self.claude_project()].into_iter().flatten().collect()
    }

    /// Whether claude starts the servers that the project names.
    pub(super) fn claude_approves(&self) -> bool {
        let approves = |value: &Value| {
            has_brv(value, "enabledMcpjsonServers")
                || value["enableAllProjectMcpServers"] == Value::Bool(true)
        };
        self.claude_decisions().iter().any(approves)
    }

    fn claude_trusts(&self) -> bool {
        self.claude_project().is_some_and(|project| project["hasTrustDialogAccepted"] == Value::Bool(true))
    }

    /// Codex runs a hook once its user has looked at it: it notes a hash by file, event and place.
    fn codex_hook_trust(&self, target: &Target, bytes: &[u8]) -> HealthFinding {
        let states = self.codex_config()["hooks"]["state"].as_object().cloned().unwrap_or_default();
        for (event, name) in connectors::HOOK_EVENTS {
            let Some((group, hook, hash)) = connectors::codex_hook(&self.value(target, bytes), event, name)
            else {
                continue;
            };
            let ending = format!("hooks.json:{name}:{group}:{hook}");
            let state = states.iter().find(|(key, _)| key.ends_with(&ending)).map(|(_, state)| state);
            if state.is_some_and(|state| state["enabled"] == Value::Bool(false)) {
                return Some((
                    ConnectorState::Disabled,
                    format!("codex has the hook of {event} switched off"),
                ));
            }
            let trusted = state.and_then(|state| state["trusted_hash"].as_str());
            if trusted.is_none_or(|trusted| hash.is_some_and(|hash| trusted != hash)) {
                let why = "codex asks you to look at new and changed hooks: `/hooks` in codex";
                return Some((ConnectorState::Untrusted, why.into()));
            }
        }
        None
    }

    /// Gemini uses no server in a folder that its user does not trust, not even those of the user.
    fn gemini_trust(&self) -> HealthFinding {
        let settings = self.loose(self.folders.settings(Host::Gemini, "settings.json"));
        let switch = |path: &str| settings.as_ref().and_then(|value| value.pointer(path)).cloned();
        if switch("/security/folderTrust/enabled") == Some(Value::Bool(false)) {
            return None;
        }
        let folder = self.folders.project.as_ref()?;
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let trusted = self.loose(self.folders.settings(Host::Gemini, "trustedFolders.json"));
        let rules = trusted.as_ref().and_then(Value::as_object).into_iter().flatten();
        let mut nearest: Option<(usize, bool)> = None;
        for (path, word) in rules {
            let path = Path::new(path);
            let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            let (path, is_trusted) = match word.as_str() {
                Some("TRUST_FOLDER") => (Some(path.as_path()), true),
                Some("TRUST_PARENT") => (path.parent(), true),
                _ => (Some(path.as_path()), false),
            };
            let Some(path) = path.filter(|path| folder.starts_with(path)) else { continue };
            let depth = path.components().count();
            if nearest.is_none_or(|(known, _)| depth >= known) {
                nearest = Some((depth, is_trusted));
            }
        }
        match nearest {
            Some((_, true)) => None,
            _ => Some((
                ConnectorState::Untrusted,
                "gemini does not trust this folder yet; it asks when it starts here".into(),
            )),
        }
    }

    /// The file of a target as a value.
    fn value(&self, target: &Target, bytes: &[u8]) -> Value {
        let dialect = match &target.form {
            connectors::Form::Json { dialect, .. } => *dialect,
            _ => return Value::Null,
        };
        let json = connectors::parse_json(bytes, dialect).ok();
        json.and_then(|json| json.root.map(|root| root.value())).unwrap_or_default()
    }

    /// A file of settings as a value, comments and all.
    pub(super) fn loose(&self, file: Option<PathBuf>) -> Option<Value> {
        let bytes = brv_base::fs::read_if_there(&file?).ok()??;
        let json = connectors::parse_json(&bytes, Dialect::LOOSE).ok()?;
        Some(json.root?.value())
    }

    fn claude_project_settings(&self) -> Option<Value> {
        self.loose(self.folders.project.as_ref().map(|folder| folder.join(".claude/settings.json")))
    }

    fn claude_local(&self) -> Option<Value> {
        self.loose(self.folders.project.as_ref().map(|folder| folder.join(".claude/settings.local.json")))
    }

    /// What claude keeps about this folder.
    pub(super) fn claude_project(&self) -> Option<Value> {
        let folder = self.folders.project.as_ref()?;
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let state = self.loose(self.folders.claude_state())?;
        Some(state["projects"][folder.display().to_string()].clone())
    }

    fn codex_config(&self) -> Value {
        let file = self.folders.settings(Host::Codex, "config.toml");
        let bytes = file.and_then(|file| brv_base::fs::read_if_there(&file).ok().flatten());
        bytes.and_then(|bytes| connectors::toml_value(&bytes)).unwrap_or_default()
    }

    /// Whether codex reads the settings of this folder.
    pub(super) fn codex_trusts(&self) -> bool {
        let config = self.codex_config();
        let projects = config["projects"].as_object().cloned().unwrap_or_default();
        let Some(folder) = &self.folders.project else { return false };
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        projects.iter().any(|(path, project)| {
            Path::new(path).canonicalize().is_ok_and(|path| path == folder)
                && project["trust_level"] == "trusted"
        })
    }
}

/// Whether a list of names has brv in it.
fn has_brv(value: &Value, key: &str) -> bool {
    value[key].as_array().is_some_and(|names| names.contains(&Value::from("brv")))
}
