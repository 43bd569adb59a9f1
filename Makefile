# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
# A short front over packaging/setup and the CMake presets. `make help` lists what there is.
PRESET ?= release
BUILD = $(if $(filter release ci,$(PRESET)),build,build-$(PRESET))
JOBS ?= $(shell packaging/jobs)
SETUP ?=
STEP = @packaging/step
FIX_BUILD = read the first error above; "make clean" starts over.
CTEST = ctest --preset $(PRESET) -j $(JOBS)

.DEFAULT_GOAL := build
.PHONY: configure build build-all run test soak endurance fuzz fuzz-programs check check-format check-tidy check-asan check-tsan check-desktop sanitize format screenshots bench reference-runs install package setup setup-cuda clean help

help:
	@echo "make              set up, then build build/bin/lookback and build/bin/lookback-cli"
	@echo "make run          ... and start the window (without a display: a demonstration on the terminal)"
	@echo "make test         build and run all tests"
	@echo "make check        test, sanitizers, clang-format, clang-tidy, desktop files"
	@echo "make screenshots  pictures of every tab, light and dark, in build/screenshots"
	@echo "make soak         kill training SOAK=1000 times at random moments and compare the bits"
	@echo "make endurance    train and walk through the window for MINUTES=60 and look for what grows"
	@echo "make fuzz         read FUZZ=100000 damaged files of each kind under sanitizers"
	@echo "make bench        measure training and evaluation speed"
	@echo "make reference-runs  train the runs again that come with the program (resources/reference-runs)"
	@echo "make format       rewrite the sources with clang-format"
	@echo "make install      install to PREFIX (default /usr/local)"
	@echo "make package      a .deb and a .tar.gz in build/"
	@echo "make setup        only install what building needs;  make setup-cuda: also the CUDA libraries"
	@echo "make clean        remove the build folders (the fetched LibTorch stays in the cache)"
	@echo "Variables: PRESET=release|dev|ci|asan|tsan  JOBS=n  SETUP=--no-packages  LOOKBACK_LIBTORCH=dir"

setup:
	@packaging/setup $(SETUP)

setup-cuda:
	@packaging/setup $(SETUP) --cuda

configure: setup
	@QUIET=1 packaging/step "Configure ($(PRESET))" "repair what the first \"CMake Error\" names, then run make again." \
		cmake --preset $(PRESET)

build: configure
	$(STEP) "Build ($(PRESET), $(JOBS) at once)" '$(FIX_BUILD)' \
		cmake --build --preset $(PRESET) -j $(JOBS) --target lookback lookback-cli

build-all: configure
	$(STEP) "Build with tests ($(PRESET), $(JOBS) at once)" '$(FIX_BUILD)' \
		cmake --build --preset $(PRESET) -j $(JOBS)

run: build
	@packaging/run $(BUILD)

test: build-all
	$(STEP) "Test" "the failing test's output stands above; ctest --preset $(PRESET) -R NAME runs it alone." $(CTEST)

# ---- make check ------------------------------------------------------------------------------------------------------
# Address and undefined-behaviour sanitizers over all tests; the thread sanitizer over the tests of the worker threads.
# LibTorch and Qt are as they come.
check: SETUP += --check
check:
	@$(MAKE) --no-print-directory test SETUP="$(SETUP)"
	@$(MAKE) --no-print-directory check-format check-desktop check-asan check-tsan check-tidy SETUP="$(SETUP)"
	@echo "All checks passed."

check-asan:
	@$(MAKE) --no-print-directory sanitize PRESET=asan TARGETS=all LABELS="base|torch|ui|smoke|structure" SETUP="$(SETUP)"

check-tsan:
	@$(MAKE) --no-print-directory sanitize PRESET=tsan TARGETS=tests_worker LABELS=worker SETUP="$(SETUP)"

sanitize: configure
	$(STEP) "Build ($(PRESET), $(JOBS) at once)" '$(FIX_BUILD)' \
		cmake --build --preset $(PRESET) -j $(JOBS) --target $(TARGETS)
	$(STEP) "Test under the sanitizer ($(PRESET))" "the report stands above; tests/$(PRESET).supp lists what is not ours." \
		$(CTEST) -L '$(LABELS)'

SOURCES = git ls-files -co --exclude-standard '*.cpp' '*.h'

format:
	$(STEP) "Format" "install clang-format (packaging/setup --check)." sh -c '$(SOURCES) | xargs clang-format -i'

check-format:
	$(STEP) "Check the formatting" "make format rewrites the files." \
		sh -c '$(SOURCES) | xargs clang-format --dry-run --Werror'

check-tidy: configure
	$(STEP) "Check with clang-tidy" "repair the first finding above; .clang-tidy says what is looked for." \
		packaging/tidy $(BUILD) $(JOBS)

check-desktop:
	$(STEP) "Check desktop file and metainfo" "repair what is named above in packaging/." packaging/check-desktop

# ---- pictures, speed, packages ---------------------------------------------------------------------------------------
OUT ?= $(BUILD)/screenshots
screenshots: build
	$(STEP) "Screenshots in $(OUT)" "the program's message stands above." \
		env QT_QPA_PLATFORM=offscreen $(BUILD)/bin/lookback --screenshots $(OUT)

FUZZ ?= 100000
fuzz:
	@$(MAKE) --no-print-directory fuzz-programs PRESET=fuzz SETUP="$(SETUP) --check"
	$(STEP) "Read $(FUZZ) damaged files of each kind" "the input that failed lies in build-fuzz/found; the report stands above." \
		tests/fuzz/run build-fuzz $(FUZZ)

fuzz-programs: configure
	$(STEP) "Build ($(PRESET), $(JOBS) at once)" '$(FIX_BUILD)' \
		cmake --build --preset $(PRESET) -j $(JOBS) --target tests_fuzz

SOAK ?= 1000
soak: build-all
	$(STEP) "Kill training $(SOAK) times and go on" "the failing line stands above; LOOKBACK_SOAK_SEED changes the moments." \
		env LOOKBACK_SOAK=$(SOAK) QTEST_FUNCTION_TIMEOUT=86400000 $(BUILD)/tests/test_soak

MINUTES ?= 60
endurance: build-all
	$(STEP) "Train and walk through the window for $(MINUTES) minutes" "the failing line stands above." \
		env LOOKBACK_ENDURANCE=$$(($(MINUTES) * 60)) QTEST_FUNCTION_TIMEOUT=86400000 QT_QPA_PLATFORM=offscreen \
		OMP_WAIT_POLICY=passive $(BUILD)/tests/test_endurance

reference-runs: build
	@packaging/reference-runs $(BUILD)

bench: build
	$(STEP) "Measure" "the program's message stands above." $(BUILD)/bin/lookback-cli bench $(BENCH)

PREFIX ?= /usr/local
install: build
	$(STEP) "Install to $(PREFIX)" "run it as a user who may write there, or choose PREFIX=dir." \
		cmake --install $(BUILD) --prefix $(PREFIX)

package: build
	$(STEP) "Package" "the packager's message stands above." cmake --build --preset $(PRESET) --target package

clean:
	rm -rf build build-dev build-asan build-tsan build-fuzz
