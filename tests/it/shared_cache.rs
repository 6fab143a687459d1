//! The user's cache of what is derived: a second clone on a machine has the same bytes, whatever is in the cache.

use crate::env::Env;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What happens to a file of the cache.
type Damage = fn(&mut Vec<u8>);

/// So many entries that the cache is asked.
const ENTRIES: usize = 600;

/// A token, put together so that no scanner finds it here.
fn secret() -> String {
    ["token: ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

/// A remote with entries in 30 folders; one of `first` has this line more.
fn remote(env: &Env, line: &str) -> PathBuf {
    let bare = env.bare("origin.git");
    let first = env.path("first");
    fs::create_dir_all(&first).unwrap();
    assert_eq!(env.brv_in(&first, &["init"]).code, 0);
    let tree = first.join(".brv/context-tree");
    for number in 0..ENTRIES {
        let folder = tree.join(format!("domain{}/topic{}", number % 3, number % 30));
        fs::create_dir_all(&folder).unwrap();
        let more = if number == 7 { line } else { "" };
        let text =
            format!("# Entry {number}\n\nThe worker {number} must stop after {number} seconds.\n{more}\n");
        fs::write(folder.join(format!("entry_{number}.md")), text).unwrap();
    }
    // git has no gate that stops a secret
    env.git(&tree, &["add", "."]);
    env.git(&tree, &["commit", "-q", "-m", "all"]);
    env.git(&tree, &["push", "-q", bare.to_str().unwrap(), "HEAD:main"]);
    bare
}

/// All files of a new clone, and what its first page says.
fn clone(env: &Env, name: &str, bare: &Path) -> BTreeMap<String, Vec<u8>> {
    let folder = env.path(name);
    fs::create_dir_all(&folder).unwrap();
    let ran = env.brv_in(&folder, &["vc", "clone", bare.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let check = env.brv_in(&folder, &["derive", "--check"]);
    assert_eq!(check.code, 0, "{}", check.stdout);
    let tree = folder.join(".brv/context-tree");
    let mut files =
        BTreeMap::from([("brain".to_owned(), env.brv_in(&folder, &["brain"]).stdout.into_bytes())]);
    let mut folders = vec![tree.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path.ends_with(".git") => {}
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(&tree).unwrap().to_str().unwrap().to_owned();
                    files.insert(name, fs::read(&path).unwrap());
                }
            }
        }
    }
    files
}

fn cache(env: &Env) -> PathBuf {
    env.path("home/.cache/brv/shared")
}

/// The bytes of all files of the cache.
fn cached(env: &Env) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = fs::read_dir(cache(env)).into_iter().flatten().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_none_or(|it| it != "lock"))
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

fn size(env: &Env) -> usize {
    cached(env).values().map(Vec::len).sum()
}

#[test]
fn a_second_clone_has_the_same_bytes_with_each_cache() {
    let env = Env::new();
    let bare = remote(&env, "");
    let whole = cached(&env);
    let first = clone(&env, "one", &bare);
    assert!(first.len() > 3 * ENTRIES && size(&env) > 100_000, "{} {}", first.len(), size(&env));
    assert_eq!(clone(&env, "two", &bare), first);
    // damaged, cut, of strangers, absent: it is as if there were none
    let whole = if whole.is_empty() { cached(&env) } else { whole };
    let damages: [(&str, Damage); 4] = [
        ("three", |bytes| bytes.iter_mut().step_by(97).for_each(|byte| *byte ^= 1)),
        ("four", |bytes| bytes.truncate(bytes.len() / 2)),
        ("five", |bytes| *bytes = b"not a cache\n".repeat(1000)),
        ("six", Vec::clear),
    ];
    for (name, damage) in damages {
        for (path, bytes) in &whole {
            let mut bytes = bytes.clone();
            damage(&mut bytes);
            fs::write(path, bytes).unwrap();
        }
        assert!(clone(&env, name, &bare) == first, "{name}");
    }
    fs::remove_dir_all(cache(&env)).unwrap();
    assert!(clone(&env, "seven", &bare) == first);
}

#[test]
fn nothing_of_a_secret_is_kept_and_a_pruned_file_is_forgotten() {
    let env = Env::new();
    let bare = remote(&env, &secret());
    clone(&env, "one", &bare);
    let has = |text: &str| {
        cached(&env).values().any(|bytes| bytes.windows(text.len()).any(|it| it == text.as_bytes()))
    };
    assert!(!has("16C7e42F") && !has("worker 7 must") && has("worker 8 must"));
    let folder = env.path("one");
    let other = cache(&env).join("derived-0.1");
    fs::write(&other, "worker 8 must stop, said an older version").unwrap();
    // also where the cache is switched off by now
    let folder = folder.to_str().unwrap();
    let prune = ["-C", folder, "op", "prune", "--path", "domain2/topic8/entry_8.md"];
    let ran = env.brv_with(&[("BRV_CACHE_SHARED", "false")], &prune);
    assert_eq!(ran.code, 0, "{} {}", ran.stdout, ran.stderr);
    assert!(!has("worker 8 must") && !other.exists(), "{}", size(&env));
}

#[test]
fn it_can_be_switched_off_by_its_user_alone_and_is_not_used_where_others_may_write() {
    let env = Env::new().with("BRV_CACHE_SHARED", "false");
    let bare = remote(&env, "");
    let without = clone(&env, "one", &bare);
    assert!(!cache(&env).exists());
    drop(env);
    let env = Env::new();
    let bare = remote(&env, "");
    let by_project = ["config", "set", "--project", "cache.shared", "false"];
    assert_eq!(env.brv_in(&env.path("first"), &by_project).code, 6, "a project does not switch it off");
    assert!(clone(&env, "one", &bare) == without);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let before = size(&env);
        assert!(before > 0);
        fs::set_permissions(cache(&env), fs::Permissions::from_mode(0o777)).unwrap();
        fs::write(cache(&env).join("planted"), "x").unwrap();
        let marks = cached(&env);
        assert!(clone(&env, "two", &bare) == without);
        assert_eq!(cached(&env), marks, "neither read nor written");
    }
}
