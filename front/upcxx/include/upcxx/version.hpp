// SPDX-License-Identifier: BSD-3-Clause
//
// UPC++ on Atoll: which revision of the specification this is written for, and which interface of
// the implementation it is. Both are plain integer literals, so that a program can test them in the
// preprocessor. Spec: chapter 2, version macros.
#pragma once

#define UPCXX_SPEC_VERSION 20230300L
#define UPCXX_VERSION 20230300L
