//! Edits that people make to files with an editor and a file manager, without any command.

use super::Story;
use std::path::Path;

/// The first content of every clone.
pub const FIRST: [(&str, &str); 3] = [
    ("auth/note_0.md", "# Note\n\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"),
    (
        "auth/jwt/note_1.md",
        "---\ntitle: Tokens\ntags: [a, b]\nkeywords: []\nrelated: [auth/note_0]\ncreatedAt: '2026-01-01T00:00:00.000Z'\nupdatedAt: '2026-01-01T00:00:00.000Z'\n---\n## Facts\n- **life**: 12 hours [project]\n",
    ),
    ("README.md", "# Knowledge\n"),
];

const FOLDERS: [&str; 5] = ["", "auth/", "auth/jwt/", "観測/", "a b/"];

impl Story {
    /// A path where an entry may be.
    pub fn path(&mut self) -> String {
        let folder = self.dice.pick(&FOLDERS);
        match self.dice.roll(24) {
            0 => format!("{folder}context.md"),
            1 => "README.md".into(),
            2 => format!("{folder}data.txt"),
            3 => format!("{folder}note_1.md/note_2.md"),
            _ => format!("{folder}note_{}.md", self.dice.roll(4)),
        }
    }

    pub fn edit(&mut self) {
        let tree = self.tree.clone();
        self.edit_in(&tree);
    }

    /// Save, rename or remove a random file.
    pub fn edit_in(&mut self, root: &Path) {
        let path = self.path();
        let number = self.dice.roll(1000);
        let whose = root.file_name().unwrap().to_str().unwrap().to_owned();
        let file = root.join(&path);
        let kind = self.dice.roll(14);
        self.told.push(format!("edit {kind} {whose} {path:?} {number}"));
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        match kind {
            0 | 1 if file.is_file() => std::fs::remove_file(&file).unwrap(),
            2 if file.is_file() => save(&file, &format!("{number}\n{text}")),
            3 | 4 if file.is_file() => {
                save(&file, &format!("{text}- **fact {}**: {number} [team]\n", number % 3))
            }
            5 if file.is_file() => {
                let lines: Vec<&str> = text.lines().collect();
                let at = number % lines.len().max(1);
                let changed = |(line, text): (usize, &&str)| match line == at {
                    true => format!("{text} {number}\n"),
                    false => format!("{text}\n"),
                };
                save(&file, &lines.iter().enumerate().map(changed).collect::<String>());
            }
            6 if file.is_file() => {
                let other = self.path();
                self.told.push(format!("  to {other:?}"));
                rename(&file, &root.join(other));
            }
            // the same bytes with another modification time
            7 if file.is_file() => save(&file, &text),
            8 => drop(std::fs::remove_dir_all(root.join(self.dice.pick(&["auth", "auth/jwt", "a b"])))),
            9 if number.is_multiple_of(2) => save(&file, ""),
            10 if file.is_file() && number.is_multiple_of(2) => make_executable(&file),
            11 => drop(std::fs::create_dir_all(root.join(format!("empty/{}", number % 3)))),
            _ => {
                let facts: String =
                    (0..number % 4).map(|at| format!("- **fact {at}**: {at} [team]\n")).collect();
                save(&file, &format!("# Note\n\nThis is number {number}.\n\n## Facts\n{facts}"));
            }
        }
    }
}

/// Save the file, if its path allows a file there.
fn save(file: &Path, text: &str) {
    if std::fs::create_dir_all(file.parent().unwrap()).is_ok() && !file.is_dir() {
        std::fs::write(file, text).unwrap();
    }
}

fn rename(from: &Path, to: &Path) {
    if std::fs::create_dir_all(to.parent().unwrap()).is_ok() && !to.is_dir() {
        std::fs::rename(from, to).unwrap();
    }
}

#[cfg(unix)]
fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &Path) {}
