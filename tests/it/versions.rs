//! What new versions keep (`brv help versions`): frozen schemas, samples of formats, one place for the address.

mod commands;
mod formats;
mod samples;
mod schemas;

use crate::env::Env;
use crate::init::json;
use std::path::{Path, PathBuf};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of released versions in a folder of fixtures, the newest last; there is none before the first release.
fn versions(below: &str) -> Vec<PathBuf> {
    let Ok(folders) = std::fs::read_dir(repository().join("fixtures").join(below)) else { return Vec::new() };
    let folders = folders.map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = folders.filter(|path| path.is_dir()).collect();
    folders.sort_by_key(|path| numbers(path.file_name().unwrap().to_str().unwrap()));
    folders
}

/// The three numbers of a version.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let numbers: Option<Vec<u32>> = version.split('.').map(|part| part.parse().ok()).collect();
    numbers?.try_into().ok()
}

/// The version that is being released: `cut` names it, and after it the changelog begins with it.
fn target() -> Option<[u32; 3]> {
    if let Ok(version) = std::env::var("BRV_CUT") {
        return Some(numbers(&version).expect("BRV_CUT is X.Y.Z"));
    }
    let changes = std::fs::read_to_string(repository().join("CHANGELOG.md")).unwrap();
    let (_, first) = changes.split_once("\n## [")?;
    numbers(first.split_once(']')?.0)
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
    let parts: Vec<&str> = address.split('/').collect();
    let (host, owner) = (parts[2], parts[3]);
    // as `.ci/release pack` names it
    let server = match host {
        "github.com" => format!("io.github.{owner}"),
        _ => host.rsplit('.').collect::<Vec<_>>().join("."),
    };
    format!(
        "```sh\n\
         curl -fsSL {latest}/install.sh | sh # Linux, macOS\n\
         irm {latest}/install.ps1 | iex # Windows\n\
         npm install -g git-brv\n\
         pip install brv\n\
         brew install {owner}/tap/brv\n\
         scoop install {latest}/brv.scoop.json\n\
         cargo binstall brv # or, from its source: cargo install brv --locked\n\
         ```\n\n\
         What installed it removes it: `install.sh | sh -s -- --uninstall`, `npm uninstall -g git-brv`, and so on.\n\
         The programs for Windows are not signed: Defender may ask or hold them back. `brv help versions` says what new\n\
         versions keep. In the registry of MCP, brv is mcp-name: {server}/brv\n"
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
    let released = installation("https://github.com/owner/brv");
    assert!(released.contains("https://github.com/owner/brv/releases/latest/download/install.sh | sh"));
    assert!(released.contains("mcp-name: io.github.owner/brv"));
    for way in ["brew install owner/tap/brv", "scoop install ", "cargo binstall brv", "--uninstall"] {
        assert!(released.contains(way), "{way}");
    }
    assert!(installation("https://git.host.test/owner/brv").contains("mcp-name: test.host.git/brv"));
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
