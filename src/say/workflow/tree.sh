# Sets `project` to a folder that has the context tree in .brv/context-tree, or to nothing if there is nothing to check.
folder=.brv/context-tree

# The commit contains the folder: the tree is kept among the files of the code.
tracks() {
  git cat-file -e "$1:$folder" 2>/dev/null
}

# A branch brv/* shares no history with this one: this is the code, and the tree is on that branch.
has_tree_beside_it() {
  for tip in $(git for-each-ref --format='%(objectname)' refs/remotes/origin/brv/); do
    git merge-base "$tip" "$head" >/dev/null || return 0
  done
  return 1
}

if tracks "$head" || { [ -n "$base" ] && tracks "$base"; }; then
  project=$PWD
  if [ -n "$base" ] && git diff --quiet "$base...$head" -- "$folder"; then
    project=
  fi
elif [ "${branch#brv/}" = "$branch" ] && has_tree_beside_it; then
  project=
else
  # The repository is the tree.
  project=$(mktemp -d)
  mkdir "$project/.brv"
  cp -RP . "$project/$folder"
fi
if [ -z "$project" ]; then
  echo "The context tree is unchanged: nothing to check."
fi
