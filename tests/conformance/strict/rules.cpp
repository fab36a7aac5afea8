// SPDX-License-Identifier: BSD-3-Clause
//
// Checks the program's calls against the rules.
#include <tests/conformance/strict/rules.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace strict {

void broken(const char* call, const char* rule) {
  std::fprintf(stderr, "strict provider: %s: %s\n", call, rule);
  std::abort();
}

bool rules::choose_key(std::uint64_t& key) {
  const std::uint64_t most = profile_.key_bytes >= 8
                                 ? ~std::uint64_t{0}
                                 : (std::uint64_t{1} << 8 * profile_.key_bytes) - 1;
  if (!profile_.asks_for(FI_MR_PROV_KEY)) return key <= most && keys_.insert(key).second;
  do {
    key = (std::uint64_t{chance_()} << 32 | chance_()) & most;
  } while (!keys_.insert(key).second);
  return true;
}

void rules::check_buffer(const char* call, const void* buffer, std::size_t bytes,
                         const void* descriptor, std::uint64_t access) const {
  if (!profile_.asks_for(FI_MR_LOCAL)) return;
  const auto* const known = static_cast<const registration*>(descriptor);
  if (!registrations_.contains(known)) broken(call, "the descriptor is of no registered memory");
  if (known->inner == nullptr) broken(call, "the memory was registered but not enabled");
  if ((known->access & access) == 0) broken(call, "the memory was not registered for this");
  if (!known->holds(buffer, bytes))
    broken(call, "the buffer is not in the memory that the descriptor is of");
}

void* rules::reach(const char* call, const void* buffer, std::size_t bytes,
                   const void* descriptor) const {
  auto* const first = const_cast<std::byte*>(static_cast<const std::byte*>(buffer));
  for (const registration* each : registrations_) {
    if (each->shift == 0 || !each->holds(buffer, bytes) || (each->access & FI_WRITE) == 0) continue;
    const auto* const named = static_cast<const registration*>(descriptor);
    if (!registrations_.contains(named) || named->shift != each->shift)
      broken(call, "memory of a device needs the descriptor of its registration (FI_MR_HMEM)");
    return first + each->shift;
  }
  return first;
}

void rules::check_size(const char* call, std::size_t bytes) const {
  if (bytes > profile_.message_max) broken(call, "more bytes than max_msg_size");
}

void rules::check_inject(const char* call, std::size_t bytes) const {
  if (bytes > profile_.inject_max) broken(call, "more bytes than inject_size");
}

std::size_t rules::context_bytes() const noexcept {
  if ((profile_.mode & FI_CONTEXT2) != 0) return sizeof(fi_context2);
  return (profile_.mode & FI_CONTEXT) != 0 ? sizeof(fi_context) : 0;
}

kept_vector::kept_vector(const void* address, std::size_t bytes) noexcept
    : address_(address), bytes_(bytes) {
  std::memcpy(value_.data(), address, bytes);
}

bool kept_vector::has_changed() const noexcept {
  return address_ != nullptr && std::memcmp(address_, value_.data(), bytes_) != 0;
}

void rules::begin(const char* call, void* context, const vectors& named) {
  operation made;
  made.notes_bytes = context_bytes();
  if (made.notes_bytes != 0) {
    if (context == nullptr) broken(call, "there must be a context (FI_CONTEXT)");
    std::ranges::generate(made.notes, [&] { return static_cast<std::byte>(chance_()); });
  }
  if (context == nullptr) return;
  if ((profile_.mode & FI_ASYNC_IOV) != 0) {
    if (named.local != nullptr) made.local = {named.local, sizeof *named.local};
    if (named.remote != nullptr) made.remote = {named.remote, sizeof *named.remote};
  }
  const auto [place, is_new] = under_way_.emplace(context, made);
  if (!is_new) broken(call, "the context is in use by an operation under way");
  std::memcpy(context, made.notes.data(), made.notes_bytes);
}

void rules::end(void* context) {
  const auto found = under_way_.find(context);
  if (found == under_way_.end()) return;
  const operation& ended = found->second;
  if (std::memcmp(context, ended.notes.data(), ended.notes_bytes) != 0)
    broken("completion", "the context was written to while it was the provider's");
  if (ended.local.has_changed() || ended.remote.has_changed())
    broken("completion", "a vector was changed before the operation had completed (FI_ASYNC_IOV)");
  under_way_.erase(found);
}

}  // namespace strict
