# Completion of brv for bash. Add to ~/.bashrc:
#   source <(brv completions bash)

_brv() {
    local IFS=$'\n' found
    COMPREPLY=()
    found=$(command brv __complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null) || return 0
    while read -r found; do
        [ -n "$found" ] && COMPREPLY+=("$found")
    done <<<"$found"
    # no space after a folder or a flag that takes a value
    if [ "${#COMPREPLY[@]}" -eq 1 ]; then
        case ${COMPREPLY[0]} in
            */ | *= | *:) compopt -o nospace 2>/dev/null ;;
        esac
    fi
    return 0
}

# for git's own completion, which looks for this name, and does not append a space
_git_brv() {
    local at
    _brv
    for at in "${!COMPREPLY[@]}"; do
        case ${COMPREPLY[at]} in
            */ | *= | *:) ;;
            *) COMPREPLY[at]+=' ' ;;
        esac
    done
}

complete -o nosort -F _brv brv git-brv 2>/dev/null || complete -F _brv brv git-brv
