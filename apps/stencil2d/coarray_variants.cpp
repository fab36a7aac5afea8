// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of a block for the Fortran side, and the kernel that this calls. Fortran's first
// index counts along a row, like x here; its bounds are chosen so that (0, 0) is the block's first
// own point.
#include <apps/stencil2d/coarray_group.hpp>

#include <algorithm>
#include <array>

namespace stencil2d {
namespace {

void set(int (&bounds)[4], const rect& region) {
  bounds[0] = region.x0;
  bounds[1] = region.x1 - 1;
  bounds[2] = region.y0;
  bounds[3] = region.y1 - 1;
}

coarray_link link_to(const setting& given, std::size_t direction) {
  const unsigned peer = given.domain.neighbour(given.rank, direction);
  const extent place = given.domain.place_of(peer);
  const block remote = given.domain.block_of(peer);
  coarray_link made{};
  made.place[0] = place.x + 1;
  made.place[1] = place.y + 1;
  made.is_own = peer == given.rank ? 1 : 0;
  set(made.border, given.local.border(direction));
  set(made.halo, given.local.halo(direction));
  set(made.their_border, remote.border(opposite(direction)));
  set(made.their_halo, remote.halo(opposite(direction)));
  return made;
}

coarray_plan plan_of(const setting& given, const cut_block& cuts) {
  coarray_plan made{};
  const block& local = given.local;
  const auto pitch = static_cast<int>(local.pitch);
  const auto origin = static_cast<int>(local.origin);
  const auto elements = static_cast<int>(local.elements);
  made.columns = given.domain.ranks.x;
  made.lower[0] = -(origin % pitch);
  made.lower[1] = -(origin / pitch);
  made.upper[0] = made.lower[0] + pitch - 1;
  made.upper[1] = made.lower[1] + (elements + pitch - 1) / pitch - 1;
  const extent place = given.domain.place_of(given.rank);
  made.is_odd = (place.x + place.y) % 2;
  for (std::size_t d = 0; d < directions.size(); ++d) made.to[d] = link_to(given, d);
  for (std::size_t i = 0; i < cuts.pieces.size() && i < 8; ++i)
    made.needs[i] = static_cast<int>(cuts.pieces[i].needs);
  return made;
}

class coarray_variant final : public variant {
 public:
  coarray_variant(std::string_view name, int way, const setting& given,
                  const std::array<double*, 2>& fields)
      : name_(name),
        way_(way),
        given_(given),
        cuts_(cut(given.local, given.domain.ranks)),
        fields_(fields) {}

  std::string_view name() const override { return name_; }
  double* field() override { return fields_[static_cast<std::size_t>(coarray_turn()) - 1]; }
  void run(unsigned steps) override {
    coarray_run(way_, static_cast<int>(steps), compute_part, this);
  }

 private:
  static constexpr int whole = 0;
  static constexpr int inner = -1;
  static constexpr int sides = -2;

  static void compute_part(void* context, int turn, int part) {
    const auto& self = *static_cast<const coarray_variant*>(context);
    const double* const from = self.fields_[static_cast<std::size_t>(turn) - 1];
    double* const to = self.fields_[static_cast<std::size_t>(2 - turn)];
    const auto compute = [&](const rect& region) { self.given_.apply(from, to, region); };
    if (part == whole) return compute(self.given_.local.bounds());
    if (part == inner) return compute(self.cuts_.inner);
    if (part == sides) {
      for (const rect& side : self.cuts_.sides) compute(side);
      return;
    }
    const auto piece = static_cast<std::size_t>(part) - 1;
    if (piece < self.cuts_.pieces.size()) compute(self.cuts_.pieces[piece].region);
  }

  std::string_view name_;
  int way_;
  const setting& given_;
  cut_block cuts_;
  std::array<double*, 2> fields_;
};

constexpr std::array<std::string_view, 5> ways = {"trivial", "put", "get", "get0", "get1"};

}  // namespace

std::vector<std::string> coarray_variants() { return {ways.begin(), ways.end()}; }

void coarray_group::add(std::span<double> numbers) {
  coarray_sum_reals(numbers.data(), static_cast<int>(numbers.size()));
}

void coarray_group::add(std::uint64_t& number) {
  coarray_sum_integer(reinterpret_cast<std::int64_t*>(&number));
}

std::vector<std::unique_ptr<variant>> coarray_group::variants(
    const setting& given, const std::vector<std::string>& names) {
  const coarray_plan plan = plan_of(given, cut(given.local, given.domain.ranks));
  std::array<double*, 2> fields{};
  coarray_make_fields(&plan, &fields[0], &fields[1]);
  has_fields_ = true;
  std::vector<std::unique_ptr<variant>> result;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    if (!names.empty() && std::find(names.begin(), names.end(), ways[way]) == names.end()) continue;
    result.push_back(
        std::make_unique<coarray_variant>(ways[way], static_cast<int>(way), given, fields));
  }
  return result;
}

}  // namespace stencil2d
