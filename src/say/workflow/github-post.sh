# Puts the file `$comment` in the place of the comment that begins with `$marker`. Without one it creates it, unless
# `$is_clean` is set.
head=$(gh api "$repository/pulls/$number" --jq '"\(.head.sha) \(.head.repo.full_name)"')
if [ "$head" != "$HEAD_SHA $HEAD_REPOSITORY" ]; then
  # Usually there is a newer commit, which has a check of its own.
  echo "::notice::Not the latest commit of pull request $number: no comment."
  exit 0
fi

comments=$repository/issues/$number/comments
existing=$(gh api --paginate "$comments?per_page=100" --jq '.[]
  | select(.user.login == "github-actions[bot]")
  | select(.body | startswith("'"$marker"'"))
  | .id' | sed -n 1p)
if [ -n "$existing" ]; then
  gh api --silent --method PATCH "$repository/issues/comments/$existing" -F body=@"$comment"
elif [ -z "${is_clean:-}" ]; then
  gh api --silent --method POST "$comments" -F body=@"$comment"
fi
