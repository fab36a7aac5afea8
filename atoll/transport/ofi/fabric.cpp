// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses a provider by its capabilities: it must have reliable datagrams and messages, and one
// with native transfers is preferred. Among several, libfabric's own order counts (fastest first),
// but for two groups: the kernel's sockets come after all others, and last of all come providers
// that cannot leave the host or are only kept for compatibility.
#include <atoll/transport/ofi/fabric.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/system/kept_signals.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/settings.hpp>
#include <atoll/memory/device/device_list.hpp>
#include <atoll/transport/ofi/connections.hpp>
#include <atoll/transport/ofi/settings.hpp>

#include <net/if.h>
#include <netinet/in.h>
#include <rdma/fi_errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace atl::transport::ofi {

namespace {

constexpr std::uint32_t api_version = FI_VERSION(1, 17);
constexpr std::size_t completions_max = 16384;
constexpr rlim_t own_socket_max = 4096;  // descriptors that are looked at for one

info_list hints(std::string_view provider) {
  info_list ask(::fi_allocinfo());
  if (!ask) throw error("network", "out of memory", "");
  ask->caps = FI_MSG | FI_RMA;
  ask->mode = FI_CONTEXT | FI_CONTEXT2 | FI_RX_CQ_DATA | FI_ASYNC_IOV;
  ask->ep_attr->type = FI_EP_RDM;
  ask->domain_attr->threading = FI_THREAD_DOMAIN;  // this transport has a lock of its own
  ask->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  ask->domain_attr->resource_mgmt = FI_RM_ENABLED;
  ask->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY |
                              FI_MR_ENDPOINT | FI_MR_RMA_EVENT;
  if (!provider.empty()) {
    ask->fabric_attr->prov_name = ::strndup(provider.data(), provider.size());
  }
  return ask;
}

/// All providers that fit, in libfabric's order. Does without native transfers when no provider has
/// them. The order of messages is not requested: providers that keep it say so, and the others are
/// welcome too.
info_list find(std::string_view provider) {
  const kept_signals kept;  // libfabric may load providers
  info_list ask = hints(provider);
  fi_info* found = nullptr;
  int failed = ::fi_getinfo(api_version, nullptr, nullptr, 0, ask.get(), &found);
  if (failed != 0) {
    ask->caps = FI_MSG;
    failed = ::fi_getinfo(api_version, nullptr, nullptr, 0, ask.get(), &found);
  }
  if (failed == 0) return info_list(found);
  if (provider.empty()) {
    throw error("network", "libfabric offers no provider with reliable datagrams here",
                "see fi_info -t FI_EP_RDM");
  }
  throw error(
      text("ATOLL_OFI_PROVIDER=", provider),
      text("libfabric has no such provider with reliable datagrams here: ", ::fi_strerror(-failed)),
      text("use one of ", provider_names()));
}

bool is_loopback(const fi_info& info) {
  if (info.src_addr == nullptr) return false;
  if (info.addr_format == FI_SOCKADDR_IN && info.src_addrlen >= sizeof(sockaddr_in)) {
    sockaddr_in address;
    std::memcpy(&address, info.src_addr, sizeof address);
    return (ntohl(address.sin_addr.s_addr) >> 24) == 127;
  }
  if (info.addr_format == FI_SOCKADDR_IN6 && info.src_addrlen >= sizeof(sockaddr_in6)) {
    sockaddr_in6 address;
    std::memcpy(&address, info.src_addr, sizeof address);
    return IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
  }
  return false;
}

/// Whether it goes through the kernel's network: its domain is then an interface of the kernel's.
/// Addresses do not show that, since InfiniBand has those of IP, too.
bool has_sockets(const fi_info& info) { return ::if_nametoindex(info.domain_attr->name) != 0; }

/// Whether it has a socket for each rank that it talks to, and not one for all.
bool has_connections(const fi_info& info) {
  return has_sockets(info) && !std::string_view(info.fabric_attr->prov_name).starts_with("udp");
}

/// Criteria for a provider beside its capabilities.
struct preference {
  bool one_machine;
  std::string_view known_interface;  // by which the launcher's daemons have reached each other
};

/// Sockets through a layer for providers that have connections only. There is a provider of
/// sockets that has reliable datagrams itself, and it is faster.
bool is_layered_tcp(std::string_view name) {
  return (name.starts_with("tcp") || name.starts_with("net")) && name.ends_with(";ofi_rxm");
}

/// Lower is better; ties go to libfabric's order.
int rank_of(const fi_info& info, const preference& wanted) {
  const std::string_view name = info.fabric_attr->prov_name;
  int rank = 0;
  if (name == "shm" || name == "sockets" || name.starts_with("udp")) rank += 32;
  if ((info.caps & FI_RMA) == 0) rank += 16;
  const bool fits = wanted.one_machine || wanted.known_interface.empty()
                        ? is_loopback(info) == wanted.one_machine
                        : wanted.known_interface == info.domain_attr->name;
  if (has_sockets(info)) rank += fits ? 4 : 12;
  if (!fits && is_loopback(info)) rank += 3;  // behind an interface that may lead to other hosts
  if (is_layered_tcp(name)) rank += 2;
  if (info.addr_format == FI_SOCKADDR_IN6) rank += 1;
  return rank;
}

bool is_interface(const fi_info& info, std::string_view wanted) {
  return wanted.empty() || wanted == info.domain_attr->name || wanted == info.fabric_attr->name;
}

/// Whether messages from one rank complete here in the order in which that rank sent them. Matching
/// in order is not enough, because rendezvous messages complete later.
bool keeps_order(const fi_info& info) {
  const bool sent = (info.tx_attr->msg_order & info.rx_attr->msg_order & FI_ORDER_SAS) != 0;
  return sent && (info.rx_attr->comp_order & FI_ORDER_STRICT) != 0;
}

/// Sockets with reliable datagrams of their own. When no receive is posted it reads no further, so
/// nothing overtakes a packet; `sockets` keeps the packet aside and goes on.
bool is_plain_tcp(const fi_info& info) {
  const std::string_view name = info.fabric_attr->prov_name;
  return name == "net" || name == "tcp";
}

/// Whether a put can carry 64 bits to a completion at its target, which needs no receive buffer for
/// that, in the order in which packets and puts were sent.
bool tells_target(const fi_info& info) {
  const bool is_free = is_plain_tcp(info) && (info.mode & FI_RX_CQ_DATA) == 0;
  return (info.caps & FI_RMA) != 0 && is_free && info.domain_attr->cq_data_size >= 8;
}

traits traits_of(const fi_info& info) {
  const int memory = info.domain_attr->mr_mode;
  const bool transfers = (info.caps & FI_RMA) != 0;
  return {.inject_max = info.tx_attr->inject_size,
          .transfer_max = transfers ? info.ep_attr->max_msg_size : 0,
          .queue_depth = info.tx_attr->size,
          .key_bytes = info.domain_attr->mr_key_size,
          .many_per_receive = (info.caps & FI_MULTI_RECV) != 0,
          .registers_local = (memory & FI_MR_LOCAL) != 0,
          .provider_chooses_keys = (memory & FI_MR_PROV_KEY) != 0,
          .takes_addresses = (memory & FI_MR_VIRT_ADDR) != 0,
          .binds_memory = (memory & (FI_MR_ENDPOINT | FI_MR_RMA_EVENT)) != 0,
          .keeps_order = keeps_order(info),
          .tells_target = tells_target(info),
          .is_stream = keeps_order(info) && has_sockets(info),
          .needs_polls = info.domain_attr->control_progress == FI_PROGRESS_MANUAL,
          .hears_strangers = hears_strangers(info.fabric_attr->prov_name)};
}

/// Whether it may do atomics without the target's processor: not a layer that sends messages, nor
/// software over sockets.
bool is_device(const fi_info& info) {
  return std::strchr(info.fabric_attr->prov_name, ';') == nullptr && !has_sockets(info);
}

/// Whether two offers are of the same provider and interface, by the same address.
bool is_same_way(const fi_info& a, const fi_info& b) {
  const bool same_names = std::strcmp(a.fabric_attr->prov_name, b.fabric_attr->prov_name) == 0 &&
                          std::strcmp(a.domain_attr->name, b.domain_attr->name) == 0;
  if (!same_names || a.addr_format != b.addr_format || a.src_addrlen != b.src_addrlen) return false;
  if (a.src_addr == nullptr || b.src_addr == nullptr) return a.src_addr == b.src_addr;
  return std::memcmp(a.src_addr, b.src_addr, a.src_addrlen) == 0;
}

/// Whether the provider's atomics cannot be trusted, even when the user asks for them. In libfabric
/// 1.17 rxd ends the program by SIGSEGV on the first that returns a number, and shm was seen to be
/// wrong.
bool breaks_on_atomics(const fi_info& info) {
  const std::string_view name = info.fabric_attr->prov_name;
  return name.ends_with(";ofi_rxd") || name == "shm";
}

/// The chosen way with atomics; null when they are not wanted or not available. Unless forced, only
/// where they need no polls of the target.
info_list with_atomics(const fi_info& chosen, std::string_view wanted) {
  const bool forced = wanted == "native";
  if (wanted == "messages" || (chosen.caps & FI_RMA) == 0) return nullptr;
  if ((!forced && !is_device(chosen)) || breaks_on_atomics(chosen)) return nullptr;
  const kept_signals kept;  // libfabric may load providers
  info_list ask = hints(chosen.fabric_attr->prov_name);
  ask->caps |= FI_ATOMIC;
  if (!forced) ask->domain_attr->data_progress = FI_PROGRESS_AUTO;
  fi_info* found = nullptr;
  if (::fi_getinfo(api_version, nullptr, nullptr, 0, ask.get(), &found) != 0) return nullptr;
  const info_list infos(found);
  for (const fi_info* each = found; each != nullptr; each = each->next) {
    const bool polls = each->domain_attr->data_progress != FI_PROGRESS_AUTO;
    if ((each->caps & FI_ATOMIC) == 0 || (polls && !forced)) continue;
    if (is_same_way(*each, chosen)) return info_list(::fi_dupinfo(each));
  }
  return nullptr;
}

/// The chosen way with memory of devices, and with what it has beside that; null when that is not
/// wanted or not available.
info_list with_devices(const fi_info& chosen, std::string_view wanted) {
  const bool may = wanted == "yes" || (wanted == "auto" && memory::has_device_hardware());
  if (!may || (chosen.caps & FI_RMA) == 0) return nullptr;
  const kept_signals kept;  // libfabric may load providers, and those the drivers of devices
  info_list ask = hints(chosen.fabric_attr->prov_name);
  ask->caps |= FI_HMEM | (chosen.caps & FI_ATOMIC);
  ask->domain_attr->mr_mode |= FI_MR_HMEM;
  fi_info* found = nullptr;
  if (::fi_getinfo(api_version, nullptr, nullptr, 0, ask.get(), &found) != 0) return nullptr;
  const info_list infos(found);
  for (const fi_info* each = found; each != nullptr; each = each->next)
    if ((each->caps & FI_HMEM) != 0 && is_same_way(*each, chosen))
      return info_list(::fi_dupinfo(each));
  return nullptr;
}

void check(int code, std::string_view operation) {
  if (code != 0) refuse(operation, code, "try another ATOLL_OFI_PROVIDER or ATOLL_OFI_INTERFACE");
}

}  // namespace

void refuse(std::string_view operation, int code, std::string remedy) {
  throw error("network", text(operation, ": ", ::fi_strerror(code < 0 ? -code : code)),
              std::move(remedy));
}

std::string provider_names() {
  const kept_signals kept;
  info_list ask(::fi_allocinfo());
  fi_info* found = nullptr;
  ask->ep_attr->type = FI_EP_RDM;
  if (::fi_getinfo(api_version, nullptr, nullptr, 0, ask.get(), &found) != 0) return "none";
  const info_list infos(found);
  std::vector<std::string> names;
  std::string line;
  for (const fi_info* each = infos.get(); each != nullptr; each = each->next) {
    const std::string name = each->fabric_attr->prov_name;
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    line += (names.empty() ? "" : ", ") + name;
    names.push_back(name);
  }
  return line;
}

bool hears_strangers(std::string_view provider) {
  constexpr std::array tried{"net", "tcp", "tcp;ofi_rxm", "udp;ofi_rxd", "sockets", "shm"};
  return std::ranges::find(tried, provider) != tried.end();
}

info_list best_provider(const network_name& named, const settings& configuration,
                        bool one_machine) {
  const bool has_interface = !named.interface.empty();
  const std::string_view interface =
      has_interface ? named.interface : configuration.text(setting::ofi_interface);
  const preference order{one_machine, configuration.text(setting::interface)};
  const info_list infos = find(named.provider);
  const fi_info* best = nullptr;
  for (const fi_info* each = infos.get(); each != nullptr; each = each->next) {
    if (!is_interface(*each, interface)) continue;
    if (best == nullptr || rank_of(*each, order) < rank_of(*best, order)) best = each;
  }
  if (best == nullptr) {
    throw error(has_interface ? text("ATOLL_OFI_PROVIDER, ", named.provider, "@", interface)
                              : text("ATOLL_OFI_INTERFACE=", interface),
                "no provider that fits has it", "see the domains that fi_info lists");
  }
  info_list copy(::fi_dupinfo(best));
  if (!copy) throw error("network", "out of memory", "");
  return copy;
}

void refuse_loopback(const fi_info& chosen, std::string_view known) {
  if (known.empty() || !has_sockets(chosen) || !is_loopback(chosen)) return;
  if (known == chosen.domain_attr->name) return;
  throw error(
      text("interface ", known),
      text(
          "the hosts of this job reach each other by it, but libfabric does not offer it; the best "
          "that it offers, ",
          chosen.domain_attr->name, ", does not leave the machine"),
      text("see whether it is up (ip link), or choose one by ATOLL_OFI_INTERFACE, ",
           chosen.domain_attr->name, " if the hosts are one machine"));
}

fabric::fabric(const network_request& wanted, const network_name& named)
    : info_(best_provider(named, wanted.configuration, wanted.one_machine)),
      can_(traits_of(*info_)) {
  const settings& asked = wanted.configuration;
  if (!wanted.one_machine && named.interface.empty() && asked.text(setting::ofi_interface).empty())
    refuse_loopback(*info_, asked.text(setting::interface));
  if (info_list atomic_info = with_atomics(*info_, asked.text(setting::ofi_atomics))) {
    info_ = std::move(atomic_info);
    can_ = traits_of(*info_);
    can_.atomics = true;
  }
  if (info_list device_info = with_devices(*info_, asked.text(setting::ofi_devices))) {
    const bool atomics = can_.atomics;
    info_ = std::move(device_info);
    can_ = traits_of(*info_);
    can_.atomics = atomics;
    can_.devices = true;
  }
  can_.inject_max = std::min<std::size_t>(can_.inject_max, asked.number(setting::ofi_inject));
  can_.registers_local |= asked.text(setting::ofi_memory) == "local";
  if (has_connections(*info_)) {
    const std::string shortage = make_room_for_connections(wanted.ranks - 1);
    if (!shortage.empty() && wanted.self == 0) log_warning(shortage);
  }
  open();
  log_info("network: provider ", provider(), ", interface ", interface());
}

void fabric::open() {
  fid_fabric* fabric_made = nullptr;
  check(::fi_fabric(info_->fabric_attr, &fabric_made, nullptr), "fi_fabric");
  fabric_.reset(fabric_made);
  fid_domain* domain_made = nullptr;
  check(::fi_domain(fabric_.get(), info_.get(), &domain_made, nullptr), "fi_domain");
  domain_.reset(domain_made);
  fi_av_attr table{};
  table.type = info_->domain_attr->av_type == FI_AV_MAP ? FI_AV_MAP : FI_AV_TABLE;
  fid_av* av_made = nullptr;
  check(::fi_av_open(domain_.get(), &table, &av_made, nullptr), "fi_av_open");
  addresses_.reset(av_made);
  open_completions();
  fid_ep* endpoint_made = nullptr;
  check(::fi_endpoint(domain_.get(), info_.get(), &endpoint_made, nullptr), "fi_endpoint");
  endpoint_.reset(endpoint_made);
  check(::fi_ep_bind(endpoint_.get(), &addresses_->fid, 0), "fi_ep_bind of addresses");
  check(::fi_ep_bind(endpoint_.get(), &completions_->fid, FI_TRANSMIT | FI_RECV),
        "fi_ep_bind of completions");
  check(::fi_enable(endpoint_.get()), "fi_enable");
  if (descriptor_ < 0) watch_own_socket();
}

// Opens the completion queue, with a descriptor to wait for where the provider has one.
void fabric::open_completions() {
  fi_cq_attr queue{};
  queue.size = completions_max;
  queue.format = FI_CQ_FORMAT_DATA;
  queue.wait_obj = FI_WAIT_FD;
  fid_cq* made = nullptr;
  if (::fi_cq_open(domain_.get(), &queue, &made, nullptr) == 0) {
    completions_.reset(made);
    if (::fi_control(&made->fid, FI_GETWAIT, &descriptor_) != 0) descriptor_ = -1;
    if (descriptor_ >= 0) watch_edges();
    return;
  }
  queue.wait_obj = FI_WAIT_NONE;
  check(::fi_cq_open(domain_.get(), &queue, &made, nullptr), "fi_cq_open");
  completions_.reset(made);
}

// The tcp provider of libfabric 1.17 never takes back that its descriptor is readable, once there
// was a completion. So threads sleep at a descriptor of our own, which reports every change there
// once. (Where descriptors cannot be nested so deep, the provider's own will do.)
void fabric::watch_edges() {
  atl::descriptor made(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event changes{};
  changes.events = EPOLLIN | EPOLLET;
  if (!made || ::epoll_ctl(made.get(), EPOLL_CTL_ADD, descriptor_, &changes) != 0) return;
  edge_ = std::move(made);
}

// A provider of datagrams (udp;ofi_rxd) may have nothing to wait for, although all that arrives for
// it arrives through one socket of this process. This finds the socket, which is bound to our
// address.
void fabric::watch_own_socket() {
  if (!has_sockets(*info_)) return;
  const std::vector<std::byte> wanted = address();
  rlimit open_files{};
  ::getrlimit(RLIMIT_NOFILE, &open_files);
  const int limit = static_cast<int>(std::min<rlim_t>(open_files.rlim_cur, own_socket_max));
  for (int each = 0; each < limit && descriptor_ < 0; ++each) {
    sockaddr_storage bound{};
    socklen_t bytes = sizeof bound;
    int type = 0;
    socklen_t type_bytes = sizeof type;
    if (::getsockname(each, reinterpret_cast<sockaddr*>(&bound), &bytes) != 0) continue;
    if (bytes < wanted.size() || std::memcmp(&bound, wanted.data(), wanted.size()) != 0) continue;
    if (::getsockopt(each, SOL_SOCKET, SO_TYPE, &type, &type_bytes) != 0) continue;
    if (type == SOCK_DGRAM) descriptor_ = each;
  }
  own_socket_ = descriptor_ >= 0;
  if (own_socket_) watch_edges();
}

std::vector<std::byte> fabric::address() const {
  std::vector<std::byte> name(network_address::bytes_max);
  std::size_t bytes = name.size();
  check(::fi_getname(&endpoint_->fid, name.data(), &bytes), "fi_getname");
  name.resize(bytes);
  return name;
}

// The number of addresses that were inserted says nothing of the cause. Not every provider tells it
// (FI_SYNC_ERR), so only an address that was refused is inserted with the question.
int fabric::insert(const network_address& address, fi_addr_t& name) noexcept {
  const void* const data = address.data.data();
  int inserted = ::fi_av_insert(addresses_.get(), data, 1, &name, 0, nullptr);
  int cause = FI_EINVAL;
  if (inserted == 0) {
    int told = 0;
    inserted = ::fi_av_insert(addresses_.get(), data, 1, &name, FI_SYNC_ERR, &told);
    if (told != 0) cause = std::abs(told);
  }
  if (inserted == 1) return 0;
  name = FI_ADDR_UNSPEC;
  return inserted < 0 ? inserted : -cause;
}

bool fabric::take_new_events() noexcept {
  epoll_event seen;
  return edge_ && ::epoll_wait(edge_.get(), &seen, 1, 0) == 1;
}

bool fabric::may_sleep() noexcept {
  if (descriptor_ < 0 || own_socket_) return true;
  fid* waited = &completions_->fid;
  return ::fi_trywait(fabric_.get(), &waited, 1) == FI_SUCCESS;
}

}  // namespace atl::transport::ofi
