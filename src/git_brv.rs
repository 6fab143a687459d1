//! `git-brv`, which git finds as `git brv`: hands over to [`brv::cli`].

fn main() -> std::process::ExitCode {
    brv::cli::main_as_git()
}
