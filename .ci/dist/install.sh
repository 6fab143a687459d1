#!/bin/sh
# Installs brv @VERSION@ for this user: programs into ~/.local/bin, man pages and completions into ~/.local/share.
#   curl -fsSL @BASE@/install.sh | sh                       remove it: | sh -s -- --uninstall
# BRV_INSTALL_DIR    another folder for the programs; the rest goes to its share, for x/bin to x/share
# BRV_DOWNLOAD_BASE  a mirror: the address of the folder that has the archives
# It edits no shell profile. It lists what it installs with checksums, and replaces or removes only files that still
# are as listed. If it fails, all is as it was. The last line calls everything: half a script does nothing.

fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

# Download the address $1 to the file $2. Plain http is for this machine only.
download() {
    case $1 in
        https://*) scheme='=https' ;;
        http://127.0.0.1[:/]* | http://localhost[:/]* | "http://[::1]"[:/]*) scheme='=http' ;;
        *) fail "only https is allowed: $1" ;;
    esac
    if command -v curl >/dev/null 2>&1; then
        curl -fsSL --proto "$scheme" --proto-redir "$scheme" --tlsv1.2 --retry 2 -o "$2" "$1"
    else
        command -v wget >/dev/null 2>&1 || fail "needs curl or wget"
        # it follows a redirect to http, and BusyBox checks no certificate: what counts is the checksum
        case $(wget --help 2>&1) in *--secure-protocol*) tls=--secure-protocol=TLSv1_2 ;; *) tls='' ;; esac
        wget -q ${tls:+"$tls"} -O "$2" "$1"
    fi
}

checksum() { eval "$summing" <"$1" | cut -d ' ' -f 1; }
# Is the file $1 as this script has installed it?
ours() { [ -f "$1" ] && ! [ -L "$1" ] && grep -qxF "$(checksum "$1") $1" "$list" 2>/dev/null; }

# Set target and sum for this machine.
choose() {
    machine=$(uname -sm) sum=''
    # a shell under Rosetta reports the processor that it emulates
    [ "$machine" = 'Darwin x86_64' ] && [ "$(sysctl -n sysctl.proc_translated 2>&1)" = 1 ] && machine='Darwin arm64'
    case $machine in
        'Linux x86_64' | 'Linux amd64') target=x86_64-unknown-linux-musl sum='@SUM:x86_64-unknown-linux-musl@' ;;
        'Linux aarch64' | 'Linux arm64') target=aarch64-unknown-linux-musl sum='@SUM:aarch64-unknown-linux-musl@' ;;
        'Darwin arm64') target=aarch64-apple-darwin sum='@SUM:aarch64-apple-darwin@' ;;
        'Darwin x86_64') target=x86_64-apple-darwin sum='@SUM:x86_64-apple-darwin@' ;;
    esac
    [ -n "$sum" ] || fail "there is no archive for $machine; use: cargo install brv --locked"
}

# Create the folder $1 and remember it, unless somebody else is faster.
make_folder() {
    [ -d "$1" ] && return
    make_folder "$(dirname "$1")" || return
    if mkdir "$1" 2>/dev/null; then made="folder $1$nl$made"; else [ -d "$1" ]; fi
}

# Wait until no other installation is at work.
lock() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        { make_folder "${list%/*}" && [ -w "${list%/*}" ]; } || fail "cannot write to ${list%/*}; $hint"
        mkdir "$list.lock" 2>/dev/null && locked="lock $list.lock$nl" && return
        sleep 1
    done
    fail "another installation is at work; if there is none: rmdir '$list.lock'"
}

# At the end, remove what is temporary, and folders that are to go. What a failed installation replaced is put back.
clean() {
    printf '%s' "$new" | while read -r _ path; do
        if [ -z "$replacing" ] || [ -e "$path.brv-new" ]; then rm -f "$path.brv-new" "$path.brv-old"
        elif [ -e "$path.brv-old" ]; then mv -f "$path.brv-old" "$path"
        else rm -f "$path"; fi
    done
    [ -z "$work" ] || rm -rf "$work"
    printf '%s' "$locked$made" | while read -r _ path; do rmdir "$path" 2>/dev/null; done
}

# Copy the file $1 beside its destination $2, with the mode $3, and keep a copy of what it replaces.
stage() {
    if [ "$2" != "$list" ] && { [ -e "$2" ] || [ -L "$2" ]; } && ! ours "$2"; then
        [ "$3" = 644 ] || fail "$2 is another program; move it away, or set BRV_INSTALL_DIR"
        echo "warning: $2 was not installed by this script; it stays" >&2 && return
    fi
    new="$(checksum "$1") $2$nl$new"
    { make_folder "${2%/*}" && ! [ -d "$2" ] && rm -f "$2.brv-old" && { ! [ -e "$2" ] || cp -p "$2" "$2.brv-old"; } &&
        cp "$1" "$2.brv-new" && chmod "$3" "$2.brv-new"; } || fail "cannot write $2; $hint"
}

uninstall() {
    [ -f "$list" ] || fail "nothing to uninstall: there is no $list"
    while read -r sum path; do
        if ours "$path"; then rm -f "$path" || fail "cannot remove $path"
        elif [ "$sum" != folder ] && [ -e "$path" ]; then echo "changed, so it stays: $path" >&2; fi
    done <"$list"
    made=$(grep '^folder ' "$list" | sort -r)$nl
    rm -f "$list" || fail "cannot remove $list"
    echo "brv is uninstalled; your projects and settings are as they were"
}

brv_install() {
    set -u && umask 022
    case $* in '' | --uninstall) ;; *) fail "unknown argument $*; it takes --uninstall, or nothing" ;; esac
    dir=${BRV_INSTALL_DIR:-${HOME:+$HOME/.local/bin}}
    [ -n "$dir" ] || fail "HOME is not set; set it, or BRV_INSTALL_DIR"
    case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
    for summing in sha256sum 'openssl dgst -sha256 -r' 'shasum -a 256'; do
        command -v "${summing%% *}" >/dev/null 2>&1 && break
    done || fail "needs sha256sum, openssl or shasum"
    [ "$*" ] || choose
    hint="set BRV_INSTALL_DIR to a folder that you may write to; the folder beside x/bin is x/share"
    work='' new='' made='' locked='' replacing='' nl='
'
    trap clean EXIT && trap 'exit 1' HUP INT TERM
    # one spelling for each folder
    { make_folder "$dir" && there=$(cd "$dir" && pwd -P); } || fail "cannot write to $dir; $hint"
    dir=$there share=${there%/bin}/share
    [ "$dir" -ef "${HOME-}/.local/bin" ] && share=$HOME/.local/share
    { make_folder "$share/brv" && there=$(cd "$share" && pwd -P); } || fail "cannot write to $share/brv; $hint"
    share=$there list=$there/brv/installed.txt
    if [ "$*" ]; then lock && uninstall && exit; fi
    work=$(mktemp -d) || fail "cannot write to the folder for temporary files"
    from=$work/brv-@LABEL@-$target url=${BRV_DOWNLOAD_BASE:-@BASE@}
    url=${url%/}/${from##*/}.tar.xz
    download "$url" "$work/archive" || fail "cannot download $url"
    [ "$(checksum "$work/archive")" = "$sum" ] || fail "wrong checksum: $url is not what was released. A proxy?"
    tar -xJf "$work/archive" -C "$work" || fail "cannot unpack the archive; it takes tar, xz, and space in $work"
    lock
    # what is staged last is replaced first: git-brv starts brv, so it must not be newer
    for page in "$from"/man/man1/*.1; do stage "$page" "$share/man/man1/${page##*/}" 644; done
    stage "$from/completions/brv.bash" "$share/bash-completion/completions/brv" 644
    stage "$from/completions/_brv" "$share/zsh/site-functions/_brv" 644
    stage "$from/completions/brv.fish" "$share/fish/vendor_completions.d/brv.fish" 644
    stage "$from/git-brv" "$dir/git-brv" 755
    stage "$from/brv" "$dir/brv" 755
    version=$("$dir/brv.brv-new" --version) || fail "the program does not run on this machine"
    # until they are gone, the list has the old files, too
    entries=$new$made old=$(cat "$list" 2>/dev/null)$nl
    printf '%s' "$entries$old" >"$work/list" || fail "cannot write to $work"
    stage "$work/list" "$list" 644
    replacing=1 # a program that runs keeps its old file
    printf '%s' "$new" | while read -r _ path; do mv -f "$path.brv-new" "$path" || exit; done || fail "cannot replace files"
    replacing='' made=''
    printf '%s' "$old" | while read -r _ path; do
        case $path$nl$new in *"$nl"*" $path$nl"*) ;; "$share"/*) ours "$path" && rm -f "$path" ;; esac
    done
    { printf '%s' "$entries" && printf '%s' "$old" | sed -n '/^folder /p'; } >"$work/list" &&
        cp "$work/list" "$list.brv-new" && mv -f "$list.brv-new" "$list"
    echo "installed: $version in $dir"
    found=$(command -v brv || :)
    [ "$found" -ef "$dir/brv" ] && return
    [ -z "$found" ] || echo "warning: your PATH finds $found first, not $dir/brv" >&2
    echo "add it to your PATH: export PATH=\"$dir:\$PATH\""
}
{ brv_install "$@"; }
