// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of bench_atomics done by MPI: operations that fetch are MPI_Fetch_and_op or
// MPI_Compare_and_swap, the others are MPI_Accumulate of one number. A blocking operation is one of
// these and a flush; a flood is flushed as often as ours is completed.
#include <bench/atomics/cases.hpp>
#include <bench/mpi/cases.hpp>

#include <concepts>
#include <cstdint>
#include <memory>

namespace bench {

namespace {

constexpr std::uint64_t operations = 4'000;

template <class T>
MPI_Datatype type_of() noexcept {
  if constexpr (std::same_as<T, double>) {
    return MPI_DOUBLE;
  } else {
    return sizeof(T) == 4 ? MPI_UINT32_T : MPI_UINT64_T;
  }
}

class mpi_atomics {
 public:
  mpi_atomics(const mpi_world& world, const mpi_window& window)
      : world_(world), window_(window), target_(world.target()) {}

  bool acts() const noexcept { return world_.acts(); }
  void complete() const noexcept { window_.flush(target_); }

  template <class T>
  T fetch_add(std::size_t place, T addend) const noexcept {
    T old_value;
    fetch_add_nbi(place, &addend, &old_value);
    complete();
    return old_value;
  }
  template <class T>
  void fetch_add_nbi(std::size_t place, const T* addend, T* old_value) const noexcept {
    MPI_Fetch_and_op(addend, old_value, type_of<T>(), target_, static_cast<MPI_Aint>(place),
                     MPI_SUM, window_.handle());
  }
  template <class T>
  void add(std::size_t place, T addend) const noexcept {
    add_nbi(place, &addend);
    complete();
  }
  template <class T>
  void add_nbi(std::size_t place, const T* addend) const noexcept {
    MPI_Accumulate(addend, 1, type_of<T>(), target_, static_cast<MPI_Aint>(place), 1, type_of<T>(),
                   MPI_SUM, window_.handle());
  }
  std::uint64_t compare_swap(std::size_t place, std::uint64_t expected,
                             std::uint64_t desired) const noexcept {
    std::uint64_t old_value;
    compare_swap_nbi(place, &expected, &desired, &old_value);
    complete();
    return old_value;
  }
  void compare_swap_nbi(std::size_t place, const std::uint64_t* expected,
                        const std::uint64_t* desired, std::uint64_t* old_value) const noexcept {
    MPI_Compare_and_swap(desired, expected, old_value, MPI_UINT64_T, target_,
                         static_cast<MPI_Aint>(place), window_.handle());
  }

 private:
  const mpi_world& world_;
  const mpi_window& window_;
  int target_;
};

}  // namespace

std::function<bool()> add_mpi_atomics(suite& to, const mpi_world& world, const mpi_window& window) {
  struct kept {
    kept(const mpi_world& mpi, const mpi_window& in)
        : library(mpi, in), cases(library, operations) {}
    mpi_atomics library;
    atomic_cases<mpi_atomics> cases;
  };
  const auto state = std::make_shared<kept>(world, window);
  state->cases.add_to(to);
  return [state, &world, &window] {
    world.barrier();
    return !world.is_target() || state->cases.all_done(window.memory());
  };
}

}  // namespace bench
