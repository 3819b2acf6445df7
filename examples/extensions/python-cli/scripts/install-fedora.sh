#!/usr/bin/env bash
set -euo pipefail
sudo dnf install -y python3.12
