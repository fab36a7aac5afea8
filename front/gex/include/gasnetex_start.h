// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of the inline functions of gasnetex_mode.h to the library, which cannot know by itself
// how its clients were compiled.
#ifndef GASNETEX_START_H
#define GASNETEX_START_H

#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Remembers that `file` was compiled for `mode`. Runs before main(), any number of times. */
void atoll_gex_note_mode(int mode, const char* file);

/* Remembers that a file was compiled for debugging: misuse then ends the job. Like the above. */
void atoll_gex_note_debugging(void);

/* The request of gex_Client_Init() to the library, with the facts about the file that calls it. */
struct atoll_gex_start {
  const char* client_name;
  gex_Flags_t flags;
  unsigned int header_version;
  int mode;
};
int atoll_gex_client_init(gex_Client_t* client_p, gex_EP_t* ep_p, gex_TM_t* tm_p,
                          const struct atoll_gex_start* start);
uint64_t atoll_gex_max_threads(int mode);

#ifdef __cplusplus
}
#endif

#endif
