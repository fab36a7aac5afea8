// SPDX-License-Identifier: BSD-3-Clause
//
// The same steps in UPC, in three ways:
//
//   elements  borders by assignments to the neighbours' halos, number by number; a strict signal to
//             each neighbour; the inner region; all signals; the sides
//   rows      the same with upc_memput for each row of a border
//   get       upc_notify; the inner region; upc_wait; halos by upc_memget; the sides
//
// Fields alternate, so they may always be overwritten: a neighbour that is a step ahead has
// received this thread's signal of the step before, which the thread gave when it had finished with
// the older values. In *get* the barrier has this role: before its upc_wait a thread writes only
// inner points, which no other thread reads.
#include <apps/stencil2d/upc/fields.h>
#include <apps/stencil2d/copy_rows.hpp>
#include <apps/stencil2d/upc/group.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <sched.h>
#include <algorithm>
#include <array>

namespace stencil2d {
namespace {

class upc_variant : public variant {
 public:
  upc_variant(std::string_view name, const setting& given)
      : given_(given), name_(name), cuts_(cut(given.local, given.domain.ranks)) {
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const unsigned peer = given.domain.neighbour(given.rank, d);
      const rect border = given.local.border(d);
      links_[d] = copy_of(peer, border, given.domain.block_of(peer).halo(opposite(d)));
      if (peer != given.rank) others_.push_back(d);
    }
  }

  std::string_view name() const override { return name_; }
  double* field() override { return stencil_upc_field(now_); }
  void run(unsigned steps) override {
    for (unsigned each = 0; each < steps; ++each) {
      copy_own();
      step();
      now_ = 1 - now_;
    }
    stencil_upc_barrier();  // the others have read and written here what they needed
  }

 protected:
  virtual void step() = 0;

  const setting& given() const noexcept { return given_; }
  const std::vector<std::size_t>& others() const noexcept { return others_; }
  /// The copy that puts the border in this direction into the neighbour's halo.
  stencil_upc_copy border(std::size_t direction) const noexcept {
    stencil_upc_copy result = links_[direction];
    result.field = now_;
    return result;
  }
  /// The copy that gets the halo in this direction from the neighbour's border.
  stencil_upc_copy halo(std::size_t direction) const {
    const unsigned peer = links_[direction].thread;
    stencil_upc_copy result = copy_of(peer, given_.local.halo(direction),
                                      given_.domain.block_of(peer).border(opposite(direction)));
    result.field = now_;
    return result;
  }

  void compute(const rect& region) const {
    given_.apply(stencil_upc_field(now_), stencil_upc_field(1 - now_), region);
  }
  void compute_inner() const { compute(cuts_.inner); }
  void compute_sides() const {
    for (const rect& side : cuts_.sides) compute(side);
  }

 private:
  stencil_upc_copy copy_of(unsigned peer, const rect& own, const rect& its) const {
    return {.field = 0,
            .thread = peer,
            .its_offset = given_.domain.block_of(peer).offset(its.x0, its.y0),
            .own_offset = given_.local.offset(own.x0, own.y0),
            .pitch = given_.local.pitch,
            .width = own.width(),
            .height = own.height()};
  }

  /// Fills the halos on the sides where this thread is its own neighbour; the inner region needs
  /// them.
  void copy_own() const {
    double* const now = stencil_upc_field(now_);
    for (const stencil_upc_copy& link : links_) {
      if (link.thread != given_.rank) continue;
      copy_rows({now + link.its_offset, link.pitch}, {now + link.own_offset, link.pitch},
                {link.width, link.height});
    }
  }

  const setting& given_;
  std::string_view name_;
  cut_block cuts_;
  std::array<stencil_upc_copy, 8> links_;
  std::vector<std::size_t> others_;
  unsigned now_ = 0;
};

/// The number of the last step that was signalled, counted over all variants: all threads take the
/// same steps, and signals keep their values between variants.
std::uint64_t last_step = 0;

class upc_put final : public upc_variant {
 public:
  using transfer = void (*)(const stencil_upc_copy*);
  upc_put(std::string_view name, transfer put, const setting& given)
      : upc_variant(name, given), put_(put) {}

 private:
  void step() override {
    ++last_step;
    for (const std::size_t d : others()) {
      const stencil_upc_copy sent = border(d);
      put_(&sent);
    }
    for (const std::size_t d : others()) {
      stencil_upc_signal(border(d).thread, static_cast<unsigned>(opposite(d)), last_step);
    }
    compute_inner();
    for (const std::size_t d : others()) await(static_cast<unsigned>(d));
    compute_sides();
  }

  static void await(unsigned direction) {
    for (unsigned looks = 0; stencil_upc_signalled(direction) < last_step; ++looks) {
      if (looks % 64 == 63) sched_yield();
    }
  }

  transfer put_;
};

class upc_get final : public upc_variant {
 public:
  explicit upc_get(const setting& given) : upc_variant("get", given) {}

 private:
  void step() override {
    stencil_upc_notify();
    compute_inner();
    stencil_upc_wait();
    for (const std::size_t d : others()) {
      const stencil_upc_copy fetched = halo(d);
      stencil_upc_get_rows(&fetched);
    }
    compute_sides();
  }
};

}  // namespace

std::vector<std::string> upc_variants() { return {"elements", "rows", "get"}; }

upc_fields::upc_fields(const setting& given) {
  if (stencil_upc_open(given.local.elements) != 0) return;
  throw atl::error("stencil2d: shared memory",
                   atl::text("there are no ",
                             atl::bytes_text(2 * given.local.elements * sizeof(double)), " left"),
                   "use smaller blocks or a machine with more memory");
}

upc_fields::~upc_fields() { stencil_upc_close(); }

void upc_group::barrier() { stencil_upc_barrier(); }

void upc_group::add(std::span<double> numbers) {
  for (double& each : numbers) each = stencil_upc_sum(each);
}

void upc_group::add(std::uint64_t& number) { number = stencil_upc_sum_bits(number); }

std::vector<std::unique_ptr<variant>> upc_group::variants(const setting& given,
                                                          const std::vector<std::string>& names) {
  std::vector<std::unique_ptr<variant>> result;
  result.push_back(std::make_unique<upc_put>("elements", stencil_upc_put_elements, given));
  result.push_back(std::make_unique<upc_put>("rows", stencil_upc_put_rows, given));
  result.push_back(std::make_unique<upc_get>(given));
  if (names.empty()) return result;
  std::erase_if(result, [&](const std::unique_ptr<variant>& each) {
    return std::find(names.begin(), names.end(), each->name()) == names.end();
  });
  return result;
}

}  // namespace stencil2d
