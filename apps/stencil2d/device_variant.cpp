// SPDX-License-Identifier: BSD-3-Clause
//
// The variant *device*. Two fields alternate, as in shared_fields.hpp: the halos of a step are
// written into the field that the kernel of the last step has made, while the neighbours may still
// read their other one. A rank signals its neighbours only when its last kernel has ended, so the
// memory that they write next is free.
#include <apps/stencil2d/device_kernel.hpp>
#include <apps/stencil2d/device_variant.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/strided/strided.hpp>
#include <atoll/memory/device/device_list.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stencil2d {
namespace {

constexpr unsigned endpoint_of_devices = 1;  // of the job's endpoints

std::ptrdiff_t start_of(const block& shape, const rect& region) {
  return shape.offset(region.x0, region.y0);
}

/// The devices of a host are taken in turn.
atl::memory::device& device_for(atl::runtime& job, atl::memory::memory_kind kind) {
  const atl::memory::driver_state driver = atl::memory::describe_driver(kind);
  if (driver.devices.empty()) {
    throw atl::error(atl::text("--memory ", atl::memory::name_of(kind)),
                     "there is no such device: " + driver.reason, "leave the option out");
  }
  return job.open_device(kind, static_cast<int>(job.rank() % driver.devices.size()));
}

/// Memory of a device in which each rank has the same arrays, and all ranks reach them.
class device_memory {
 public:
  device_memory(atl::runtime& job, atl::memory::device& device, std::size_t bytes)
      : device_(device), shared_(job), base_(device.allocate(bytes)) {
    if (base_ == nullptr) {
      job.fail(atl::memory::text_of(device.description()),
               atl::text("it has no ", atl::bytes_text(bytes), ": ", device.problem()),
               "use smaller blocks");
    }
    shared_.share({base_, bytes, &device});
  }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() {
    shared_.owner().world().barrier();  // no rank accesses it any more
    shared_.place({});
    device_.free(base_);
  }

  atl::segment& shared() noexcept { return shared_; }
  double* base() const noexcept { return reinterpret_cast<double*>(base_); }
  /// Rank `peer`'s address that corresponds to `local` here.
  double* peer_address(atl::rank_id peer, double* local) {
    return reinterpret_cast<double*>(shared_.part(peer).base) + (local - base());
  }

 private:
  atl::memory::device& device_;
  atl::segment shared_;
  std::byte* base_;
};

class device_variant final : public variant {
 public:
  device_variant(arena& from, const setting& given, atl::memory::device& device)
      : given_(given),
        job_(from.job()),
        device_(device),
        memory_(job_, device, (2 * given.local.elements + given.weights.size()) * sizeof(double)),
        endpoint_(job_.endpoint_at(endpoint_of_devices)),
        flags_(from, given.domain, given.rank),
        mirror_(given.local.elements),
        pitch_bytes_(given.local.pitch * static_cast<std::ptrdiff_t>(sizeof(double))),
        now_(memory_.base()),
        next_(now_ + given.local.elements) {
    endpoint_.bind(memory_.shared());
    double* const weights = next_ + given.local.elements;
    write(weights, given.weights);
    write(now_, mirror_);
    write(next_, mirror_);
    kernel_ = make_device_kernel(device, given, weights);
  }

  ~device_variant() override { endpoint_.bind(job_.heaps()); }
  device_variant(const device_variant&) = delete;
  device_variant& operator=(const device_variant&) = delete;

  std::string_view name() const override { return "device"; }
  double* field() override { return mirror_.data(); }
  void load() override { write(now_, mirror_); }
  void unload() override {
    atl::get(memory_.shared(), mirror_.data(), job_.rank(), now_, mirror_.size() * sizeof(double));
  }

  void run(unsigned steps) override {
    for (unsigned step = 0; step < steps; ++step) {
      for (std::size_t d = 0; d < directions.size(); ++d) put_border(d);
      job_.wait_implicit(true, false);
      flags_.wait_all(flags_.notify_all());
      kernel_->start(now_, next_, given_.local.bounds());
      std::swap(now_, next_);
      wait_for_kernel();
    }
    job_.wait_implicit(true, false);
    job_.world().barrier();
  }

 private:
  void write(double* to, const std::vector<double>& values) {
    atl::put(memory_.shared(), job_.rank(), to, values.data(), values.size() * sizeof(double));
  }

  void put_border(std::size_t direction) {
    const atl::rank_id peer = given_.domain.neighbour(given_.rank, direction);
    const block remote = given_.domain.block_of(peer);
    const rect border = given_.local.border(direction);
    const auto rows = static_cast<std::size_t>(border.height());
    const atl::strided_transfer transfer{
        .to = memory_.peer_address(peer, now_) + start_of(remote, remote.halo(opposite(direction))),
        .to_strides = {&pitch_bytes_, 1},
        .from = now_ + start_of(given_.local, border),
        .from_strides = {&pitch_bytes_, 1},
        .element_bytes = sizeof(double) * static_cast<std::size_t>(border.width()),
        .counts = {&rows, 1}};
    atl::put_nbi(endpoint_, peer, transfer, {.device = &device_, .keeps_source = true});
  }

  void wait_for_kernel() {
    void* const mark = device_.mark(kernel_->stream());
    if (mark == nullptr) fail();
    const auto has_ended = [&] {
      const std::optional<bool> passed = device_.has_passed(mark);
      if (!passed) fail();
      return *passed;
    };
    job_.wait_until(has_ended, atl::runtime::silent_sleep_ns);
    device_.forget(mark);
  }

  [[noreturn]] void fail() {
    job_.fail(atl::memory::text_of(device_.description()) + ", a step", device_.problem(),
              device_.remedy());
  }

  const setting& given_;
  atl::runtime& job_;
  atl::memory::device& device_;
  device_memory memory_;
  atl::endpoint& endpoint_;
  handshake flags_;
  std::vector<double> mirror_;  // of the field, in host memory
  std::ptrdiff_t pitch_bytes_;
  double* now_;
  double* next_;
  std::unique_ptr<device_kernel> kernel_;
};

}  // namespace

void check_device(atl::runtime& job, atl::memory::memory_kind kind) {
  check_kernel_maker(device_for(job, kind));
}

std::unique_ptr<variant> make_device_variant(arena& from, const setting& given,
                                             atl::memory::memory_kind kind) {
  return std::make_unique<device_variant>(from, given, device_for(from.job(), kind));
}

}  // namespace stencil2d
