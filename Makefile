# Two commands matter: `make demo` shows Segue at work, `make check` checks everything.
# Both need Rust and make; `make check` installs the rest of what it needs below .check/.

SHELL := /bin/bash
.DEFAULT_GOAL := help

RUST := .ci/with-rust
CARGO := $(RUST) cargo
BUILT := $(or $(CARGO_TARGET_DIR),target)
AGENTS := $(CURDIR)/.check/agents
# Tests that start real agents are in a module `real_agents` of a crate's integration tests.
REAL_AGENTS := kind(test) & test(/real_agents::/)
# A shared build server has pauses that no test can foresee. There a test may pass on its second try, and is then
# listed as FLAKY in the result: that is a fault to be mended, not one to be forgotten. Elsewhere nothing is retried.
NEXTEST := $(CARGO) nextest run --locked --workspace $(if $(CI),--retries 2)

# The parts of `make check`, quick ones first.
PARTS := check-format check-layering check-tidy check-lints check-docs check-third-party check-console \
	test check-generated check-packages check-desktop test-browser test-agents test-clients

PACKAGES := $(BUILT)/packages
DESKTOP := $(abspath $(BUILT))/desktop

.PHONY: help app desktop desktop-package desktop-smoke wheel npm static dist demo demo-open demo-codex demo-opencode console console-dev check bench doctor fmt lint test agents build install \
	clean-check tools $(PARTS)

help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Of the demo; AGENT_COMMAND is any command that takes a prompt on standard input and answers on standard output.
GRANULARITY ?= balanced
AGENT_TIMEOUT ?= 120
RUNS ?= 2
LIVE_RUNS ?= 1
CODEX_MODEL ?= gpt-5.4
LIVE_TIMEOUT := 300
# The shell quotes what may hold anything.
export TOPIC STATE_DIR STATE_ROOT AGENT_COMMAND
DEMO = $(BUILT)/debug/segue demo --granularity $(GRANULARITY) \
	$${TOPIC:+--topic "$$TOPIC"} $${STATE_DIR:+--state-dir "$$STATE_DIR"}

demo: build ## Build Segue and show it, tasks and flows: no account, no network, no Node.js
	@$(BUILT)/debug/segue-channel-demo
	@$(DEMO) --runs $(RUNS) --agent-timeout $(AGENT_TIMEOUT) $${AGENT_COMMAND:+--agent-command "$$AGENT_COMMAND"} \
		$(if $(AUTHORIZE_WRITE_EFFECTS),--authorize-write-effects)

demo-open: build ## As demo, and open its report in a browser
	@$(DEMO) --runs $(RUNS) --agent-timeout $(AGENT_TIMEOUT) --open $${AGENT_COMMAND:+--agent-command "$$AGENT_COMMAND"} \
		$(if $(AUTHORIZE_WRITE_EFFECTS),--authorize-write-effects)

demo-codex: build ## The flow of the demo, written by an installed Codex
	@$(DEMO) --runs $(LIVE_RUNS) --agent-timeout $(LIVE_TIMEOUT) --agent codex --agent-model $(CODEX_MODEL) \
		--authorize-write-effects

demo-opencode: build ## The flow of the demo, written by an installed opencode
	@$(DEMO) --runs $(LIVE_RUNS) --agent-timeout $(LIVE_TIMEOUT) --agent opencode --authorize-write-effects

app: build ## Serve the HTTP interface on this machine; STATE_ROOT, PORT
	@$(BUILT)/debug/segue app $(if $(PORT),--port $(PORT)) $(if $(APP_NO_OPEN),--no-open) \
		$${STATE_ROOT:+--state-root "$$STATE_ROOT"}

console: tools-node ## Build the console into crates/web-assets/dist, which is checked in
	@.ci/console build

console-dev: tools-node ## Serve the console as it is edited, in front of a running `make app`; SEGUE_URL
	@.ci/with-node npm run dev

desktop: build tools-desktop ## Open the console in a window of its own; STATE_ROOT
	cd crates/desktop && CARGO_TARGET_DIR=$(DESKTOP) ../../$(CARGO) build --locked
	@$(DESKTOP)/debug/segue-desktop --program $(abspath $(BUILT))/debug/segue $${STATE_ROOT:+--state-root "$$STATE_ROOT"}

desktop-smoke: build tools-desktop ## Open and close the window in every way, on a screen of its own
	cd crates/desktop && CARGO_TARGET_DIR=$(DESKTOP) ../../$(CARGO) build --locked
	packaging/desktop/smoke.sh $(DESKTOP)/debug/segue-desktop $(BUILT)/debug/segue .check/screenshots

desktop-package: tools-desktop ## Debian packages of the program and the window, in target/packages
	$(CARGO) build --locked --release -p segue
	cd crates/desktop && CARGO_TARGET_DIR=$(DESKTOP) ../../$(CARGO) build --locked --release
	packaging/deb/build.sh $(BUILT)/release/segue $(DESKTOP)/release/segue-desktop $(PACKAGES)

wheel: tools-python ## A wheel that holds the program, for `uvx segue mcp`, in target/packages
	$(RUST) packaging/wheel/build.sh $(PACKAGES)

npm: ## npm packages that hold the program, in target/packages
	$(CARGO) build --locked --release -p segue
	packaging/npm/build.sh $(BUILT)/release/segue $(PACKAGES)

static: ## A program that needs no C library of the machine, in target/packages
	$(RUST) packaging/static.sh $(PACKAGES)

dist: wheel npm desktop-package ## Everything that is given out, with checksums
	cd $(PACKAGES) && rm -f SHA256SUMS && sha256sum -- * > SHA256SUMS

check: tools ## Check everything a reviewer would; installs what it needs below .check/
	@$(RUST) .ci/check $(PARTS)

bench: ## Measure start-up, dispatch and streaming on this machine
	$(CARGO) build --release --bins
	$(BUILT)/release/segue-bench

doctor: ## Say what this machine has and lacks
	@$(RUST) .ci/doctor

build: ## Build every program, as the demo and the tests use them
	$(CARGO) build --locked --bins

install: ## Install `segue` into cargo's bin folder
	$(CARGO) install --locked --path crates/segue

fmt: ## Format the code
	$(CARGO) fmt --all

lint: check-lints ## Ask clippy

test: tools-nextest ## Run the Rust tests, without the real agents
	$(NEXTEST) -E 'not ($(REAL_AGENTS))'

agents: tools-node ## Install five real coding agents into .check/agents (about 2 GB)
	$(RUST) crates/testkit/agents/install.sh $(AGENTS)

clean-check: ## Remove what `make check` installed
	rm -rf .check

check-format: ## Part of check: formatting
	$(CARGO) fmt --all --check

check-lints: ## Part of check: clippy, warnings are errors; also without the console
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked -p segue-http -p segue --no-default-features -- -D warnings

check-layering: ## Part of check: who may depend on whom
	$(CARGO) xtask layering

check-tidy: ## Part of check: sizes, links, unfinished work
	$(CARGO) xtask tidy

check-third-party: ## Part of check: licences, and that their list is fresh
	$(CARGO) xtask third-party --check

check-console: tools-node ## Part of check: the console's types, style, tests, and that its built files are fresh
	@.ci/console check

check-docs: ## Part of check: the documentation of the code
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps

check-generated: build ## Part of check: generated pages are fresh
	$(CARGO) xtask check-generated

check-packages: build tools-node tools-python ## Part of check: the wheel and the npm package, installed and used
	$(RUST) packaging/check.sh $(BUILT)/debug/segue

check-desktop: build tools-desktop ## Part of check: the window, opened on a screen of its own, from its Debian package
	cd crates/desktop && ../../$(CARGO) fmt --check
	cd crates/desktop && CARGO_TARGET_DIR=$(DESKTOP) ../../$(CARGO) clippy --locked --all-targets -- -D warnings
	cd crates/desktop && CARGO_TARGET_DIR=$(DESKTOP) ../../$(CARGO) test --locked
	cd crates/desktop && CARGO_TARGET_DIR=$(DESKTOP) ../../$(CARGO) build --locked
	packaging/desktop/check.sh $(BUILT)/debug/segue $(DESKTOP)/debug/segue-desktop .check/screenshots

test-browser: build tools-node tools-chromium ## Part of check: the console in a real browser, against the built program
	@.ci/console browser

test-agents: agents tools-nextest ## Part of check: the real agents
	SEGUE_REAL_AGENTS=1 SEGUE_AGENTS_DIR=$(AGENTS) $(NEXTEST) -E '$(REAL_AGENTS)'

test-clients: build tools-node tools-python ## Part of check: real MCP clients against the built program
	$(RUST) crates/testkit/conformance/run.sh $(CURDIR)/.check/clients

tools: tools-nextest tools-node tools-python tools-chromium tools-desktop

.PHONY: tools-nextest tools-node tools-python tools-chromium tools-desktop
tools-nextest tools-node tools-python tools-chromium tools-desktop: tools-%:
	@$(RUST) .ci/install-tools $*
