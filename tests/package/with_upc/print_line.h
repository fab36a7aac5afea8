/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The function of print.cpp. */

#pragma once

void print_line(int thread, int threads, int left);
