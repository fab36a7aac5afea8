#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# gpu_test.sh ATOLL ARGUMENT...
# Runs a command of `atoll` where this machine has a device of CUDA; elsewhere it says so, and that
# nothing could be tested (77).
if ! "$1" info | grep -q '^  cuda  *yes'; then
  echo "skipped: no device of CUDA on this machine"
  exit 77
fi
exec "$@"
