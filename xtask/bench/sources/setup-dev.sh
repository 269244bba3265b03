#!/bin/sh
set -e
cd "$(dirname "$0")/.."

need() {
  command -v "$1" > /dev/null 2>&1 || { echo "please install $1" >&2; exit 1; }
}

need node
need docker
[ -f .env ] || cp .env.example .env
docker compose up -d db redis
npm ci
until docker compose exec -T db pg_isready -q; do sleep 1; done
npm run db:migrate
npm run db:seed
echo "ready: npm run dev"
