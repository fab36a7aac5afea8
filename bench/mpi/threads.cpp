// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of bench_threads done by MPI with MPI_THREAD_MULTIPLE: each thread has a tag of its
// own, posts its receives in windows of 64, and puts are flushed once at the end.
#include <bench/mpi/cases.hpp>
#include <bench/threads/cases.hpp>

#include <array>
#include <memory>
#include <numeric>

namespace bench {

namespace {

constexpr int first_tag = 100;
constexpr std::size_t window_messages = 64;

class mpi_threads {
 public:
  mpi_threads(const mpi_world& world, const mpi_window& window) : world_(world), window_(window) {}

  bool acts() const noexcept { return world_.acts(); }
  bool is_target() const noexcept { return world_.is_target() && world_.ranks() > 1; }

  void puts(unsigned thread, std::uint64_t count) const {
    std::array<std::uint64_t, thread_places> values;  // not written while puts are under way
    std::iota(values.begin(), values.end(), std::uint64_t{thread});
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t place = i % thread_places;
      window_.put(&values[place], 8, world_.target(), (thread * thread_places + place) * 8);
    }
    window_.flush(world_.target());
  }

  void messages(unsigned thread, std::uint64_t count) const {
    std::array<MPI_Request, window_messages> requests;
    std::array<std::uint64_t, window_messages> values{};
    for (std::uint64_t done = 0; done < count;) {
      std::size_t posted = 0;
      for (; posted < window_messages && done < count; ++posted, ++done) {
        if (acts()) {
          MPI_Isend(&values[posted], 8, MPI_BYTE, 1, tag(thread), MPI_COMM_WORLD,
                    &requests[posted]);
        } else {
          MPI_Irecv(&values[posted], 8, MPI_BYTE, 0, tag(thread), MPI_COMM_WORLD,
                    &requests[posted]);
        }
      }
      MPI_Waitall(static_cast<int>(posted), requests.data(), MPI_STATUSES_IGNORE);
    }
    if (acts()) {
      receive(thread, 1);
    } else {
      send(thread, 0);
    }
  }

  void round_trips(unsigned thread, std::uint64_t count) const {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (acts()) {
        send(thread, 1);
        receive(thread, 1);
      } else {
        receive(thread, 0);
        send(thread, 0);
      }
    }
  }

 private:
  static int tag(unsigned thread) { return first_tag + static_cast<int>(thread); }

  static void send(unsigned thread, int to) {
    const std::uint64_t value = thread;
    MPI_Send(&value, 8, MPI_BYTE, to, tag(thread), MPI_COMM_WORLD);
  }
  static void receive(unsigned thread, int from) {
    std::uint64_t value = 0;
    MPI_Recv(&value, 8, MPI_BYTE, from, tag(thread), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  const mpi_world& world_;
  const mpi_window& window_;
};

}  // namespace

std::shared_ptr<void> add_mpi_threads(suite& to, const mpi_world& world, const mpi_window& window,
                                      unsigned threads) {
  struct kept {
    kept(const mpi_world& mpi, const mpi_window& in, unsigned many)
        : library(mpi, in), cases(library, many) {}
    mpi_threads library;
    thread_cases<mpi_threads> cases;
  };
  const auto state = std::make_shared<kept>(world, window, threads);
  state->cases.add_to(to);
  return state;
}

}  // namespace bench
