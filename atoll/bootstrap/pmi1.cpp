// SPDX-License-Identifier: BSD-3-Clause
//
// Joins through PMI-1, and makes the calls of a bootstrap over the ranks' own connections.
#include <atoll/bootstrap/pmi1.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/pmi1_session.hpp>
#include <atoll/bootstrap/settings.hpp>
#include <atoll/bootstrap/single.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace atl::bootstrap {

bool has_pmi1() {
  return !foreign_variable("PMI_FD").empty() ||
         (!foreign_variable("PMI_PORT").empty() && !foreign_variable("PMI_ID").empty());
}

pmi1::pmi1(const settings& settings) : owner_(getpid()) {
  auto& session = pmi1_session::of_process();
  rank_ = session.rank();
  size_ = session.size();
  session.enter();
  const auto exchange_now = [&](auto contribution) {
    return blob_table::of_blobs(session.exchange(contribution));
  };
  host_ = share_host(rank_, {.exchange = exchange_now, .fence = [&] { session.fence(); }});
  const rank_tree::place location{.rank = rank_,
                                  .size = size_,
                                  .is_one_host = host_.is_only(),
                                  .interface = std::string(settings.text(setting::interface))};
  tree_.emplace(location, [this](rank_id peer, std::optional<int> code) { end_after(peer, code); });
  tree_->connect(session.exchange(tree_->card()));
}

/// A neighbour has ended. The launcher ends all of us for that, unless MPI has been finalised
/// there.
void pmi1::end_after(rank_id peer, std::optional<int> code) noexcept {
  const int own = code.value_or(1);
  tree_->end(own);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  if (!code)
    std::fprintf(stderr, "atoll: rank %u ended without leaving the job; ending the others\n", peer);
  pmi1_session::of_process().abort(own);
  _exit(own);
}

std::vector<std::uint32_t> pmi1::hosts() const {
  return host_.is_only() ? std::vector<std::uint32_t>() : host_.host_of_rank;
}

blob_table pmi1::exchange(std::span<const std::byte> contribution) {
  if (contribution.size() > rank_tree::blob_bytes_max)
    throw error("exchange", text("a blob of ", contribution.size(), " bytes is longer than 64 KiB"),
                "send less");
  return blob_table::of_blobs(tree_->exchange(contribution));
}

descriptor pmi1::host_memory() { return duplicate(host_.memory); }

/// The launcher does not say why the job ends, so this rank does.
void pmi1::end_job(int code, std::string_view message) noexcept {
  flush_output();
  if (!message.empty())
    std::fprintf(stderr, "atoll: %.*s\n", static_cast<int>(message.size()), message.data());
  auto& session = pmi1_session::of_process();
  if (code == 0) {
    goodbye();
    session.finish();
  } else {
    if (tree_) tree_->end(code);
    session.abort(code);
  }
  _exit(code);
}

void pmi1::goodbye() noexcept {
  if (getpid() != owner_) return;
  if (tree_) tree_->leave();
  tree_.reset();
  pmi1_session::of_process().leave();
}

}  // namespace atl::bootstrap
