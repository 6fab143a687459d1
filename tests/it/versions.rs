//! What new versions keep (`brv help versions`): frozen schemas, samples of formats, one place for the address.

mod schemas;

use crate::env::Env;
use crate::init::json;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of released versions in a folder of fixtures; there is none before the first release.
fn versions(below: &str) -> Vec<PathBuf> {
    let Ok(folders) = std::fs::read_dir(repository().join("fixtures").join(below)) else { return Vec::new() };
    let folders = folders.map(|entry| entry.unwrap().path());
    folders.filter(|path| path.is_dir()).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let place = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &place);
        } else {
            std::fs::copy(&path, &place).unwrap();
        }
    }
}

/// The project that an older version left: its tree, its derived files and its state.
fn left_by(sample: &Path) -> Env {
    let env = Env::new();
    let tree = env.path(".brv/context-tree");
    let bundle = sample.join("tree.bundle");
    let bundle = bundle.to_str().unwrap();
    std::fs::create_dir_all(env.path(".brv")).unwrap();
    env.git(env.root(), &["clone", "-q", "--branch", "main", bundle, tree.to_str().unwrap()]);
    env.git(&tree, &["fetch", "-q", bundle, "refs/brv/*:refs/brv/*"]);
    env.git(&tree, &["remote", "remove", "origin"]);
    std::fs::create_dir_all(tree.join(".git/brv")).unwrap();
    let state = std::fs::read_to_string(sample.join("state.sql")).unwrap();
    Connection::open(tree.join(".git/brv/state.db")).unwrap().execute_batch(&state).unwrap();
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    copy(&sample.join("derived"), &tree);
    env
}

#[test]
fn what_older_versions_wrote_is_read() {
    let samples = versions("formats");
    assert!(!samples.is_empty());
    for sample in samples {
        let env = left_by(&sample);
        let shown = |arguments: &[&str]| {
            let ran = env.brv(arguments);
            assert_eq!(ran.code, 0, "{} {arguments:?}: {}", sample.display(), ran.stderr);
            ran.stdout
        };
        assert!(shown(&["vc", "status"]).contains("working tree clean"));
        assert!(shown(&["archive", "list"]).contains("auth/keys.md"));
        assert!(shown(&["read", "auth/tokens"]).contains("Tokens live 12 hours."));
        assert!(shown(&["op", "log"]).contains("auth/keys.md"));
        let signals = json(&shown(&["signals", "--json"]));
        assert!(signals["data"].to_string().contains("auth/tokens.md"), "{signals}");
        shown(&["derive"]);
        shown(&["derive", "--check"]);
        shown(&["archive", "restore", "auth/keys"]);
        let restored = std::fs::read(env.path(".brv/context-tree/auth/keys.md")).unwrap();
        let archived = std::fs::read(sample.join("derived/_archived/auth/keys.full.md")).unwrap();
        assert_eq!(restored, archived, "{}", sample.display());
        shown(&["undo"]);
        env.fsck(&env.path(".brv/context-tree"));
    }
}

#[test]
fn a_newer_state_is_refused_and_stays_as_it_is() {
    let env = left_by(&versions("formats")[0]);
    let file = env.path(".brv/context-tree/.git/brv/state.db");
    let version = || -> i64 {
        Connection::open(&file).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let ran = env.brv(&["jobs", "list", "--json"]);
    assert_eq!(ran.code, 6, "{}", ran.stdout);
    assert_eq!(json(&ran.stdout)["error"]["code"], "refused");
    assert!(ran.stdout.contains("newer brv"), "{}", ran.stdout);
    assert_eq!(version(), 99);
}

#[test]
fn the_version_as_json_names_the_build() {
    let env = Env::new();
    for arguments in [["--version", "--json"], ["--json", "-V"]] {
        let ran = env.brv(&arguments);
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        let data = &json(&ran.stdout)["data"];
        assert_eq!(data["version"], env!("CARGO_PKG_VERSION"));
        assert!(data["target"].as_str().is_some_and(|target| target.contains(std::env::consts::ARCH)));
        assert!(["dev", "release"].contains(&data["profile"].as_str().unwrap()), "{data}");
        assert!(data["formats"]["derived"].is_u64() && data["formats"]["state"].is_u64(), "{data}");
    }
    assert_eq!(env.brv(&["--version", "--json", "--oneline"]).code, 0, "as --version alone");
}

/// The part of README between its marks.
pub fn installing(readme: &str) -> &str {
    let (_, rest) = readme.split_once("<!-- install -->\n").unwrap();
    rest.split_once("<!-- -->\n").unwrap().0
}

/// How brv is installed from a release, or from this folder while there is no address.
fn installation(address: &str) -> String {
    if address.is_empty() {
        return "```sh\ncargo install --path .\n```\n".to_owned();
    }
    let latest = format!("{address}/releases/latest/download");
    let owner = address.split('/').nth(3).unwrap_or_default();
    format!(
        "```sh\n\
         curl -fsSL {latest}/install.sh | sh # Linux, macOS\n\
         irm {latest}/install.ps1 | iex # Windows\n\
         npm install -g git-brv\n\
         pip install brv\n\
         cargo install brv --locked\n\
         ```\n\n\
         The programs for Windows are not signed: Defender may ask or hold them back. `brv help versions` says what new\n\
         versions keep. In the registry of MCP, brv is mcp-name: io.github.{owner}/brv\n"
    )
}

/// `BRV_README=write` writes it.
#[test]
fn the_readme_says_how_to_install() {
    let file = repository().join("README.md");
    let readme = std::fs::read_to_string(&file).unwrap();
    let (known, own) = (installing(&readme), installation(env!("CARGO_PKG_REPOSITORY")));
    if known != own && std::env::var_os("BRV_README").is_some_and(|wanted| wanted == "write") {
        std::fs::write(&file, readme.replacen(known, &own, 1)).unwrap();
        return;
    }
    assert_eq!(known, own, "`BRV_README=write cargo test --test it versions::` writes it");
    let released = installation("https://host.test/owner/brv");
    assert!(released.contains("https://host.test/owner/brv/releases/latest/download/install.sh | sh"));
    assert!(released.contains("mcp-name: io.github.owner/brv"));
}

/// `repository` in Cargo.toml, or whatever stands for it.
#[test]
fn no_other_file_has_the_address() {
    let address = env!("CARGO_PKG_REPOSITORY");
    if address.is_empty() {
        return;
    }
    let env = Env::new();
    let bare = address.trim_start_matches("https://");
    let found = env.try_git(repository(), &["grep", "-lF", bare, "--", ":!Cargo.toml", ":!README.md"]);
    assert_eq!(found.stdout, "", "only Cargo.toml, and README.md between its markers, may have the address");
}
