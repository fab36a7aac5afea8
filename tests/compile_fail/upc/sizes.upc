// SPDX-License-Identifier: BSD-3-Clause
//
// upc_localsizeof, upc_blocksizeof and upc_elemsizeof need an operand that is shared and has a size.

shared [3] int array[3 * THREADS];
struct unknown;
shared void *generic;
int plain, results[16];
typedef shared [10] struct unknown unknown_by_ten;
unknown_by_ten *of_unknown, *shared [2] pointers[2 * THREADS];
extern shared [5] int open[];

// The values are constants, unless they depend on the number of threads.
shared [4] int partly[6 * THREADS];
shared int by_block[upc_blocksizeof(array) * THREADS];
int of_private[upc_blocksizeof(plain)];             // expect-error: upc_blocksizeof needs a shared object or type
shared int by_part[upc_localsizeof(partly)];        // expect-error: THREADS may be a factor of one dimension
char private_part[upc_localsizeof(partly)];         // expect-error: the size of a static private array cannot depend on THREADS
enum { part = upc_localsizeof(partly) };            // expect-error: the value of an enumeration constant must be constant
char negative[upc_blocksizeof(array) == 3 ? -1 : 1];  // expect-error: negative size

void sizes(void) {
  results[0] = upc_localsizeof(array) + upc_blocksizeof(shared [4] int) + upc_elemsizeof array[0];
  results[1] = upc_localsizeof(int);               // expect-error: upc_localsizeof needs a shared object or type
  results[2] = upc_blocksizeof plain;              // expect-error: upc_blocksizeof needs a shared object or type
  results[3] = upc_elemsizeof(int *);              // expect-error: upc_elemsizeof needs a shared object or type
  results[4] = upc_blocksizeof(shared void);       // expect-error: upc_blocksizeof of 'shared void', which has no size
  results[5] = upc_elemsizeof(*generic);           // expect-error: which has no size // expect-error: does not tell what it points to
  results[6] = upc_localsizeof(shared struct unknown);  // expect-error: application of 'upc_localsizeof' to an incomplete type
  results[7] = upc_localsizeof(int(void));         // expect-error: upc_localsizeof needs a shared object or type
  results[8] = sizeof(shared void);                // expect-error: sizeof of 'shared void', which has no size

  // The constraints of sizeof hold for all of them (6.4.1), even where the value would be known.
  results[9] = upc_blocksizeof(unknown_by_ten);    // expect-error: application of 'upc_blocksizeof' to an incomplete type
  results[10] = upc_elemsizeof(*of_unknown);       // expect-error: application of 'upc_elemsizeof' to an incomplete type
  results[11] = upc_blocksizeof(open);             // expect-error: application of 'upc_blocksizeof' to an incomplete type
  results[12] = sizeof(unknown_by_ten) + upc_blocksizeof(array);  // expect-error: application of 'sizeof' to an incomplete type
  results[13] = upc_blocksizeof(array) + sizeof(unknown_by_ten);  // expect-error: application of 'sizeof' to an incomplete type
  results[14] = upc_blocksizeof(of_unknown);       // expect-error: is private
  results[15] = upc_blocksizeof(open[0]) + upc_blocksizeof(pointers) + upc_elemsizeof(pointers[0]);
}
