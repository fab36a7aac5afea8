// SPDX-License-Identifier: BSD-3-Clause
//
// The strict provider, for tests. libfabric loads it from FI_PROVIDER_PATH. It moves data by the
// tcp provider, has the attributes of a hardware provider (FI_STRICT_AS names the profile), and
// ends the program when that does not meet the demands of these attributes. So the use of such
// providers is tested without the hardware, except their speed and their defects.
#include <tests/conformance/strict/objects.hpp>

#include <rdma/fi_errno.h>
#include <rdma/providers/fi_prov.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace strict {

namespace {

int find(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
         const fi_info* hints, fi_info** found);
int open_fabric(fi_fabric_attr* attributes, fid_fabric** made, void* context);
void clean_up() {}

fi_provider self{.version = FI_VERSION(1, 0),
                 .fi_version = FI_VERSION(1, 17),
                 .context = {},
                 .name = "strict",
                 .getinfo = find,
                 .fabric = open_fabric,
                 .cleanup = clean_up};

const char* parameter(const char* name) {
  char* value = nullptr;
  return ::fi_param_get_str(&self, name, &value) == 0 ? value : nullptr;
}

const profile* chosen() {
  const char* const name = parameter("as");
  return name != nullptr ? find_profile(name) : nullptr;
}

void set_name(char*& name, const char* to) {
  std::free(name);
  name = to != nullptr ? ::strdup(to) : nullptr;
}

constexpr std::string_view device_prefix = "strict-";

// The provider has its own device, and no network interface of the kernel.
void show_domain(char*& name) {
  std::string shown(device_prefix);
  shown += name;
  set_name(name, shown.c_str());
}

// Whether memory of devices is offered. The worker maps the bytes at another address, so it needs
// offsets instead of addresses.
bool offers_devices(const profile& hardware) {
  return parameter("devices") != nullptr && !hardware.asks_for(FI_MR_VIRT_ADDR);
}

void show_devices(fi_info& info) {
  for (std::uint64_t* const each : {&info.caps, &info.tx_attr->caps, &info.rx_attr->caps})
    *each |= FI_HMEM;
  info.domain_attr->mr_mode |= FI_MR_HMEM;
}

void hide_devices(fi_info& info) {
  info.caps &= ~FI_HMEM;
  if (info.tx_attr != nullptr) info.tx_attr->caps &= ~FI_HMEM;
  if (info.rx_attr != nullptr) info.rx_attr->caps &= ~FI_HMEM;
  if (info.domain_attr != nullptr) info.domain_attr->mr_mode &= ~FI_MR_HMEM;
}

void show(fi_info& info, const profile& hardware) {
  show_domain(info.domain_attr->name);
  info.mode = info.tx_attr->mode = info.rx_attr->mode = hardware.mode;
  info.domain_attr->mr_mode = hardware.registration;
  info.domain_attr->mr_key_size = hardware.key_bytes;
  info.domain_attr->control_progress = info.domain_attr->data_progress =
      hardware.progresses_itself ? FI_PROGRESS_AUTO : FI_PROGRESS_MANUAL;
  info.tx_attr->inject_size = std::min(info.tx_attr->inject_size, hardware.inject_max);
  info.ep_attr->max_msg_size = hardware.message_max;
  info.tx_attr->comp_order = info.rx_attr->comp_order = FI_ORDER_NONE;
  if (!hardware.orders_messages) info.tx_attr->msg_order = info.rx_attr->msg_order = 0;
  if (!hardware.many_per_receive) {
    info.caps &= ~FI_MULTI_RECV;
    info.rx_attr->caps &= ~FI_MULTI_RECV;
  }
  set_name(info.fabric_attr->prov_name, nullptr);  // libfabric writes ours there
}

// Whether a program with these hints accepts the profile.
bool can_serve(const fi_info& hints, const profile& hardware) {
  const fi_ep_type type = hints.ep_attr != nullptr ? hints.ep_attr->type : FI_EP_UNSPEC;
  if (type != FI_EP_RDM && type != FI_EP_UNSPEC) return false;  // a layer that looks for a base
  const std::uint64_t order = hints.tx_attr != nullptr ? hints.tx_attr->msg_order : 0;
  const int registration = hints.domain_attr != nullptr ? hints.domain_attr->mr_mode : 0;
  const bool wants_devices = (hints.caps & FI_HMEM) != 0;
  if (wants_devices && (!offers_devices(hardware) || (registration & FI_MR_HMEM) == 0))
    return false;
  return (hardware.mode & ~hints.mode) == 0 && (hardware.registration & ~registration) == 0 &&
         (order == 0 || hardware.orders_messages) &&
         (hardware.many_per_receive || (hints.caps & FI_MULTI_RECV) == 0);
}

// Whether this provider is requested by its name, or, where FI_STRICT_OFFERED is set, without one.
bool is_asked_for(const fi_info& hints) {
  const fi_fabric_attr* const attributes = hints.fabric_attr;
  if (attributes == nullptr || attributes->prov_name == nullptr)
    return parameter("offered") != nullptr;
  return std::string_view(attributes->prov_name) == "strict";
}

int find(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
         const fi_info* hints, fi_info** found) {
  const profile* const hardware = chosen();
  if (hardware == nullptr || hints == nullptr || !is_asked_for(*hints) ||
      !can_serve(*hints, *hardware))
    return -FI_ENODATA;
  fi_info* const ask = ::fi_dupinfo(hints);
  if (ask == nullptr) return -FI_ENOMEM;
  set_name(ask->fabric_attr->prov_name, worker);
  if (ask->domain_attr != nullptr) set_name(ask->domain_attr->name, nullptr);
  hide_devices(*ask);
  const int code = ::fi_getinfo(version, node, service, flags, ask, found);
  ::fi_freeinfo(ask);
  if (code != 0) return code;
  for (fi_info* each = *found; each != nullptr; each = each->next) {
    show(*each, *hardware);
    if ((hints->caps & FI_HMEM) != 0) show_devices(*each);
  }
  return 0;
}

int try_wait(fid_fabric* front, fid** waited, int count) {
  for (int i = 0; i < count; ++i) {
    if (waited[i]->fclass != FI_CLASS_CQ) return -FI_EINVAL;
    fid* inner = &object_of<completions>(waited[i]).inner->fid;
    if (const int code = ::fi_trywait(object_of<fabric>(front).inner, &inner, 1); code != 0)
      return code;
  }
  return 0;
}

int open_fabric(fi_fabric_attr* attributes, fid_fabric** made, void* context) {
  static fi_ops ops{.size = sizeof(fi_ops),
                    .close = close_object<fabric>,
                    .bind = no_bind,
                    .control = no_control};
  static fi_ops_fabric calls{
      .size = sizeof(fi_ops_fabric), .domain = open_domain, .trywait = try_wait};
  const profile* const hardware = chosen();
  if (hardware == nullptr) return -FI_ENODATA;
  auto* const whole_made = new fabric;
  fi_fabric_attr inner = *attributes;
  inner.prov_name = const_cast<char*>(worker);
  if (const int code = ::fi_fabric(&inner, &whole_made->inner, context); code != 0) {
    delete whole_made;
    return code;
  }
  whole_made->shown = hardware;
  whole_made->front.fid = {.fclass = FI_CLASS_FABRIC, .context = context, .ops = &ops};
  whole_made->front.ops = &calls;
  whole_made->front.api_version = whole_made->inner->api_version;
  *made = &whole_made->front;
  return 0;
}

}  // namespace

breakage asked_breakage() {
  const char* const asked = parameter("breaks");
  if (asked == nullptr) return breakage::never;
  return std::string_view(asked) == "overrun" ? breakage::overrun : breakage::undescribed;
}

std::size_t asked_window() {
  const char* const asked = parameter("bar");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : ~std::size_t{0};
}

fi_info* as_worker(const fi_info& shown, const profile& hardware) {
  fi_info* const info = ::fi_dupinfo(&shown);
  if (info == nullptr) return nullptr;
  set_name(info->fabric_attr->prov_name, worker);
  const std::string device(info->domain_attr->name + device_prefix.size());
  set_name(info->domain_attr->name, device.c_str());
  hide_devices(*info);
  info->mode = info->tx_attr->mode = info->rx_attr->mode = 0;
  // The worker can use addresses; keys and everything else are handled here.
  info->domain_attr->mr_mode = hardware.registration & FI_MR_VIRT_ADDR;
  info->domain_attr->mr_key_size = 8;
  return info;
}

}  // namespace strict

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini() {
  for (const char* const name : {"as", "offered", "breaks", "devices", "bar"})
    ::fi_param_define(&strict::self, name, FI_PARAM_STRING, "see README.md");
  return &strict::self;
}
