// SPDX-License-Identifier: BSD-3-Clause
//
// Static shared objects. Units register themselves by constructors, before main, each with a table.
// Every thread runs the same program, so all find the same tables in the same order, and lay the
// objects out alike without communication. An object that several units declare has one common
// symbol for its offset, and is laid out once.
//
// All objects lie in one block of the global heap. Its pages are usually new ones of the machine,
// which are zeros; if the range was used before, the block is filled with zeros.
#include <front/upc/objects.hpp>

#include <atoll_upc/program.h>
#include <atoll/base/error.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <front/upc/allocation.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <vector>

namespace atl::upc {
namespace {

constexpr std::size_t least_alignment = 16;

std::vector<atoll_upc_unit>& units() {
  static std::vector<atoll_upc_unit> registered;
  return registered;
}

struct placed {
  std::size_t begin = 0;  // from the begin of the block
  std::size_t bytes = 0;
  const atoll_upc_object* object = nullptr;
};

// Bytes of the largest part that a thread has: whole blocks.
std::size_t bytes_per_thread(const atoll_upc_object& object, std::size_t threads) {
  const std::size_t bytes = object.bytes_fixed + object.bytes_times_threads * threads;
  if (object.block_size == 0) return bytes;
  const std::size_t block = object.block_size * object.element_size;
  return pieces_of(pieces_of(bytes, block), threads) * block;
}

// Pages that no thread has touched are zeros already.
void fill_with_zeros(process_state& us, std::uint64_t offset, std::size_t bytes) {
  std::byte* begin = us.own_address(offset);
  std::byte* const end = begin + bytes;
  for (;;) {
    const std::span<std::byte> existing =
        layer_access::host_memory(us.runtime).find_existing(begin, end);
    if (existing.empty()) return;
    std::memset(existing.data(), 0, existing.size());
    begin = existing.data() + existing.size();
  }
}

[[noreturn]] void refuse_sizes(const atoll_upc_object& object, const atoll_upc_object& other) {
  throw error(text("the shared object '", object.name, "'"),
              text("two units of the program declare it with sizes of ", object.bytes_fixed, " + ",
                   object.bytes_times_threads, " * THREADS and ", other.bytes_fixed, " + ",
                   other.bytes_times_threads, " * THREADS bytes"),
              "declare it in one header that both include");
}

class object_layout {
 public:
  explicit object_layout(std::size_t threads) noexcept : threads_(threads) {}

  void add(const atoll_upc_object& object) {
    const auto known = placed_.find(object.offset);
    if (known != placed_.end()) {
      const placed& other = known->second;
      if (other.bytes != bytes_per_thread(object, threads_)) refuse_sizes(*other.object, object);
      return;
    }
    const std::size_t bytes = bytes_per_thread(object, threads_);
    const std::size_t alignment = std::max(object.alignment, least_alignment);
    alignment_ = std::max(alignment_, alignment);
    end_ = round_up(end_, alignment);
    placed_.emplace(object.offset, placed{end_, bytes, &object});
    end_ += std::max<std::size_t>(bytes, 1);
  }

  /// Room for all objects, even if the block is less aligned than the most aligned object.
  std::size_t bytes() const noexcept { return end_ == 0 ? 0 : end_ + alignment_; }

  void set_offsets(std::uint64_t block) const noexcept {
    block = round_up(block, alignment_);
    for (const auto& [address, place] : placed_) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the table holds the address as a number
      *reinterpret_cast<std::uint64_t*>(address) = block + place.begin;
    }
  }

 private:
  std::size_t threads_;
  std::size_t end_ = 0;
  std::size_t alignment_ = least_alignment;
  std::map<std::uintptr_t, placed> placed_;
};

void check_units(std::size_t threads) {
  for (const atoll_upc_unit& unit : units()) {
    if (unit.abi_version != ATOLL_UPC_ABI_VERSION) {
      throw error(text("the unit ", unit.file),
                  text("it was translated for version ", unit.abi_version,
                       " of the library, which has version ", ATOLL_UPC_ABI_VERSION),
                  "translate it again with the upcc of this installation");
    }
    if (unit.static_threads != 0 && static_cast<std::size_t>(unit.static_threads) != threads) {
      throw error(
          text("the unit ", unit.file),
          text("it was translated for ", unit.static_threads, " threads, and there are ", threads),
          text("start the program with ", unit.static_threads,
               " threads, or translate it without -T"));
    }
  }
}

}  // namespace

int static_threads() noexcept {
  for (const atoll_upc_unit& unit : units()) {
    if (unit.static_threads != 0) return unit.static_threads;
  }
  return 0;
}

bool has_several_threads() noexcept {
  return std::any_of(units().begin(), units().end(), [](const atoll_upc_unit& unit) {
    return unit.abi_version == ATOLL_UPC_ABI_VERSION &&
           (unit.flags & ATOLL_UPC_SEVERAL_THREADS) != 0;
  });
}

void open_objects(process_state& us) {
  check_units(us.size());
  object_layout layout(us.size());
  for (const atoll_upc_unit& unit : units()) {
    for (std::size_t i = 0; i < unit.count; ++i) layout.add(unit.objects[i]);
  }
  if (layout.bytes() != 0) {
    const atoll_upc_pointer block =
        allocate_together(us, "the static shared objects", us.size(), layout.bytes());
    if (block.offset == 0) {
      throw error("the static shared objects of the program",
                  text("there is no memory for ", layout.bytes(), " bytes on each thread"),
                  "start fewer threads on a host, or raise the limits of memory (atoll info)");
    }
    layout.set_offsets(block.offset);
    fill_with_zeros(us, block.offset, layout.bytes());
  }
  us.world->barrier();
  for (const atoll_upc_unit& unit : units()) {
    if (unit.initialise != nullptr) unit.initialise();
  }
  us.world->barrier();
}

}  // namespace atl::upc

void atoll_upc_register_unit(const atoll_upc_unit* unit) { atl::upc::units().push_back(*unit); }
