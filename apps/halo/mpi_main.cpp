// SPDX-License-Identifier: BSD-3-Clause
//
// halo_mpi_<library>: the halo exchange of halo.f90 with MPI, with the same cells at the same
// places, the same options and the same report. It has three ways: packed blocks as messages to the
// two neighbours, the same by a collective call over a graph of neighbours, and MPI_Get of each
// cell, which has the name of its counterpart `scattered_gets`.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr int repeats = 5;
constexpr int wrong_answer = 1;
constexpr int refused = 2;

struct options {
  int cells = 100000;
  int wanted = 500;
  int rounds = 3;
  std::string json;
};

[[noreturn]] void refuse(const std::string& why) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::fprintf(stderr, "halo_mpi: %s\n", why.c_str());
  MPI_Finalize();
  std::exit(refused);
}

int number(const std::string& word, const char* value) {
  char* end = nullptr;
  const long found = std::strtol(value, &end, 10);
  if (*value == '\0' || *end != '\0' || found < 1 || found > std::numeric_limits<int>::max())
    refuse(word + " needs a number of 1 or more, not '" + value + "'");
  return static_cast<int>(found);
}

options read_words(int argc, char** argv) {
  options chosen;
  for (int i = 1; i < argc; i += 2) {
    const std::string word = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--cells") {
      chosen.cells = number(word, value);
    } else if (word == "--halo") {
      chosen.wanted = number(word, value);
    } else if (word == "--rounds") {
      chosen.rounds = number(word, value);
    } else if (word == "--json") {
      chosen.json = value;
    } else {
      refuse("there is no option " + word + "; there are --cells, --halo, --rounds and --json");
    }
  }
  return chosen;
}

/// The cells of one rank, and those that it needs of its neighbours in the ring: the first half of
/// the halo comes from the left one, the second from the right one.
class ring {
 public:
  explicit ring(const options& chosen)
      : wanted_(chosen.wanted),
        values_(static_cast<std::size_t>(chosen.cells)),
        halo_(2 * static_cast<std::size_t>(chosen.wanted)),
        packed_(halo_.size()) {
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left_ = (rank_ + size - 1) % size;
    right_ = (rank_ + 1) % size;
    choose_places(chosen);
    // With two ranks both neighbours are the same rank, and blocks keep their order.
    const int neighbours[] = {left_, right_};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, neighbours, MPI_UNWEIGHTED, 2, neighbours,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
    MPI_Win_create(values_.data(), static_cast<MPI_Aint>(values_.size() * sizeof(int)), sizeof(int),
                   MPI_INFO_NULL, MPI_COMM_WORLD, &window_);
  }
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;
  ~ring() {
    MPI_Win_free(&window_);
    MPI_Comm_free(&graph_);
  }

  int rank() const noexcept { return rank_; }

  void reset() {
    for (std::size_t j = 0; j < values_.size(); ++j)
      values_[j] = cell_of(rank_, static_cast<int>(j));
    std::fill(halo_.begin(), halo_.end(), -1);
  }

  bool is_right() const {
    for (std::size_t j = 0; j < places_.size(); ++j) {
      if (halo_[j] != cell_of(left_, places_[j]) ||
          halo_[places_.size() + j] != cell_of(right_, places_[j]))
        return false;
    }
    return true;
  }

  void scattered_gets() {
    MPI_Win_fence(0, window_);
    for (int j = 0; j < wanted_; ++j) {
      get_cell(j, left_, j);
      get_cell(wanted_ + j, right_, j);
    }
    MPI_Win_fence(0, window_);
  }

  void blocked_sends() {
    pack();
    MPI_Request requests[4];
    MPI_Irecv(halo_.data(), wanted_, MPI_INT, left_, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(halo_.data() + wanted_, wanted_, MPI_INT, right_, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(packed_.data(), wanted_, MPI_INT, left_, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(packed_.data(), wanted_, MPI_INT, right_, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }

  void neighbor_alltoall() {
    pack();
    std::copy_n(packed_.begin(), wanted_, packed_.begin() + wanted_);
    MPI_Neighbor_alltoall(packed_.data(), wanted_, MPI_INT, halo_.data(), wanted_, MPI_INT, graph_);
  }

 private:
  static int cell_of(int rank, int place) { return 1000000 * ((rank + 1) % 1000) + place + 1; }

  void pack() {
    for (std::size_t j = 0; j < places_.size(); ++j)
      packed_[j] = values_[static_cast<std::size_t>(places_[j])];
  }

  void get_cell(int to, int owner, int j) {
    MPI_Get(&halo_[static_cast<std::size_t>(to)], 1, MPI_INT, owner,
            places_[static_cast<std::size_t>(j)], 1, MPI_INT, window_);
  }

  void choose_places(const options& chosen) {
    std::int64_t state = 88172645;
    for (int j = 0; j < chosen.wanted; ++j) {
      state = state * 48271 % 2147483647;
      places_.push_back(static_cast<int>(state % chosen.cells));
    }
  }

  int wanted_;
  int rank_ = 0;
  int left_ = 0;
  int right_ = 0;
  std::vector<int> places_;  // of the wanted cells at their owner; the same on all ranks
  std::vector<int> values_;
  std::vector<int> halo_;
  std::vector<int> packed_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
};

struct variant {
  const char* name;
  void (ring::*exchange)();
  double seconds = std::numeric_limits<double>::max();
};

/// The best round; ends the job where a cell is wrong.
double measure(ring& cells, const variant& way, int rounds) {
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < rounds; ++round) {
    cells.reset();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int repeat = 0; repeat < repeats; ++repeat) (cells.*way.exchange)();
    best = std::min(best, (MPI_Wtime() - begin) / repeats);
    if (!cells.is_right()) {
      std::fprintf(stderr, "rank %d: %s brought wrong cells\n", cells.rank(), way.name);
      MPI_Abort(MPI_COMM_WORLD, wrong_answer);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return best;
}

void print_results(const std::vector<variant>& variants, const std::string& json) {
  for (const variant& each : variants)
    std::printf("%-17s%12.3f us\n", each.name, each.seconds * 1e6);
  if (json.empty()) return;
  std::FILE* const file = std::fopen(json.c_str(), "w");
  if (file == nullptr) refuse("--json " + json + ": the file cannot be written");
  std::fputs("{\"app\": \"halo_coarray\", \"variants\": [\n", file);
  for (const variant& each : variants)
    std::fprintf(file, "{\"name\": \"%s\", \"seconds\": %.5e}%s\n", each.name, each.seconds,
                 &each == &variants.back() ? "" : ",");
  std::fputs("]}\n", file);
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const options chosen = read_words(argc, argv);
  {
    ring cells(chosen);
    std::vector<variant> variants{{"scattered_gets", &ring::scattered_gets},
                                  {"blocked_sends", &ring::blocked_sends},
                                  {"neighbor_alltoall", &ring::neighbor_alltoall}};
    for (variant& each : variants) each.seconds = measure(cells, each, chosen.rounds);
    if (cells.rank() == 0) print_results(variants, chosen.json);
  }
  MPI_Finalize();
  return 0;
}
