// SPDX-License-Identifier: BSD-3-Clause
//
// Accessors that are called by messages. A request has a head, the arguments of the statement, the
// descriptor of the object where its accessor takes one, the beginning of the descriptor that a
// read fills, the value of a write, and the arguments that the accessor asks for. An answer begins
// with the outcome of the call.
#include <front/coarray/access/accessor_calls.hpp>

#include <atoll/base/text.hpp>
#include <front/coarray/access/accessor_runs.hpp>
#include <front/coarray/access/image_access.hpp>
#include <front/coarray/access/packing.hpp>

#include <cstring>
#include <unordered_map>
#include <utility>

namespace atl::coarray {
namespace {

enum class action : std::uint8_t { get, set, find };

struct request_head {
  action wanted;
  object_form form;
  bool is_array;           // the object that is read
  bool has_object_length;  // of characters
  bool has_target_length;
  int hash;
  int image;
  std::byte* object;  // by the owner's addresses
  std::size_t object_length;
  std::size_t target_length;
  std::size_t target_bytes;
  std::size_t argument_bytes;
  std::size_t descriptor_bytes;
};

/// The outcome of a call.
enum class call_outcome : std::uint64_t { done, lacks_argument, has_no_accessor };

constexpr std::size_t start_bytes = offsetof(gfortran::array_descriptor, dim);

// --- at the owner

class owner_run {
 public:
  explicit owner_run(std::span<const std::byte> request) : from_(request) {
    head_ = from_.get<request_head>();
    arguments_.reset(new std::byte[head_.argument_bytes + 1]);
    std::memcpy(arguments_.get(), from_.take(head_.argument_bytes), head_.argument_bytes);
    std::memcpy(&described_, from_.take(head_.descriptor_bytes), head_.descriptor_bytes);
  }

  std::vector<std::byte> run() {
    const int number = number_of_accessor(head_.hash);
    if (number < 0) return only(call_outcome::has_no_accessor);
    const accessor_function& function = accessor_at(number);
    object_argument object(head_.form, &described_, head_.object);
    switch (head_.wanted) {
      case action::get:
        return get(function.get(), object.get());
      case action::set:
        return set(function.set(), object.get());
      default:
        return find(function.find(), object.get());
    }
  }

 private:
  std::vector<std::byte> get(getter function, void* object) {
    gfortran::array_descriptor array;
    std::memcpy(&array, from_.take(start_bytes), start_bytes);
    array.data = nullptr;
    take_lent();
    void* value = nullptr;
    void* const target = head_.is_array ? static_cast<void*>(&array) : &value;
    std::int32_t is_new = 0;
    std::size_t length = head_.target_length;
    const bool is_done = call([&](accessor_frame& frame) {
      function(arguments(), &head_.image, target, &is_new, object, &frame.token, 0, &length,
               object_length());
    });
    if (!is_done) return lack();
    packer answer;
    answer.put(call_outcome::done);
    const std::size_t* const target_length = head_.has_target_length ? &length : nullptr;
    put_value(answer,
              {value, head_.target_bytes, target_length, head_.is_array ? &array : nullptr});
    if (head_.is_array) {
      release(array.data);
    } else if (is_new != 0) {
      release(value);
    }
    return answer.take();
  }

  std::vector<std::byte> set(setter function, void* object) {
    const received_value value = take_value(from_);
    take_lent();
    const void* const source =
        value.is_array ? static_cast<const void*>(&value.described) : value.data.get();
    const bool is_done = call([&](accessor_frame& frame) {
      function(arguments(), &head_.image, object, source, &frame.token, 0, object_length(),
               &value.length);
    });
    return is_done ? only(call_outcome::done) : lack();
  }

  std::vector<std::byte> find(finder function, void* object) {
    take_lent();
    std::int32_t result = 0;
    const bool is_done = call([&](accessor_frame& frame) {
      function(arguments(), &head_.image, &result, object, &frame.token, 0);
    });
    if (!is_done) return lack();
    packer answer;
    answer.put(call_outcome::done);
    answer.put(result);
    return answer.take();
  }

  void* arguments() noexcept { return head_.argument_bytes != 0 ? arguments_.get() : nullptr; }
  const std::size_t* object_length() const noexcept {
    return head_.has_object_length ? &head_.object_length : nullptr;
  }

  void take_lent() {
    lent_.values.resize(from_.get<std::size_t>());
    for (received_value& each : lent_.values) each = take_value(from_);
  }

  /// False: the accessor lacks an argument. It was left by a jump, and its frame with it.
  template <class Function>
  bool call(Function function) {
    accessor_frame frame;
    enter(frame, arguments(), &lent_);
    auto run_function = [&] { function(frame); };
    const bool is_done = run_lent(lent_, run_function);
    leave(frame);
    return is_done;
  }

  static std::vector<std::byte> only(call_outcome outcome) {
    packer answer;
    answer.put(outcome);
    return answer.take();
  }

  std::vector<std::byte> lack() const {
    packer answer;
    answer.put(call_outcome::lacks_argument);
    answer.put(lent_.wanted);
    return answer.take();
  }

  unpacker from_;
  request_head head_;
  std::unique_ptr<std::byte[]> arguments_;
  gfortran::array_descriptor described_;
  lent_arguments lent_;
};

std::vector<std::byte> answer_call(process_state&, std::span<const std::byte> request) {
  return owner_run(request).run();
}

// --- at the caller

/// Arguments that accessors have asked for, by hash; their next calls send them along.
std::unordered_map<int, std::vector<wanted_argument>>& known_wants() {
  static std::unordered_map<int, std::vector<wanted_argument>> by_hash;
  return by_hash;
}

class remote_call {
 public:
  remote_call(process_state& us, rank_id rank, action wanted, object_form form,
              const coindexed_object& object)
      : us_(us), rank_(rank), object_(object), described_(object.described) {
    if (form == object_form::descriptor && described_ == nullptr)
      described_ = object.token->described_by;
    head_.wanted = wanted;
    head_.form = form;
    head_.hash = accessor_at(object.accessor).hash;
    head_.image = object.image;
    head_.object = us.remote_address(rank, object.token->memory) + distance();
    head_.has_object_length = object.length != nullptr;
    if (head_.has_object_length) head_.object_length = *object.length;
    head_.argument_bytes = object.arguments != nullptr ? object.argument_bytes : 0;
    if (form == object_form::descriptor)
      head_.descriptor_bytes = gfortran::array_descriptor::bytes_for(described_->dtype.rank);
  }

  request_head& head() noexcept { return head_; }
  /// All that is packed behind the descriptor of the object.
  packer& body() noexcept { return body_; }

  /// The answer behind its first word.
  unpacker run() {
    std::vector<wanted_argument>& wants = known_wants()[head_.hash];
    for (const wanted_argument& each : wants) lend(each);
    for (;;) {
      answer_ = us_.calls.call_any(rank_, owner_task::run_accessor, request());
      if (answer_.empty()) throw lost_image{};
      unpacker from(answer_);
      switch (from.get<call_outcome>()) {
        case call_outcome::done:
          return from;
        case call_outcome::lacks_argument:
          wants.push_back(from.get<wanted_argument>());
          lend(wants.back());
          break;
        case call_outcome::has_no_accessor:
          refuse("a coindexed object", text("image ", object_.image, " has no such accessor"),
                 "let all images run one program, and open the same libraries");
      }
    }
  }

 private:
  /// The distance in bytes at which the described part of the coarray begins.
  std::ptrdiff_t distance() const noexcept {
    return object_.described != nullptr ? distance_in(*object_.token, *object_.described) : 0;
  }

  void lend(const wanted_argument& wanted) {
    coindexed_object from{};
    from.image = head_.image;
    from.accessor = number_of_accessor(wanted.hash);
    gfortran::array_descriptor array{};
    void* value = nullptr;
    const accessor_target to{&value, wanted.bytes, nullptr, wanted.is_array ? &array : nullptr,
                             true};
    const bool is_new = read_local(to, from, object_.arguments);
    put_value(lent_, {value, wanted.bytes, nullptr, to.described});
    ++lent_count_;
    if (wanted.is_array) {
      release(array.data);
    } else if (is_new) {
      release(value);
    }
  }

  std::vector<std::byte> request() const {
    packer message;
    message.put(head_);
    message.put(object_.arguments, head_.argument_bytes);
    message.put(described_, head_.descriptor_bytes);
    message.append(body_.bytes());
    message.put(lent_count_);
    message.append(lent_.bytes());
    return message.take();
  }

  process_state& us_;
  rank_id rank_;
  const coindexed_object& object_;
  const gfortran::array_descriptor* described_;
  request_head head_{};
  packer body_;
  std::size_t lent_count_ = 0;
  packer lent_;
  std::vector<std::byte> answer_;
};

object_form form_of(const coindexed_object& object) noexcept {
  return object.described != nullptr ? object_form::descriptor : object_form::address;
}

}  // namespace

void serve_accessors(owner_calls& calls) noexcept {
  calls.serve_any(owner_task::run_accessor, answer_call);
}

bool read_remote(process_state& us, rank_id rank, const accessor_target& to,
                 const coindexed_object& from) {
  remote_call call(us, rank, action::get, form_of(from), from);
  request_head& head = call.head();
  head.is_array = to.described != nullptr;
  head.target_bytes = to.bytes;
  head.has_target_length = to.length != nullptr;
  if (head.has_target_length) head.target_length = *to.length;
  const gfortran::array_descriptor none{};
  call.body().put(head.is_array ? to.described : &none, start_bytes);
  unpacker answer = call.run();
  const received_value value = take_value(answer);
  const bool is_taken = !value.is_array && *to.data == nullptr;
  deliver(value, to);
  return is_taken;
}

void write_remote(process_state& us, rank_id rank, const coindexed_object& to,
                  const accessor_value& from) {
  remote_call call(us, rank, action::set, form_of(to), to);
  put_value(call.body(), from);
  call.run();
}

bool is_present_remote(process_state& us, rank_id rank, const coindexed_object& object,
                       object_form form) {
  remote_call call(us, rank, action::find, form, object);
  return call.run().get<std::int32_t>() != 0;
}

}  // namespace atl::coarray
