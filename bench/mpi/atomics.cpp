// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of bench_atomics done by MPI: operations that fetch are MPI_Fetch_and_op or
// MPI_Compare_and_swap, the others are MPI_Accumulate of one number. A blocking operation is it and
// a flush; a flood is flushed as often as ours is completed.
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
  T fetch_add(std::size_t place, T by) const noexcept {
    T was;
    fetch_add_nbi(place, &by, &was);
    complete();
    return was;
  }
  template <class T>
  void fetch_add_nbi(std::size_t place, const T* by, T* was) const noexcept {
    MPI_Fetch_and_op(by, was, type_of<T>(), target_, static_cast<MPI_Aint>(place), MPI_SUM,
                     window_.handle());
  }
  template <class T>
  void add(std::size_t place, T by) const noexcept {
    add_nbi(place, &by);
    complete();
  }
  template <class T>
  void add_nbi(std::size_t place, const T* by) const noexcept {
    MPI_Accumulate(by, 1, type_of<T>(), target_, static_cast<MPI_Aint>(place), 1, type_of<T>(),
                   MPI_SUM, window_.handle());
  }
  std::uint64_t compare_swap(std::size_t place, std::uint64_t if_it_is,
                             std::uint64_t then) const noexcept {
    std::uint64_t was;
    compare_swap_nbi(place, &if_it_is, &then, &was);
    complete();
    return was;
  }
  void compare_swap_nbi(std::size_t place, const std::uint64_t* if_it_is, const std::uint64_t* then,
                        std::uint64_t* was) const noexcept {
    MPI_Compare_and_swap(then, if_it_is, was, MPI_UINT64_T, target_, static_cast<MPI_Aint>(place),
                         window_.handle());
  }

 private:
  const mpi_world& world_;
  const mpi_window& window_;
  int target_;
};

}  // namespace

std::function<bool()> add_mpi_atomics(suite& to, const mpi_world& world, const mpi_window& window) {
  struct kept {
    kept(const mpi_world& of, const mpi_window& in) : library(of, in), cases(library, operations) {}
    mpi_atomics library;
    atomic_cases<mpi_atomics> cases;
  };
  const auto all = std::make_shared<kept>(world, window);
  all->cases.add_to(to);
  return [all, &world, &window] {
    world.barrier();
    return !world.is_target() || all->cases.all_done(window.memory());
  };
}

}  // namespace bench
