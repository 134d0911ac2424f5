# The front door. `make demo` shows Malote at work, `make test` proves that it
# works; both install what they lack (Debian), and need nothing but Go.

GO ?= go
# Debian's own, which install-needs completes; any Python from 3.9 on will do.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

.PHONY: demo build test test-typescript sdk-typescript test-python vet lint generate fuzz bench bench-peers bench-store torture torture-bugs soak clean help

help: ## List the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: build ## Install what is missing, build, and watch real webhooks being delivered
	scripts/install-needs postgresql
	@sync # what was just built and installed should not be written out while the demo measures
	bin/malote demo

build: ## Build bin/malote
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/malote ./cmd/malote

test: vet ## Install what is missing, and pass all tests on a PostgreSQL of their own
	scripts/install-needs postgresql compiler promtool chromium
	$(GO) build -o bin/withpg ./internal/localpg/withpg
	bin/withpg -- $(GO) test -race -timeout 15m ./...
	$(MAKE) --no-print-directory test-typescript
	$(MAKE) --no-print-directory test-python

test-typescript: build # sdk/typescript, with a Malote of its own; types are checked where there is npm
	scripts/install-needs postgresql node
	$(GO) build -o bin/withpg ./internal/localpg/withpg
	@if command -v npm >/dev/null; then $(MAKE) sdk/typescript/node_modules && cd sdk/typescript && npm run --silent check; \
		else echo "sdk/typescript: checking types and dist skipped: no npm"; fi
	cd sdk/typescript && ../../bin/withpg -- node --test --test-reporter=spec test/*.test.js

sdk-typescript: build sdk/typescript/node_modules # after a change of src or of the HTTP API: commit what it changes
	cd sdk/typescript && npm run --silent generate && npm run --silent build

sdk/typescript/node_modules: sdk/typescript/package-lock.json
	cd sdk/typescript && npm ci --silent
	@touch $@

test-python: build ## Install what is missing, and pass the Python SDK's tests with a running Malote
	scripts/install-needs postgresql python
	$(GO) build -o bin/withpg ./internal/localpg/withpg
	cd sdk/python && MALOTE_TEST_ALL=1 MALOTE_BIN=../../bin/malote ../../bin/withpg -- $(PYTHON) -m unittest

vet:
	$(GO) vet ./...

lint: ## Run golangci-lint at the version that the configuration is made for
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run

generate: ## Make the Go code of the dashboard's templates anew
	$(GO) run github.com/a-h/templ/cmd/templ@v0.3.1118 generate -path internal/dashboard

FUZZTIME ?= 30s
fuzz: ## Run every fuzz target for a while (FUZZTIME=30s)
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "== $$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package; \
		done; \
	done

BENCH ?=
bench: build bench-peers ## Measure everything beside this machine's limits and two other pipelines (BENCH='throughput --runs 5'; docs/benchmarks.md)
	scripts/install-needs postgresql
	@sync # what was just built should not be written out while it is measured
	bin/malote bench $(BENCH) --peer 'river=bench/bin/peer river' --peer 'textbook=bench/bin/peer textbook' --html bin/bench.html
	@echo "The plots are in bin/bench.html"

bench-peers: # other pipelines to compare with; their libraries stay in a module of their own
	cd bench && CGO_ENABLED=0 $(GO) build -trimpath -o bin/peer ./cmd/peer

bench-store: ## Measure single calls of the store: claims, publishes, completions, pages
	scripts/install-needs postgresql
	$(GO) build -o bin/withpg ./internal/localpg/withpg
	bin/withpg -durable -- $(GO) test -run '^$$' -bench 'Claim|Publish|Complete' -benchtime 200x -timeout 60m ./internal/store
	bin/withpg -durable -- $(GO) test -run '^$$' -bench Publish -benchtime 5000x ./internal/store/outbox
	bin/withpg -durable -- $(GO) test -run '^$$' -bench Pages -benchtime 30x -timeout 60m ./internal/store/history

SEEDS ?= 30
SEED ?=
DURATION ?= 60s
torture: build bin/malote-skewed ## Torture Malote's processes by random faults (SEEDS=30 DURATION=60s; SEED=n to see one again)
	scripts/install-needs postgresql
	$(GO) test -c -o bin/torture.test ./internal/torture
	cd internal/torture && MALOTE_TORTURE_BIN=$(CURDIR)/bin/malote MALOTE_TORTURE_SKEWED=$(CURDIR)/bin/malote-skewed \
		MALOTE_TORTURE_SEEDS=$(SEEDS) MALOTE_TORTURE_SEED=$(SEED) MALOTE_TORTURE_DURATION=$(DURATION) \
		../../bin/torture.test -test.run 'TestTorture$$' -test.timeout 24h

torture-bugs: ## Build Malote with one deliberate bug after another, and see that torture finds each
	scripts/install-needs postgresql
	GO=$(GO) scripts/torture-bugs

soak: build bin/malote-skewed ## An hour (SOAK=1h) of load with faults: tables, memory and latency must stay flat
	scripts/install-needs postgresql
	$(GO) test -tags soak -c -o bin/torture.test ./internal/torture
	cd internal/torture && MALOTE_TORTURE_BIN=$(CURDIR)/bin/malote MALOTE_TORTURE_SKEWED=$(CURDIR)/bin/malote-skewed \
		MALOTE_SOAK=$(or $(SOAK),1h) ../../bin/torture.test -test.run 'TestSoak$$' -test.timeout 24h

.PHONY: bin/malote-skewed
bin/malote-skewed:
	GO=$(GO) scripts/skewed-malote $@

clean: ## Remove what was built
	rm -rf bin bench/bin
