//! What is kept of the remotes in the cache: never more than a help.

use super::*;
use crate::index::engine::Family;
use std::os::unix::fs::PermissionsExt as _;

type Damage = fn(&Path);

fn packs(mirror: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(mirror.join("objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|end| end == "pack")).collect()
}

#[test]
fn a_mirror_has_no_history_and_serves_the_next_push() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let team = Team::new(&env, "team", "dream");
    for number in 0..5 {
        team.commit(&env, &[("new.md", &entry("New", &number.to_string()))]);
    }
    push(&env, &engine, &team);
    let [mirror] = &*mirrors(&env) else { panic!("{:?}", mirrors(&env)) };
    assert_eq!(env.git(mirror, &["rev-list", "--count", "mirror/main"]), "1");
    team.commit(&env, &[("more.md", &entry("More", "one"))]);
    push(&env, &engine, &team);
    assert_eq!(packs(mirror).len(), 2);
    let tip = env.git(&team.work, &["rev-parse", "HEAD"]);
    assert_eq!(env.git(mirror, &["rev-parse", "mirror/main"]), tip, "the next fetch begins there");
    env.fsck(mirror);
}

#[test]
fn a_damaged_mirror_is_made_anew() {
    let env = Env::in_memory();
    let team = Team::new(&env, "team", "observatory");
    let damages: [(&str, Damage); 6] = [
        ("an empty pack", |mirror| packs(mirror).iter().for_each(|pack| write(pack, b""))),
        ("a pack of zeros", |mirror| {
            packs(mirror).iter().for_each(|pack| {
                let mut bytes = std::fs::read(pack).unwrap();
                let length = bytes.len();
                bytes[12..length - 20].fill(0);
                write(pack, &bytes);
            });
        }),
        ("no packs", |mirror| std::fs::remove_dir_all(mirror.join("objects/pack")).unwrap()),
        ("an empty HEAD", |mirror| write(&mirror.join("HEAD"), b"")),
        ("a branch that is none", |mirror| write(&mirror.join("refs/remotes/mirror/main"), b"none\n")),
        ("no settings", |mirror| write(&mirror.join("config"), b"[core\n")),
    ];
    for (what, damage) in damages {
        let (machine, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
        push(&machine, &engine, &team);
        damage(&mirrors(&machine)[0]);
        team.commit(&env, &[("new.md", &entry("New", what))]);
        let told = push(&machine, &engine, &team);
        assert_eq!((&told["state"], counts(&told)), (&json!("done"), (1, 0, 0)), "{what}: {told}");
        assert!(living(&engine) == fresh(&[&team]), "{what}");
        env.git(&team.work, &["rm", "-q", "new.md"]);
        team.commit(&env, &[]);
        assert_eq!(counts(&push(&machine, &engine, &team)), (0, 0, 1), "{what}");
        assert!(living(&engine) == fresh(&[&team]), "{what}");
    }
}

fn write(file: &Path, bytes: &[u8]) {
    if let Ok(found) = std::fs::metadata(file) {
        let mut permissions = found.permissions();
        permissions.set_mode(0o644);
        std::fs::set_permissions(file, permissions).unwrap();
    }
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn a_mirror_of_more_than_fifty_packs_is_made_anew() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let team = Team::new(&env, "team", "dream");
    push(&env, &engine, &team);
    let mirror = mirrors(&env)[0].clone();
    let [pack] = &*packs(&mirror) else { panic!() };
    for number in 0..50 {
        for end in ["pack", "idx"] {
            std::fs::hard_link(
                pack.with_extension(end),
                mirror.join(format!("objects/pack/pack-{number:040}.{end}")),
            )
            .unwrap();
        }
    }
    team.commit(&env, &[("new.md", &entry("New", "one"))]);
    assert_eq!(counts(&push(&env, &engine, &team)), (1, 0, 0));
    assert!(packs(&mirror).len() <= 2, "{:?}", packs(&mirror));
    assert!(living(&engine) == fresh(&[&team]));
}

#[test]
fn a_cache_that_is_removed_or_cannot_be_written_loses_nothing() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let team = Team::new(&env, "team", "dream");
    push(&env, &engine, &team);
    std::fs::remove_dir_all(env.path("home/.cache")).unwrap();
    team.commit(&env, &[("new.md", &entry("New", "one"))]);
    assert_eq!(counts(&push(&env, &engine, &team)), (1, 0, 0));
    // a file is where the folder would be
    std::fs::remove_dir_all(env.path("home/.cache")).unwrap();
    std::fs::write(env.path("home/.cache"), "").unwrap();
    let before = engine.documents("brv");
    team.commit(&env, &[("more.md", &entry("More", "one"))]);
    let ran = run(&env, &engine, &["--remote", team.url()]);
    assert_eq!((ran.code, engine.documents("brv")), (1, before), "{}{}", ran.stdout, ran.stderr);
}
