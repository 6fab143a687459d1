//! `git-brv`, which git runs as `git brv`: calls [`brv::cli`].

fn main() -> std::process::ExitCode {
    brv::cli::main_as_git()
}
