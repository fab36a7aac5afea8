// SPDX-License-Identifier: BSD-3-Clause
//
// Requests of PMI-1, and an exchange made of them: each rank puts its blob in pieces that are short
// enough for the launcher, a barrier lets all see all, and each rank gets the pieces of the others.
// An MPI library may have said cmd=init on the same connection before, or will; launchers answer it
// each time.
#include <atoll/bootstrap/pmi1_session.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/parse.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/rank_sockets.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

namespace atl::bootstrap {
namespace {

using pmi1_wire::pmi1_message;

constexpr const char* remedy = "start the program with `mpiexec` or `atoll run -n N`";
constexpr int finish_timeout_ms = 2000;
constexpr auto reading_time = std::chrono::milliseconds(200);
/// Older launchers and libraries bound the whole line by 1,024 bytes; this leaves room for names.
constexpr std::size_t value_bytes_safe = 640;
constexpr std::size_t blob_bytes_max = 64 * 1024;

std::uint64_t number_in(const char* variable) {
  const auto number = parse_number(foreign_variable(variable));
  if (!number || *number > 0x7fffffff)
    throw error(variable, "is not the number that a PMI launcher sets there", remedy);
  return *number;
}

/// The library's last object: it goes when all handlers of exit() have run, among them those of
/// fronts, which end the job.
constinit std::unique_ptr<pmi1_session> the_session;

}  // namespace

pmi1_session& pmi1_session::of_process() {
  static std::mutex opening;
  const std::lock_guard hold(opening);
  if (!the_session) the_session.reset(new pmi1_session);
  return *the_session;
}

pmi1_session::pmi1_session() : owner_(getpid()) {
  open();
  if (size_ == 0 || rank_ >= size_)
    throw error("PMI_RANK", text(rank_, " is not below the number of processes, ", size_), remedy);
  begin();
  const auto note = [](int status, void* self) {
    static_cast<pmi1_session*>(self)->exit_status_ = status;
  };
  on_exit(note, this);
}

pmi1_session::~pmi1_session() {
  if (getpid() != owner_) return;
  if (!is_inside_) {
    finish();
  } else if (exit_status_ == 0) {
    refuse_success();
  }
}

/// Some launchers take an exit with code 0, without the end of PMI, for a failure, others for a
/// success.
void pmi1_session::refuse_success() noexcept {
  std::fprintf(stderr,
               "atoll: rank %u exited with code 0 without leaving the job; a rank must shut Atoll "
               "down before it exits\n",
               rank_);
  abort(1);
  _exit(1);
}

void pmi1_session::open() {
  const auto address = foreign_variable("PMI_PORT");
  if (foreign_variable("PMI_FD").empty() && !address.empty()) return open_port(address);
  rank_ = static_cast<rank_id>(number_in("PMI_RANK"));
  size_ = static_cast<rank_id>(number_in("PMI_SIZE"));
  const int number = static_cast<int>(number_in("PMI_FD"));
  socket_ = descriptor(fcntl(number, F_DUPFD_CLOEXEC, 3));
  if (!socket_)
    throw error(
        "PMI_FD", text("descriptor ", number, " is not open: ", errno_text(errno)),
        "start Atoll before MPI_Finalize(), which closes it; let wrappers between the launcher "
        "and the program keep it open; a program that is "
        "to be a job of its own starts with PMI_FD, PMI_RANK and PMI_SIZE unset");
}

/// The launcher listens, and tells rank and size when it knows who calls.
void pmi1_session::open_port(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos)
    throw error("PMI_PORT", "does not have the form HOST:PORT", remedy);
  const auto id = number_in("PMI_ID");
  socket_ =
      call_server(std::string(address.substr(0, colon)), std::string(address.substr(colon + 1)));
  ask(text("cmd=initack pmiid=", id), "initack");
  size_ = 0;
  for (int i = 0; i < 3; ++i) {  // size, rank and debug
    const auto line = read_line();
    const pmi1_message answer(line);
    if (answer.command() != "set") throw error("PMI", text("unexpected answer: ", line), remedy);
    if (const auto size = answer.number("size")) size_ = static_cast<rank_id>(*size);
    if (const auto rank = answer.number("rank")) rank_ = static_cast<rank_id>(*rank);
  }
}

void pmi1_session::begin() {
  ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
  const auto limits = ask("cmd=get_maxes", "maxes");
  const auto most = pmi1_message(limits).number("vallen_max").value_or(0);
  value_bytes_max_ = std::min<std::size_t>(value_bytes_safe, most < 3 ? 0 : most - 1) & ~1u;
  if (value_bytes_max_ == 0)
    throw error("PMI", "the launcher keeps no values (vallen_max)", "start with `atoll run -n N`");
  const auto named = ask("cmd=get_my_kvsname", "my_kvsname");
  space_ = pmi1_message(named).value("kvsname");
}

/// Sends a request and reads its answer, which must be of that kind and a success.
std::string pmi1_session::ask(const std::string& request, std::string_view answer) {
  const auto line = request + "\n";
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t sent = ::send(socket_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0)
      throw error("PMI", text("the launcher has closed the connection: ", errno_text(errno)),
                  "start Atoll before MPI_Finalize()");
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  auto got = read_line();
  const pmi1_message response(got);
  if (response.command() != answer || !response.is_success())
    throw error("PMI",
                text("the launcher answers \"", got.substr(0, 200), "\" to ",
                     request.substr(0, request.find(' '))),
                remedy);
  return got;
}

std::string pmi1_session::read_line() {
  for (;;) {
    const auto end = received_.find('\n');
    if (end != std::string::npos) {
      auto line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (received_.size() > pmi1_wire::line_bytes_max)
      throw error("PMI", "the launcher sends a line without an end", remedy);
    char piece[4096];
    const ssize_t got = recv(socket_.get(), piece, sizeof piece, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw error("PMI", "the launcher has closed the connection",
                  "start Atoll before MPI_Finalize(); if the job is over, nothing is wrong here");
    received_.append(piece, static_cast<std::size_t>(got));
  }
}

void pmi1_session::put(const std::string& key, std::string_view value) {
  ask(text("cmd=put kvsname=", space_, " key=", key, " value=", value), "put_result");
}

std::string pmi1_session::get(const std::string& key) {
  const auto line = ask(text("cmd=get kvsname=", space_, " key=", key), "get_result");
  return std::string(pmi1_message(line).value("value"));
}

void pmi1_session::fence() { ask("cmd=barrier_in", "barrier_out"); }

/// The first piece begins with the length of the whole and a dot, so every rank knows how many
/// there are, and no value is empty.
std::vector<blob> pmi1_session::exchange(std::span<const std::byte> contribution) {
  const auto prefix = text("atoll-", exchanges_++, "-");
  const auto key = [&](rank_id rank, std::size_t piece) { return text(prefix, rank, "-", piece); };
  const auto digits = pmi1_wire::to_hex(contribution);
  const auto counted = text(digits.size(), ".", digits);
  for (std::size_t offset = 0; offset < counted.size(); offset += value_bytes_max_)
    put(key(rank_, offset / value_bytes_max_),
        std::string_view(counted).substr(offset, value_bytes_max_));
  fence();
  std::vector<blob> blobs;
  for (rank_id rank = 0; rank < size_; ++rank) {
    auto value = get(key(rank, 0));
    const auto dot = value.find('.');
    const auto bytes = parse_number(std::string_view(value).substr(0, dot));
    std::optional<blob> raw;
    if (dot != std::string::npos && bytes && *bytes <= 2 * blob_bytes_max) {
      const std::size_t total = dot + 1 + *bytes;
      for (std::size_t offset = value_bytes_max_; offset < total; offset += value_bytes_max_)
        value += get(key(rank, offset / value_bytes_max_));
      if (value.size() == total) raw = pmi1_wire::from_hex(std::string_view(value).substr(dot + 1));
    }
    if (!raw)
      throw error("PMI", text("the data that rank ", rank, " has published are incomplete"),
                  "let all ranks load the same libatoll.so");
    blobs.push_back(std::move(*raw));
  }
  return blobs;
}

void pmi1_session::abort(int code) noexcept {
  std::this_thread::sleep_for(reading_time);
  const auto line = text("cmd=abort exitcode=", code, "\n");
  [[maybe_unused]] const auto sent =
      ::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void pmi1_session::finish() noexcept {
  if (!socket_ || getpid() != owner_) return;
  constexpr std::string_view line = "cmd=finalize\n";
  if (::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) ==
      static_cast<ssize_t>(line.size())) {
    pollfd watched{socket_.get(), POLLIN, 0};
    poll(&watched, 1, finish_timeout_ms);  // for the answer, which says nothing
  }
  socket_.reset();
}

}  // namespace atl::bootstrap
