# Downloads the artifact `$artifact` of the run: `number`, that of the pull request, and the file `$content`.
export LC_ALL=C
cd "$RUNNER_TEMP"
repository=repos/$GITHUB_REPOSITORY

count=$(gh api "$repository/actions/runs/$RUN_ID/artifacts?name=$artifact" --jq .total_count)
if [ "$count" = 0 ]; then
  echo "This run had nothing to check."
  exit 0
fi
gh run download "$RUN_ID" --repo "$GITHUB_REPOSITORY" --name "$artifact" --dir "$artifact"

reject() {
  echo "::error::Rejected the artifact of the check: $1."
  exit 1
}
for file in number "$content"; do
  if [ -L "$artifact/$file" ] || [ ! -f "$artifact/$file" ]; then
    reject "$file is not a regular file"
  fi
done

if [ "$(wc -c < "$artifact/number")" -gt 16 ]; then
  reject "the number is too long"
fi
number=$(cat "$artifact/number")
case $number in
  "" | 0* | *[!0-9]*) reject "the number has other characters than digits" ;;
esac
