// SPDX-License-Identifier: BSD-3-Clause
//
// The name of the network layer, which GASNet calls a conduit. Clients that were configured for one
// of GASNet's conduits find a header of this name in that conduit's folder first, with its name;
// those that ask for Atoll by its own modules find this one.
#ifndef GASNETEX_CONDUIT_H
#define GASNETEX_CONDUIT_H

#define GASNET_CONDUIT_NAME ATOLL
#define GASNET_CONDUIT_NAME_STR "ATOLL"

#endif
