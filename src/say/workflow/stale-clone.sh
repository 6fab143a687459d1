# Clones the context tree from $TREE to .brv/context-tree, or sets `skipped` to the reason why it is not there. The token
# is passed to git by an environment variable, and stands in no argument and no file.
folder=.brv/context-tree
skipped=
credentials='!f() { if [ -n "$TREE_TOKEN" ]; then echo username=brv; echo "password=$TREE_TOKEN"; fi; }; f'
export GIT_TERMINAL_PROMPT=0 TREE TREE_TOKEN=${TREE_TOKEN:-${BRV_TREE_TOKEN:-}}
if [ -e "$folder" ]; then
  # files of the pull request are no tree
  mv "$folder" "$(mktemp -d)"
fi
if ! git -c credential.helper= -c credential.helper="$credentials" clone --quiet "$TREE" "$folder"; then
  if [ "$IS_FORK" = true ]; then
    # A fork gets no secrets.
    skipped="The context tree cannot be read from a fork: skipped."
  else
    echo "Cannot clone the context tree from $TREE. A private one needs the secret BRV_TREE_TOKEN." >&2
    exit 1
  fi
fi
