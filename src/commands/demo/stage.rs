//! The stage of the demo: folders for two people, a home without settings, and the program to run.
//!
//! Knows how to run commands and how to write and compare files; the script is not here.

use super::{DemoPerson, Scene};
use brv_base::environment::Environment;
use brv_base::fs::{self, Durability};
use brv_base::path::{PathKind, kind_of};
use brv_base::process;
use brv_engine::Stop;
use brv_engine::open::tree::Places;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The stage, and the callback that gets each scene.
pub(super) struct DemoStage<'a> {
    folder: PathBuf,
    program: &'a Path,
    environment: &'a Environment,
    watch: &'a mut dyn FnMut(&Scene),
    shown: Vec<Scene>,
}

/// The files of a tree by path: all, or only derived ones.
pub(super) type DemoFiles = BTreeMap<String, Vec<u8>>;

impl<'a> DemoStage<'a> {
    /// Make the folders in `folder`, which is absent or empty, or in a new one among the temporary files.
    pub(super) fn open(
        folder: Option<PathBuf>,
        (program, environment): (&'a Path, &'a Environment),
        watch: &'a mut dyn FnMut(&Scene),
    ) -> Result<Self, Stop> {
        let folder = match folder {
            Some(folder) => empty(folder)?,
            None => temporary()?,
        };
        let stage = Self { folder, program, environment, watch, shown: Vec::new() };
        for person in [DemoPerson::Alice, DemoPerson::Bob] {
            fs::create_folder(&stage.project(person))?;
        }
        fs::create_folder(&stage.home())?;
        Ok(stage)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn project(&self, person: DemoPerson) -> PathBuf {
        self.folder.join(person.name())
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn tree(&self, person: DemoPerson) -> PathBuf {
        Places::of(self.project(person)).tree()
    }

    pub(super) fn show(&mut self, scene: Scene) {
        (self.watch)(&scene);
        self.shown.push(scene);
    }

    pub(super) fn tell(&mut self, text: impl Into<String>) {
        self.show(Scene::Told { text: text.into() });
    }

    /// What was shown, in order.
    pub(super) fn scenes(self) -> Vec<Scene> {
        self.shown
    }

    /// Run a command that ends well.
    pub(super) fn brv(&mut self, person: DemoPerson, arguments: &[&str]) -> Result<(), Stop> {
        self.brv_ending(person, arguments, 0)
    }

    /// Run a command that ends with the exit code `expected`.
    pub(super) fn brv_ending(
        &mut self,
        person: DemoPerson,
        arguments: &[&str],
        expected: i32,
    ) -> Result<(), Stop> {
        let folder = self.project(person);
        let name = person.name();
        let address = format!("{name}@example.com");
        let output = process::hermetic(self.program, &self.home(), self.environment)
            .current_dir(&folder)
            .envs([("GIT_AUTHOR_NAME", name), ("GIT_COMMITTER_NAME", name)])
            .envs([("GIT_AUTHOR_EMAIL", &address), ("GIT_COMMITTER_EMAIL", &address)])
            .env("BRV_ACTOR", name)
            .args(arguments)
            .output()
            .map_err(|error| Stop::failed(format!("cannot run `{}`: {error}", self.program.display())))?;
        let exit = output.status.code().unwrap_or(-1);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        if exit != expected {
            return Err(Stop::failed(format!(
                "`brv {}` in `{}` ended with {exit}, not with {expected}: {}",
                arguments.join(" "),
                folder.display(),
                stderr.trim_end(),
            )));
        }
        let arguments = arguments.iter().map(ToString::to_string).collect();
        self.show(Scene::Ran { person: name, arguments, exit, stdout, stderr });
        Ok(())
    }

    /// Run a command that ends well, and report the derived files that it changed.
    pub(super) fn brv_deriving(&mut self, person: DemoPerson, arguments: &[&str]) -> Result<(), Stop> {
        let before = self.derived(person)?;
        self.brv(person, arguments)?;
        let paths = differences(&before, &self.derived(person)?);
        self.show(Scene::Derived { person: person.name(), paths });
        Ok(())
    }

    /// Write a file of the tree, as an editor would.
    pub(super) fn write(&self, person: DemoPerson, path: &str, bytes: &[u8]) -> Result<(), Stop> {
        Ok(fs::replace(&self.tree(person).join(path), bytes, Durability::Later)?)
    }

    /// The text of a file of the tree.
    pub(super) fn text(&self, person: DemoPerson, path: &str) -> Result<String, Stop> {
        Ok(String::from_utf8_lossy(&fs::read(&self.tree(person).join(path))?).into_owned())
    }

    /// All files of a tree; none when there is no tree yet.
    pub(super) fn files(&self, person: DemoPerson) -> Result<DemoFiles, Stop> {
        let tree = self.tree(person);
        if !tree.exists() {
            return Ok(DemoFiles::new());
        }
        let found = fs::walk(&tree, &[], fs::Listing::Everything, |_, _| None::<()>)?.unexpected;
        let paths = found.into_iter().map(|file| file.path.to_string());
        paths.map(|path| Ok((path.clone(), fs::read(&tree.join(path))?))).collect()
    }

    fn derived(&self, person: DemoPerson) -> Result<DemoFiles, Stop> {
        let mut files = self.files(person)?;
        files.retain(|path, _| is_derived(path));
        Ok(files)
    }
}

/// Whether the name is that of a derived file.
pub(super) fn is_derived(path: &str) -> bool {
    matches!(kind_of(path), PathKind::Derived(_))
}

/// The paths of files that differ between the two.
pub(super) fn differences(before: &DemoFiles, after: &DemoFiles) -> Vec<String> {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let other = after.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)).map(|(path, _)| path);
    let mut paths: Vec<String> = gone.chain(other).cloned().collect();
    paths.sort();
    paths
}

fn empty(folder: PathBuf) -> Result<PathBuf, Stop> {
    fs::create_folder(&folder)?;
    let mut entries = std::fs::read_dir(&folder).map_err(fs::Error::during("list", &folder))?;
    if entries.next().is_some() {
        let message = format!("`{}` is not empty", folder.display());
        return Err(Stop::refused(message).hint("name an empty or new folder, or none"));
    }
    Ok(folder)
}

fn temporary() -> Result<PathBuf, fs::Error> {
    let made = tempfile::Builder::new().prefix("brv-demo-").tempdir();
    Ok(made.map_err(fs::Error::during("create", std::env::temp_dir()))?.keep())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_only_one_side_has_is_a_difference() {
        let files = |list: &[(&str, &str)]| {
            list.iter()
                .map(|(path, text)| (path.to_string(), text.as_bytes().to_vec()))
                .collect::<DemoFiles>()
        };
        let before = files(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let after = files(&[("b", "2"), ("c", "1"), ("d", "1")]);
        assert_eq!(differences(&before, &after), ["a", "b", "d"]);
        assert!(differences(&after, &after).is_empty());
    }

    #[test]
    fn a_folder_with_something_in_it_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::replace(&folder.path().join("mine"), b"x", Durability::Later).unwrap();
        let found = empty(folder.path().to_path_buf());
        assert!(found.unwrap_err().message.ends_with("is not empty"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
