// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous puts and gets by MPI RMA with derived datatypes, committed before they are
// measured, each transfer completed by a flush.
#include <bench/harness/stopwatch.hpp>
#include <bench/mpi/cases.hpp>
#include <bench/strided/shapes.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

namespace {

constexpr std::size_t doubles_per_round = 250'000;  // at least one operation
constexpr std::uint64_t operations_max = 1'000;

/// A committed datatype.
class layout {
 public:
  explicit layout(MPI_Datatype made) : type_(made) { MPI_Type_commit(&type_); }
  layout(const layout&) = delete;
  layout& operator=(const layout&) = delete;
  ~layout() { MPI_Type_free(&type_); }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  MPI_Datatype type_;
};

// Dense rows become one vector, as a user would write it.
MPI_Datatype plane_type(const plane& shape, std::ptrdiff_t row, std::ptrdiff_t column) {
  const int rows = static_cast<int>(shape.rows), columns = static_cast<int>(shape.columns);
  MPI_Datatype type, line;
  if (column == 1) {
    MPI_Type_vector(rows, columns, static_cast<int>(row), MPI_DOUBLE, &type);
    return type;
  }
  MPI_Type_vector(columns, 1, static_cast<int>(column), MPI_DOUBLE, &line);
  MPI_Type_create_hvector(rows, 1, row * static_cast<std::ptrdiff_t>(sizeof(double)), line, &type);
  MPI_Type_free(&line);
  return type;
}

MPI_Datatype scattered_type() {
  std::vector<int> places;
  for (const std::size_t each : scattered_places()) places.push_back(static_cast<int>(each));
  MPI_Datatype type;
  MPI_Type_create_indexed_block(static_cast<int>(places.size()), 1, places.data(), MPI_DOUBLE,
                                &type);
  return type;
}

template <class Transfer>
void add(suite& to, const mpi_world& world, std::string name, std::size_t doubles,
         Transfer transfer) {
  to.add({.name = std::move(name),
          .operations = std::clamp<std::uint64_t>(doubles_per_round / doubles, 1, operations_max),
          .bytes = doubles * sizeof(double),
          .run = [&world, transfer](std::uint64_t count) {
            if (!world.acts()) return 0.0;
            return time_of(count, transfer);
          }});
}

}  // namespace

void add_mpi_strided(suite& to, const mpi_world& world, const mpi_window& window) {
  const auto own = std::make_shared<std::vector<double>>(area_doubles, 1.0);
  const int target = world.target();
  for (const plane& each : planes) {
    const auto target_layout =
        std::make_shared<layout>(plane_type(each, each.to_row, each.to_column));
    const auto own_layout =
        std::make_shared<layout>(plane_type(each, each.from_row, each.from_column));
    add(to, world, std::string("put_") + each.name, each.doubles(), [=, &window] {
      window.put_typed(own->data(), own_layout->type(), target, target_layout->type());
      window.flush(target);
    });
    add(to, world, std::string("get_") + each.name, each.doubles(), [=, &window] {
      window.get_typed(own->data(), target_layout->type(), target, own_layout->type());
      window.flush(target);
    });
  }
  const auto target_layout = std::make_shared<layout>(scattered_type());
  MPI_Datatype dense;
  MPI_Type_contiguous(static_cast<int>(listed_doubles), MPI_DOUBLE, &dense);
  const auto own_layout = std::make_shared<layout>(dense);
  add(to, world, "put_scattered_10000", listed_doubles, [=, &window] {
    window.put_typed(own->data(), own_layout->type(), target, target_layout->type());
    window.flush(target);
  });
}

}  // namespace bench
