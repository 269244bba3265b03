#!/usr/bin/env bash
# Brings the built site to the staging server.
set -euo pipefail

host=${1:-staging.example.com}
root=$(git rev-parse --show-toplevel)
release=$(date -u +%Y%m%d%H%M%S)-$(git rev-parse --short HEAD)

build() {
  cd "$root"
  npm ci --silent
  npm run build
  test -s dist/index.html
}

upload() {
  rsync -az --link-dest=../current dist/ "deploy@$host:/srv/www/releases/$release/"
  ssh "deploy@$host" "ln -sfn releases/$release /srv/www/current"
}

check() {
  for _ in 1 2 3 4 5; do
    if curl -fsS "https://$host/version.json" | grep -q "$release"; then
      echo "$release is live on $host"
      return
    fi
    sleep 2
  done
  echo "the new release does not answer" >&2
  return 1
}

build
upload
check
