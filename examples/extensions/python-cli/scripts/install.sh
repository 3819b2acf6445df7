#!/usr/bin/env bash
set -euo pipefail
mise use --global "python@${2:-3.12}"
