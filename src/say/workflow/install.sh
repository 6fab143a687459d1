# This brv was built without the address of its releases, so the runner must have it.
# To install it here, print this file again with --install COMMAND.
found=$(brv --version) || found="no brv"
if [ "$found" != "brv @version@" ]; then
  echo "This step needs brv @version@ on the PATH and found: $found. Replace it with the command that installs brv." >&2
  exit 1
fi
