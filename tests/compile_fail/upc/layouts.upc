// SPDX-License-Identifier: BSD-3-Clause
//
// Block sizes: their values, [*], one of them for each object, none for shared void.

shared [-1] int negative[THREADS];                            // expect-error: the block size [-1] is negative
shared [2147483648] int large[THREADS];                       // expect-error: larger than UPC_MAX_BLOCK_SIZE
shared [UPC_MAX_BLOCK_SIZE] int largest[THREADS];
shared [*] char star_large[THREADS * 2147483648UL];           // expect-error: larger than UPC_MAX_BLOCK_SIZE
int number;
shared [number] int variable[THREADS];                        // expect-error: the block size is not an integer constant
shared [1.5] int fraction[THREADS];                           // expect-error: the block size is not an integer constant

shared [*] int *star_pointer;                                 // expect-error: a pointer cannot have the layout [*]
typedef shared [*] int star_name[THREADS];                    // expect-error: a typedef cannot have the layout [*]
extern shared [*] int star_open[];                            // expect-error: needs an array whose size is known
shared [*] int star[7 * THREADS];
shared [4] void *generic;                                     // expect-error: has no block size: remove [4]
shared [1] void *generic_one;                                 // expect-error: has no block size: remove [1]
shared void *right;

typedef shared [2] int by_two;
shared [3] by_two two_sizes[THREADS];                         // expect-error: two block sizes for one object, [3] and [2]
shared [2] by_two same_size[THREADS];
shared by_two from_name[THREADS];
shared [2] shared [3] int twice[THREADS];                     // expect-error: two block sizes for one object
shared [THREADS] int by_threads[THREADS];                     // expect-error: depends on THREADS, which is no constant here
