/* SPDX-License-Identifier: BSD-3-Clause

   Memory kinds: a segment in the memory of a device, of the library and of the client, bound
   to an endpoint, published, and reached through pairs from and to host memory and devices of every
   rank, in all forms; columns by the calls for non-contiguous transfers; the results for impossible
   classes and arguments.

   gex_devices [cuda|hip|ze] */
#include "client.h"

#include <dlfcn.h>
#include <gasnet_mk.h>
#include <gasnet_vis.h>

enum { words = 57344, bytes = words * 8 };

static gex_MK_t kind;
static gex_EP_t device_endpoint;
static gex_Segment_t device_segment;
static uint64_t data[words], back[words];

static gex_MK_Class_t own_class = GEX_MK_CLASS_CUDA_UVA;

/* The handle of a device of Level Zero, as the loader gives it; NULL for one that is not there. */
static void* ze_device(int wanted) {
  uint32_t (*init)(uint32_t);
  uint32_t (*get_drivers)(uint32_t*, void**);
  uint32_t (*get_devices)(void*, uint32_t*, void**);
  void* const loader = dlopen("libze_loader.so.1", RTLD_NOW);
  void *driver = NULL, *devices[8] = {NULL};
  uint32_t drivers = 1, count = 8;
  CHECK(loader != NULL);
  /* ISO C has no conversion from the result of dlsym to a function's address. */
  *(void**)&init = dlsym(loader, "zeInit");
  *(void**)&get_drivers = dlsym(loader, "zeDriverGet");
  *(void**)&get_devices = dlsym(loader, "zeDeviceGet");
  CHECK(init(0) == 0);
  CHECK(get_drivers(&drivers, &driver) == 0);
  CHECK(get_devices(driver, &count, devices) == 0);
  return wanted < 8 ? devices[wanted] : NULL;
}

static gex_MK_Create_args_t args_of(gex_MK_Class_t wanted, int device) {
  gex_MK_Create_args_t args;
  memset(&args, 0, sizeof args);
  args.gex_class = wanted;
  if (wanted == GEX_MK_CLASS_CUDA_UVA) args.gex_args.gex_class_cuda_uva.gex_CUdevice = device;
  if (wanted == GEX_MK_CLASS_HIP) args.gex_args.gex_class_hip.gex_hipDevice = device;
  if (wanted == GEX_MK_CLASS_ZE) args.gex_args.gex_class_ze.gex_zeDevice = ze_device(device);
  return args;
}

static void refuse(void) {
  gex_MK_t no_kind;
  gex_Segment_t segment;
  gex_MK_Create_args_t args = args_of(GEX_MK_CLASS_HOST, 0);
  CHECK(gex_MK_Create(&no_kind, my_client, &args, 0) == GASNET_ERR_BAD_ARG);
  args = args_of(own_class, 77);
  CHECK(gex_MK_Create(&no_kind, my_client, &args, 0) == GASNET_ERR_RESOURCE);
  if (own_class == GEX_MK_CLASS_ZE) {
    args = args_of(own_class, 0);
    args.gex_args.gex_class_ze.gex_zeMemoryOrdinal = 1;
    CHECK(gex_MK_Create(&no_kind, my_client, &args, 0) == GASNET_ERR_RESOURCE);
    args = args_of(own_class, 0);
    args.gex_args.gex_class_ze.gex_zeContext = (void*)&args; /* not that of the open device */
    CHECK(gex_MK_Create(&no_kind, my_client, &args, 0) == GASNET_ERR_RESOURCE);
  }
  CHECK(gex_Segment_Create(&segment, my_client, data, bytes, kind, 0) == GASNET_ERR_BAD_ARG);
  CHECK(gex_Segment_Create(&segment, my_client, NULL, (uintptr_t)1 << 50, kind, 0) ==
        GASNET_ERR_RESOURCE);
}

/* The last part of the segment is for this rank, the others for what ranks put here. */
static void make(void) {
  const uintptr_t size = (uintptr_t)(team_size + 1) * bytes;
  gex_MK_Create_args_t args = args_of(own_class, (int)(my_rank % 2));
  const int made = gex_MK_Create(&kind, my_client, &args, 0);
  if (made == GASNET_ERR_RESOURCE) { /* there is one device */
    args = args_of(own_class, 0);
    CHECK(gex_MK_Create(&kind, my_client, &args, 0) == GASNET_OK);
  } else {
    CHECK(made == GASNET_OK);
  }
  CHECK(gex_EP_Create(&device_endpoint, my_client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  CHECK(gex_Segment_Create(&device_segment, my_client, NULL, size, kind, 0) == GASNET_OK);
  CHECK(gex_EP_BindSegment(device_endpoint, device_segment, 0) == GASNET_OK);
  CHECK(gex_EP_PublishBoundSegment(my_team, &device_endpoint, 1, 0) == GASNET_OK);
}

static char* base_of(gex_Rank_t rank, gex_EP_t endpoint) {
  void *owners = NULL, *here = NULL;
  uintptr_t size = 0;
  gex_TM_t pair = gex_TM_Pair(my_endpoint, gex_EP_QueryIndex(endpoint));
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, rank, &owners, &here, &size, 0));
  CHECK(size >= (uintptr_t)(team_size + 1) * bytes);
  return (char*)owners;
}

/* A put and a get between two memories, in one of three forms. */
static void move(gex_TM_t tm, gex_Rank_t rank, int form, char* remote, char* from, char* to) {
  if (form == 0) {
    gex_RMA_PutBlocking(tm, rank, remote, from, bytes, 0);
    gex_RMA_GetBlocking(tm, to, rank, remote, bytes, 0);
  } else if (form == 1) {
    gex_Event_t local = GEX_EVENT_INVALID;
    gex_Event_t put = gex_RMA_PutNB(tm, rank, remote, from, bytes, &local, 0);
    gex_Event_Wait(local);
    gex_Event_Wait(put);
    gex_Event_Wait(gex_RMA_GetNB(tm, to, rank, remote, bytes, 0));
  } else {
    gex_RMA_PutNBI(tm, rank, remote, from, bytes, GEX_EVENT_DEFER, 0);
    gex_NBI_Wait(GEX_EC_ALL, 0);
    gex_RMA_GetNBI(tm, to, rank, remote, bytes, 0);
    gex_NBI_Wait(GEX_EC_ALL, 0);
  }
}

/* Columns of a matrix of 64-bit words, as a block and as a list of addresses, put and got back. The
   words between them must not change. */
static void check_columns(gex_Rank_t rank, int local_on_device, int remote_on_device) {
  enum { rows = 64, width = 30 };
  gex_EP_t const local = local_on_device ? device_endpoint : my_endpoint;
  gex_EP_t const remote = remote_on_device ? device_endpoint : my_endpoint;
  gex_TM_t const tm = gex_TM_Pair(local, gex_EP_QueryIndex(remote));
  gex_TM_t const to_device = gex_TM_Pair(my_endpoint, gex_EP_QueryIndex(device_endpoint));
  gex_TM_t const to_remote = gex_TM_Pair(my_endpoint, gex_EP_QueryIndex(remote));
  char* const target = base_of(rank, remote) + (size_t)my_rank * bytes;
  char* const scratch = (char*)gex_Segment_QueryAddr(device_segment) + (size_t)team_size * bytes;
  char* const source = local_on_device ? scratch : (char*)data;
  const ptrdiff_t stride = width * 8;
  const size_t count = rows;
  void* targets[rows];
  void* sources[rows];
  int i;
  for (i = 0; i < rows * width; ++i) data[i] = (uint64_t)i + 1;
  if (local_on_device) gex_RMA_PutBlocking(to_device, my_rank, scratch, data, rows * width * 8, 0);
  memset(back, 0, bytes);
  gex_RMA_PutBlocking(to_remote, rank, target, back, rows * width * 8, 0);
  gex_VIS_StridedPutBlocking(tm, rank, target + 8, &stride, source, &stride, 8, &count, 1, 0);
  for (i = 0; i < rows; ++i) targets[i] = target + 16 + i * stride;
  for (i = 0; i < rows; ++i) sources[i] = source + 24 + i * stride;
  gex_Event_Wait(gex_VIS_IndexedPutNB(tm, rank, rows, targets, 8, rows, sources, 8, 0));
  gex_RMA_GetBlocking(to_remote, back, rank, target, rows * width * 8, 0);
  for (i = 0; i < rows * width; ++i) {
    const int column = i % width, first = i - column;
    const uint64_t wanted = column == 1   ? (uint64_t)first + 1
                            : column == 2 ? (uint64_t)first + 4
                                          : 0;
    CHECK(back[i] == wanted);
  }
  /* Back into column 5. */
  gex_VIS_StridedGetNBI(tm, source + 40, &stride, rank, target + 16, &stride, 8, &count, 1, 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
  if (local_on_device) gex_RMA_GetBlocking(to_device, data, my_rank, scratch, rows * width * 8, 0);
  for (i = 0; i < rows * width; ++i)
    CHECK(data[i] == (i % width == 5 ? (uint64_t)(i - 5) + 4 : (uint64_t)i + 1));
}

static void check(gex_Rank_t rank, int local_on_device, int remote_on_device, int form) {
  gex_EP_t const local = local_on_device ? device_endpoint : my_endpoint;
  gex_EP_t const remote = remote_on_device ? device_endpoint : my_endpoint;
  gex_TM_t const tm = gex_TM_Pair(local, gex_EP_QueryIndex(remote));
  gex_TM_t const to_device = gex_TM_Pair(my_endpoint, gex_EP_QueryIndex(device_endpoint));
  char* const remote_place = base_of(rank, remote) + (size_t)my_rank * bytes;
  char* const scratch = (char*)gex_Segment_QueryAddr(device_segment) + (size_t)team_size * bytes;
  int i;
  for (i = 0; i < words; ++i) data[i] = (uint64_t)i * 77 + my_rank * 1000003u + (unsigned)form;
  memset(back, 0, bytes);
  if (local_on_device) {
    gex_RMA_PutBlocking(to_device, my_rank, scratch, data, bytes, 0);
    move(tm, rank, form, remote_place, scratch, scratch);
    gex_RMA_GetBlocking(to_device, back, my_rank, scratch, bytes, 0);
  } else {
    move(tm, rank, form, remote_place, (char*)data, (char*)back);
  }
  CHECK(memcmp(data, back, bytes) == 0);
  gex_RMA_PutBlockingVal(tm, rank, remote_place, 4711 + (unsigned)form, 8, 0);
  CHECK(gex_RMA_GetBlockingVal(tm, rank, remote_place, 8, 0) == 4711u + (unsigned)form);
}

int main(int argc, char** argv) {
  gex_Rank_t rank;
  int which, form;
  start_client(&argc, &argv, 9 * bytes); /* for up to 8 ranks */
  if (argc > 1 && strcmp(argv[1], "hip") == 0) own_class = GEX_MK_CLASS_HIP;
  if (argc > 1 && strcmp(argv[1], "ze") == 0) own_class = GEX_MK_CLASS_ZE;
  make();
  refuse();
  for (rank = 0; rank < team_size; ++rank)
    for (which = 0; which < 4; ++which) {
      for (form = 0; form < 3; ++form) check(rank, which & 1, which >> 1, form);
      check_columns(rank, which & 1, which >> 1);
    }
  barrier();
  gex_Segment_Destroy(device_segment, 0);
  gex_MK_Destroy(kind, 0);
  finish_client();
  return 0;
}
