# Thin: meson and the scripts in tools/ and test/ do the work. On a fresh Debian 12 machine, as root, `make run` and `make test`
# install what is missing, build, and do the rest.
BUILD ?= build
export BUILD

all: build

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@tools/install-deps build
	@meson setup $(BUILD) >/dev/null || { cat $(BUILD)/meson-logs/meson-log.txt; exit 1; }

run:           ; @tools/run-demo
test:          ; @tools/run-tests all
test-quick:    ; @tools/run-tests quick
test-long:     ; @tools/run-tests long
test-kernels:  ; @tools/run-tests kernels
lint: build    ; @tools/lint
fuzz:          ; @tools/run-fuzzers
golden: build  ; @test/golden/run $(BUILD) --rewrite
install: build ; @meson install -C $(BUILD)
clean:         ; @rm -rf build build-san build-fuzz out

.PHONY: all build run test test-quick test-long test-kernels lint fuzz golden install clean
