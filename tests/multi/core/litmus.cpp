// SPDX-License-Identifier: BSD-3-Clause
//
// Litmus tests of the memory model that programs rely on: message passing (data, then a flag),
// store buffering (each of two ranks stores one number and loads the other's, with fence_all
// between) and independent reads (two readers do not see two writes in opposite orders). Each trial
// has separate numbers, so ranks run through many trials between two barriers and overlap in many
// ways. Reports how many trials of each kind overlapped, since a test without overlaps proves
// nothing.
//
// usage: litmus [TRIALS]
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <tests/support/addresses.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

namespace {

using namespace atl;

constexpr std::size_t trials_at_once = 512;

/// Written by ranks 0 and 1, a line per trial.
struct alignas(64) trial {
  std::uint64_t number = 0;
  std::uint64_t flag = 0;
};

/// The two numbers that a rank has read in a trial.
struct reading {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

struct rank_memory {
  trial trials[trials_at_once];
  reading readings[trials_at_once];
};

class litmus {
 public:
  explicit litmus(runtime& job)
      : job_(job),
        own_(*new(job.heap().allocate(sizeof(rank_memory), alignof(rank_memory))) rank_memory),
        memories_(support::exchange_addresses(job, &own_)) {}
  ~litmus() {
    job_.world().barrier();
    job_.heap().free(&own_);
  }

  /// Whether rank 1 sees a flag before the data that were put ahead of it.
  bool message_passing() {
    run([this](std::size_t i) {
      if (job_.rank() == 0) {
        write(0, i, &trial::number);
        write(1, i, &trial::flag);
      } else if (job_.rank() == 1) {
        own_.readings[i].first = read(1, i, &trial::flag);
        own_.readings[i].second = read(0, i, &trial::number);
      }
    });
    return check_trials("message passing", [](const auto& seen, std::size_t i) {
      return outcome{seen[1][i].first == 1 && seen[1][i].second == 0, seen[1][i].first == 1};
    });
  }

  /// Whether both of two ranks miss the store of the other.
  bool store_buffering() {
    run([this](std::size_t i) {
      const rank_id rank = job_.rank();
      if (rank > 1) return;
      write(rank, i, &trial::number);
      fence_all();
      own_.readings[i].first = read(1 - rank, i, &trial::number);
    });
    return check_trials("store buffering", [](const auto& seen, std::size_t i) {
      return outcome{seen[0][i].first == 0 && seen[1][i].first == 0,
                     seen[0][i].first == 1 && seen[1][i].first == 1};
    });
  }

  /// Whether ranks 2 and 3 see two independent stores in opposite orders.
  bool independent_reads() {
    if (job_.size() < 4) return true;
    run([this](std::size_t i) {
      const rank_id rank = job_.rank();
      if (rank < 2) {
        write(rank, i, &trial::number);
      } else if (rank < 4) {
        own_.readings[i].first = read(rank - 2, i, &trial::number);
        own_.readings[i].second = read(3 - rank, i, &trial::number);
      }
    });
    return check_trials("independent reads", [](const auto& seen, std::size_t i) {
      const auto saw_first_only = [&](rank_id rank) {
        return seen[rank][i].first == 1 && seen[rank][i].second == 0;
      };
      return outcome{saw_first_only(2) && saw_first_only(3),
                     saw_first_only(2) || saw_first_only(3)};
    });
  }

  /// The trials so far in which the ranks overlapped.
  std::size_t overlapped() const noexcept { return overlapped_; }

 private:
  struct outcome {
    bool forbidden;
    bool overlapped;
  };

  void write(rank_id rank, std::size_t i, std::uint64_t trial::* member) {
    put_value(job_.heaps(), rank, &(memories_[rank]->trials[i].*member), std::uint64_t{1});
  }
  std::uint64_t read(rank_id rank, std::size_t i, std::uint64_t trial::* member) {
    return get_value(job_.heaps(), rank, &(memories_[rank]->trials[i].*member));
  }

  template <class Trial>
  void run(Trial one_trial) {
    own_ = rank_memory();
    job_.world().barrier();
    for (std::size_t i = 0; i < trials_at_once; ++i) one_trial(i);
    job_.world().barrier();
  }

  /// Checks all readings, the same on every rank. False when there was a forbidden outcome.
  template <class Check>
  bool check_trials(const char* name, Check check_trial) {
    std::vector<std::vector<reading>> seen(job_.size());
    for (rank_id rank = 0; rank < job_.size(); ++rank) {
      seen[rank].resize(trials_at_once);
      get(job_.heaps(), seen[rank].data(), rank, memories_[rank]->readings,
          sizeof(reading) * trials_at_once);
    }
    std::size_t forbidden = 0;
    for (std::size_t i = 0; i < trials_at_once; ++i) {
      const outcome found = check_trial(seen, i);
      forbidden += found.forbidden;
      overlapped_ += found.overlapped;
    }
    if (forbidden != 0 && job_.rank() == 0)
      std::printf("%s: %zu of %zu trials came out as they must not\n", name, forbidden,
                  trials_at_once);
    job_.world().barrier();
    return forbidden == 0;
  }

  runtime& job_;
  rank_memory& own_;
  std::vector<rank_memory*> memories_;
  std::size_t overlapped_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t trials = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000;
  runtime job;
  if (job.size() < 2) {
    std::puts("litmus needs two ranks");
    return 1;
  }
  litmus tests(job);
  bool as_promised = true;
  for (std::size_t done = 0; done < trials; done += trials_at_once) {
    as_promised = tests.message_passing() && as_promised;
    as_promised = tests.store_buffering() && as_promised;
    as_promised = tests.independent_reads() && as_promised;
  }
  if (job.rank() == 0)
    std::printf("%zu trials of each kind; in %zu the ranks met\n", trials, tests.overlapped());
  if (!as_promised) job.exit(1);
  return 0;
}
