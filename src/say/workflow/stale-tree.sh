# Brings the context tree to .brv/context-tree, or sets `skipped` to the reason why it is not there.
folder=.brv/context-tree
skipped=
if ! git cat-file -e "HEAD:$folder" 2>/dev/null; then
  # The tree is not among the files of the code: it is on a branch of its own, beside the code's.
  tip=refs/remotes/origin/brv/$DEFAULT
  if ! git rev-parse --verify --quiet "$tip^{commit}" >/dev/null; then
    git fetch --quiet origin "+refs/heads/brv/$DEFAULT:$tip" 2>/dev/null || true
  fi
  if git rev-parse --verify --quiet "$tip^{commit}" >/dev/null; then
    code=$PWD
    git init --quiet "$folder"
    git -C "$folder" fetch --quiet "$code" "+$tip:refs/heads/tree"
    git -C "$folder" checkout --quiet tree
  else
    skipped="There is no context tree here: neither $folder nor the branch brv/$DEFAULT."
  fi
fi
