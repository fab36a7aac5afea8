// SPDX-License-Identifier: BSD-3-Clause
//
// Active-message calls exist once for each number of arguments, 0 to 16. These macros write the
// families: a parameter list and a list of values for each arity, a macro that applies another to
// all arities, and the count that lets gex_AM_RequestShort(...) find its suffix. Each list is one
// longer than the list before it, so a mistake cannot hide in one arity.
#ifndef GASNETEX_ARITY_H
#define GASNETEX_ARITY_H

#define ATOLL_GEX_EACH_ARITY(make)                                                         \
  make(0) make(1) make(2) make(3) make(4) make(5) make(6) make(7) make(8) make(9) make(10) \
      make(11) make(12) make(13) make(14) make(15) make(16)

/* ", gex_AM_Arg_t gex_a0, ..." */
#define ATOLL_GEX_PARAMETERS_0
#define ATOLL_GEX_PARAMETERS_1 , gex_AM_Arg_t gex_a0
#define ATOLL_GEX_PARAMETERS_2 ATOLL_GEX_PARAMETERS_1, gex_AM_Arg_t gex_a1
#define ATOLL_GEX_PARAMETERS_3 ATOLL_GEX_PARAMETERS_2, gex_AM_Arg_t gex_a2
#define ATOLL_GEX_PARAMETERS_4 ATOLL_GEX_PARAMETERS_3, gex_AM_Arg_t gex_a3
#define ATOLL_GEX_PARAMETERS_5 ATOLL_GEX_PARAMETERS_4, gex_AM_Arg_t gex_a4
#define ATOLL_GEX_PARAMETERS_6 ATOLL_GEX_PARAMETERS_5, gex_AM_Arg_t gex_a5
#define ATOLL_GEX_PARAMETERS_7 ATOLL_GEX_PARAMETERS_6, gex_AM_Arg_t gex_a6
#define ATOLL_GEX_PARAMETERS_8 ATOLL_GEX_PARAMETERS_7, gex_AM_Arg_t gex_a7
#define ATOLL_GEX_PARAMETERS_9 ATOLL_GEX_PARAMETERS_8, gex_AM_Arg_t gex_a8
#define ATOLL_GEX_PARAMETERS_10 ATOLL_GEX_PARAMETERS_9, gex_AM_Arg_t gex_a9
#define ATOLL_GEX_PARAMETERS_11 ATOLL_GEX_PARAMETERS_10, gex_AM_Arg_t gex_a10
#define ATOLL_GEX_PARAMETERS_12 ATOLL_GEX_PARAMETERS_11, gex_AM_Arg_t gex_a11
#define ATOLL_GEX_PARAMETERS_13 ATOLL_GEX_PARAMETERS_12, gex_AM_Arg_t gex_a12
#define ATOLL_GEX_PARAMETERS_14 ATOLL_GEX_PARAMETERS_13, gex_AM_Arg_t gex_a13
#define ATOLL_GEX_PARAMETERS_15 ATOLL_GEX_PARAMETERS_14, gex_AM_Arg_t gex_a14
#define ATOLL_GEX_PARAMETERS_16 ATOLL_GEX_PARAMETERS_15, gex_AM_Arg_t gex_a15

/* "gex_a0, ...": the initializer of an array, never empty. */
#define ATOLL_GEX_VALUES_0 0
#define ATOLL_GEX_VALUES_1 gex_a0
#define ATOLL_GEX_VALUES_2 ATOLL_GEX_VALUES_1, gex_a1
#define ATOLL_GEX_VALUES_3 ATOLL_GEX_VALUES_2, gex_a2
#define ATOLL_GEX_VALUES_4 ATOLL_GEX_VALUES_3, gex_a3
#define ATOLL_GEX_VALUES_5 ATOLL_GEX_VALUES_4, gex_a4
#define ATOLL_GEX_VALUES_6 ATOLL_GEX_VALUES_5, gex_a5
#define ATOLL_GEX_VALUES_7 ATOLL_GEX_VALUES_6, gex_a6
#define ATOLL_GEX_VALUES_8 ATOLL_GEX_VALUES_7, gex_a7
#define ATOLL_GEX_VALUES_9 ATOLL_GEX_VALUES_8, gex_a8
#define ATOLL_GEX_VALUES_10 ATOLL_GEX_VALUES_9, gex_a9
#define ATOLL_GEX_VALUES_11 ATOLL_GEX_VALUES_10, gex_a10
#define ATOLL_GEX_VALUES_12 ATOLL_GEX_VALUES_11, gex_a11
#define ATOLL_GEX_VALUES_13 ATOLL_GEX_VALUES_12, gex_a12
#define ATOLL_GEX_VALUES_14 ATOLL_GEX_VALUES_13, gex_a13
#define ATOLL_GEX_VALUES_15 ATOLL_GEX_VALUES_14, gex_a14
#define ATOLL_GEX_VALUES_16 ATOLL_GEX_VALUES_15, gex_a15

/* How many arguments follow the first one. */
#define ATOLL_GEX_COUNT(...) \
  ATOLL_GEX_PICK(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define ATOLL_GEX_PICK(first, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, \
                       b15, count, ...)                                                        \
  count

#define ATOLL_GEX_JOIN(a, b) ATOLL_GEX_JOIN_(a, b)
#define ATOLL_GEX_JOIN_(a, b) a##b
#define ATOLL_GEX_JOIN3(a, b, c) ATOLL_GEX_JOIN3_(a, b, c)
#define ATOLL_GEX_JOIN3_(a, b, c) a##b##c

#endif
