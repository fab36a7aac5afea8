// SPDX-License-Identifier: BSD-3-Clause
//
// Where `shared`, `strict` and `relaxed` may not stand (UPC 1.3, 6.5.1.1).

shared int returns_shared(void);            // expect-error: cannot return a shared value
typedef shared int function_of_shared(void);  // expect-error: cannot return a shared value
void takes_shared(shared int value);        // expect-error: a parameter cannot be shared
typedef int plain_function(void);
typedef shared plain_function *to_function;  // expect-error: a function cannot be shared

struct holder {
  shared int value;    // expect-error: a member of a structure cannot be shared
  int *shared pointer;  // expect-error: a member of a structure cannot be shared
  shared int *allowed;
};

strict int private_strict;       // expect-error: 'strict' stands only beside 'shared'
relaxed int private_relaxed;     // expect-error: 'relaxed' stands only beside 'shared'
int *strict pointer_strict;      // expect-error: 'strict' stands only beside 'shared'
strict relaxed shared int both;  // expect-error: both strict and relaxed
typedef relaxed shared int relaxed_int;
strict relaxed_int both_by_name;  // expect-error: both strict and relaxed
_Thread_local shared int local_to_thread;  // expect-error: cannot be thread-local

void automatic(void) {
  shared int scalar;                // expect-error: an automatic variable cannot be shared
  int *shared pointer;              // expect-error: an automatic variable cannot be shared
  shared [2] int array[2 * THREADS];  // expect-error: an automatic variable cannot be shared
  static shared int is_static;
  shared int *is_private;
}

typedef typedef int named_twice;  // expect-error: duplicate 'typedef'
static static int stored_twice;   // expect-error: duplicate 'static'
