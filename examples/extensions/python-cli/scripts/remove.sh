#!/usr/bin/env bash
set -euo pipefail
mise uninstall --all python
