// SPDX-License-Identifier: BSD-3-Clause
//
// The loops of bench_upcxx, which include <upcxx/upcxx.hpp> and nothing of Atoll's own, so that the
// same source measures Atoll and the reference UPC++, whose headers want an older C++ than the
// harness. Every loop does `count` operations on the acting rank, rank 0, and the target's part on
// the other; it returns when both are done.
#pragma once

#include <cstdint>

namespace loops {

/// Joins the job and makes what the loops act upon; collective.
void join();
unsigned rank();
unsigned ranks();
void barrier();
/// Ends the job.
void leave();

// The plain instruction on the memory that the transfers below act upon.
void store(std::uint64_t count);
void load(std::uint64_t count);
void atomic_add(std::uint64_t count);

// One at a time, each waited for.
void rput(std::uint64_t count);
void rget(std::uint64_t count);
void fetch_add(std::uint64_t count);
void add(std::uint64_t count);

// All at once; a promise completes with them.
void rput_flood(std::uint64_t count);
void rget_flood(std::uint64_t count);
void add_flood(std::uint64_t count);

/// User-level progress that finds nothing.
void idle_progress(std::uint64_t count);

// Calls, each waited for: to the other rank without arguments, there and back with 8 bytes, and to
// oneself.
void rpc_round_trip(std::uint64_t count);
void rpc_round_trip_8(std::uint64_t count);
void rpc_to_self(std::uint64_t count);

// Calls without an answer, of 8 bytes and of a view of `bytes`; they return when the last has run.
void rpc_ff_flood(std::uint64_t count);
void rpc_ff_flood_bytes(std::uint64_t count, unsigned bytes);

// Inserts into a hash table that is spread over the ranks, by all ranks at once, each waited for or
// a hundred under way: numbers, and strings as in the programmer's guide.
void map_insert(std::uint64_t count);
void map_insert_flood(std::uint64_t count);
void map_insert_strings(std::uint64_t count);

/// Whether every call that was made to this rank has run once.
bool all_arrived();

}  // namespace loops
