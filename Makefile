PYTHON ?= python3
VENV := .venv
VENV_LINT := .venv-lint
VENV_JUDGES := .venv-judges
# Set these to use tools that are installed already: make test TEST_PYTHON=python3
TEST_PYTHON ?= $(VENV)/bin/python
RUFF ?= $(VENV_LINT)/bin/ruff
MYPY ?= $(VENV_LINT)/bin/mypy
JUDGES ?= $(VENV_JUDGES)/bin/python -m pytest
SEED ?= 1
COUNT ?= 100

.PHONY: help test fuzz judges mutants lint format count single golden picture web release bench corpus clean

help:  ## print this list (default)
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

test: $(if $(filter $(VENV)/%,$(TEST_PYTHON)),$(VENV)/ready)  ## run all tests (makes .venv with pytest and hypothesis)
	$(TEST_PYTHON) tests/tools/all_files.py

fuzz: $(if $(filter $(VENV)/%,$(TEST_PYTHON)),$(VENV)/ready)  ## the laws on other random robots in every run, ten times as many; and all cases that `test` takes in part
	URDF_PROFILE=fuzz URDF_EXAMPLES=10 $(TEST_PYTHON) tests/tools/all_files.py

judges: $(if $(filter $(VENV_JUDGES)/%,$(JUDGES)),$(VENV_JUDGES)/ready)  ## what MuJoCo, Pinocchio, Drake, libsdformat, Blender, trimesh, USD, Newton, PhysX say; the page in Chromium (makes .venv-judges)
	URDF_JUDGES=1 $(JUDGES) -q -rs tests/judges

mutants:  ## one-point mutants of the package on the fixtures, COUNT of them by SEED: which a proof lets through
	@mkdir -p build
	$(if $(wildcard $(VENV_JUDGES)/ready),$(VENV_JUDGES)/bin/python,$(PYTHON)) tests/tools/mutants_campaign.py --seed $(SEED) --count $(COUNT) --log build/mutants.jsonl

lint format: $(if $(filter $(VENV_LINT)/%,$(RUFF) $(MYPY)),$(VENV_LINT)/ready)

lint:  ## ruff (rules and layout), mypy --strict, no function above the limits of `make count`; mypy of a user's program against the wheel (makes .venv-lint)
	$(RUFF) check .
	$(RUFF) format --check .
	$(MYPY) --strict urdf_tools tests/tools/single_file.py tests/tools/web_page.py
	$(PYTHON) tests/tools/counts.py
	$(PYTHON) tests/tools/stubs.py --check
	$(if $(filter $(VENV_LINT)/%,$(MYPY)),$(VENV_LINT)/bin/python,$(PYTHON)) tests/tools/typed_wheel.py $(MYPY)

format:  ## one layout (ruff format)
	$(RUFF) format .

count:  ## nodes, lines and files of each room beside the last release; the largest functions
	$(PYTHON) tests/tools/counts.py

single:  ## write urdf_simplify.py from the modules in urdf_tools
	$(PYTHON) tests/tools/single_file.py

golden:  ## rewrite the expected files, and the tables of READMEs; read the difference before a commit
	$(PYTHON) tests/tools/golden.py --write
	$(PYTHON) tests/tools/page_tables.py --write
	$(PYTHON) tests/tools/stubs.py

picture: $(if $(filter $(VENV_JUDGES)/%,$(JUDGES)),$(VENV_JUDGES)/ready)  ## draw the pictures of the README (Chromium; bpy of .venv-judges)
	$(PYTHON) fixtures/page/picture.py
	$(firstword $(JUDGES)) fixtures/armature/picture.py urdf_tools/formats/armature/import_armature.py fixtures/armature/armature.json $(CURDIR)/fixtures/armature/picture.jpg

web: $(if $(filter $(VENV)/%,$(TEST_PYTHON)),$(VENV)/ready)  ## build/web, the tool in a browser, for any server of files (npm, PyPI)
	$(TEST_PYTHON) fixtures/page/picture.py --robots build/example
	$(TEST_PYTHON) tests/tools/web_page.py build/web --example build/example

release:  ## all of a release up to its tag: VERSION=0.3.0 OWNER=account-at-github; DRY=1 does it in a copy
	$(PYTHON) tests/tools/release.py $(if $(DRY),--dry) '$(VERSION)' $(OWNER)

bench:  ## processor time of whole runs over that of the last release, and how it grows; three jobs of it in .ci/run
	$(PYTHON) tests/tools/bench.py

corpus: build/corpus/ready  ## what this tool and others make of public robots: a table in urdf_tools/verify/README.md (PyPI, 1 GB)
	build/corpus/venv/bin/python tests/tools/corpus.py

clean:  ## remove what the other targets leave, but for their results
	rm -rf build $(VENV) $(VENV_LINT) $(VENV_JUDGES) .pytest_cache tests/.pytest_cache .hypothesis tests/.hypothesis .mypy_cache .ruff_cache
	find urdf_tools tests fixtures -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf __pycache__

# $(1) is the folder, $(2) the packages, $(3) what to say instead of this target. `ready` is made last, so that a
# half-made folder is made again.
define make_venv
	@rm -rf $(1)
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null && $(PYTHON) -m venv $(1) \
	  || { rm -rf $(1); echo "make: '$(PYTHON) -m venv' does not work here: install it (Debian, Ubuntu: apt install python3-venv) or use tools that you have: $(3)" >&2; exit 1; }
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check $(2) \
	  || { rm -rf $(1); echo "make: pip cannot install $(2) (no network?); use tools that you have: $(3)" >&2; exit 1; }
	@touch $@
endef

$(VENV)/ready:
	$(call make_venv,$(VENV),pytest hypothesis,make test TEST_PYTHON=python3)

$(VENV_LINT)/ready:
	$(call make_venv,$(VENV_LINT),ruff mypy,make lint RUFF=ruff MYPY=mypy)

# Each judge alone: one that cannot be had on this machine must not take the others with it; its tests say so and skip.
$(VENV_JUDGES)/ready:
	$(call make_venv,$(VENV_JUDGES),pytest hypothesis numpy,make judges JUDGES='python3 -m pytest')
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! pkg-config --list-all 2>/dev/null | grep -q '^sdformat'; then \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends g++ pkg-config libsdformat-dev; } \
	    >/dev/null 2>&1 || echo "make: libsdformat-dev cannot be installed here" >&2; fi
	@for judge in pyright==1.1.414 usd-core==26.11 newton==1.8.0 scipy ovphysx==0.7.0.74035321 physx-usd-schemas==25.11.2.72696984 newton-usd-schemas==0.6.0; do \
	  $(VENV_JUDGES)/bin/python -m pip install --quiet --disable-pip-version-check $$judge || echo "make: $$judge cannot be installed here" >&2; done
	@for judge in mujoco pin drake trimesh coacd xacro yourdfpy pycollada lxml bpy pre-commit check-jsonschema mcp example-robot-data; do \
	  $(VENV_JUDGES)/bin/python -m pip install --quiet --disable-pip-version-check $$judge || echo "make: $$judge cannot be installed here" >&2; done
	@for models in dm_control robosuite metaworld gymnasium-robotics; do \
	  $(VENV_JUDGES)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps $$models || echo "make: $$models cannot be installed here" >&2; done

# The robots of the table: what they are called there is in tests/tools/corpus.py. None of it goes into the project.
CORPUS_ROBOTS := example-robot-data==6.0.0 icub-models==3.2.0 dexmate-urdf==0.8.4 airo-models==0.0.12 \
  gym-ignition-models==1.1.1 upkie-description==2.2.0 cookie-description==1.2.1 jvrc-description==1.1.1
CORPUS_TOOLS := mujoco==4.0.0 pin==4.1.0 drake==1.51.1 scikit-robot==0.4.7 yourdfpy==0.0.60 pytest

build/corpus/ready:
	@mkdir -p build/corpus
	$(call make_venv,build/corpus/venv,$(CORPUS_TOOLS),none; the table names these)
	@rm -rf build/corpus/robots
	@build/corpus/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --target build/corpus/robots $(CORPUS_ROBOTS) \
	  || { echo "make: pip cannot install the robots (no network?)" >&2; rm -f $@; exit 1; }
