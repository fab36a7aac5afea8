// SPDX-License-Identifier: BSD-3-Clause
//
// The objects of libfabric that a rank has one of each: domain, endpoint, address table, completion
// queue. Which provider and interface they stand for is decided here, and what follows from the
// choice is said in `traits`, so that no other file asks for a provider's name.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <atoll/transport/ofi/address_book.hpp>
#include <atoll/transport/ofi/network_name.hpp>
#include <atoll/transport/transport_module.hpp>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace atl::transport::ofi {

/// Closes an object of libfabric.
struct closer {
  template <class Object>
  void operator()(Object* opened) const noexcept {
    ::fi_close(&opened->fid);
  }
};
template <class Object>
using owned = std::unique_ptr<Object, closer>;

struct info_deleter {
  void operator()(fi_info* info) const noexcept { ::fi_freeinfo(info); }
};
using info_list = std::unique_ptr<fi_info, info_deleter>;

/// The capabilities and requirements of the chosen provider.
struct traits {
  std::size_t inject_max = 0;          // bytes that may be sent without a buffer of ours
  std::size_t transfer_max = 0;        // bytes of one put or get; 0: it has none
  std::size_t queue_depth = 0;         // operations of ours under way; 0: it does not say
  std::size_t key_bytes = 8;           // of the keys that we choose
  bool many_per_receive = false;       // one receive buffer takes many messages
  bool registers_local = false;        // buffers of ours must be registered, too
  bool provider_chooses_keys = false;  // of registered memory
  bool takes_addresses = false;        // of remote memory; else offsets
  bool binds_memory = false;           // registered memory belongs to an endpoint
  bool atomics = false;                // its own are used
  bool devices = false;                // memory of devices can be registered
  bool keeps_order = false;            // of messages from one rank to another
  bool tells_target = false;           // a put may carry 64 bits to a completion at its target
  bool is_stream = false;              // of all between two ranks: one connection of the kernel's
  bool needs_polls = false;            // repeats what was lost only when polled
  bool hears_strangers = false;        // receives from addresses that it was not told
};

/// Whether a provider was seen to receive from ranks whose addresses it was not told: then it is
/// told each at the first contact. Others may drop what strangers send, or wait for a peer that
/// does not know of it (psm2, psm3), so they are told all at the start.
bool hears_strangers(std::string_view provider);

/// The provider and interface that the network's name, the settings and libfabric's offers lead to;
/// throws `atl::error`.
info_list best_provider(const network_name& named, const settings& configuration, bool one_machine);

/// Throws `atl::error` when `chosen` leads to this machine alone (libfabric offers the loopback
/// interface while another is not up yet), though the ranks' hosts reach each other by the
/// interface `known`. Empty: that is not known, and nothing is refused.
void refuse_loopback(const fi_info& chosen, std::string_view known);

/// How the providers in force are named, for `atoll info`.
std::string provider_names();

class fabric {
 public:
  /// Chooses and opens; throws `atl::error`.
  fabric(const network_request& wanted, const network_name& named);

  const traits& can() const noexcept { return can_; }
  std::string_view provider() const noexcept { return info_->fabric_attr->prov_name; }
  std::string interface() const { return info_->domain_attr->name; }
  std::uint32_t address_format() const noexcept { return info_->addr_format; }

  /// This endpoint's address, as others need it.
  std::vector<std::byte> address() const;

  /// Makes the address of another endpoint known, and writes what to name it by. Returns 0, or
  /// libfabric's negative code where it refuses the address; after -FI_EAGAIN it may take it later.
  int insert(const network_address& address, fi_addr_t& name) noexcept;

  /// How the provider names a place in registered memory of another rank.
  std::uint64_t name_of(std::uintptr_t remote, const remote_memory& in) const noexcept {
    return can_.takes_addresses ? remote : remote - in.base;
  }

  fid_domain* domain() noexcept { return domain_.get(); }
  fid_ep* endpoint() noexcept { return endpoint_.get(); }
  fid_cq* completions() noexcept { return completions_.get(); }

  /// A descriptor that becomes readable when there may be a completion; -1: none.
  int descriptor() const noexcept { return edge_ ? edge_.get() : descriptor_; }

  /// Ends the endpoint, and with it all that is under way; before its buffers go.
  void close_endpoint() noexcept { endpoint_.reset(); }

  /// Whether something was new at the descriptor since the last call. It may concern other ranks:
  /// the provider serves their puts and gets internally, and nothing else reports them.
  bool take_new_events() noexcept;

  /// Whether a thread may sleep at the descriptor now (after take_new_events()), when a look at the
  /// queue after this call finds nothing. Anything that arrives after this call makes the
  /// descriptor readable.
  bool may_sleep() noexcept;

 private:
  void open();
  void open_completions();
  void watch_edges();
  void watch_own_socket();

  info_list info_;
  traits can_;
  owned<fid_fabric> fabric_;
  owned<fid_domain> domain_;
  owned<fid_av> addresses_;
  owned<fid_cq> completions_;
  owned<fid_ep> endpoint_;   // first to be closed
  int descriptor_ = -1;      // the provider's
  bool own_socket_ = false;  // the descriptor is that of its own socket
  atl::descriptor edge_;     // reports what is new there
};

/// Throws an error code of libfabric as `atl::error`.
[[noreturn]] void refuse(std::string_view operation, int code, std::string remedy);

}  // namespace atl::transport::ofi
