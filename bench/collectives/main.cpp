// SPDX-License-Identifier: BSD-3-Clause
//
// bench_collectives: every collective at as many ranks as it is started with, by what the runtime
// recommends or ATOLL_COLL_* forces, in ordinary memory. The same cases are measured by
// bench_mpi_<library> collectives.
#include <bench/collectives/cases.hpp>
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>

#include <atoll/coll/collectives.hpp>

#include <array>

namespace {

constexpr std::size_t bytes_max = std::size_t{4} << 20;
constexpr std::size_t quick_bytes = std::size_t{64} << 10;

class library {
 public:
  explicit library(atl::runtime& job) : team_(job.world()) {}

  unsigned rank() const { return team_.rank(); }
  unsigned ranks() const { return team_.size(); }
  void barrier() const { team_.barrier(); }
  void broadcast(double* data, std::size_t bytes) const {
    atl::coll::broadcast(team_, 0, data, data, bytes);
  }
  void reduce(double* to, const double* from, std::size_t count) const {
    atl::coll::reduce(team_, 0, to, from, count, sum_);
  }
  void allreduce(double* to, const double* from, std::size_t count) const {
    atl::coll::allreduce(team_, to, from, count, sum_);
  }
  void scan(double* to, const double* from, std::size_t count) const {
    atl::coll::scan(team_, to, from, count, sum_, atl::coll::scan_kind::inclusive);
  }
  void scatter(double* to, const double* from, std::size_t bytes) const {
    atl::coll::scatter(team_, 0, to, from, bytes);
  }
  void gather(double* to, const double* from, std::size_t bytes) const {
    atl::coll::gather(team_, 0, to, from, bytes);
  }
  void allgather(double* to, const double* from, std::size_t bytes) const {
    atl::coll::allgather(team_, to, from, bytes);
  }
  void alltoall(double* to, const double* from, std::size_t bytes) const {
    atl::coll::alltoall(team_, to, from, bytes);
  }
  void broadcasts(double* data, std::size_t bytes, unsigned several) const {
    std::array<atl::event, bench::broadcasts_in_flight> under_way;
    for (unsigned i = 0; i < several; ++i) {
      double* const buffer = data + i * bytes / sizeof(double);
      under_way[i] = atl::coll::start_broadcast(team_, 0, buffer, buffer, bytes);
    }
    for (unsigned i = 0; i < several; ++i) team_.owner().wait(under_way[i]);
  }

 private:
  atl::team& team_;
  atl::coll::reduction sum_ =
      atl::coll::built_in(atl::coll::reduce_operation::add, atl::data_type::f64);
};

bool measure(atl::runtime& job, const bench::options& chosen) {
  const library collectives(job);
  bench::collective_cases cases(collectives, chosen.quick ? quick_bytes : bytes_max);
  bench::suite suite(bench::title_of("collectives", job), chosen, [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  cases.add_to(suite);
  suite.run();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  bench::command_line line("Collectives of all ranks", chosen);
  line.parse(argc, argv);
  return bench::job_main("bench_collectives", chosen, measure);
}
