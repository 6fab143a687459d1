//! One of the two repositories with hooks: what it has for each event, and how that is written and removed.

use super::{Hook, HookLineState, HookOwner, Way};
use brv_base::fs;
use brv_base::process;
use brv_engine::open::context::Opened;
use brv_engine::open::tree;
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use brv_git::Scope;
use brv_git::hooks::script::{self, Call, HookLines, Left};
use brv_git::hooks::{self, Event, HookFile, HookLocation, Obstacle, Ruler, configured};
use std::path::{Path, PathBuf};

/// A repository whose hooks call brv.
pub struct HookSite {
    pub home: HookOwner,
    pub scope: Scope,
    pub place: HookLocation,
    pub call: Call,
}

/// The state of one event, with what it was read from.
pub struct Seen {
    pub hook: Hook,
    pub file: HookFile,
}

impl HookSite {
    /// The host repository, if there is one, and the tree's own, unless the tree is a folder of the host.
    pub fn all(opened: &Opened, cwd: &Path, lines: &'static HookLines) -> Result<Vec<Self>, Stop> {
        let mut sites: Vec<Self> = Self::host(opened, cwd, lines)?.into_iter().collect();
        if opened.scope.prefix().is_empty() {
            sites.push(Self::new(HookOwner::Tree, opened.scope.clone(), "", lines)?);
        }
        Ok(sites)
    }

    /// The host repository: the one around the project. Its work tree is the one that `cwd` is in: a linked one may have
    /// settings of its own.
    pub fn host(opened: &Opened, cwd: &Path, lines: &'static HookLines) -> Result<Option<Self>, Stop> {
        let project = &opened.places.project;
        let Some(work_tree) = tree::host_work_tree(project) else { return Ok(None) };
        let here = opened.places.host_called_from(cwd)?;
        let here = here.as_deref().unwrap_or(work_tree);
        let scope = git::open(here, "", opened.scope.environment())?;
        let below = project.strip_prefix(work_tree).unwrap_or(Path::new(""));
        Self::new(HookOwner::Host, scope, &below.to_string_lossy(), lines).map(Some)
    }

    fn new(home: HookOwner, scope: Scope, folder: &str, lines: &'static HookLines) -> Result<Self, Stop> {
        let place = hooks::place(&scope)?;
        let program = process::lasting_program(scope.environment());
        let call = Call::new(lines, program.as_deref(), folder);
        Ok(Self { home, scope, place, call })
    }

    /// What the files call. One that can be committed names no path of this machine.
    pub fn file_call(&self) -> Call {
        if self.place.is_in_work_tree { self.call.portable() } else { self.call.clone() }
    }

    pub fn events(&self) -> impl Iterator<Item = Event> + use<> {
        Event::of(match self.home {
            HookOwner::Host => hooks::HookRepository::Host,
            HookOwner::Tree => hooks::HookRepository::Tree,
        })
    }

    /// What there is for an event.
    pub fn see(&self, event: Event) -> Result<Seen, Stop> {
        let mut file = HookFile::read(self.place.folder.join(event.name()))?;
        let text = file.text.as_deref().unwrap_or_default();
        let is_marked = script::is_marked(text);
        if script::serves_another(text, event, &self.call) {
            file.obstacle = Some(Obstacle::OtherProject);
        }
        let (via, state, path) = match configured::read(&self.scope, event)? {
            Some(command) => {
                let state = match command == self.call.command(event) {
                    _ if self.is_of_another(&command, event) => HookLineState::Foreign,
                    true if !is_marked => HookLineState::Installed,
                    _ => HookLineState::Outdated,
                };
                (Way::Config, state, configured::file(&self.scope))
            }
            None if self.is_others(&file) => {
                let state = if self.calls_by_hand(&file, event) {
                    HookLineState::Installed
                } else {
                    HookLineState::Foreign
                };
                (Way::File, state, self.their_file(event))
            }
            None if !is_marked => (Way::File, HookLineState::Absent, file.path.clone()),
            None => {
                let is_same =
                    script::with(text, &self.file_call().line(event)).is_ok_and(|with| with == text);
                (
                    Way::File,
                    if is_same { HookLineState::Installed } else { HookLineState::Outdated },
                    file.path.clone(),
                )
            }
        };
        let why = match (state, via) {
            (HookLineState::Foreign, Way::Config) => Some(Obstacle::OtherProject.to_string()),
            (HookLineState::Foreign, Way::File) => {
                self.ruled().or_else(|| file.obstacle.as_ref().map(ToString::to_string))
            }
            _ => None,
        };
        let path = path.to_string_lossy().into_owned();
        Ok(Seen { hook: Hook { event, home: self.home, via, state, file: path, why }, file })
    }

    /// Who has the say about all hooks, if brv has not.
    pub fn ruled(&self) -> Option<String> {
        let (folder, top) = (self.place.folder.display(), self.scope.work_tree().display());
        Some(match self.place.ruler.as_ref()? {
            Ruler::Manager(manager) => format!("{} rules the hooks of `{top}`", manager.name()),
            Ruler::Outside => {
                format!("`{folder}`, where git looks for them, is outside of the repository `{top}`")
            }
            Ruler::Off => format!("`core.hooksPath` is `{folder}`, which is not a folder: git runs no hooks"),
        })
    }

    fn is_of_another(&self, command: &str, event: Event) -> bool {
        command.contains(&format!("hooks run {event} "))
            && !script::calls(command.as_bytes(), event, &self.call)
    }

    /// The file to which people can add a call of brv where brv itself adds none.
    pub fn their_file(&self, event: Event) -> PathBuf {
        match &self.place.ruler {
            Some(Ruler::Manager(manager)) => manager.file(event),
            _ => self.place.folder.join(event.name()),
        }
    }

    /// Whether somebody did so, in a file that git runs.
    pub fn calls_by_hand(&self, file: &HookFile, event: Event) -> bool {
        let Ok(text) = fs::read(&self.their_file(event)) else { return false };
        match &self.place.ruler {
            Some(Ruler::Manager(manager)) => manager.has(&text, event, &self.call),
            _ => file.is_run(&text) && script::calls(&text, event, &self.call),
        }
    }

    /// Whether brv leaves the file of an event alone.
    pub fn is_others(&self, file: &HookFile) -> bool {
        self.place.ruler.is_some() || file.obstacle.is_some()
    }

    /// Whether an event is in the settings.
    pub fn is_configured(&self) -> Result<bool, Stop> {
        for event in self.events() {
            if self.see(event)?.hook.via == Way::Config {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Write brv's line into the files, as they were seen.
    pub fn write_files(&self, seen: &[Seen]) -> Result<(), Stop> {
        if seen.iter().any(|seen| seen.hook.via == Way::Config) {
            self.remove_settings()?;
        }
        let folders = self.place.folder.ancestors().take_while(|folder| !folder.exists()).count();
        for Seen { hook, file } in seen {
            if self.is_others(file) {
                continue;
            }
            let line = self.file_call().line(hook.event);
            let wanted = match &file.text {
                Some(text) => script::with(text, &line).map_err(|_| unclosed(&file.path))?,
                None => script::new(&line, folders),
            };
            if file.text.as_ref() != Some(&wanted) {
                fs::replace_program(&file.path, &wanted)?;
            }
        }
        Ok(())
    }

    /// Write the hooks into the settings, and take brv's lines out of the files.
    pub fn write_settings(&self) -> Result<(), Stop> {
        let hooks: Vec<(Event, String)> =
            self.events().map(|event| (event, self.call.command(event))).collect();
        self.remove_files()?;
        let is_set = |(event, command): &(Event, String)| {
            configured::read(&self.scope, *event).map(|set| set.as_ref() == Some(command))
        };
        if hooks.iter().map(is_set).collect::<Result<Vec<_>, _>>()?.contains(&false) {
            configured::write(&self.scope, &hooks)?;
        }
        Ok(())
    }

    /// Whether brv's lines can be taken out of all files.
    pub fn check_removal(&self) -> Result<(), Stop> {
        for file in self.own_files()? {
            if file.text.as_deref().is_some_and(|text| script::without(text).is_err()) {
                return Err(unclosed(&file.path));
            }
        }
        Ok(())
    }

    /// Take brv's lines out of the files, and the files and folders that brv made.
    pub fn remove_files(&self) -> Result<(), Stop> {
        for file in self.own_files()? {
            match script::without(file.text.as_deref().unwrap_or_default()) {
                Ok(Left::Same) => {}
                Ok(Left::Text(text)) => fs::replace_program(&file.path, &text)?,
                Ok(Left::Nothing { folders }) => {
                    fs::remove_file(&file.path)?;
                    for folder in file.path.ancestors().skip(1).take(folders) {
                        // one that holds something else stays
                        let _ = std::fs::remove_dir(folder);
                    }
                }
                Err(_) => return Err(unclosed(&file.path)),
            }
        }
        Ok(())
    }

    /// The files in which brv's lines for this project may stand.
    fn own_files(&self) -> Result<Vec<HookFile>, Stop> {
        let mut files = Vec::new();
        for folder in &self.place.own {
            for event in self.events() {
                let file = HookFile::read(folder.join(event.name()))?;
                let text = file.text.as_deref().unwrap_or_default();
                if !script::serves_another(text, event, &self.call) {
                    files.push(file);
                }
            }
        }
        Ok(files)
    }

    /// Remove brv's hooks from the settings, if there are some.
    pub fn remove_settings(&self) -> Result<(), Stop> {
        let mut events = Vec::new();
        for event in self.events() {
            let Some(command) = configured::read(&self.scope, event)? else { continue };
            if !self.is_of_another(&command, event) {
                events.push(event);
            }
        }
        if !events.is_empty() {
            configured::remove(&self.scope, &events)?;
        }
        Ok(())
    }
}

fn unclosed(file: &Path) -> Stop {
    let message = format!("`{}`: {}", file.display(), Obstacle::Unclosed);
    Stop::new(FailureKind::Refused, message).hint("remove brv's lines from that file; nothing was changed")
}
