# Completion of brv for fish. Add to ~/.config/fish/config.fish:
#   brv completions fish | source
# or save it as ~/.config/fish/completions/brv.fish.

function __brv_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    command brv __complete fish $words "$current" 2>/dev/null
end

complete --command brv --no-files --keep-order --arguments '(__brv_complete)'
complete --command git-brv --no-files --keep-order --arguments '(__brv_complete)'
complete --command git --condition '__fish_seen_subcommand_from brv' --no-files --keep-order --arguments '(__brv_complete)'
