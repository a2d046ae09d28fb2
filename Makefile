# lwcal: `make demo` shows what it does, `make test` checks that it does it.
# Needs git, make and Python >= 3.11; everything else is installed into .venv.

VENV    ?= .venv
BIN     := $(VENV)/bin
PYTHON  ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
             $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
WORKERS ?= auto
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/*)

.PHONY: help system setup demo test plain-test coverage oldest sanitize fuzz torture lint format map golden dist reproduce reproduce-quick sensitivity leaderboard classes opinions traps bench screenshots docs lock clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/.installed  ## build .venv with every extra and the development tools

$(VENV)/.locked: requirements.lock
	@test -n "$(PYTHON)" || { echo "lwcal needs Python >= 3.11, and none was found; set PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "creating $(VENV) failed; on Debian: apt-get install python3-venv"; exit 1; }
	@echo "installing the locked dependencies into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

# Builds the C++ kernels where there is a compiler; without one the numpy kernels do the work.
$(VENV)/.installed: $(VENV)/.locked $(SOURCES)
	@echo "building lwcal ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@$(BIN)/python -c 'from lwcal import kernels; print("kernels:", ", ".join(kernels.available_backends()))'
	@touch $@

demo: setup  ## noisy labels to calibrated scores, end to end, into lwcal-demo/
	@$(BIN)/lwcal demo --out lwcal-demo --force

system:  ## install the system packages that the tests use, where apt-get can
	@VENV=$(VENV) sh scripts/system_packages.sh

# CI, which has the time, also demands that every branch is run.
test: $(if $(CI),coverage,plain-test)  ## run the tests, on all cores; in CI with branch coverage

# A run compiles some 800 files in every process, unless they may be kept from the last one.
plain-test coverage: export PYTHONDONTWRITEBYTECODE =

plain-test: system setup
	$(BIN)/pytest -n $(WORKERS) --dist worksteal

coverage: system setup  ## the same with branch coverage, which takes half as long again
	@rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist worksteal
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under=98

oldest: setup  ## test the core with the oldest versions of its dependencies
	@PYTHON=$(abspath $(BIN))/python WORKERS=$(WORKERS) sh scripts/test_oldest.sh

sanitize: setup  ## test the kernels with address, undefined-behaviour and thread sanitizers (some minutes)
	@PYTHON=$(abspath $(BIN))/python sh scripts/test_sanitized.sh

fuzz: setup  ## 100,000 calls of public functions, a million of kernels, 10,000 commands, 400 on Spark, and 10,000 tables of text
	LWCAL_FUZZ=100000 LWCAL_FUZZ_KERNELS=1000000 LWCAL_FUZZ_COMMANDS=10000 LWCAL_TEXTS=10000 LWCAL_FUZZ_SPARK=100 \
	  $(BIN)/pytest -n $(WORKERS) --dist worksteal tests/fuzz tests/engines/test_text_stays_text.py \
	  tests/cli/audit/test_sheet_text.py tests/engines/test_spark_fuzz.py

torture: setup  ## kill every command that writes, 1,000 times in all, and let two servers share a sheet
	LWCAL_KILLS=1000 LWCAL_ANSWERS=2000 $(BIN)/pytest -n $(WORKERS) --dist worksteal tests/torture \
	  tests/torture/long_commands.py

lint: setup  ## format check, linter, types, import layers, dependencies
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src

format: setup  ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

map: setup  ## draw the picture of imports in CONTRIBUTING.md anew, with Graphviz
	@$(BIN)/python -m tests.import_map

golden: setup  ## write the artefacts of calibrators that have none yet; never those that are there
	@$(BIN)/python -m tests.artifact.make_golden

# Built without isolation: with the build tools of the lock file, and without a network.
dist: system setup  ## sdist and wheels into dist/, checked, and the tests run against the installed wheel
	@rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/python -m build --no-isolation --outdir dist --wheel --config-setting wheel.cmake=false
	$(BIN)/python scripts/check_dist.py dist
	@PYTHON=$(BIN)/python WORKERS=$(WORKERS) sh scripts/test_dist.sh dist $(DIST_TESTS)

reproduce: setup  ## the paper's whole study, into results/paper (some minutes; resumes)
	@$(BIN)/lwcal reproduce --package --out results/paper
	@$(BIN)/python -m lwcal_study.paper.documentation results/paper docs/benchmarks/paper.md

sensitivity: setup  ## the paper's claims under every choice that it leaves open, into results/paper (some minutes; resumes)
	@$(BIN)/lwcal reproduce --sensitivity --out results/paper
	@$(BIN)/lwcal reproduce --analyse-only --out results/paper
	@$(BIN)/python -m lwcal_study.paper.documentation results/paper docs/benchmarks/paper.md

reproduce-quick: setup  ## the same with one seed and small forests, in under a minute
	@$(BIN)/lwcal reproduce --quick --skip-compile --out lwcal-study

leaderboard: setup  ## every calibrator on the paper's and on real tasks, into results/leaderboard (half an hour; resumes)
	@$(BIN)/lwcal leaderboard --out results/leaderboard
	@$(BIN)/python -m lwcal_study.leaderboard.documentation results/leaderboard results/traps docs/benchmarks README.md

classes: setup  ## every calibrator of many classes on the judged tasks, into results/classes (a quarter of an hour; resumes)
	@$(BIN)/lwcal leaderboard --suite classes --suite classes-clean --suite classes-natural --out results/classes
	@$(BIN)/python -m lwcal_study.leaderboard.classes.documentation results/classes docs/benchmarks/many-classes.md

opinions: setup  ## several reviewers, simulated and real, into results/opinions (a quarter of an hour; resumes)
	@$(BIN)/lwcal leaderboard --suite opinions --out results/opinions
	@$(BIN)/python -m lwcal_study.leaderboard.opinions.documentation results/opinions docs/benchmarks/several-opinions.md

traps: setup  ## models whose shape looks like label noise, into results/traps (half an hour; resumes)
	@$(BIN)/lwcal traps --out results/traps
	@$(BIN)/python -m lwcal_study.leaderboard.documentation results/leaderboard results/traps docs/benchmarks README.md

# The last one fails if a fit is slower than scikit-learn's; by then every page is written.
bench: setup  ## measure speed and memory, and write the pages in docs/
	$(BIN)/python benchmarks/study.py --out docs/benchmarks
	$(BIN)/python benchmarks/engines.py --out docs/benchmarks
	$(BIN)/python benchmarks/spark.py --out docs/benchmarks
	$(BIN)/python benchmarks/speed.py --out docs/benchmarks

screenshots: system setup  ## pictures of the report and of the audit page, into docs/images
	$(BIN)/python -m tests.report.screenshots docs/images
	$(BIN)/python -m tests.page.screenshots docs/images

docs: system setup  ## the documentation site with its gallery, into build/docs (some minutes; warnings are errors)
	$(BIN)/sphinx-build --fail-on-warning --keep-going --nitpicky --quiet docs build/docs
	@echo "open build/docs/index.html"

lock: setup  ## choose new versions of all dependencies
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --group docs --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --custom-compile-command "make lock" --upgrade --quiet -o requirements.lock

clean:  ## remove everything that was built
	rm -rf $(VENV) build dist .coverage* lwcal-demo docs/gallery docs/api/generated
