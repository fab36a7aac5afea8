// SPDX-License-Identifier: BSD-3-Clause
//
// Values of the GASNet-EX interface as text, for messages of clients. One function builds each text
// and another copies it out, so that what is announced as its size and what is written agree. Sizes
// that are announced before the values are known are upper bounds by the widest numbers.
#include <gasnetex_types.h>
#include <gasnettools_client.h>
#include <gasnettools_failure.h>
#include <atoll/base/text.hpp>

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

using atl::text;

namespace {

// The widest address or number has 20 characters.
constexpr size_t opening_bytes = 160, element_bytes = 48;

size_t copy_out(char* buf, const std::string& shown) {
  if (buf != nullptr) std::memcpy(buf, shown.c_str(), shown.size() + 1);
  return shown.size() + 1;
}

struct named_bit {
  uint32_t bit;
  std::string_view name;
};

/// "GEX_DT_I32|GEX_DT_FLT". Bits without a name appear as a number, and an empty set as 0.
std::string set_text(uint32_t set, std::span<const named_bit> names) {
  std::string shown;
  for (const named_bit& each : names) {
    if ((set & each.bit) == 0) continue;
    shown += shown.empty() ? "" : "|";
    shown += each.name;
    set &= ~each.bit;
  }
  if (set != 0) shown += text(shown.empty() ? "" : "|", atl::hex(set));
  return shown.empty() ? "0" : shown;
}

#define ATOLL_NAMED_BIT(name) {static_cast<uint32_t>(name), #name}

constexpr auto types = std::to_array<named_bit>(
    {ATOLL_NAMED_BIT(GEX_DT_I32), ATOLL_NAMED_BIT(GEX_DT_U32), ATOLL_NAMED_BIT(GEX_DT_I64),
     ATOLL_NAMED_BIT(GEX_DT_U64), ATOLL_NAMED_BIT(GEX_DT_FLT), ATOLL_NAMED_BIT(GEX_DT_DBL),
     ATOLL_NAMED_BIT(GEX_DT_USER)});

constexpr auto operations = std::to_array<named_bit>(
    {ATOLL_NAMED_BIT(GEX_OP_AND),  ATOLL_NAMED_BIT(GEX_OP_OR),   ATOLL_NAMED_BIT(GEX_OP_XOR),
     ATOLL_NAMED_BIT(GEX_OP_ADD),  ATOLL_NAMED_BIT(GEX_OP_SUB),  ATOLL_NAMED_BIT(GEX_OP_MULT),
     ATOLL_NAMED_BIT(GEX_OP_MIN),  ATOLL_NAMED_BIT(GEX_OP_MAX),  ATOLL_NAMED_BIT(GEX_OP_INC),
     ATOLL_NAMED_BIT(GEX_OP_DEC),  ATOLL_NAMED_BIT(GEX_OP_SET),  ATOLL_NAMED_BIT(GEX_OP_CAS),
     ATOLL_NAMED_BIT(GEX_OP_FAND), ATOLL_NAMED_BIT(GEX_OP_FOR),  ATOLL_NAMED_BIT(GEX_OP_FXOR),
     ATOLL_NAMED_BIT(GEX_OP_FADD), ATOLL_NAMED_BIT(GEX_OP_FSUB), ATOLL_NAMED_BIT(GEX_OP_FMULT),
     ATOLL_NAMED_BIT(GEX_OP_FMIN), ATOLL_NAMED_BIT(GEX_OP_FMAX), ATOLL_NAMED_BIT(GEX_OP_FINC),
     ATOLL_NAMED_BIT(GEX_OP_FDEC), ATOLL_NAMED_BIT(GEX_OP_SWAP), ATOLL_NAMED_BIT(GEX_OP_FCAS),
     ATOLL_NAMED_BIT(GEX_OP_GET),  ATOLL_NAMED_BIT(GEX_OP_USER), ATOLL_NAMED_BIT(GEX_OP_USER_NC)});

constexpr auto token_parts = std::to_array<named_bit>(
    {ATOLL_NAMED_BIT(GEX_TI_SRCRANK), ATOLL_NAMED_BIT(GEX_TI_EP), ATOLL_NAMED_BIT(GEX_TI_ENTRY),
     ATOLL_NAMED_BIT(GEX_TI_IS_REQ), ATOLL_NAMED_BIT(GEX_TI_IS_LONG)});

#undef ATOLL_NAMED_BIT

/// One element of a vector transfer, as the interface lays it out.
struct vector_element {
  void* address;
  size_t length;
};

std::string vector_text(size_t count, const void* list) {
  const std::span<const vector_element> elements(static_cast<const vector_element*>(list), count);
  size_t total = 0;
  std::string shown;
  for (const vector_element& element : elements) {
    total += element.length;
    shown += text(shown.empty() ? "" : ", ", atl::hex(element.address), "+", element.length);
  }
  return text(count, " pieces, ", total, " bytes: {", shown, "}");
}

std::string addresses_text(size_t count, void* const* list, size_t length) {
  std::string shown;
  for (void* const address : std::span(list, count)) {
    shown += text(shown.empty() ? "" : ", ", atl::hex(address));
  }
  return text(count, " pieces of ", length, " bytes: {", shown, "}");
}

template <class Number>
std::string numbers_text(size_t count, const Number* list) {
  std::string shown;
  for (const Number number : std::span(list, count)) {
    shown += text(shown.empty() ? "" : ", ", number);
  }
  return "{" + shown + "}";
}

}  // namespace

size_t gasnett_format_dt(char* buf, gex_DT_t set) { return copy_out(buf, set_text(set, types)); }
size_t gasnett_format_op(char* buf, gex_OP_t set) {
  return copy_out(buf, set_text(set, operations));
}
size_t gasnett_format_ti(char* buf, unsigned int set) {
  return copy_out(buf, set_text(set, token_parts));
}

size_t gasnett_format_memveclist_bufsz(size_t count) {
  return opening_bytes + count * element_bytes;
}
size_t gasnett_format_addrlist_bufsz(size_t count) { return opening_bytes + count * element_bytes; }
size_t gasnett_format_strides_bufsz(size_t count) { return opening_bytes + count * element_bytes; }
size_t gasnett_format_putvgetv_bufsz(size_t destinations, size_t sources) {
  return 3 * opening_bytes + (destinations + sources) * element_bytes;
}
size_t gasnett_format_putigeti_bufsz(size_t destinations, size_t sources) {
  return 3 * opening_bytes + (destinations + sources) * element_bytes;
}
size_t gasnett_format_putsgets_bufsz(size_t levels) {
  return 3 * opening_bytes + 3 * levels * element_bytes;
}

size_t gasnett_format_memveclist(char* buf, size_t count, const void* list) {
  return copy_out(buf, vector_text(count, list));
}
size_t gasnett_format_addrlist(char* buf, size_t count, void* const* list, size_t length) {
  return copy_out(buf, addresses_text(count, list, length));
}
size_t gasnett_format_strides(char* buf, size_t count, const ptrdiff_t* list) {
  return copy_out(buf, numbers_text(count, list));
}

size_t gasnett_format_putvgetv(char* buf, gex_TM_t, gex_Rank_t rank, size_t destinations,
                               const void* to, size_t sources, const void* from) {
  return copy_out(buf, text("peer ", rank, "\nto ", vector_text(destinations, to), "\nfrom ",
                            vector_text(sources, from)));
}
size_t gasnett_format_putigeti(char* buf, gex_TM_t, gex_Rank_t rank, size_t destinations,
                               void* const to[], size_t to_length, size_t sources,
                               void* const from[], size_t from_length) {
  return copy_out(buf, text("peer ", rank, "\nto ", addresses_text(destinations, to, to_length),
                            "\nfrom ", addresses_text(sources, from, from_length)));
}
size_t gasnett_format_putsgets(char* buf, void*, gex_TM_t, gex_Rank_t rank, void* to,
                               const ptrdiff_t to_strides[], void* from,
                               const ptrdiff_t from_strides[], size_t element, const size_t count[],
                               size_t levels) {
  return copy_out(
      buf, text("peer ", rank, "\nto ", atl::hex(to), " strides ", numbers_text(levels, to_strides),
                "\nfrom ", atl::hex(from), " strides ", numbers_text(levels, from_strides),
                "\nelements of ", element, " bytes, counts ", numbers_text(levels, count)));
}

void gasnett_diagnostic_gethandlers(gex_AM_Entry_t** table_p, int* count_p) {
  static gex_AM_Entry_t empty_table = {};  // some callers read the table whatever its size
  *table_p = &empty_table;
  *count_p = 0;
}

void* gasnett_mmap(uintptr_t bytes) {
  void* const pages =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages != MAP_FAILED) return pages;
  gasnett_fatalerror("no memory for %zu bytes of pages", static_cast<size_t>(bytes));
}
