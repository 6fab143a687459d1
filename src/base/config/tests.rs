use super::*;

struct Home(tempfile::TempDir);

impl Home {
    fn new(user: &str, project: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [(FILE_NAME, user), ("project.yaml", project)] {
            fs::replace(&folder.path().join(name), text.as_bytes(), fs::Durability::Later).unwrap();
        }
        Self(folder)
    }

    fn load(&self, color: Option<Color>, variables: &[(&str, &str)]) -> Result<Config, Error> {
        let home = [(HOME_VARIABLE, self.0.path().to_str().unwrap())];
        let environment = home.iter().chain(variables).copied().collect();
        Config::load(Flags { color }, &environment)?.with_project(&self.0.path().join("project.yaml"))
    }
}

#[test]
fn each_layer_wins_over_the_next_and_is_named() {
    let home = Home::new("color: never\nlock.timeout: 3\n", "lock:\n  timeout: 4\n");
    let config = home.load(None, &[]).unwrap();
    assert_eq!(config.lock_timeout.value, Duration::from_secs(3));
    assert_eq!(config.lock_timeout.source.layer, ConfigLayer::User);
    let config = home.load(None, &[("BRV_LOCK_TIMEOUT", "0.5"), ("BRV_COLOR", "always")]).unwrap();
    assert_eq!(config.lock_timeout.value, Duration::from_millis(500));
    assert_eq!(
        config.color,
        Setting { value: Color::Always, source: ConfigSource::named(ConfigLayer::Environment, "BRV_COLOR") }
    );
    let config = home.load(Some(Color::Auto), &[("BRV_COLOR", "always")]).unwrap();
    assert_eq!(
        config.color,
        Setting { value: Color::Auto, source: ConfigSource::named(ConfigLayer::Flag, "--color") }
    );
    let config = Home::new("", "lock.timeout: 4").load(None, &[]).unwrap();
    assert_eq!(config.lock_timeout.value, Duration::from_secs(4));
    assert_eq!(config.color.source, ConfigSource::default());
}

#[test]
fn a_project_chooses_no_command_and_no_place_for_secrets() {
    let home = Home::new("", "pager: rm -rf\nmodel:\n  url: http://evil\nhooks.model: true\n");
    let config = home.load(None, &[]).unwrap();
    assert_eq!(config.pager.value, None);
    assert_eq!(config.warnings().len(), 3);
    assert!(config.warnings().iter().all(|warning| matches!(warning, Warning::Personal { .. })));
}

#[test]
fn a_project_may_make_review_stricter_and_never_laxer() {
    use ReviewPush::{Block, Off, Warn};
    for (user, project, expected) in [
        ("", "block", Block),
        ("", "warn", Block),
        ("", "off", Block),
        ("", "false", Block),
        ("block", "warn", Block),
        ("warn", "block", Block),
        ("warn", "warn", Warn),
        ("warn", "off", Warn),
        // a user's own choice
        ("off", "block", Off),
    ] {
        let user = if user.is_empty() { String::new() } else { format!("review.push: {user}\n") };
        let home = Home::new(&user, &format!("review:\n  push: {project}\n"));
        let config = home.load(None, &[]).unwrap();
        assert_eq!(config.review_push.value, expected, "{user} {project}");
        assert_eq!(config.warnings().len(), usize::from(project != "block"), "{user} {project}");
    }
    let load = |user: &str, project: &str| Home::new(user, project).load(None, &[]).unwrap();
    let found = load("", "review.enabled: false\n");
    assert!(found.review_enabled.value);
    assert!(found.warnings()[0].to_string().contains("sets `review.enabled` to `false`, but"));
    assert!(!load("review.enabled: false\n", "review.enabled: true\n").review_enabled.value);
    for (project, seconds) in [("11", 10), ("86400", 10), ("10", 10), ("2", 2)] {
        let found = load("", &format!("lock.timeout: {project}\n"));
        assert_eq!(found.lock_timeout.value, Duration::from_secs(seconds), "{project}");
        assert_eq!(found.warnings().len(), usize::from(project.len() > 1 && project != "10"));
    }
    assert_eq!(load("lock.timeout: 60\n", "").lock_timeout.value, Duration::from_secs(60));
    let variable = [("BRV_REVIEW_PUSH", "warn")];
    let config = Home::new("", "review.push: block\n").load(None, &variable).unwrap();
    assert_eq!(config.review_push.value, Warn, "who calls has the last word");
}

#[test]
fn what_a_project_says_and_means_nothing_is_ignored_with_a_warning() {
    for (project, warning) in [
        ("lock.timeout: soon\n", "sets `lock.timeout` to `soon`, which is not a number"),
        ("lock:\n  timeout: -1\n", "sets `lock.timeout` to `-1`, which is not a number"),
        ("lock.timeout: [1, 2]\n", "is not a mapping of settings"),
        ("- a\n", "is not a mapping of settings"),
        ("lock.timeout: \"3\n", "is not a mapping of settings"),
    ] {
        let config = Home::new("lock.timeout: 3\n", project).load(None, &[]).unwrap();
        assert_eq!(config.lock_timeout.value, Duration::from_secs(3), "{project}");
        let warnings: Vec<String> = config.warnings().iter().map(ToString::to_string).collect();
        assert!(warnings.len() == 1 && warnings[0].contains(warning), "{warnings:?}");
        assert!(warnings[0].ends_with(": ignored"), "{warnings:?}");
    }
}

#[test]
fn an_unknown_key_is_reported_and_ignored() {
    let config = Home::new("colour: never\n", "").load(None, &[]).unwrap();
    assert!(matches!(&config.warnings()[0], Warning::Unknown { key, .. } if key == "colour"));
}

#[test]
fn what_cannot_be_understood_is_an_error_with_its_place() {
    assert!(matches!(Home::new("- a\n", "").load(None, &[]), Err(Error::Yaml { .. })));
    assert!(matches!(Home::new("pager: [a]\n", "").load(None, &[]), Err(Error::Yaml { .. })));
    let error = Home::new("", "").load(None, &[("BRV_LOCK_TIMEOUT", "soon")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`BRV_LOCK_TIMEOUT` sets `lock.timeout` to `soon`, which is not a number of seconds up to one day"
    );
}
