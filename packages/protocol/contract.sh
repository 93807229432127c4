#!/bin/sh
# No client breaks: what proto/ says now, against the released contract (a descriptor image). What is added since is not in it yet.
#   contract.sh           fails where a client of the released contract would break, or where contract/CHANGES.md does not tell of it.
#   contract.sh --renew   releases what proto/ says now; its line in contract/CHANGES.md is yours to write.
set -eu
cd "$(dirname "$0")"
PATH="$PWD/../../node_modules/node/bin:$PWD/../../node_modules/.bin:$PATH"
image=contract/released.binpb

if [ "${1-}" = --renew ]; then
  buf build -o "$image" --exclude-source-info --as-file-descriptor-set
fi
buf breaking --against "$image"
name=$(sha256sum "$image" | cut -c1-12)
grep -q "^## $name" contract/CHANGES.md || {
  echo "contract/CHANGES.md has no entry \`## $name\`: say there what the released contract has changed for clients" >&2
  exit 1
}
