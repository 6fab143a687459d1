//! git's settings of the machine and of the user, without the repository's: for choices that a repository must not
//! make, such as the pager.

use brv_base::environment::Environment;
use bstr::BString;
use gix::config::file::{Metadata, init};
use gix::config::{File, Source};

/// The value of `key` (`core.pager`) in the files that git reads for every repository; the user's override the
/// machine's. `None` if they cannot be read.
pub fn user_setting(key: &str, environment: &Environment) -> Option<BString> {
    let sources = [Source::System, Source::Git, Source::User].into_iter();
    let files = sources.filter_map(|source| {
        let path = source
            .storage_location(&mut |name| environment.get_os(name).map(ToOwned::to_owned))
            .filter(|path| path.is_file())?;
        Some(Metadata { path: Some(path), ..Metadata::from(source) })
    });
    let file = File::from_paths_metadata(files, init::Options::default()).ok()??;
    file.string(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_file_is_read_and_no_repositorys() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            brv_base::fs::replace(&home.path().join(name), text.as_bytes(), brv_base::fs::Durability::Later)
                .unwrap();
        };
        let environment = Environment::from_iter([
            ("HOME", home.path().as_os_str()),
            ("GIT_CONFIG_NOSYSTEM", std::ffi::OsStr::new("1")),
        ]);
        assert_eq!(user_setting("core.pager", &environment), None);
        write(".gitconfig", "[core]\n\tpager = most -w\n");
        assert_eq!(user_setting("core.pager", &environment), Some("most -w".into()));
        write(".gitconfig", "[core\n");
        assert_eq!(user_setting("core.pager", &environment), None);
    }
}
