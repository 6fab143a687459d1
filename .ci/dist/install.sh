#!/bin/sh
# Installs brv @VERSION@ for this user: programs into ~/.local/bin, man pages and completions into ~/.local/share.
#
#   curl -fsSL @BASE@/install.sh | sh                       remove it: | sh -s -- --uninstall
# BRV_INSTALL_DIR    another folder for the programs
# BRV_DOWNLOAD_BASE  a mirror: the address of the folder that has the archives
# It knows the checksums of this version, edits no shell profile, and removes only what it has listed.
# The last line calls everything: half a script does nothing.

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

# Download the address $1 to the file $2. Plain http is for this machine only.
download() {
    case $1 in
        https://*) scheme='=https' ;;
        http://127.0.0.1[:/]* | http://localhost[:/]* | "http://[::1]"[:/]*) scheme='=http' ;;
        *) fail "only https is allowed: $1" ;;
    esac
    if command -v curl >/dev/null 2>&1; then
        curl -fsSL --proto "$scheme" --proto-redir "$scheme" --tlsv1.2 --retry 2 -o "$2" "$1"
    elif command -v wget >/dev/null 2>&1; then
        # BusyBox has no such flag, and a TLS of its own
        case $(wget --help 2>&1) in
            *--secure-protocol*) wget -q --secure-protocol=TLSv1_2 -O "$2" "$1" ;;
            *) wget -q -O "$2" "$1" ;;
        esac
    else
        fail "needs curl or wget"
    fi
}

checksum() {
    for tool in sha256sum 'shasum -a 256' 'openssl dgst -sha256 -r'; do
        # shellcheck disable=SC2086 # a program and its arguments
        command -v ${tool%% *} >/dev/null 2>&1 && $tool <"$1" | cut -d ' ' -f 1 && return
    done
    fail "needs sha256sum, shasum or openssl"
}

# Set target and sum for this machine.
choose() {
    machine=$(uname -sm)
    # a shell under Rosetta reports the processor that it emulates
    if [ "$machine" = 'Darwin x86_64' ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then
        machine='Darwin arm64'
    fi
    case $machine in
        'Linux x86_64' | 'Linux amd64') target=x86_64-unknown-linux-musl sum='@SUM:x86_64-unknown-linux-musl@' ;;
        'Linux aarch64' | 'Linux arm64') target=aarch64-unknown-linux-musl sum='@SUM:aarch64-unknown-linux-musl@' ;;
        'Darwin arm64') target=aarch64-apple-darwin sum='@SUM:aarch64-apple-darwin@' ;;
        'Darwin x86_64') target=x86_64-apple-darwin sum='@SUM:x86_64-apple-darwin@' ;;
        *) target='' sum='' ;;
    esac
    [ -n "$sum" ] || fail "there is no archive for $machine; use: cargo install brv --locked"
}

# Create the folder $1, and remember what has to be removed if the installation fails.
make_folder() {
    [ -d "$1" ] && return
    make_folder "$(dirname "$1")"
    mkdir "$1" && made="$1
$made"
}

# Remove what an installation that failed has left.
clean() {
    rm -rf "$work"
    printf '%s\n' "$new" | sed '/^$/d' | while IFS= read -r path; do rm -f "$path.brv-new"; done
    printf '%s' "$made" | while IFS= read -r path; do rmdir "$path" 2>/dev/null; done
}

# Copy the file $1 beside its destination $2, with the mode $3.
stage() {
    new="$2
$new"
    { make_folder "$(dirname "$2")" && cp "$1" "$2.brv-new" && chmod "$3" "$2.brv-new"; } ||
        fail "cannot write $2; set BRV_INSTALL_DIR to a folder that you may write to"
}

uninstall() {
    [ -f "$list" ] || fail "nothing to uninstall: there is no $list"
    while IFS= read -r path; do rm -f "$path" || fail "cannot remove $path"; done <"$list"
    rm -f "$list" && rmdir "$share/brv" 2>/dev/null
    echo "brv is uninstalled; your projects and settings are as they were"
}

brv_install() {
    set -u
    umask 022
    dir=${BRV_INSTALL_DIR:-${HOME:+$HOME/.local/bin}}
    [ -n "$dir" ] || fail "HOME is not set; set it, or BRV_INSTALL_DIR"
    case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
    share=${HOME:+$HOME/.local/share}
    share=${share:-$dir/../share}
    list=$share/brv/installed.txt
    if [ "${1-}" = --uninstall ]; then uninstall && exit; fi
    [ $# = 0 ] || fail "unknown argument $1; it takes --uninstall, or nothing"
    choose
    for name in brv git-brv; do
        [ -e "$dir/$name" ] || [ -L "$dir/$name" ] || continue
        grep -qxF "$dir/$name" "$list" 2>/dev/null ||
            fail "$dir/$name is another program; move it away, or set BRV_INSTALL_DIR"
    done

    work='' new='' made=''
    trap clean EXIT
    trap 'exit 1' HUP INT TERM
    work=$(mktemp -d) || fail "cannot write to the folder for temporary files"
    archive=brv-@LABEL@-$target
    base=${BRV_DOWNLOAD_BASE:-@BASE@}
    download "${base%/}/$archive.tar.xz" "$work/archive" || fail "cannot download ${base%/}/$archive.tar.xz"
    [ "$(checksum "$work/archive")" = "$sum" ] ||
        fail "${base%/}/$archive.tar.xz is not what was released: wrong checksum. Is there a proxy in between?"
    tar -xJf "$work/archive" -C "$work" || fail "cannot unpack the archive; tar needs the program xz, and space in $work"

    # git-brv starts brv, so it must not be newer than brv
    from=$work/$archive
    stage "$from/brv" "$dir/brv" 755
    stage "$from/git-brv" "$dir/git-brv" 755
    for page in "$from"/man/man1/*.1; do stage "$page" "$share/man/man1/${page##*/}" 644; done
    stage "$from/completions/brv.bash" "$share/bash-completion/completions/brv" 644
    stage "$from/completions/_brv" "$share/zsh/site-functions/_brv" 644
    stage "$from/completions/brv.fish" "$share/fish/vendor_completions.d/brv.fish" 644
    new=$(printf '%s' "$new" | sed '/^$/d')
    # what an earlier version listed and this one has not: pages and completions are removed, programs elsewhere stay
    pages='/(man1|completions|site-functions|vendor_completions\.d)/[^/]*$'
    cat "$list" 2>/dev/null | grep -vxF "$new" >"$work/old" || [ $? = 1 ] || fail "cannot write to $work"
    { printf '%s\n' "$new" && { grep -vE "$pages" "$work/old" || [ $? = 1 ]; }; } >"$work/list" ||
        fail "cannot write to $work"
    stage "$work/list" "$list" 644
    grep -E "$pages" "$work/old" | while IFS= read -r path; do rm -f "$path" || exit 1; done ||
        fail "cannot remove the man pages of an earlier version"
    # a program that runs keeps its old file
    printf '%s\n' "$new" | sed '/^$/d' | while IFS= read -r path; do mv -f "$path.brv-new" "$path" || exit 1; done ||
        fail "cannot replace the files in $dir"
    made=''

    echo "installed: $("$dir/brv" --version) in $dir"
    found=$(command -v brv || :)
    if [ -z "$found" ]; then
        echo "add it to your PATH: export PATH=\"$dir:\$PATH\""
    elif ! [ "$found" -ef "$dir/brv" ]; then
        echo "warning: your PATH finds $found first, not $dir/brv" >&2
    fi
}

{ brv_install "$@"; }
