# Thin: each target is one command. `make help` lists them.
SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
# What the lock says, and nothing worked out anew: Debian's npm 9 would miss in it what it needs for peers.
NPM_CI := npm ci --legacy-peer-deps --no-audit --no-fund
export PATH := $(CURDIR)/node_modules/node/bin:$(CURDIR)/node_modules/.bin:$(PATH)

.PHONY: dashboard screenshots help packages install uninstall installed check test test-unit e2e slurm-contract demo up canary bench-recovery bench-watcher bench-api bench-decide bench-slurm conformance model sim soak sim-teeth sim-teeth-unseen docs golden generate format

help: ## List all targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

packages: ## Bring the npm packages of package-lock.json, Node 24 among them
	@$(NPM_CI)

install: installed dashboard ## Install program, units and configuration: PREFIX=/usr/local DESTDIR= SYSCONFDIR=/etc UNITDIR=…
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" SYSCONFDIR="$(SYSCONFDIR)" UNITDIR="$(UNITDIR)" node tools/src/install.ts install

dashboard: installed ## Build the dashboard (`reprise up` does it, too, when it is missing or old)
	@cd apps/dashboard && NODE_ENV=production vite build --logLevel warn

screenshots: installed dashboard ## Pictures of every page, in three sizes and both themes, to look at (ARGS="[--keep] FOLDER [PAGE …]"; --keep: tests compare with them)
	@node e2e/browser/screenshots.ts $(ARGS)

uninstall: installed ## Remove what install has put there; configuration and data stay
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" SYSCONFDIR="$(SYSCONFDIR)" UNITDIR="$(UNITDIR)" node tools/src/install.ts uninstall

installed:
	@node tools/installed.mjs || $(NPM_CI) --loglevel=error

check: installed ## Types, lint, tidy, unused code, format, protocol (seconds)
	@node tools/src/check.ts

test: installed ## Everything, on a fresh machine too; ends with `N passed, N failed, N skipped`
	@node tools/src/test.ts $(ARGS)

test-unit: installed ## Unit and property tests, and 200 simulated worlds (minutes)
	@vitest run --project unit $(ARGS)

e2e: installed ## The end-to-end tests on a real Slurm alone
	@node tools/src/test.ts e2e

slurm-contract: installed ## What we rely on in Slurm: all stories, on the simulated and on the real one
	@node e2e/slurm-contract/run.ts

demo: installed ## A real recovery on a real one-machine Slurm (ARGS=--json, ARGS=--open, ARGS="--fault exit", ARGS=--simulated)
	@bin/reprise demo $(ARGS)

up: installed ## All parts of Reprise on this machine, in observe mode (ARGS="--data DIR …")
	@bin/reprise up $(ARGS)

canary: installed ## Prove recovery on PARTITION=… with the Reprise that runs: a tiny job fails once (ARGS="--data DIR …")
	@bin/reprise canary --partition "$(PARTITION)" $(ARGS)

bench-recovery: installed ## Measure 20 recoveries on the real Slurm and write their parts of docs/benchmarks.md
	@node e2e/bench/recovery.ts $(ARGS)

bench-watcher: installed ## Measure the watcher and write its part of docs/benchmarks.md (minutes; ARGS=--quick)
	@node e2e/bench/watcher.ts $(ARGS)

bench-api: installed ## Measure the API and write its part of docs/benchmarks.md (minutes; ARGS=--quick)
	@node e2e/bench/api.ts $(ARGS)

bench-decide: installed ## Measure deciding; ask it about a million random situations (minutes; ARGS=--quick)
	@node e2e/bench/decide.ts $(ARGS)

bench-slurm: installed ## Measure SAC over 50,000 jobs, and 500 that fail at once, on the real Slurm (minutes; ARGS=--quick)
	@node e2e/bench/slurm.ts $(ARGS)

conformance: installed ## Is it this API? (REPRISE_URL=… REPRISE_TOKEN=… [REPRISE_GRPC=host:port]; without them, our own server)
	@vitest run --project unit e2e/api/conformance.test.ts $(ARGS)

model: ## Check the model of the requeue protocol with spin (a minute; ARGS=full: two)
	@model/check $(ARGS)

sim: installed ## Worlds that lie: SEED=n one, told; SEEDS=200 that many; SIZE=small small ones
	@SEED="$(SEED)" SEEDS="$(or $(SEEDS),200)" FROM="$(or $(FROM),1)" SIZE="$(SIZE)" node sim/src/run.ts

soak: installed ## As many worlds as the time allows, on all cores (MINUTES=n, WORLDS=n, SIZE=small, FROM=n)
	@MINUTES="$(or $(MINUTES),1)" $(if $(WORLDS),WORLDS="$(WORLDS)") FROM="$(or $(FROM),1)" SIZE="$(SIZE)" node sim/src/soak.ts

sim-teeth: installed ## Plant bugs in the product, one at a time; the worlds must find each (TOOTH=name for one; FROM=1: look in all worlds anew)
	@TOOTH="$(TOOTH)" FROM="$(FROM)" node sim/teeth/run.ts

sim-teeth-unseen: installed ## That the planted bugs compile, and that no unit test sees them (TOOTH=name for one)
	@TOOTH="$(TOOTH)" nice node sim/teeth/unseen.ts

docs: installed ## Build the documentation site from docs/; links are checked (ARGS=--serve shows it until Ctrl-C)
	@node tools/src/site/site.ts $(ARGS)

golden: installed ## Rewrite golden files; read the difference as code
	@vitest run --project unit --update

generate: installed ## Generate the code of the protocol from its .proto files
	@npm run --silent -w @reprise/protocol generate

format: installed ## Format every file
	@biome format --write .
