// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange spelled out, in five ways, which differ in what each waits for.
//
//   trivial   eight puts, a barrier of all, the whole block
//   put       eight puts and a signal to each neighbour; the inner region; all signals; the sides
//   get       a signal that the values are there; all signals; eight gets; the whole block
//   get0      a signal; the inner region; then each piece of the sides as soon as the neighbours
//             that it needs have signalled and its halos were got
//   get1      the same, but every other rank does the sides first, so that half of the ranks are
//             ahead with what the others will ask for
#include <apps/stencil2d/ground.hpp>

namespace stencil2d {
namespace {

class explicit_variant : public variant {
 public:
  explicit_variant(std::string_view name, std::shared_ptr<ground> on)
      : name_(name), on_(std::move(on)) {}

  std::string_view name() const override { return name_; }
  double* field() override { return on_->now(); }
  void run(unsigned steps) override {
    for (unsigned each = 0; each < steps; ++each) {
      step(*on_);
      on_->next_step();
    }
    on_->finish();
  }

 protected:
  /// Makes the next values from those of now.
  virtual void step(ground& on) = 0;

 private:
  std::string_view name_;
  std::shared_ptr<ground> on_;
};

void put_borders(ground& on) {
  for (std::size_t d = 0; d < directions.size(); ++d) on.put_border(d);
}

class trivial final : public explicit_variant {
  using explicit_variant::explicit_variant;
  void step(ground& on) override {
    put_borders(on);
    on.finish();
    on.team().barrier();
    on.compute_all();
  }
};

class put_early final : public explicit_variant {
  using explicit_variant::explicit_variant;
  void step(ground& on) override {
    put_borders(on);
    const std::uint64_t point = on.flags().tell();
    on.compute(on.cuts().inner);
    on.flags().wait_all(point);
    on.compute_sides();
  }
};

class get_all final : public explicit_variant {
  using explicit_variant::explicit_variant;
  void step(ground& on) override {
    on.flags().wait_all(on.flags().tell());
    for (std::size_t d = 0; d < directions.size(); ++d) on.get_halo(d);
    on.finish();
    on.compute_all();
  }
};

// Gets the halos of some directions; those that are not in `wanted` are left.
void get_halos(ground& on, unsigned wanted) {
  for (std::size_t d = 0; d < directions.size(); ++d)
    if (wanted >> d & 1) on.get_halo(d);
  on.finish();
}

// The directions in which the neighbours have come to this point.
unsigned heard(ground& on, std::uint64_t point) {
  unsigned bits = 0;
  for (std::size_t d = 0; d < directions.size(); ++d)
    if (on.flags().heard(d, point)) bits |= 1U << d;
  return bits;
}

// Computes the sides piece by piece, in the order in which the neighbours come.
void compute_pieces(ground& on, std::uint64_t point, unsigned got) {
  std::vector<bool> done(on.cuts().pieces.size());
  for (std::size_t left = done.size(); left != 0;) {
    unsigned there = 0;
    on.flags().wait_until([&] { return (there = heard(on, point) & ~got) != 0 || got == 0xff; });
    get_halos(on, there);
    got |= there;
    for (std::size_t i = 0; i < done.size(); ++i) {
      const cut_block::piece& each = on.cuts().pieces[i];
      if (done[i] || (each.needs & ~got) != 0) continue;
      on.compute(each.where);
      done[i] = true;
      --left;
    }
  }
}

class get_as_they_come final : public explicit_variant {
 public:
  get_as_they_come(std::string_view name, std::shared_ptr<ground> on, bool inner_first)
      : explicit_variant(name, std::move(on)), inner_first_(inner_first) {}

 private:
  void step(ground& on) override {
    const std::uint64_t point = on.flags().tell();
    const unsigned own = on.own_directions();
    get_halos(on, own);
    if (inner_first_) on.compute(on.cuts().inner);
    compute_pieces(on, point, own);
    if (!inner_first_) on.compute(on.cuts().inner);
  }

  bool inner_first_;
};

}  // namespace

std::vector<std::unique_ptr<variant>> explicit_variants(const std::shared_ptr<ground>& on) {
  const extent place = on->given().domain.place_of(on->given().rank);
  const bool even = (place.x + place.y) % 2 == 0;
  std::vector<std::unique_ptr<variant>> all;
  all.push_back(std::make_unique<trivial>("trivial", on));
  all.push_back(std::make_unique<put_early>("put", on));
  all.push_back(std::make_unique<get_all>("get", on));
  all.push_back(std::make_unique<get_as_they_come>("get0", on, true));
  all.push_back(std::make_unique<get_as_they_come>("get1", on, even));
  return all;
}

}  // namespace stencil2d
