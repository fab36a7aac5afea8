/* SPDX-License-Identifier: BSD-3-Clause

   A part in C of a program for UPC++. */
int half(int n);
int half(int n) { return n / 2; }
