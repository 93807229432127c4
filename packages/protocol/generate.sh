#!/bin/sh
# Compiles proto/ to src/gen/. With --check it changes nothing and fails where the committed code is not what proto/ says.
set -eu
cd "$(dirname "$0")"
PATH="$PWD/../../node_modules/node/bin:$PWD/../../node_modules/.bin:$PATH"

if [ "${1-}" != --check ]; then
  rm -rf src/gen
  exec buf generate
fi
buf lint
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
buf generate -o "$fresh"
diff -r "$fresh/src/gen" src/gen || { echo "src/gen is not what proto/ says: run packages/protocol/generate.sh" >&2; exit 1; }
