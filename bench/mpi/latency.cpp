// SPDX-License-Identifier: BSD-3-Clause
//
// Small operations by MPI. A blocking put or get is the operation and a flush; a flood is flushed
// once. The counterpart of a short active message is a message of 8 bytes with its receive posted.
#include <bench/harness/stopwatch.hpp>
#include <bench/mpi/cases.hpp>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace bench {

namespace {

constexpr std::uint64_t transfer_operations = 4'000;
constexpr std::uint64_t round_trip_operations = 2'000;
constexpr std::uint64_t flood_operations = 8'000;
constexpr std::uint64_t large_operations = 500;
constexpr std::uint64_t places = 64;
constexpr std::uint64_t window_messages = 64;
constexpr int tag = 1;

template <class Each, class End>
void add_acting(suite& to, const mpi_world& world, const char* name, Each each, End end) {
  to.add({.name = name,
          .operations = transfer_operations,
          .run = [&world, each, end](std::uint64_t count) {
            if (!world.acts()) return 0.0;
            const stopwatch watch;
            for (std::uint64_t i = 0; i < count; ++i) each(i % places * 8, i);
            end();
            return watch.elapsed_ns();
          }});
}

void add_transfers(suite& to, const mpi_world& world, const mpi_window& window) {
  static std::array<std::uint64_t, places> values;
  const int target = world.target();
  const auto flush = [&window, target] { window.flush(target); };
  const auto put = [&window, target](std::size_t offset, std::uint64_t i) {
    values[offset / 8] = i;
    window.put(&values[offset / 8], 8, target, offset);
  };
  const auto get = [&window, target](std::size_t offset, std::uint64_t) {
    window.get(&values[offset / 8], 8, target, offset);
  };
  const auto flushed = [flush](auto each) {
    return [=](std::size_t offset, std::uint64_t i) {
      each(offset, i);
      flush();
    };
  };
  add_acting(to, world, "put_8_blocking", flushed(put), [] {});
  add_acting(to, world, "put_8_nbi_flood", put, flush);
  add_acting(to, world, "get_8_blocking", flushed(get), [] {});
  add_acting(to, world, "get_8_nbi_flood", get, flush);
}

void send(const void* from, int bytes, int to) {
  MPI_Request request;
  MPI_Isend(from, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void receive(void* to, int bytes, int from) {
  MPI_Request request;
  MPI_Irecv(to, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

double ping_pong(const mpi_world& world, std::uint64_t count) {
  std::uint64_t ball = 0;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (world.acts()) {
      send(&ball, 8, 1);
      receive(&ball, 8, 1);
    } else if (world.is_target()) {
      receive(&ball, 8, 0);
      send(&ball, 8, 0);
    }
  }
  return watch.elapsed_ns();
}

/// Sends messages one way in windows; the last one is answered.
double flood(const mpi_world& world, std::uint64_t count, std::vector<char>& buffer) {
  const int bytes = static_cast<int>(buffer.size());
  std::array<MPI_Request, window_messages> requests;
  std::uint64_t answer = 0;
  const stopwatch watch;
  if (world.acts() || world.is_target()) {
    for (std::uint64_t done = 0; done < count;) {
      int posted = 0;
      for (; posted < static_cast<int>(window_messages) && done < count; ++posted, ++done) {
        MPI_Request& request = requests[static_cast<std::size_t>(posted)];
        if (world.acts()) {
          MPI_Isend(buffer.data(), bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &request);
        } else {
          MPI_Irecv(buffer.data(), bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
        }
      }
      MPI_Waitall(posted, requests.data(), MPI_STATUSES_IGNORE);
    }
    if (world.acts()) {
      receive(&answer, 8, 1);
    } else {
      send(&answer, 8, 0);
    }
  }
  return watch.elapsed_ns();
}

void add_flood(suite& to, const mpi_world& world, const char* name, std::uint64_t operations,
               std::size_t bytes) {
  to.add({.name = name,
          .operations = operations,
          .bytes = bytes,
          .run = [&world, buffer = std::vector<char>(bytes)](std::uint64_t count) mutable {
            return flood(world, count, buffer);
          }});
}

}  // namespace

void add_mpi_latency(suite& to, const mpi_world& world, const mpi_window& window) {
  add_transfers(to, world, window);
  if (world.ranks() > 1) {
    to.add({.name = "message_8_round_trip",
            .operations = round_trip_operations,
            .run = [&world](std::uint64_t count) { return ping_pong(world, count); }});
    add_flood(to, world, "message_8_flood", flood_operations, 8);
    add_flood(to, world, "message_4k_flood", flood_operations / 4, 4096);
    add_flood(to, world, "message_64k_flood", large_operations, 65536);
  }
}

}  // namespace bench
