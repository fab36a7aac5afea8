// SPDX-License-Identifier: BSD-3-Clause
//
// The same steps in OpenSHMEM, in two ways:
//
//   iput      borders go directly into the neighbours' halos, rows by put_nbi and columns by iput;
//             a fence and a signal to each neighbour; the inner region; all signals; the sides
//   packed    borders are packed, and each put into a box at the neighbour with its signal; the
//             inner region; all signals; the halos from the boxes; the sides
//
// Fields alternate, and so do boxes, so both may always be overwritten: a neighbour that is a step
// ahead has received this PE's signal of the step before, which the PE gave when it had finished
// with the older values. A signal carries the number of its step.
#include <apps/stencil2d/copy_rows.hpp>
#include <apps/stencil2d/shmem_group.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace stencil2d {
namespace {

extent size_of(const rect& region) { return {region.width(), region.height()}; }

std::size_t rounded(std::size_t elements) { return (elements + 7) / 8 * 8; }

class shmem_variant : public variant {
 public:
  shmem_variant(std::string_view name, std::size_t number, const setting& given,
                const symmetric_area& area)
      : given_(given),
        area_(area),
        name_(name),
        number_(number),
        cuts_(cut(given.local, given.domain.ranks)),
        now_(area.field(0)),
        next_(area.field(1)) {
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const unsigned peer = given.domain.neighbour(given.rank, d);
      const block remote = given.domain.block_of(peer);
      const rect halo = remote.halo(opposite(d));
      links_[d] = {.pe = static_cast<int>(peer),
                   .border = given.local.border(d),
                   .its_halo = remote.offset(halo.x0, halo.y0)};
      if (peer != given.rank) others_.push_back(d);
    }
  }

  std::string_view name() const override { return name_; }
  double* field() override { return now_; }
  void run(unsigned steps) override {
    for (unsigned each = 0; each < steps; ++each) step();
  }

 protected:
  /// The transfer to the neighbour in one direction.
  struct link {
    int pe;
    rect border;              // of this PE
    std::ptrdiff_t its_halo;  // where it goes in the neighbour's field
  };

  /// Sends the borders to others, each with the signal `count()`.
  virtual void send() = 0;
  /// Called after all signals have come.
  virtual void receive() {}

  const link& to(std::size_t direction) const noexcept { return links_[direction]; }
  /// The directions in which there is another PE.
  const std::vector<std::size_t>& others() const noexcept { return others_; }
  double* now() const noexcept { return now_; }
  double* start_of(const rect& region) const noexcept {
    return now_ + given_.local.offset(region.x0, region.y0);
  }
  /// The signal for which the neighbour in this direction waits; it has the same address there.
  std::uint64_t* its_signal(std::size_t direction) const noexcept {
    return area_.signal(number_, opposite(direction));
  }
  std::uint64_t count() const noexcept { return count_; }

  const setting& given_;
  const symmetric_area& area_;

 private:
  void step() {
    ++count_;
    copy_own();
    send();
    const bool all_arrived = have_all_come();
    if (!all_arrived) compute(cuts_.inner);
    for (const std::size_t d : others_) {
      shmem_signal_wait_until(area_.signal(number_, d), SHMEM_CMP_GE, count_);
    }
    receive();
    if (all_arrived) {
      compute(given_.local.bounds());
    } else {
      for (const rect& side : cuts_.sides) compute(side);
    }
    shmem_quiet();  // the next step overwrites the sources
    std::swap(now_, next_);
  }

  /// Fills the halos on the sides where this PE is its own neighbour; the inner region needs them.
  void copy_own() const {
    for (std::size_t d = 0; d < directions.size(); ++d) {
      if (links_[d].pe != static_cast<int>(given_.rank)) continue;
      const std::ptrdiff_t pitch = given_.local.pitch;
      const rect& border = links_[d].border;
      copy_rows({now_ + links_[d].its_halo, pitch}, {start_of(border), pitch}, size_of(border));
    }
  }

  bool have_all_come() const noexcept {
    for (const std::size_t d : others_) {
      if (shmem_signal_fetch(area_.signal(number_, d)) < count_) return false;
    }
    return true;
  }
  void compute(const rect& region) const { given_.apply(now_, next_, region); }

  std::string_view name_;
  std::size_t number_;
  cut_block cuts_;
  double* now_;
  double* next_;
  std::array<link, 8> links_;
  std::vector<std::size_t> others_;
  std::uint64_t count_ = 0;
};

class iput final : public shmem_variant {
 public:
  iput(std::size_t number, const setting& given, const symmetric_area& area)
      : shmem_variant("iput", number, given, area) {}

 private:
  void send() override {
    for (const std::size_t d : others()) put_border(to(d));
    shmem_fence();
    for (const std::size_t d : others()) {
      shmem_signal_set(its_signal(d), count(), to(d).pe);
    }
  }

  void put_border(const link& neighbour) const {
    const std::ptrdiff_t pitch = given_.local.pitch;
    const double* const from = start_of(neighbour.border);
    double* const target = now() + neighbour.its_halo;
    const int width = neighbour.border.width();
    const int height = neighbour.border.height();
    if (width < height) {
      const auto rows = static_cast<std::size_t>(height);
      for (int x = 0; x < width; ++x) {
        shmem_double_iput(target + x, from + x, pitch, pitch, rows, neighbour.pe);
      }
    } else {
      const auto columns = static_cast<std::size_t>(width);
      for (int y = 0; y < height; ++y) {
        shmem_double_put_nbi(target + y * pitch, from + y * pitch, columns, neighbour.pe);
      }
    }
  }
};

class packed final : public shmem_variant {
 public:
  packed(std::size_t number, const setting& given, const symmetric_area& area)
      : shmem_variant("packed", number, given, area) {
    for (const std::size_t d : others()) out_[d].resize(to(d).border.points());
  }

 private:
  std::size_t turn() const noexcept { return count() % 2; }

  void send() override {
    for (const std::size_t d : others()) {
      const rect& from = to(d).border;
      copy_rows({out_[d].data(), from.width()}, {start_of(from), given_.local.pitch},
                size_of(from));
      shmem_double_put_signal_nbi(area_.box(opposite(d), turn()), out_[d].data(), out_[d].size(),
                                  its_signal(d), count(), SHMEM_SIGNAL_SET, to(d).pe);
    }
  }

  void receive() override {
    for (const std::size_t d : others()) {
      const rect halo = given_.local.halo(d);
      copy_rows({start_of(halo), given_.local.pitch}, {area_.box(d, turn()), halo.width()},
                size_of(halo));
    }
  }

  std::array<std::vector<double>, 8> out_;
};

/// The most numbers in a border of any rank of this domain.
std::size_t longest_border(const layout& domain) {
  const int x = (domain.points.x + domain.ranks.x - 1) / domain.ranks.x;
  const int y = (domain.points.y + domain.ranks.y - 1) / domain.ranks.y;
  return static_cast<std::size_t>(std::max(x, y)) * static_cast<std::size_t>(domain.radius);
}

}  // namespace

std::vector<std::string> shmem_variants() { return {"iput", "packed"}; }

symmetric_area::symmetric_area(const setting& given)
    : field_elements_(rounded(given.local.elements)),
      box_elements_(rounded(longest_border(given.domain))) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const std::size_t all_boxes = 2 * directions.size() * box_elements_;
  const std::size_t all_signals = variants_max * directions.size() * words_per_line;
  const std::size_t all = 2 * field_elements_ + all_boxes + 2 * sums_max + all_signals;
  memory_ = static_cast<double*>(shmem_align(huge_page, all * sizeof(double)));
  if (memory_ == nullptr) {
    throw atl::error("stencil2d: symmetric memory",
                     atl::text("there are no ", atl::bytes_text(all * sizeof(double)), " left"),
                     "use smaller blocks or a machine with more memory");
  }
  std::fill_n(memory_, all, 0.0);
  boxes_ = memory_ + 2 * field_elements_;
  sums_ = boxes_ + all_boxes;
  static_assert(sizeof(std::uint64_t) == sizeof(double));
  signals_ = reinterpret_cast<std::uint64_t*>(sums_ + 2 * sums_max);
  std::fill_n(signals_, all_signals, 0);
  shmem_barrier_all();  // from here on others write to it
}

void shmem_group::add(std::span<double> numbers) {
  double* const given = area_.sums();
  for (std::size_t first = 0; first < numbers.size(); first += symmetric_area::sums_max) {
    const auto some =
        numbers.subspan(first, std::min(symmetric_area::sums_max, numbers.size() - first));
    std::copy(some.begin(), some.end(), given);
    shmem_double_sum_reduce(team_, given + symmetric_area::sums_max, given, some.size());
    std::copy_n(given + symmetric_area::sums_max, some.size(), some.begin());
    shmem_team_sync(team_);  // all have read it
  }
}

void shmem_group::add(std::uint64_t& number) {
  auto* const given = reinterpret_cast<std::uint64_t*>(area_.sums());
  given[0] = number;
  shmem_uint64_sum_reduce(team_, given + 1, given, 1);
  number = given[1];
  shmem_team_sync(team_);
}

std::vector<std::unique_ptr<variant>> shmem_group::variants(const setting& given,
                                                            const std::vector<std::string>& names) {
  std::vector<std::unique_ptr<variant>> result;
  result.push_back(std::make_unique<iput>(0, given, area_));
  result.push_back(std::make_unique<packed>(1, given, area_));
  if (names.empty()) return result;
  std::erase_if(result, [&](const std::unique_ptr<variant>& each) {
    return std::find(names.begin(), names.end(), each->name()) == names.end();
  });
  return result;
}

}  // namespace stencil2d
