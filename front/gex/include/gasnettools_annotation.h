// SPDX-License-Identifier: BSD-3-Clause
//
// Words for the compiler that neither C99 nor C++11 has: how to inline, what a function promises,
// what a branch expects. The syntax is GNU's, which every compiler that Atoll supports understands,
// so of the switches GASNETT_USE_* only GASNETT_USE_RESTRICT changes anything here.
#ifndef GASNETTOOLS_ANNOTATION_H
#define GASNETTOOLS_ANNOTATION_H

#include "gasnettools_mode.h"

/* ---- functions ------------------------------------------------------------------------------ */

#define GASNETT_INLINE(name) static inline __attribute__((__always_inline__))
#define GASNETT_NEVER_INLINE(name, ...) __attribute__((__noinline__)) __VA_ARGS__

#define GASNETT_NORETURN __attribute__((__noreturn__))
#define GASNETT_MALLOC __attribute__((__malloc__))
#define GASNETT_PURE __attribute__((__pure__))
#define GASNETT_CONST __attribute__((__const__))
#define GASNETT_HOT __attribute__((__hot__))
#define GASNETT_COLD __attribute__((__cold__))
#define GASNETT_DEPRECATED __attribute__((__deprecated__))
#define GASNETT_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#define GASNETT_USED __attribute__((__used__))

/* The same by the function's name, for compilers that want a pragma: not needed here. */
#define GASNETT_NORETURNP(name)
#define GASNETT_MALLOCP(name)
#define GASNETT_PUREP(name)
#define GASNETT_CONSTP(name)

/* A function like printf, or a pointer to one: which argument is the format (from 1), and which is
   the first that it formats. */
#define GASNETT_FORMAT_PRINTF(name, format, first, ...) \
  __attribute__((__format__(__printf__, format, first))) __VA_ARGS__
#define GASNETT_FORMAT_PRINTF_FUNCPTR(name, format, first, ...) \
  __attribute__((__format__(__printf__, format, first))) __VA_ARGS__

/* ---- expressions and statements ------------------------------------------------------------- */

#ifdef GASNETT_USE_RESTRICT
#define GASNETT_RESTRICT GASNETT_USE_RESTRICT
#else
#define GASNETT_RESTRICT __restrict__
#endif

#define GASNETT_PREDICT_TRUE(condition) (__builtin_expect(!!(condition), 1))
#define GASNETT_PREDICT_FALSE(condition) (__builtin_expect(!!(condition), 0))
#ifndef if_pt
#define if_pt(condition) if (GASNETT_PREDICT_TRUE(condition))
#endif
#ifndef if_pf
#define if_pf(condition) if (GASNETT_PREDICT_FALSE(condition))
#endif

#define gasnett_constant_p(expression) __builtin_constant_p(expression)
#define gasnett_unreachable() __builtin_unreachable()
#define gasnett_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())

/* Carries its own semicolon. */
#define GASNETT_FALLTHROUGH __attribute__((__fallthrough__));

#define GASNETT_CURRENT_FUNCTION __func__

/* Evaluate each argument once, and say nothing about its value. */
#define GASNETT_UNUSED_ARGS1(a) ((void)(a))
#define GASNETT_UNUSED_ARGS2(a, b) ((void)(a), (void)(b))
#define GASNETT_UNUSED_ARGS3(a, b, c) ((void)(a), (void)(b), (void)(c))
#define GASNETT_UNUSED_ARGS4(a, b, c, d) (GASNETT_UNUSED_ARGS2(a, b), GASNETT_UNUSED_ARGS2(c, d))
#define GASNETT_UNUSED_ARGS5(a, b, c, d, e) \
  (GASNETT_UNUSED_ARGS3(a, b, c), GASNETT_UNUSED_ARGS2(d, e))
#define GASNETT_UNUSED_ARGS6(a, b, c, d, e, f) \
  (GASNETT_UNUSED_ARGS3(a, b, c), GASNETT_UNUSED_ARGS3(d, e, f))
#define GASNETT_UNUSED_ARGS7(a, b, c, d, e, f, g) \
  (GASNETT_UNUSED_ARGS4(a, b, c, d), GASNETT_UNUSED_ARGS3(e, f, g))
#define GASNETT_UNUSED_ARGS8(a, b, c, d, e, f, g, h) \
  (GASNETT_UNUSED_ARGS4(a, b, c, d), GASNETT_UNUSED_ARGS4(e, f, g, h))

/* ---- declarations --------------------------------------------------------------------------- */

#ifdef __cplusplus
#define GASNETT_BEGIN_EXTERNC extern "C" {
#define GASNETT_END_EXTERNC }
#define GASNETT_EXTERNC extern "C"
#else
#define GASNETT_BEGIN_EXTERNC
#define GASNETT_END_EXTERNC
#define GASNETT_EXTERNC extern
#endif

/* Puts a text into the object file, where ident(1) finds it. */
#define GASNETT_IDENT(name, text) static const char name[] __attribute__((__used__)) = text

#endif
