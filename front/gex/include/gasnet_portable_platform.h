// SPDX-License-Identifier: BSD-3-Clause
//
// Which compiler, system and processor a file is compiled for, under the names PLATFORM_*. Clients
// of GASNet test these; a name that does not apply is not defined. Known here are the compilers and
// processors that Atoll is built with; all others are UNKNOWN. A client may bring another header
// of these names: whichever comes first defines them.
#ifndef PLATFORM_HEADER_VERSION
#define PLATFORM_HEADER_VERSION 24

/* ---- compiler ------------------------------------------------------------------------------- */

#define ATOLL_PLATFORM_TEXT(x) #x
#define PLATFORM_STRINGIFY(x) ATOLL_PLATFORM_TEXT(x)

#define PLATFORM_COMPILER_VERSION_INT(major, minor, patch) \
  (((major) << 16) | ((minor) << 8) | (patch))

#if defined(__clang__)
#define PLATFORM_COMPILER_CLANG 1
#define PLATFORM_COMPILER_FAMILYNAME CLANG
#define PLATFORM_COMPILER_FAMILYID 19
#define PLATFORM_COMPILER_VERSION \
  PLATFORM_COMPILER_VERSION_INT(__clang_major__, __clang_minor__, __clang_patchlevel__)
#define PLATFORM_COMPILER_VERSION_STR __clang_version__
#if defined(__cplusplus)
#define PLATFORM_COMPILER_CLANG_CXX 1
#else
#define PLATFORM_COMPILER_CLANG_C 1
#endif
#elif defined(__GNUC__)
#define PLATFORM_COMPILER_GNU 1
#define PLATFORM_COMPILER_FAMILYNAME GNU
#define PLATFORM_COMPILER_FAMILYID 1
#define PLATFORM_COMPILER_VERSION \
  PLATFORM_COMPILER_VERSION_INT(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#define PLATFORM_COMPILER_VERSION_STR \
  PLATFORM_STRINGIFY(__GNUC__)        \
  "." PLATFORM_STRINGIFY(__GNUC_MINOR__) "." PLATFORM_STRINGIFY(__GNUC_PATCHLEVEL__)
#if defined(__cplusplus)
#define PLATFORM_COMPILER_GNU_CXX 1
#else
#define PLATFORM_COMPILER_GNU_C 1
#endif
#else
#define PLATFORM_COMPILER_UNKNOWN 1
#define PLATFORM_COMPILER_FAMILYNAME UNKNOWN
#define PLATFORM_COMPILER_FAMILYID 0
#define PLATFORM_COMPILER_VERSION 0
#define PLATFORM_COMPILER_VERSION_STR "0"
#endif

#define PLATFORM_COMPILER_VERSION_GT(major, minor, patch) \
  (PLATFORM_COMPILER_VERSION > PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_GE(major, minor, patch) \
  (PLATFORM_COMPILER_VERSION >= PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_EQ(major, minor, patch) \
  (PLATFORM_COMPILER_VERSION == PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_LE(major, minor, patch) \
  (PLATFORM_COMPILER_VERSION <= PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_LT(major, minor, patch) \
  (PLATFORM_COMPILER_VERSION < PLATFORM_COMPILER_VERSION_INT(major, minor, patch))

/* The C and the C++ compiler of a family differ, and so do their levels of the language. */
#if defined(__cplusplus)
#define PLATFORM_COMPILER_ID (10000 + PLATFORM_COMPILER_FAMILYID)
#define PLATFORM_COMPILER_CXX_LANGLVL __cplusplus
#define ATOLL_PLATFORM_LANGUAGE "C++ " PLATFORM_STRINGIFY(__cplusplus)
#elif defined(__STDC_VERSION__)
#define PLATFORM_COMPILER_ID PLATFORM_COMPILER_FAMILYID
#define PLATFORM_COMPILER_C_LANGLVL __STDC_VERSION__
#define ATOLL_PLATFORM_LANGUAGE "C " PLATFORM_STRINGIFY(__STDC_VERSION__)
#else
#define PLATFORM_COMPILER_ID PLATFORM_COMPILER_FAMILYID
#define PLATFORM_COMPILER_C_LANGLVL 199000L
#define ATOLL_PLATFORM_LANGUAGE "C 199000L"
#endif
#define PLATFORM_COMPILER_IDSTR                                                        \
  "|COMPILER_FAMILY:" PLATFORM_STRINGIFY(                                              \
      PLATFORM_COMPILER_FAMILYNAME) "|COMPILER_VERSION:" PLATFORM_COMPILER_VERSION_STR \
                                    "|STD:" ATOLL_PLATFORM_LANGUAGE "|"

/* ---- operating system ----------------------------------------------------------------------- */

#if defined(__linux__)
#define PLATFORM_OS_LINUX 1
#define PLATFORM_OS_FAMILYNAME LINUX
#else
#define PLATFORM_OS_UNKNOWN 1
#define PLATFORM_OS_FAMILYNAME UNKNOWN
#endif

/* ---- processor ------------------------------------------------------------------------------ */

#if defined(__x86_64__)
#define PLATFORM_ARCH_X86_64 1
#define PLATFORM_ARCH_FAMILYNAME X86_64
#elif defined(__i386__)
#define PLATFORM_ARCH_X86 1
#define PLATFORM_ARCH_FAMILYNAME X86
#elif defined(__aarch64__)
#define PLATFORM_ARCH_AARCH64 1
#define PLATFORM_ARCH_FAMILYNAME AARCH64
#elif defined(__powerpc__) || defined(__powerpc64__)
#define PLATFORM_ARCH_POWERPC 1
#define PLATFORM_ARCH_FAMILYNAME POWERPC
#elif defined(__riscv)
#define PLATFORM_ARCH_RISCV 1
#define PLATFORM_ARCH_FAMILYNAME RISCV
#elif defined(__s390__)
#define PLATFORM_ARCH_S390 1
#define PLATFORM_ARCH_FAMILYNAME S390
#else
#define PLATFORM_ARCH_UNKNOWN 1
#define PLATFORM_ARCH_FAMILYNAME UNKNOWN
#endif

#if __SIZEOF_POINTER__ == 4
#define PLATFORM_ARCH_32 1
#else
#define PLATFORM_ARCH_64 1
#endif

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PLATFORM_ARCH_BIG_ENDIAN 1
#else
#define PLATFORM_ARCH_LITTLE_ENDIAN 1
#endif

#endif
