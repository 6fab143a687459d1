#compdef brv git-brv
# Completion of brv for zsh. Add to ~/.zshrc, after compinit:
#   source <(brv completions zsh)
# or save it as a file `_brv` in a folder of $fpath.

_brv() {
    local -a found going ending going_shown ending_shown
    local value shown about
    found=("${(@0)$(command brv __complete zsh "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    while (( $#found >= 3 )); do
        value=$found[1] shown=$found[2] about=$found[3]
        shift 3 found
        [[ -n $about ]] && shown="$shown  -- $about"
        if [[ $value == */ || $value == *= || $value == *: ]]; then
            going+=("$value") going_shown+=("$shown")
        else
            ending+=("$value") ending_shown+=("$shown")
        fi
    done
    local -i missing=1
    (( $#ending )) && compadd -o nosort -l -d ending_shown -a -- ending && missing=0
    (( $#going )) && compadd -o nosort -l -S '' -d going_shown -a -- going && missing=0
    return missing
}

# for zsh's own completion of git, which looks for this name
_git-brv() {
    words[1]=git-brv
    _brv
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _brv "$@"
else
    compdef _brv brv git-brv
fi
