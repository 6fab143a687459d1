//! Registers brv as git's merge driver for files of the tree: `merge.brv` in the repository's settings.
//!
//! Builds the command line that git passes to `sh`; does not merge.

use crate::error::{During, Error};
use crate::repository::config_file;
use crate::repository::scope::Scope;
use brv_base::process;
use std::path::Path;

/// The arguments that git fills in after the options: base, ours, theirs, path. git older than 2.44 does not replace
/// `%S`, `%X` and `%Y`.
const ARGUMENTS: &str = "--marker-size=%L --base-name=%S --ours-name=%X --theirs-name=%Y -- %O %A %B %P";

/// The fallback when brv is not installed: git's merge without a driver.
const WITHOUT_BRV: &str = "exec git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B";

/// Sets the program with which git merges files of the tree: `program` if it exists at that time, else `brv` on `PATH`,
/// else git's own line merge. When several merge bases are merged, conflicts keep the base's text: conflict markers in
/// a base would count as its text.
pub fn register(scope: &Scope, program: Option<&Path>) -> Result<(), Error> {
    let values = [
        ("merge.brv.name", "brv: by meaning".to_owned()),
        ("merge.brv.driver", command(program, "")),
        ("merge.brv.recursive", "brv-base".to_owned()),
        ("merge.brv-base.name", "brv: by meaning, for a common base".to_owned()),
        ("merge.brv-base.driver", command(program, "--common-base ")),
    ];
    config_file::edit(scope, |file| {
        for (key, value) in &values {
            file.set_raw_value(*key, value.as_str()).during(|| format!("set `{key}`"))?;
        }
        Ok(())
    })
}

/// The command line for `sh`. Every exit code but a clean merge and a conflict becomes 129, which git does not take for
/// a conflict.
fn command(program: Option<&Path>, option: &str) -> String {
    let found = format!("b=$(command -v brv) || {WITHOUT_BRV}");
    let find = match program {
        Some(program) => format!("b={}; [ -x \"$b\" ] || {found}", quoted(program)),
        None => found,
    };
    format!("{find}; \"$b\" merge-driver {option}{ARGUMENTS} || {{ [ $? = 1 ] && exit 1; exit 129; }}")
}

/// Quotes for `sh`, and escapes git's placeholders.
fn quoted(program: &Path) -> String {
    process::quoted(program).replace('%', "%%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_means_nothing_to_the_shell_or_to_git() {
        assert_eq!(quoted(Path::new("/a b/it's 5%/brv")), r"'/a b/it'\''s 5%%/brv'");
    }

    #[test]
    fn registering_again_changes_nothing_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let config = folder.path().join(".git/config");
        let mut text = std::fs::read_to_string(&config).unwrap();
        text.push_str("[merge \"mine\"]\n\tdriver = mine %A # own\n[merge]\n\tconflictStyle = diff3\n");
        brv_base::fs::replace(&config, text.as_bytes(), brv_base::fs::Durability::Later).unwrap();
        register(&scope, Some(Path::new("/old/brv"))).unwrap();
        register(&scope, Some(Path::new("/new/brv"))).unwrap();
        let once = std::fs::read_to_string(&config).unwrap();
        register(&scope, Some(Path::new("/new/brv"))).unwrap();
        assert_eq!(std::fs::read_to_string(&config).unwrap(), once);
        assert!(once.starts_with(&text) && once.contains("/new/brv") && !once.contains("/old/brv"), "{once}");
    }
}
