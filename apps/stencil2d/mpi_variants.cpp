// SPDX-License-Identifier: BSD-3-Clause
//
// The same steps with messages, in the three usual ways:
//
//   trivial    eight Irecv and eight Isend of derived datatypes, all waited for, the whole block
//   sendrecv   a Sendrecv to each side along x, then along y with the halos of x, so with corners
//   halo       Irecv and Isend for each neighbour, packed by hand; the inner region; the sides
//
// *halo* has the optimizations of our variants: it copies locally where a rank is its own
// neighbour, packs into memory that is kept, and computes the block in one piece when all messages
// have arrived early.
#include <apps/stencil2d/copy_rows.hpp>
#include <apps/stencil2d/field_pair.hpp>
#include <apps/stencil2d/mpi_group.hpp>

#include <algorithm>
#include <array>

namespace stencil2d {
namespace {

class mpi_variant : public variant {
 public:
  mpi_variant(std::string_view name, const setting& given, MPI_Comm communicator)
      : given_(given),
        shape_(given.local),
        communicator_(communicator),
        name_(name),
        fields_(shape_.elements) {}

  std::string_view name() const override { return name_; }
  double* field() override { return fields_.now(); }
  void run(unsigned steps) override {
    for (unsigned each = 0; each < steps; ++each) {
      step();
      fields_.swap();
    }
  }

 protected:
  /// Makes the next values from those of now.
  virtual void step() = 0;

  int neighbour(std::size_t direction) const {
    return static_cast<int>(given_.domain.neighbour(given_.rank, direction));
  }
  double* start_of(const rect& region) {
    return fields_.now() + shape_.offset(region.x0, region.y0);
  }
  rows_at<double> rows(const rect& region) { return {start_of(region), shape_.pitch}; }
  void compute(const rect& region) { given_.apply(fields_.now(), fields_.next(), region); }

  const setting& given_;
  const block& shape_;
  MPI_Comm communicator_;

 private:
  std::string_view name_;
  field_pair fields_;
};

extent size_of(const rect& region) { return {region.width(), region.height()}; }

int count_of(const rect& region) { return static_cast<int>(region.points()); }

class trivial final : public mpi_variant {
 public:
  trivial(const setting& given, MPI_Comm communicator)
      : mpi_variant("trivial", given, communicator) {
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const rect border = shape_.border(d);
      MPI_Type_vector(border.height(), border.width(), static_cast<int>(shape_.pitch), MPI_DOUBLE,
                      &types_[d]);
      MPI_Type_commit(&types_[d]);
    }
  }
  trivial(const trivial&) = delete;
  trivial& operator=(const trivial&) = delete;
  ~trivial() override {
    for (MPI_Datatype& type : types_) MPI_Type_free(&type);
  }

 private:
  // A message is tagged with the direction in which it is sent.
  void step() override {
    std::array<MPI_Request, 16> requests;
    for (std::size_t d = 0; d < directions.size(); ++d) {
      MPI_Irecv(start_of(shape_.halo(d)), 1, types_[d], neighbour(d), static_cast<int>(opposite(d)),
                communicator_, &requests[d]);
    }
    for (std::size_t d = 0; d < directions.size(); ++d) {
      MPI_Isend(start_of(shape_.border(d)), 1, types_[d], neighbour(d), static_cast<int>(d),
                communicator_, &requests[8 + d]);
    }
    MPI_Waitall(16, requests.data(), MPI_STATUSES_IGNORE);
    compute(shape_.bounds());
  }

  std::array<MPI_Datatype, 8> types_;  // of a border and the halo on its side
};

class sendrecv final : public mpi_variant {
 public:
  sendrecv(const setting& given, MPI_Comm communicator)
      : mpi_variant("sendrecv", given, communicator) {
    const auto r = static_cast<std::size_t>(shape_.radius);
    const auto longest = static_cast<std::size_t>(std::max(shape_.size.x, shape_.size.y)) + 2 * r;
    out_.resize(longest * r);
    in_.resize(longest * r);
  }

 private:
  void step() override {
    const auto [width, height] = shape_.size;
    const int r = shape_.radius;
    send(west, {0, 0, r, height}, {width, 0, width + r, height});
    send(east, {width - r, 0, width, height}, {-r, 0, 0, height});
    send(north, {-r, 0, width + r, r}, {-r, height, width + r, height + r});
    send(south, {-r, height - r, width + r, height}, {-r, -r, width + r, 0});
    compute(shape_.bounds());
  }

  // Sends `from` in this direction and receives `to` from the opposite one.
  void send(std::size_t direction, const rect& from, const rect& to) {
    copy_rows({out_.data(), from.width()}, {start_of(from), shape_.pitch}, size_of(from));
    const int tag = static_cast<int>(direction);
    MPI_Sendrecv(out_.data(), count_of(from), MPI_DOUBLE, neighbour(direction), tag, in_.data(),
                 count_of(to), MPI_DOUBLE, neighbour(opposite(direction)), tag, communicator_,
                 MPI_STATUS_IGNORE);
    copy_rows(rows(to), {in_.data(), to.width()}, size_of(to));
  }

  static constexpr std::size_t north = 1;
  static constexpr std::size_t west = 3;
  static constexpr std::size_t east = opposite(west);
  static constexpr std::size_t south = opposite(north);

  std::vector<double> out_;
  std::vector<double> in_;
};

class halo final : public mpi_variant {
 public:
  halo(const setting& given, MPI_Comm communicator)
      : mpi_variant("halo", given, communicator), cuts_(cut(shape_, given.domain.ranks)) {
    for (std::size_t d = 0; d < directions.size(); ++d) {
      if (neighbour(d) == static_cast<int>(given.rank)) continue;
      others_.push_back(d);
      in_[d].resize(shape_.halo(d).points());
      out_[d].resize(shape_.border(d).points());
    }
    requests_.resize(2 * others_.size());
  }

 private:
  void step() override {
    start();
    int complete = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &complete,
                MPI_STATUSES_IGNORE);
    if (complete == 0) compute(cuts_.inner);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (const std::size_t d : others_) {
      const rect to = shape_.halo(d);
      copy_rows(rows(to), {in_[d].data(), to.width()}, size_of(to));
    }
    if (complete != 0) return compute(shape_.bounds());
    for (const rect& side : cuts_.sides) compute(side);
  }

  void start() {
    std::size_t next = 0;
    for (const std::size_t d : others_) {
      MPI_Irecv(in_[d].data(), static_cast<int>(in_[d].size()), MPI_DOUBLE, neighbour(d),
                static_cast<int>(opposite(d)), communicator_, &requests_[next++]);
    }
    for (const std::size_t d : others_) {
      const rect from = shape_.border(d);
      copy_rows({out_[d].data(), from.width()}, {start_of(from), shape_.pitch}, size_of(from));
      MPI_Isend(out_[d].data(), static_cast<int>(out_[d].size()), MPI_DOUBLE, neighbour(d),
                static_cast<int>(d), communicator_, &requests_[next++]);
    }
    for (std::size_t d = 0; d < directions.size(); ++d) {
      if (neighbour(d) != static_cast<int>(given_.rank)) continue;
      const rect from = shape_.border(d);
      copy_rows(rows(shape_.halo(opposite(d))), {start_of(from), shape_.pitch}, size_of(from));
    }
  }

  cut_block cuts_;
  std::vector<std::size_t> others_;  // directions in which there is another rank
  std::array<std::vector<double>, 8> in_;
  std::array<std::vector<double>, 8> out_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::vector<std::string> mpi_variants() { return {"trivial", "sendrecv", "halo"}; }

mpi_group::mpi_group(MPI_Comm communicator) : communicator_(communicator) {
  MPI_Comm_rank(communicator, &rank_);
  MPI_Comm_size(communicator, &size_);
}

void mpi_group::add(std::span<double> numbers) {
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM,
                communicator_);
}

void mpi_group::add(std::uint64_t& number) {
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_UINT64_T, MPI_SUM, communicator_);
}

std::vector<std::unique_ptr<variant>> mpi_group::variants(const setting& given,
                                                          const std::vector<std::string>& names) {
  std::vector<std::unique_ptr<variant>> result;
  result.push_back(std::make_unique<trivial>(given, communicator_));
  result.push_back(std::make_unique<sendrecv>(given, communicator_));
  result.push_back(std::make_unique<halo>(given, communicator_));
  if (names.empty()) return result;
  std::erase_if(result, [&](const std::unique_ptr<variant>& each) {
    return std::find(names.begin(), names.end(), each->name()) == names.end();
  });
  return result;
}

}  // namespace stencil2d
