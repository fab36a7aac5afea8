// SPDX-License-Identifier: BSD-3-Clause
//
// Correct code that a check could mistake for wrong code: this file must give no message.
#include <stddef.h>
#include <stdlib.h>
#include <upc.h>

#define BLOCK 4
enum { block_of_enum = 2 * BLOCK };
typedef shared [BLOCK] int block_int;
typedef block_int *block_pointer;
typedef int row[8];
typedef struct node {
  int value;
  shared struct node *next;
  shared [] struct node *child;
  double coordinates[3];
} node;

block_int blocks[BLOCK * THREADS];
shared [BLOCK] int same_blocks[THREADS * BLOCK];
shared [block_of_enum] int by_enum[THREADS];
shared [sizeof(int) * 2] char by_size[THREADS];
shared [3] row rows[3 * THREADS];
shared [] node *list;
shared node nodes[THREADS];
node *shared directory[THREADS];
shared [2] int *shared [4] pointers[4 * THREADS];
shared int *volatile moving;
shared const int *constant;
strict shared int flag;
relaxed shared [5] int relaxed_array[5 * THREADS];
shared unsigned *counts;
shared int *plain, **table;
shared [] int *indefinite = 0;
extern shared [*] double later[3 * THREADS];
shared [*] double later[3 * THREADS];

static int sum_of(shared [BLOCK] int *values, size_t count, shared const void *any) {
  int sum = any != NULL;
  for (size_t i = 0; i < count; i++) sum += (count > 99999) ? values[i & 1] : 0;
  return sum;
}

static shared [] int *choose(int which) {
  return which == 0 ? NULL : which == 1 ? &list->value : (shared [] int *)&blocks[2];
}

static void conversions(void) {
  block_pointer first = blocks;
  shared [BLOCK] int *second = &blocks[1];
  shared [2 * 2] int *third = first + 1;
  shared void *generic = third;
  first = second = third = same_blocks;
  first = generic;
  plain = upc_all_alloc(THREADS, sizeof(int));
  counts = (shared unsigned *)plain;
  list = upc_alloc(sizeof(node));
  list->next = NULL;
  list->child = &list[1];
  indefinite = &nodes[0].value;
  shared [] double *middle = nodes[0].coordinates + 1;
  table = malloc(4 * sizeof *table);
  table = (shared int **)malloc(4 * sizeof *table);
  table[0] = 0;
  *table = plain ? plain : NULL;
  pointers[0] = (shared [2] int *)generic;
  constant = plain;
  moving = plain;
  if (!plain || plain == NULL || generic != third || middle == 0) free(table);
  int *local = (int *)plain;
  directory[MYTHREAD] = (node *)&nodes[MYTHREAD];
  local = (int *)(void *)local;
  (void)sum_of(first, 3, first);
  (void)sum_of(blocks, upc_blocksizeof(blocks), local ? plain : 0);
  (void)(third - first + (second < third) + (size_t)upc_addrfield(third));
}

static int statements(int way) {
  int i, j, local[THREADS];
  upc_forall (i = 0; i < THREADS; i++; &nodes[i].value) {
    switch (way) {
      case 1: break;
      default: continue;
    }
    for (j = 0; j < way; j++) {
      if (j == 3) break;
    }
    local[i] = MYTHREAD;
  }
  upc_forall (i = 0, j = 1; i < THREADS && j; i++, j++; (i + 1) % THREADS) local[i] = j;
  upc_forall (int k = 0; k < 3; k++; continue) flag = k;
  if (way) {
    upc_notify 2;
    local[0] = 1;
    upc_wait 2;
  } else {
    upc_barrier 2;
  }
  upc_notify;
  if (way > 1) {
    upc_wait;
    return local[0];
  }
  upc_wait;
  upc_fence;
  return (int)(sizeof(local) + sizeof(blocks) + upc_elemsizeof(rows) + upc_localsizeof(shared [2] int[2 * THREADS]));
}

int main(int count, char **arguments) {
  conversions();
  return statements(count) + arguments[0][0];
}
