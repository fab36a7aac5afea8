// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of a bootstrap in PMIx's terms: what is exchanged is put under a key with a number of
// its own, then fenced with the data collected, then got from each rank. Compiled into the module
// only.
#include <atoll/base/error.hpp>
#include <atoll/base/system/blocked_signals.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/version.hpp>
#include <atoll/bootstrap/launcher_module.hpp>
#include <atoll/bootstrap/pmix.hpp>
#include <atoll/bootstrap/single.hpp>

#include <pmix.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace atl::bootstrap {
namespace {

constexpr std::size_t blob_bytes_max = 64 * 1024;

/// Blobs of an earlier runtime in this process keep their keys.
std::atomic<std::uint64_t> joins{0};  // pairs with nothing: only a number

void require(pmix_status_t status, const char* action) {
  if (status == PMIX_SUCCESS) return;
  throw error("job", text("PMIx: ", action, " failed: ", PMIx_Error_string(status)),
              "start the program by a launcher that speaks PMIx, or with `atoll run -n N`");
}

pmix_proc_t process_of(const std::string& job, pmix_rank_t rank) {
  pmix_proc_t process;
  PMIX_PROC_CONSTRUCT(&process);
  PMIX_LOAD_PROCID(&process, job.c_str(), rank);
  return process;
}

/// When the launcher has died, so has the job. The handler runs on PMIx's own thread.
void end_with_the_launcher() {
  pmix_status_t lost = PMIX_ERR_LOST_CONNECTION;
  const auto end = [](auto...) { _exit(1); };
  PMIx_Register_event_handler(&lost, 1, nullptr, 0, end, nullptr, nullptr);
}

}  // namespace

pmix::pmix() {
  pmix_proc_t self;
  PMIX_PROC_CONSTRUCT(&self);
  {
    const blocked_signals meanwhile;  // PMIx makes a thread of its own
    require(PMIx_Init(&self, nullptr, 0), "joining");
  }
  joined_ = true;
  end_with_the_launcher();
  job_ = self.nspace;
  rank_ = self.rank;
  const auto all_processes = process_of(job_, PMIX_RANK_WILDCARD);
  pmix_value_t* value = nullptr;
  require(PMIx_Get(&all_processes, PMIX_JOB_SIZE, nullptr, 0, &value),
          "asking for the size of the job");
  size_ = value->data.uint32;
  PMIX_VALUE_RELEASE(value);
  exchanges_ = joins.fetch_add(1, std::memory_order_relaxed) << 32;
  host_ =
      share_host(rank_, {.exchange = [this](auto contribution) { return exchange(contribution); },
                         .fence = [this] { fence(); }});
}

pmix::~pmix() { goodbye(); }

std::vector<std::uint32_t> pmix::hosts() const {
  return host_.is_only() ? std::vector<std::uint32_t>() : host_.host_of_rank;
}

blob_table pmix::exchange(std::span<const std::byte> contribution) {
  if (contribution.size() > blob_bytes_max)
    throw error("exchange", text("a blob of ", contribution.size(), " bytes is longer than 64 KiB"),
                "send less");
  const auto key = text("atoll.", exchanges_++);
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  value.type = PMIX_BYTE_OBJECT;
  std::vector<std::byte> counted(contribution.begin(), contribution.end());
  counted.push_back({});  // PMIx keeps no values of no bytes
  value.data.bo.bytes = reinterpret_cast<char*>(counted.data());
  value.data.bo.size = counted.size();
  require(PMIx_Put(PMIX_GLOBAL, key.c_str(), &value), "putting a blob");
  require(PMIx_Commit(), "putting a blob");
  pmix_info_t collect;
  PMIX_INFO_CONSTRUCT(&collect);
  bool yes = true;
  PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
  const auto all_processes = process_of(job_, PMIX_RANK_WILDCARD);
  require(PMIx_Fence(&all_processes, 1, &collect, 1), "an exchange");
  std::vector<blob> blobs;
  for (rank_id rank = 0; rank < size_; ++rank) {
    const auto process = process_of(job_, rank);
    pmix_value_t* got = nullptr;
    require(PMIx_Get(&process, key.c_str(), nullptr, 0, &got), "getting a blob");
    const auto* data = reinterpret_cast<const std::byte*>(got->data.bo.bytes);
    const bool is_whole = got->type == PMIX_BYTE_OBJECT && got->data.bo.size > 0;
    if (is_whole) blobs.emplace_back(data, data + got->data.bo.size - 1);
    PMIX_VALUE_RELEASE(got);
    if (!is_whole)
      throw error("job", text("rank ", rank, " sent no blob"), "let all ranks use the same Atoll");
  }
  return blob_table::of_blobs(blobs);
}

void pmix::fence() {
  const auto all_processes = process_of(job_, PMIX_RANK_WILDCARD);
  require(PMIx_Fence(&all_processes, 1, nullptr, 0), "a fence");
}

descriptor pmix::host_memory() { return duplicate(host_.memory); }

/// The launcher does not say why the job ends, so this rank does.
void pmix::end_job(int code, std::string_view message) noexcept {
  flush_output();
  if (!message.empty())
    std::fprintf(stderr, "atoll: %.*s\n", static_cast<int>(message.size()), message.data());
  if (code == 0) {
    goodbye();
    _exit(0);
  }
  const auto all_processes = process_of(job_, PMIX_RANK_WILDCARD);
  auto process = all_processes;
  PMIx_Abort(code, "ended by Atoll", &process, 1);
  _exit(code);
}

void pmix::goodbye() noexcept {
  if (!joined_) return;
  joined_ = false;
  PMIx_Finalize(nullptr, 0);
}

}  // namespace atl::bootstrap

extern "C"
    [[gnu::visibility("default")]] const atl::bootstrap::launcher_module atoll_bootstrap_module;
const atl::bootstrap::launcher_module atoll_bootstrap_module = {
    .version = atl::version_text,
    .layout = atl::bootstrap::module_layout,
    .join = []() -> atl::bootstrap::bootstrap* { return new atl::bootstrap::pmix(); }};
