#!/bin/sh
mkdir -p "$HOME/notes"
