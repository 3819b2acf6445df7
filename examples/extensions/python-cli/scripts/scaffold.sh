#!/usr/bin/env bash
set -euo pipefail
mkdir -p src tests
[ -e pyproject.toml ] || printf '[project]\nname = "app"\nversion = "0.1.0"\n' > pyproject.toml
