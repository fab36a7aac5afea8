// SPDX-License-Identifier: BSD-3-Clause
//
// The loops over the keys. All generate the same keys and values and check every value that they
// find, so that only the tables differ.
#include <apps/kv/outbox.hpp>
#include <apps/kv/stores.hpp>
#include <apps/kv/window.hpp>

#include <utility>
#include <vector>

namespace kv {

alone::alone(const options& chosen) : stream_(chosen.seed, chosen.value_bytes) {}

void alone::insert(key_range keys) {
  for (key_number n = keys.first; n < keys.last; ++n) {
    const generated_key key = stream_.key(n);
    map_.insert_or_assign(key, stream_.value(key));
  }
}

void alone::find(key_range keys, tally& seen) const {
  for (key_number n = keys.first; n < keys.last; ++n) {
    const generated_key key = stream_.key(n);
    const auto found = map_.find(key);
    seen.count(stream_, key, found == map_.end() ? std::nullopt : std::optional(found->second));
  }
}

one_by_one::one_by_one(const options& chosen)
    : stream_(chosen.seed, chosen.value_bytes), limit_(chosen.window) {}

void one_by_one::insert(key_range keys) {
  window under_way(limit_);
  for (key_number n = keys.first; n < keys.last; ++n) {
    const generated_key key = stream_.key(n);
    under_way.add(table_.insert(key, stream_.value(key)));
  }
  under_way.drain();
}

void one_by_one::find(key_range keys, tally& seen) const {
  window under_way(limit_);
  for (key_number n = keys.first; n < keys.last; ++n) {
    const generated_key key = stream_.key(n);
    under_way.add(table_.find(key).then(
        [&seen, key, this](const auto& got) { seen.count(stream_, key, got); }));
  }
  under_way.drain();
}

in_batches::in_batches(const options& chosen)
    : stream_(chosen.seed, chosen.value_bytes), limit_(chosen.window), batch_(chosen.batch) {}

void in_batches::insert(key_range keys) {
  using entry = generated_table::entry;
  window under_way(limit_);
  auto out = make_outbox<entry>(table_.team().rank_n(), batch_,
                                [&](upcxx::intrank_t to, const std::vector<entry>& entries) {
                                  under_way.add(table_.insert_at(to, entries));
                                });
  for (key_number n = keys.first; n < keys.last; ++n) {
    const generated_key key = stream_.key(n);
    out.add(table_.owner(key), entry(key, stream_.value(key)));
  }
  out.flush();
  under_way.drain();
}

void in_batches::find(key_range keys, tally& seen) const {
  window under_way(limit_);
  const auto check = [&](const std::vector<generated_key>& asked, const auto& answers) {
    for (std::size_t i = 0; i < asked.size(); ++i) seen.count(stream_, asked[i], answers[i]);
  };
  auto out = make_outbox<generated_key>(
      table_.team().rank_n(), batch_, [&](upcxx::intrank_t to, std::vector<generated_key>& batch) {
        const auto answer = table_.find_at(to, batch);
        under_way.add(answer.then(
            [&check, asked = std::move(batch)](const auto& answers) { check(asked, answers); }));
      });
  for (key_number n = keys.first; n < keys.last; ++n) {
    const generated_key key = stream_.key(n);
    out.add(table_.owner(key), key);
  }
  out.flush();
  under_way.drain();
}

one_sided::one_sided(const options& chosen) : filled_(chosen) {}

void one_sided::settle() { published_.emplace(filled_.table_, filled_.stream_.value_bytes()); }

void one_sided::find(key_range keys, tally& seen) const {
  window under_way(filled_.limit_);
  const key_stream& stream = filled_.stream_;
  for (key_number n = keys.first; n < keys.last; ++n) {
    const generated_key key = stream.key(n);
    under_way.add(published_->find(key).then(
        [&seen, &stream, key](const auto& got) { seen.count(stream, key, got); }));
  }
  under_way.drain();
}

}  // namespace kv
