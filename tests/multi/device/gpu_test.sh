#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# gpu_test.sh ATOLL ARGUMENT...
# Runs a command of `atoll` where this machine has a CUDA device; elsewhere prints that it has none and
# ends with 77 (skipped).
if ! "$1" info | grep -q '^  cuda  *yes'; then
  echo "skipped: no device of CUDA on this machine"
  exit 77
fi
exec "$@"
