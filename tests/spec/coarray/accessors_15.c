/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls of gfortran 15 that differ from those of later versions. */
#include "accessor_interface.h"

int _gfortran_caf_this_image(int distance);
int _gfortran_caf_num_images(int distance, int failed);
void _gfortran_caf_sync_all(int* stat, char** message, size_t message_bytes);
void _gfortran_caf_transfer_between_remotes(
    token target_token, descriptor* target, size_t* target_length, int target_image, int setter,
    void* target_arguments, size_t target_argument_bytes, token source_token,
    const descriptor* source, const size_t* source_length, int source_image, int getter,
    void* source_arguments, size_t source_argument_bytes, size_t bytes, bool is_scalar,
    int* target_stat, team* target_team, int* target_team_number, int* source_stat);
void _gfortran_caf_form_team(int number, team* made, int new_index);
void _gfortran_caf_change_team(team* to, int unused);
void _gfortran_caf_end_team(team* unused);
int _gfortran_caf_team_number(team team_value);

int this_image(void) { return _gfortran_caf_this_image(0); }
int num_images(void) { return _gfortran_caf_num_images(0, -1); }
void sync_all(void) { _gfortran_caf_sync_all(NULL, NULL, 0); }

void transfer(token target, int target_image, int setter, token source, int source_image,
              int getter, size_t bytes, bool is_scalar) {
  int target_stat = -1;
  int source_stat = -1;
  _gfortran_caf_transfer_between_remotes(target, NULL, NULL, target_image, setter, NULL, 0, source,
                                         NULL, NULL, source_image, getter, NULL, 0, bytes,
                                         is_scalar, &target_stat, NULL, NULL, &source_stat);
  check(target_stat == 0 && source_stat == 0, "STAT= of both sides");
}

void* object_in(void* argument) { return argument; }

void check_teams(void) {
  team odd_or_even = NULL;
  const int number = 1 + this_image() % 2;
  const int members = (num_images() + this_image() % 2) / 2;
  _gfortran_caf_form_team(number, &odd_or_even, 0);
  _gfortran_caf_change_team(&odd_or_even, 0);
  check(num_images() == members, "images of a team");
  check(_gfortran_caf_team_number(odd_or_even) == number, "number of a team");
  _gfortran_caf_end_team(NULL);
}
