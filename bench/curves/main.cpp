// SPDX-License-Identifier: BSD-3-Clause
//
// bench_curves: transfers by size on Atoll; cases.hpp lists their kinds. A message is an active
// message: a medium whose handler copies it to its place, or above the limit of mediums a long,
// which arrives at its place. Run it under `atoll run -n 2`.
#include <bench/curves/cases.hpp>
#include <bench/curves/options.hpp>
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>

#include <atoll/core/rma/rma.hpp>

#include <atomic>
#include <cstring>
#include <stdexcept>

namespace {

using offset = std::uint32_t;

/// Shared memory of one rank, at the same place of each.
struct areas {
  std::byte* source;  // the pattern
  std::byte* inbox;   // what others put
  std::byte* got;     // what is got from the partner's source
  std::uint64_t* flag;
};

class library {
 public:
  library(atl::runtime& job, std::size_t area_bytes)
      : job_(job), endpoint_(job.primordial()), area_bytes_(area_bytes) {
    const atl::rank_id half = job.size() / 2;
    acts_ = half == 0 || job.rank() < half;
    is_target_ = half == 0 || (job.rank() >= half && job.rank() < 2 * half);
    partner_ = half == 0 ? 0 : acts_ ? job.rank() + half : job.rank() - half;
    if (!acts_ && !is_target_) partner_ = job.rank();
    take_memory();
    register_handlers();
    job.world().barrier();
  }
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  bool acts() const noexcept { return acts_; }
  bool is_target() const noexcept { return is_target_; }
  unsigned rank() const noexcept { return job_.rank(); }
  unsigned ranks() const noexcept { return job_.size(); }
  unsigned partner() const noexcept { return partner_; }
  void barrier() const noexcept { job_.world().barrier(); }

  void put(std::size_t position, std::size_t bytes) const noexcept {
    atl::put(endpoint_, partner_, remote_.inbox + position, local_.source + position, bytes);
  }
  void get(std::size_t position, std::size_t bytes) const noexcept {
    atl::get(endpoint_, local_.got + position, partner_, remote_.source + position, bytes);
  }
  void start_put(std::size_t position, std::size_t bytes) const noexcept {
    // As with MPI_Put, the source does not change until the flood is complete.
    atl::put_nbi(endpoint_, partner_, remote_.inbox + position, local_.source + position, bytes,
                 {.keeps_source = true});
  }
  void start_get(std::size_t position, std::size_t bytes) const noexcept {
    atl::get_nbi(endpoint_, local_.got + position, partner_, remote_.source + position, bytes);
  }
  void complete() const noexcept { job_.wait_implicit(true, true); }

  void put_and_raise(std::size_t position, std::size_t bytes, std::uint64_t flag) const noexcept {
    put(position, bytes);
    atl::put_value(endpoint_, partner_, remote_.flag, flag);
    if (job_.is_neighbour(partner_)) job_.wake(partner_);
  }
  void await(std::uint64_t flag) const noexcept {
    // Pairs with the put of the flag, which is not seen before the data that were put before it.
    job_.wait_until(
        [&] { return std::atomic_ref(*local_.flag).load(std::memory_order_acquire) == flag; },
        atl::runtime::silent_sleep_ns);
  }
  void put_in_epoch(std::size_t position, std::size_t bytes) const noexcept {
    put(position, bytes);
  }
  void fence() const noexcept { barrier(); }
  void forget() const noexcept { std::memset(local_.inbox, 0, 2 * area_bytes_); }  // and got

  void ping(std::size_t position, std::size_t bytes) {
    ++asked_;
    send(ball, position, bytes);
    await_answers();
  }
  void pong(bench::rotation&, std::size_t, std::uint64_t count) { await_messages(count); }
  void start_message(std::size_t position, std::size_t bytes) { send(landed, position, bytes); }
  void end_messages() {
    ++asked_;
    endpoint_.request({.target = partner_, .handler = last});
    await_answers();
  }
  void take_messages(bench::rotation&, std::size_t, std::uint64_t count) {
    await_messages(count + 1);
  }

  /// After all cases: whether the pattern is what arrived here.
  bool is_right() const {
    const std::span<const std::byte> inbox(local_.inbox, area_bytes_), got(local_.got, area_bytes_);
    return bench::holds_pattern(inbox) && bench::holds_pattern(got) && handled_ == expected_ &&
           answers_ == asked_;
  }

 private:
  enum handler : atl::handler_id { ball, back, landed, last, answer };

  void take_memory() {
    const std::size_t line = 128;
    auto* const block = static_cast<std::byte*>(job_.heap().allocate(3 * area_bytes_ + line, 4096));
    if (block == nullptr) throw std::runtime_error("not enough memory for the buffers");
    std::memset(block, 0, 3 * area_bytes_ + line);
    local_ = split(block);
    bench::fill_with_pattern({local_.source, area_bytes_});
    const atl::route* const paths = endpoint_.bound().routes();
    const auto own = reinterpret_cast<std::uintptr_t>(block);
    remote_ = split(
        reinterpret_cast<std::byte*>(own - paths[job_.rank()].remote() + paths[partner_].remote()));
  }

  areas split(std::byte* base) const {
    return {base, base + area_bytes_, base + 2 * area_bytes_,
            reinterpret_cast<std::uint64_t*>(base + 3 * area_bytes_)};
  }

  void register_handlers() {
    atl::handler_table& table = endpoint_.handlers();
    table.set(ball, {.run = on_ball, .context = this, .name = "ball"});
    table.set(back, {.run = on_back, .context = this, .name = "back"});
    table.set(landed, {.run = on_landed, .context = this, .name = "landed"});
    table.set(last, {.run = on_last, .context = this, .name = "last"});
    table.set(answer, {.run = on_back, .context = this, .name = "answer"});
  }

  /// A message that brings `bytes` of the source to the partner's inbox.
  atl::am_message message(atl::handler_id which, const offset& place, std::size_t bytes) const {
    const bool medium = bytes <= endpoint_.medium_max(partner_);
    return {.target = partner_,
            .kind = medium ? atl::am_category::medium : atl::am_category::long_,
            .handler = which,
            .nargs = 1,
            .args = &place,
            .payload = local_.source + place,
            .bytes = bytes,
            .address = reinterpret_cast<std::uintptr_t>(remote_.inbox + place)};
  }
  void send(atl::handler_id which, std::size_t position, std::size_t bytes) {
    const auto place = static_cast<offset>(position);
    endpoint_.request(message(which, place, bytes));
  }

  void await_answers() {
    job_.wait_until([this] { return answers_ == asked_; });
  }
  void await_messages(std::uint64_t count) {
    expected_ += count;
    job_.wait_until([this] { return handled_ == expected_; });
  }

  void take(const atl::am_token& token, offset place, const void* payload, std::size_t bytes) {
    if (token.category() == atl::am_category::medium)
      std::memcpy(local_.inbox + place, payload, bytes);
  }

  static void on_ball(void* self, atl::am_token& token, const std::uint32_t* args, unsigned,
                      void* payload, std::size_t bytes) {
    auto& my = *static_cast<library*>(self);
    my.take(token, args[0], payload, bytes);
    ++my.handled_;
    token.reply(my.message(back, args[0], bytes));
  }
  static void on_back(void* self, atl::am_token& token, const std::uint32_t* args, unsigned nargs,
                      void* payload, std::size_t bytes) {
    auto& my = *static_cast<library*>(self);
    if (nargs != 0) my.take(token, args[0], payload, bytes);
    ++my.answers_;
  }
  static void on_landed(void* self, atl::am_token& token, const std::uint32_t* args, unsigned,
                        void* payload, std::size_t bytes) {
    auto& my = *static_cast<library*>(self);
    my.take(token, args[0], payload, bytes);
    ++my.handled_;
  }
  static void on_last(void* self, atl::am_token& token, const std::uint32_t*, unsigned, void*,
                      std::size_t) {
    ++static_cast<library*>(self)->handled_;
    token.reply({.handler = answer});
  }

  atl::runtime& job_;
  atl::endpoint& endpoint_;
  std::size_t area_bytes_;
  bool acts_;
  bool is_target_;
  atl::rank_id partner_;
  areas local_;
  areas remote_;  // the partner's, by its own addresses
  std::uint64_t answers_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t handled_ = 0;
  std::uint64_t expected_ = 0;
};

bool measure(atl::runtime& job, const bench::options& chosen, const bench::curve_options& asked) {
  const std::vector<std::size_t> sizes = asked.sizes_to_measure(chosen.quick);
  const std::size_t area_bytes = bench::curve_area_bytes(*std::ranges::max_element(sizes));
  library pair(job, area_bytes);
  bench::curve_cases cases(pair, asked.set == "rate");
  cases.warm_up(area_bytes);
  bench::suite suite(bench::title_of(asked.set.c_str(), job), chosen,
                     [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  bench::add_curves(suite, cases, asked.set, sizes);
  suite.run();
  job.world().barrier();
  return pair.is_right();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  bench::curve_options asked;
  bench::command_line line("Puts, gets and messages by size, one at a time or many in flight",
                           chosen);
  bench::add_curve_options(line, asked);
  line.add_choice("set", asked.set, "latency, bandwidth or rate", {"latency", "bandwidth", "rate"});
  line.parse(argc, argv);
  return bench::job_main("bench_curves", chosen,
                         [&](atl::runtime& job, const bench::options& options) {
                           return measure(job, options, asked);
                         });
}
