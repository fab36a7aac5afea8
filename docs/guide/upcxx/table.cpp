// SPDX-License-Identifier: BSD-3-Clause
//
// A hash table over all ranks: each owns the keys that hash to it, in an ordinary map, and
// everybody else sends it a function to run there.
#include <upcxx/upcxx.hpp>

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

namespace {

class table {
 public:
  upcxx::future<> insert(const std::string& key, int value) {
    return upcxx::rpc(
        owner(key),
        [](upcxx::dist_object<part>& local, const std::string& k, int v) { (*local)[k] = v; },
        part_, key, value);
  }

  upcxx::future<std::optional<int>> find(const std::string& key) const {
    return upcxx::rpc(
        owner(key),
        [](const upcxx::dist_object<part>& local, const std::string& k) -> std::optional<int> {
          const auto found = local->find(k);
          if (found == local->end()) return std::nullopt;
          return found->second;
        },
        part_, key);
  }

  std::size_t local_size() const { return part_->size(); }

 private:
  using part = std::unordered_map<std::string, int>;

  static upcxx::intrank_t owner(const std::string& key) {
    return static_cast<int>(std::hash<std::string>()(key) %
                            static_cast<std::size_t>(upcxx::rank_n()));
  }

  upcxx::dist_object<part> part_{part()};
};

std::string name(int rank, int i) { return std::to_string(rank) + "/" + std::to_string(i); }

}  // namespace

int main() {
  upcxx::init();
  constexpr int each = 1000;
  const int me = upcxx::rank_me();
  const int next = (me + 1) % upcxx::rank_n();
  bool right = true;
  {
    table numbers;

    upcxx::future<> inserted = upcxx::make_future();
    for (int i = 0; i < each; ++i) {
      inserted = upcxx::when_all(inserted, numbers.insert(name(me, i), i));
    }
    inserted.wait();
    upcxx::barrier();  // everybody's insertions are done

    for (int i = 0; i < each; ++i) right = right && numbers.find(name(next, i)).wait() == i;
    right = right && !numbers.find("nobody's").wait().has_value();

    const auto total = upcxx::reduce_one(numbers.local_size(), upcxx::op_fast_add, 0).wait();
    if (me == 0) std::printf("%zu keys, %s\n", total, right ? "all found" : "some lost");
    upcxx::barrier();  // nobody asks any more: the table may go
  }
  upcxx::finalize();
  return right ? 0 : 1;
}
