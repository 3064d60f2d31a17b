# SPDX-License-Identifier: Apache-2.0
# The front door. Each target sets up what it needs (scripts/setup looks first and installs only what is missing).
JOBS ?= $(shell nproc)
# Tests wait for three quarters of their time.
TEST_JOBS ?= $(shell expr 2 \* $(JOBS))
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
CTEST = ctest --test-dir $(1) --output-on-failure --no-tests=error -j $(TEST_JOBS)

SOAK_ROUNDS ?= 1000
LOOP_KILLS ?= 200
RACE_ROUNDS ?= 10000

.PHONY: build test tested test-asan test-tsan test-valgrind soak corpus agents bench fuzz lint format demo install deb setup clean
build:
	@scripts/setup build
	@cmake --preset release > /dev/null
	@cmake --build build --parallel $(JOBS)

test: tested
	$(call CTEST,build)

# The program with its tests, in the same folder.
tested:
	@scripts/setup build test
	@cmake --preset test > /dev/null
	@cmake --build build --parallel $(JOBS)

# What is freed is kept for a while, so that its use is found: a little of it, or tests of memory would see that. Daemons and keepers
# report into files, because nobody sees what they print, and one report is a failure. What a SIGBUS does is tested.
test-asan: export ASAN_OPTIONS = quarantine_size_mb=4:handle_sigbus=0:log_path=$(CURDIR)/build-asan/report
test-asan: export UBSAN_OPTIONS = print_stacktrace=1:log_path=$(CURDIR)/build-asan/report
test-tsan: export TSAN_OPTIONS = handle_sigbus=0:log_path=$(CURDIR)/build-tsan/report
test-asan test-tsan: test-%:
	@scripts/setup build test
	@cmake --preset $* > /dev/null
	@cmake --build build-$* --parallel $(JOBS)
	@rm -f build-$*/report.*
	$(call CTEST,build-$*)
	@if ls build-$*/report.* > /dev/null 2>&1; then cat build-$*/report.*; exit 1; fi

# The daemon killed under load, again and again, what a loop is made of, part by part, and answerers racing for prompts,
# in the daemon and through the real media.
# `make test` does fewer rounds of each.
soak: tested
	@SOAK_ROUNDS=$(SOAK_ROUNDS) build/tests/soak_test
	@LOOP_KILLS=$(LOOP_KILLS) build/tests/loop_acceptance_test --gtest_filter='Kills.*:Runners.*'
	@TEND_RACE_ROUNDS=$(RACE_ROUNDS) build/tests/daemon_test --gtest_filter='PromptRace.*'
	@TEND_MEDIA_ROUNDS=$(RACE_ROUNDS) build/tests/media_test --gtest_filter='MediaRace.*'

# The real programs of tests/corpus/detect; `make test` plays their recordings. AGENTS: a folder with agents from npm.
corpus: build
	@scripts/setup corpus
	@build/tend lab corpus tests/corpus/detect --live

# Agents from npm in a loop, in a sandbox, and their menus answered: those in the folder AGENTS, or the newest ones, fetched.
agents: build
	@scripts/setup agents
	@if [ -z "$(AGENTS)" ]; then scripts/fetch-agents build/agents; fi
	@scripts/agents build "$(or $(AGENTS),build/agents)"
	@scripts/agents-in-sandbox build "$(or $(AGENTS),build/agents)"
	@scripts/agents-answer build "$(or $(AGENTS),build/agents)"

# The client and the keeper under valgrind, on the real thing.
test-valgrind:
	@scripts/setup build valgrind
	@cmake --preset valgrind > /dev/null
	@cmake --build build-valgrind --parallel $(JOBS) --target tend tend-daemon tend-keeper
	@scripts/valgrind build-valgrind

bench:
	@scripts/setup build test bench
	@cmake --preset bench > /dev/null
	@cmake --build build --parallel $(JOBS)
	@scripts/bench build

fuzz:
	@scripts/setup build fuzz
	@cmake --preset fuzz > /dev/null
	@cmake --build build-fuzz --parallel $(JOBS) --target fuzz_targets
	@scripts/fuzz build-fuzz $(FUZZ_SECONDS)

# In the same folder as everything else: what is compiled for it, a build has not to compile again.
lint:
	@scripts/setup build lint
	@cmake --preset release > /dev/null
	@cmake --build build --parallel $(JOBS) --target all_verify_interface_header_sets
	@scripts/lint build

format:
	@git ls-files -co --exclude-standard '*.cc' '*.h' | xargs clang-format-19 -i

demo: build
	@scripts/demo build

# build/tend_VERSION_ARCHITECTURE.deb, for the system that it is made on.
deb: build
	@scripts/setup deb
	@cd build && cpack -G DEB > cpack.log || { cat cpack.log >&2; exit 1; }
	@ls build/*.deb

install: build
	@cmake --install build --prefix $(PREFIX)

setup:
	@scripts/setup build test corpus bench fuzz lint valgrind deb

clean:
	@rm -rf build build-debug build-asan build-tsan build-valgrind build-fuzz
