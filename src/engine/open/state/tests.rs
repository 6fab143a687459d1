use super::*;

const FILE: &str = "state.db";
use brv_text::lifecycle::{Life, Maturity};
use std::time::Duration;

const NOW: i64 = 1_795_000_000;
const PATIENCE: Duration = Duration::from_secs(60);

fn work<T>(place: &StatePlace, work: impl Fn(&mut State) -> Result<T, Error>) -> T {
    with(place, Missing::Make, PATIENCE, work).unwrap().unwrap().result
}

fn hit(state: &mut State, path: &str, session: &str) -> Result<(), Error> {
    state.change(|change| {
        let session = change.session(session, NOW, 0)?;
        let kept = match change.get(path)? {
            Some(kept) => kept,
            None => change.add(path, Life::seen(NOW))?,
        };
        if change.is_first_hit(session, &kept)? {
            change.set(&kept, kept.life.hit(NOW))?;
        }
        Ok(())
    })
}

#[test]
fn what_is_stored_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join("deep/state.db"));
    let life = Life {
        importance: 61.25,
        maturity: Maturity::Core,
        at: NOW,
        hits: 3,
        updates: u64::MAX,
        first_seen: NOW - 5,
    };
    let baseline = Baseline { began: NOW, tree: "t".into() };
    work(&place, |state| {
        assert_eq!(state.baseline()?, None);
        state.change(|change| {
            change.set_baseline(&baseline)?;
            change.add("a.md", life).map(drop)
        })
    });
    work(&place, |state| {
        assert_eq!(state.baseline()?, Some(baseline.clone()));
        let lives = state.lives()?;
        assert_eq!(lives["a.md"], Life { updates: i64::MAX as u64, ..life });
        Ok(())
    });
}

#[test]
fn many_short_changes_leave_a_short_log() {
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join(FILE));
    let size = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
    let mut longest = 0;
    for number in 0..400 {
        let session = (number / 4).to_string();
        work(&place, |state| hit(state, &format!("an/entry/of/the/tree-{}.md", number * 7 % 200), &session));
        longest = longest.max(size("state.db-wal"));
    }
    assert!(longest > LONGEST_LOG / 2 && longest < LONGEST_LOG + (64 << 10), "{longest}");
    // a reader that began before the change needs the log
    let reader = State::open(&place, Missing::Leave, PATIENCE).unwrap().unwrap();
    let lookup = reader.lookup().unwrap();
    assert!(lookup.life("an/entry/of/the/tree-0.md").unwrap().is_some());
    for number in 0..200 {
        work(&place, |state| hit(state, "an/entry/of/the/tree-0.md", &format!("late {number}")));
    }
    assert!(size("state.db-wal") > LONGEST_LOG);
    drop(lookup);
    work(&place, |state| hit(state, "an/entry/of/the/tree-0.md", "last"));
    assert_eq!(size("state.db-wal"), 0);
    assert_eq!(work(&place, |state| Ok(state.lives()?["an/entry/of/the/tree-0.md"].hits)), 203);
}

#[test]
fn a_session_counts_once_and_a_forgotten_one_again() {
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join(FILE));
    let hits = |place: &StatePlace| work(place, |state| Ok(state.lives()?["a.md"].hits));
    for (session, expected) in [("one", 1), ("one", 1), ("other", 2), ("one", 2)] {
        work(&place, |state| hit(state, "a.md", session));
        assert_eq!(hits(&place), expected, "{session}");
    }
    work(&place, |state| state.change(|change| change.session("third", NOW, NOW + 1).map(drop)));
    work(&place, |state| hit(state, "a.md", "one"));
    assert_eq!(hits(&place), 3);
}

#[test]
fn a_change_that_fails_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join(FILE));
    let failed = with(&place, Missing::Make, PATIENCE, |state| {
        state.change(|change| {
            change.add("a.md", Life::seen(NOW))?;
            change.add("a.md", Life::seen(NOW))
        })
    });
    assert!(failed.unwrap_err().message.starts_with("cannot use "));
    assert!(work(&place, State::lives_of_all).is_empty());
}

#[test]
fn a_reader_makes_no_file_and_moves_none() {
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join("none/state.db"));
    assert_eq!(with(&place, Missing::Leave, PATIENCE, |_| Ok(())).unwrap(), None);
    assert!(!folder.path().join("none").exists());
    let place = StatePlace::at(folder.path().join(FILE));
    brv_base::fs::replace(&place.file, &[b'x'; 9000], brv_base::fs::Durability::Later).unwrap();
    assert!(with(&place, Missing::Leave, PATIENCE, State::lives_of_all).is_err());
    assert!(place.file.exists());
}

#[test]
fn a_damaged_file_is_set_aside_once_and_its_content_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join(FILE));
    work(&place, |state| hit(state, "a.md", "one"));
    let sound = std::fs::read(&place.file).unwrap();
    let no_table = |path: &Path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.execute_batch("DROP TABLE signals").unwrap();
    };
    let write = |bytes: &[u8]| {
        for side in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("{FILE}{side}")));
        }
        brv_base::fs::replace(&place.file, bytes, brv_base::fs::Durability::Later).unwrap();
    };
    let damages: [&dyn Fn(); 3] =
        [&|| write(&[b'x'; 9000]), &|| write(&[&sound[..100], &[7; 4096][..]].concat()), &|| {
            no_table(&place.file)
        }];
    for (number, damage) in damages.iter().enumerate() {
        damage();
        let done = with(&place, Missing::Make, PATIENCE, |state| hit(state, "b.md", "one")).unwrap().unwrap();
        let aside = folder.path().join(format!("{FILE}.damaged-{}", number + 1));
        assert_eq!(done.set_aside.as_deref(), Some(&*aside), "{number}");
        assert!(aside.exists());
        let lives = work(&place, State::lives_of_all);
        assert_eq!(lives.keys().collect::<Vec<_>>(), ["b.md"]);
    }
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join(FILE));
    work(&place, |state| hit(state, "a.md", "one"));
    work(&place, |state| {
        state.connection.pragma_update(None, "user_version", 99).unwrap();
        Ok(())
    });
    let failed = with(&place, Missing::Make, PATIENCE, State::lives_of_all);
    let Stop { message, .. } = failed.unwrap_err();
    assert!(message.ends_with("by a newer brv (version 99 of its format)"), "{message}");
    assert!(!folder.path().join(format!("{FILE}.damaged-1")).exists());
}

#[test]
fn many_who_write_at_once_lose_nothing() {
    const EACH: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join(FILE));
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let place = &place;
            scope.spawn(move || {
                for number in 0..EACH {
                    work(place, |state| hit(state, "shared.md", &format!("{writer} {number}")));
                    work(place, |state| hit(state, &format!("{writer}.md"), &number.to_string()));
                }
            });
        }
    });
    let lives = work(&place, State::lives_of_all);
    assert_eq!(lives["shared.md"].hits, 8 * EACH as u64);
    assert!((0..8).all(|writer| lives[&format!("{writer}.md")].hits == EACH as u64));
}

fn commit(id: &str) -> NewJob {
    NewJob {
        kind: "commit".into(),
        commit: Some(id.into()),
        event: "post-commit".into(),
        ..NewJob::default()
    }
}

fn ended(outcome: &str) -> Ended {
    Ended {
        outcome: outcome.into(),
        at: NOW,
        entries: vec!["a/b.md".into(), "c.md".into()],
        ..Ended::default()
    }
}

#[test]
fn what_a_job_works_with_is_kept_until_it_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join(FILE));
    let job = |input: &str| NewJob { kind: "model".into(), input: Some(input.into()), ..NewJob::default() };
    let ids = work(&place, |state| state.enqueue(&[job("one"), job("two")], NOW));
    let left = || work(&place, |state| Ok([state.input_of(ids[0])?, state.input_of(ids[1])?]));
    work(&place, State::begin_job);
    assert_eq!(left(), [Some("one".into()), Some("two".into())]);
    work(&place, |state| state.end_job(ids[0], &Ended { outcome: "curated".into(), ..Ended::default() }));
    assert_eq!(left(), [None, Some("two".into())]);
    // one that runs is not taken out of the queue, and keeps its input
    work(&place, State::begin_job);
    work(&place, |state| state.end_queued_job(ids[1], &Ended::default()));
    assert_eq!(left(), [None, Some("two".into())]);
    work(&place, |state| state.end_job(ids[1], &Ended { outcome: "cancelled".into(), ..Ended::default() }));
    assert_eq!(left(), [None, None]);
}

#[test]
fn a_commit_is_queued_once_and_jobs_are_begun_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join(FILE));
    work(&place, |state| {
        assert_eq!(state.enqueue(&[commit("a"), commit("b")], NOW)?.len(), 2);
        assert_eq!(state.enqueue(&[commit("a"), commit("c")], NOW)?.len(), 1);
        let first = state.begin_job()?.unwrap();
        assert_eq!((first.new.commit.as_deref(), first.attempts), (Some("a"), 1));
        // its worker died
        let again = state.begin_job()?.unwrap();
        assert_eq!((again.id, again.state, again.attempts), (first.id, JobState::Running, 2));
        assert!(state.stop_job(first.id, "cancelled")?);
        assert_eq!(state.stop_of(first.id)?.as_deref(), Some("cancelled"));
        assert!(state.end_job(first.id, &ended("curated"))?);
        assert!(!state.end_job(first.id, &ended("declined"))?);
        assert_eq!(state.job_of("a")?.unwrap().end, ended("curated"));
        assert_eq!(state.begin_job()?.unwrap().new.commit.as_deref(), Some("b"));
        let counts = JobCounts { queued: 1, running: 1, failed: 0 };
        assert_eq!(
            (state.job_counts()?, state.curated_since(NOW)?, state.curated_since(NOW + 1)?),
            (counts, 1, 0)
        );
        assert!(state.end_job_anew(first.id, &ended("replaced"))?);
        assert_eq!(state.ended_jobs(9)?.len(), 1);
        Ok(())
    });
}

#[test]
fn a_commit_is_followed_through_its_rewritings_also_in_a_circle() {
    let folder = tempfile::tempdir().unwrap();
    let pair = |old: &str, new: &str| (old.to_owned(), new.to_owned());
    work(&StatePlace::at(folder.path().join(FILE)), |state| {
        state.note_rewrites(&[pair("a", "b"), pair("b", "c"), pair("x", "c"), pair("y", "y")], NOW)?;
        assert_eq!(
            (state.rewritten("a")?, state.rewritten("y")?),
            (vec!["b".to_owned(), "c".into()], vec![])
        );
        let mut into = state.rewritten_into("c")?;
        into.sort();
        assert_eq!(into, ["b", "x"]);
        state.note_rewrites(&[pair("c", "a")], NOW)?;
        assert_eq!(state.rewritten("a")?.last().map(String::as_str), Some("c"));
        let change = |patch: &str| BranchChange { patch: patch.into() };
        state.note_branch_change(&["a".into(), "b".into()], &change("1"), NOW)?;
        state.note_branch_change(&["a".into()], &change("2"), NOW + 1)?;
        assert_eq!(state.branch_changes("a")?, [change("2"), change("1")]);
        let mark = LogPosition { offset: 7, line: "l".into() };
        state.set_mark("HEAD", &mark)?;
        assert_eq!((state.mark("HEAD")?, state.mark("other")?), (Some(mark), None));
        Ok(())
    });
}

impl State {
    fn lives_of_all(&mut self) -> Result<std::collections::HashMap<String, Life>, Error> {
        self.lives()
    }
}

/// A state in the form of before, where an earlier brv kept it: what came since is taken out.
fn old_state(folder: &Path) -> StatePlace {
    let old = folder.join("old").join(FILE);
    work(&StatePlace::at(old.clone()), |state| {
        hit(state, "a.md", "one")?;
        state
            .enqueue(&[NewJob { kind: "model".into(), input: Some("x".into()), ..NewJob::default() }], NOW)?;
        state.note_rewrites(&[("old".into(), "here".into()), ("older".into(), "gone".into())], NOW)?;
        let decision = |ruling| StoredDecision {
            row: "r".into(),
            change: "c".into(),
            path: "a.md".into(),
            ruling,
            actor: "Ann".into(),
            at: NOW,
            comment: None,
            operation: None,
        };
        state.decide(&[Ruling::Approved, Ruling::Rejected, Ruling::Reopened].map(decision))
    });
    let connection = Connection::open(&old).unwrap();
    connection
        .execute_batch(
            "DROP TABLE project; DROP TABLE dream_merges; DROP TABLE unreviewed; DROP TABLE comments; ALTER TABLE jobs DROP COLUMN filed; \
             DROP TABLE served; DROP TABLE served_calls; \
             PRAGMA user_version = 6",
        )
        .unwrap();
    StatePlace { file: folder.join("git").join(FILE), old: Some(old) }
}

fn inherited(place: &StatePlace, is_own: bool) -> Option<Inherited> {
    let grounds = Grounds { is_own: &|_| is_own, is_here: &|commit| commit == "here" };
    inherit(place, &grounds, PATIENCE).unwrap()
}

#[test]
fn of_a_state_that_a_clone_may_have_brought_nothing_that_means_trust_is_taken_over() {
    for is_own in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let place = old_state(folder.path());
        let waiting = with(&place, Missing::Make, PATIENCE, |_| Ok(())).unwrap_err();
        assert!(waiting.message.contains("is the state of an earlier brv"), "{}", waiting.message);
        let found = inherited(&place, is_own).unwrap();
        let extent = if is_own { Extent::Whole } else { Extent::Untrusted };
        assert_eq!(found, Inherited { extent, aside: folder.path().join("old/state.db.old") });
        assert_eq!(inherited(&place, true), None, "once");
        work(&place, |state| {
            assert_eq!(state.lives()?["a.md"].hits, 1);
            assert_eq!(state.rewritten("old")?, ["here"]);
            assert_eq!(state.rewritten("older")?.len(), usize::from(is_own));
            let rulings: Vec<Ruling> = state.decisions()?.iter().map(|one| one.ruling).collect();
            let all = [Ruling::Approved, Ruling::Rejected, Ruling::Reopened];
            assert_eq!(rulings, if is_own { &all[..] } else { &all[1..2] });
            assert_eq!(state.open_jobs()?.len(), usize::from(is_own));
            let inputs = "SELECT count(*) FROM job_inputs";
            let inputs: i64 = state.connection.query_row(inputs, [], |row| row.get(0)).unwrap();
            assert_eq!(inputs, i64::from(is_own));
            Ok(())
        });
        // a version that looks for its state there refuses the file in its place
        let old = StatePlace::at(place.old.clone().unwrap());
        let refused = with(&old, Missing::Make, PATIENCE, |_| Ok(())).unwrap_err();
        assert!(refused.message.contains("was written by a newer brv"), "{}", refused.message);
        assert!(!place.holds_old());
    }
}

#[test]
fn a_copy_of_the_state_is_known_by_the_id_of_its_project() {
    let folder = tempfile::tempdir().unwrap();
    let place =
        StatePlace { file: folder.path().join("git").join(FILE), old: Some(folder.path().join(FILE)) };
    work(&place, |state| hit(state, "a.md", "one"));
    let old = place.old.clone().unwrap();
    std::fs::remove_file(&old).unwrap();
    let copy = || Connection::open(&place.file)?.execute("VACUUM INTO ?1", [old.to_string_lossy()]);
    copy().unwrap();
    for side in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(damage::with_suffix(&place.file, side));
    }
    assert_eq!(inherited(&place, false).unwrap().extent, Extent::Whole);
    assert_eq!(work(&place, |state| Ok(state.lives()?["a.md"].hits)), 1);
}

#[test]
fn what_was_broken_off_is_finished_and_what_cannot_be_read_is_left_out() {
    // the copy was made, and the old file was not moved, or was
    for is_moved in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let place = old_state(folder.path());
        let old = place.old.clone().unwrap();
        let whole = old_state(&folder.path().join("other"));
        std::fs::create_dir_all(place.folder()).unwrap();
        Connection::open(whole.old.unwrap())
            .unwrap()
            .execute("VACUUM INTO ?1", [place.next_of(Extent::Whole).to_string_lossy()])
            .unwrap();
        if is_moved {
            std::fs::rename(&old, folder.path().join("old/state.db.old")).unwrap();
        }
        assert!(place.waits());
        assert_eq!(inherited(&place, false).is_some(), !is_moved);
        assert_eq!(work(&place, |state| Ok(state.decisions()?.len())), 3);
        assert!(!place.waits() && old.exists());
    }
    let folder = tempfile::tempdir().unwrap();
    let place = old_state(folder.path());
    let durability = brv_base::fs::Durability::Later;
    brv_base::fs::replace(place.old.as_ref().unwrap(), &[b'x'; 9000], durability).unwrap();
    assert_eq!(inherited(&place, true).unwrap().extent, Extent::Nothing);
    assert!(work(&place, State::lives_of_all).is_empty());
}

#[test]
fn there_are_so_many_comments_without_an_answer_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let place = StatePlace::at(folder.path().join(FILE));
    let said = |text: &str, at: i64| Remark { text: text.into(), actor: "Ada".into(), at };
    let comment = |id: &str| StoredComment {
        id: id.into(),
        change: Some(["r".into(), "c".into()]),
        path: "a.md".into(),
        blob: "b".into(),
        fact: Some("lifetime".into()),
        line: None,
        quote: "12 hours".into(),
        is_before: true,
        said: said(id, NOW),
        decided: 0,
        answer: None,
    };
    let none: [String; 0] = [];
    let add = |id: &str, (old, settled): (&[String], &[String])| {
        work(&place, |state| state.add_comment(&comment(id), (old, settled, 2)))
    };
    assert_eq!(add("one", (&none, &none)), CommentWrite::Done(comment("one")));
    assert_eq!(add("two", (&none, &none)), CommentWrite::Done(comment("two")));
    assert_eq!(add("three", (&none, &none)), CommentWrite::Full);
    assert_eq!(add("two", (&none, &none)), CommentWrite::Done(comment("two")), "it is there already");
    assert_eq!(add("three", (&none, &["one".into()])), CommentWrite::Done(comment("three")));
    let answer =
        |id: &str, text: &str| work(&place, |state| state.answer_comment(id, &said(text, NOW + 1), &none));
    let answered = StoredComment { answer: Some(said("yes", NOW + 1)), ..comment("two") };
    assert_eq!(answer("two", "yes"), CommentWrite::Done(answered.clone()));
    assert_eq!(answer("two", "yes"), CommentWrite::Done(answered.clone()));
    assert_eq!(answer("two", "no"), CommentWrite::Answered(answered));
    assert_eq!(answer("four", "no"), CommentWrite::Unknown);
    assert_eq!(add("four", (&["one".into(), "two".into()], &none)), CommentWrite::Done(comment("four")));
    let left = work(&place, |state| state.comments());
    assert_eq!(left, [comment("three"), comment("four")]);
}
