// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of bench_curves done by MPI. A put or get is MPI_Put or MPI_Get and a flush, under one
// lock_all for the whole run; those between fences have a separate window, as MPI requires. A
// message is MPI_Isend and MPI_Irecv; a flood of them is 64 receives posted before they are waited
// for. A flag is put after the data has been flushed; the rank that awaits it reads its own window
// and lets MPI make progress from time to time.
#include <bench/curves/cases.hpp>
#include <bench/mpi/cases.hpp>

#include <array>
#include <memory>
#include <vector>

namespace bench {

namespace {

constexpr int tag = 2;
constexpr std::size_t flag_bytes = 128;
constexpr unsigned looks_between_progress = 16;

/// A window for fences: epochs of another kind must not be mixed with lock_all.
class fenced_window {
 public:
  explicit fenced_window(std::size_t bytes) {
    MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_,
                     &handle_);
    std::memset(memory_, 0, bytes);
    MPI_Win_fence(0, handle_);
  }
  fenced_window(const fenced_window&) = delete;
  fenced_window& operator=(const fenced_window&) = delete;
  ~fenced_window() { MPI_Win_free(&handle_); }
  MPI_Win handle() const noexcept { return handle_; }

 private:
  void* memory_ = nullptr;
  MPI_Win handle_ = MPI_WIN_NULL;
};

class mpi_curves {
 public:
  mpi_curves(const mpi_world& world, std::size_t area_bytes, bool fences)
      : world_(world), area_bytes_(area_bytes), window_(2 * area_bytes + flag_bytes) {
    const unsigned half = world.ranks() / 2;
    acts_ = half == 0 || world.rank() < half;
    is_target_ = half == 0 || (world.rank() >= half && world.rank() < 2 * half);
    partner_ = static_cast<int>(half == 0 ? 0 : acts_ ? world.rank() + half : world.rank() - half);
    if (!acts_ && !is_target_) partner_ = static_cast<int>(world.rank());
    source_ = const_cast<std::byte*>(window_.memory());
    fill_with_pattern({source_, area_bytes});
    got_.resize(area_bytes);
    if (fences) fenced_ = std::make_unique<fenced_window>(area_bytes);
    world.barrier();
  }

  bool acts() const noexcept { return acts_; }
  bool is_target() const noexcept { return is_target_; }
  unsigned rank() const noexcept { return world_.rank(); }
  unsigned ranks() const noexcept { return world_.ranks(); }
  unsigned partner() const noexcept { return static_cast<unsigned>(partner_); }
  void barrier() const noexcept { world_.barrier(); }

  void put(std::size_t position, std::size_t bytes) const noexcept {
    start_put(position, bytes);
    complete();
  }
  void get(std::size_t position, std::size_t bytes) noexcept {
    start_get(position, bytes);
    complete();
  }
  void start_put(std::size_t position, std::size_t bytes) const noexcept {
    window_.put(source_ + position, bytes, partner_, area_bytes_ + position);
  }
  void start_get(std::size_t position, std::size_t bytes) noexcept {
    window_.get(got_.data() + position, bytes, partner_, position);
  }
  void complete() const noexcept { window_.flush(partner_); }

  void put_and_raise(std::size_t position, std::size_t bytes, std::uint64_t flag) const noexcept {
    put(position, bytes);
    window_.put(&flag, sizeof flag, partner_, 2 * area_bytes_);
    complete();
  }
  void await(std::uint64_t flag) const noexcept {
    for (unsigned looks = 1;; ++looks) {
      touch_memory();  // the other process writes it
      std::uint64_t found;
      std::memcpy(&found, window_.memory() + 2 * area_bytes_, sizeof found);
      if (found == flag) return;
      int pending = 0;
      if (looks % looks_between_progress == 0)
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &pending, MPI_STATUS_IGNORE);
    }
  }
  void put_in_epoch(std::size_t position, std::size_t bytes) const noexcept {
    if (!fenced_) return;
    const int count = static_cast<int>(bytes);
    MPI_Put(source_ + position, count, MPI_BYTE, partner_, static_cast<MPI_Aint>(position), count,
            MPI_BYTE, fenced_->handle());
  }
  void fence() const noexcept {
    if (fenced_) MPI_Win_fence(0, fenced_->handle());
  }
  void forget() noexcept {
    world_.barrier();
    std::memset(source_ + area_bytes_, 0, area_bytes_);
    std::ranges::fill(got_, std::byte{0});
    MPI_Win_sync(window_.handle());
  }

  void ping(std::size_t position, std::size_t bytes) {
    send(position, bytes);
    receive(position, bytes);
  }
  void pong(rotation& places, std::size_t bytes, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t position = places.next();
      receive(position, bytes);
      send(position, bytes);
    }
  }

  void start_message(std::size_t position, std::size_t bytes) {
    MPI_Isend(source_ + position, static_cast<int>(bytes), MPI_BYTE, partner_, tag, MPI_COMM_WORLD,
              &requests_[posted_++]);
    if (posted_ == requests_.size()) wait_for_all();
  }
  void end_messages() {
    wait_for_all();
    receive(0, sizeof(std::uint64_t));
  }
  void take_messages(rotation& places, std::size_t bytes, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      MPI_Irecv(got_.data() + places.next(), static_cast<int>(bytes), MPI_BYTE, partner_, tag,
                MPI_COMM_WORLD, &requests_[posted_++]);
      if (posted_ == requests_.size()) wait_for_all();
    }
    wait_for_all();
    send(0, sizeof(std::uint64_t));
  }

  bool is_right() const {
    const std::span<const std::byte> inbox(window_.memory() + area_bytes_, area_bytes_);
    return holds_pattern(inbox) && holds_pattern(got_);
  }

 private:
  void send(std::size_t position, std::size_t bytes) const {
    MPI_Request request;
    MPI_Isend(source_ + position, static_cast<int>(bytes), MPI_BYTE, partner_, tag, MPI_COMM_WORLD,
              &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void receive(std::size_t position, std::size_t bytes) {
    MPI_Request request;
    MPI_Irecv(got_.data() + position, static_cast<int>(bytes), MPI_BYTE, partner_, tag,
              MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void wait_for_all() {
    MPI_Waitall(static_cast<int>(posted_), requests_.data(), MPI_STATUSES_IGNORE);
    posted_ = 0;
  }

  const mpi_world& world_;
  std::size_t area_bytes_;
  mpi_window window_;  // source, inbox, flag
  std::unique_ptr<fenced_window> fenced_;
  std::byte* source_;
  std::vector<std::byte> got_;
  bool acts_;
  bool is_target_;
  int partner_;
  std::array<MPI_Request, curve_in_flight> requests_;
  std::size_t posted_ = 0;
};

}  // namespace

std::function<bool()> add_mpi_curves(suite& to, const mpi_world& world, const std::string& set,
                                     const std::vector<std::size_t>& sizes) {
  struct kept {
    kept(const mpi_world& mpi, std::size_t area_bytes, const std::string& set_name)
        : library(mpi, area_bytes, set_name == "latency"), cases(library, set_name == "rate") {}
    mpi_curves library;
    curve_cases<mpi_curves> cases;
  };
  const std::size_t most = *std::ranges::max_element(sizes);
  const auto state = std::make_shared<kept>(world, curve_area_bytes(most), set);
  state->cases.warm_up(curve_area_bytes(most));
  add_curves(to, state->cases, set, sizes);
  return [state, &world] {
    world.barrier();
    return state->library.is_right();
  };
}

}  // namespace bench
