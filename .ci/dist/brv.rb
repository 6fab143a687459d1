# A formula, not a cask: macOS refuses what a cask has installed if nobody signed it.
class Brv < Formula
  desc "@SHORT@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@BASE@/brv-@LABEL@-aarch64-apple-darwin.tar.xz"
      sha256 "@SUM:aarch64-apple-darwin@"
    end
    on_intel do
      url "@BASE@/brv-@LABEL@-x86_64-apple-darwin.tar.xz"
      sha256 "@SUM:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@BASE@/brv-@LABEL@-aarch64-unknown-linux-musl.tar.xz"
      sha256 "@SUM:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@BASE@/brv-@LABEL@-x86_64-unknown-linux-musl.tar.xz"
      sha256 "@SUM:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "brv", "git-brv"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/brv.bash" => "brv"
    zsh_completion.install "completions/_brv"
    fish_completion.install "completions/brv.fish"
    doc.install "README.md", "CHANGELOG.md", "THIRD-PARTY.txt"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/brv --version")
    system bin/"brv", "demo"
  end
end
