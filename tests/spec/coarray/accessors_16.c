/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls of gfortran 16 that differ from those of earlier versions. */
#include "accessor_interface.h"

int _gfortran_caf_this_image(team team_value);
int _gfortran_caf_num_images(team team_value, int32_t* team_number);
void _gfortran_caf_sync_all(int* stat, char* message, size_t message_bytes);
void _gfortran_caf_transfer_between_remotes(
    token target_token, descriptor* target, size_t* target_length, int target_image, int setter,
    void* target_arguments, size_t target_argument_bytes, token source_token,
    const descriptor* source, const size_t* source_length, int source_image, int getter,
    void* source_arguments, size_t source_argument_bytes, size_t bytes, bool is_scalar,
    int* target_stat, int* source_stat, team* target_team, int* target_team_number,
    team* source_team, int* source_team_number);
void _gfortran_caf_form_team(int number, team* made, int* new_index, int* stat, char* message,
                             size_t message_bytes);
void _gfortran_caf_change_team(team to, int* stat, char* message, size_t message_bytes);
void _gfortran_caf_end_team(int* stat, char* message, size_t message_bytes);
void _gfortran_caf_sync_team(team team_value, int* stat, char* message, size_t message_bytes);
int _gfortran_caf_team_number(team team_value);
team _gfortran_caf_get_team(int32_t* level);

int this_image(void) { return _gfortran_caf_this_image(NULL); }
int num_images(void) { return _gfortran_caf_num_images(NULL, NULL); }
void sync_all(void) { _gfortran_caf_sync_all(NULL, NULL, 0); }

void transfer(token target, int target_image, int setter, token source, int source_image,
              int getter, size_t bytes, bool is_scalar) {
  int target_stat = -1;
  int source_stat = -1;
  team initial = _gfortran_caf_get_team(NULL);
  _gfortran_caf_transfer_between_remotes(
      target, NULL, NULL, target_image, setter, NULL, 0, source, NULL, NULL, source_image, getter,
      NULL, 0, bytes, is_scalar, &target_stat, &source_stat, &initial, NULL, &initial, NULL);
  check(target_stat == 0 && source_stat == 0, "STAT= of both sides");
}

void* object_in(void* argument) { return *(void**)argument; }

static int read_integer(void) { return _gfortran_caf_get_remote_function_index(1); }

void check_teams(void) {
  static int32_t initial_level = 0;
  static int32_t parent_level = 1;
  team odd_or_even = NULL;
  int stat = -1;
  const int images = num_images();
  const int last = images - (images % 2 != this_image() % 2);  // of this team
  int32_t number = 1 + this_image() % 2;
  int32_t other = 3 - number;
  int new_index = (images + this_image() % 2) / 2 - (this_image() - 1) / 2;
  _gfortran_caf_form_team(number, &odd_or_even, &new_index, &stat, NULL, 0);
  check(stat == 0, "STAT= of FORM TEAM");
  descriptor original = {.element_bytes = 4, .type = type_integer, .span = 4};
  token original_token = NULL;
  _gfortran_caf_register(4, kind_allocatable, &original_token, &original, NULL, NULL, 0);
  *(int32_t*)original.data = this_image();
  sync_all();
  _gfortran_caf_change_team(odd_or_even, &stat, NULL, 0);
  check(stat == 0, "STAT= of CHANGE TEAM");
  const int members = num_images();
  check(this_image() == new_index && _gfortran_caf_this_image(odd_or_even) == new_index,
        "new index");
  check(_gfortran_caf_num_images(odd_or_even, NULL) == members, "images of a team");
  check(images == 1 || _gfortran_caf_num_images(NULL, &other) == images - members,
        "images of the other team, by its number");
  check(_gfortran_caf_get_team(&parent_level) == _gfortran_caf_get_team(&initial_level),
        "the parent is the initial team");
  check(_gfortran_caf_team_number(NULL) == number, "number of the current team");
  // CHANGE TEAM (odd_or_even, name[*] => original)
  descriptor name = original;
  token associated = original_token;
  _gfortran_caf_register(4, kind_associated, &associated, &name, NULL, NULL, 0);
  int32_t got = 0;
  void* data = &got;
  _gfortran_caf_get_from_remote(associated, NULL, NULL, 1, 4, &data, NULL, NULL, false,
                                read_integer(), NULL, 0, NULL, NULL, NULL);
  check(got == last, "another name of a coarray, whose first image was the last one");
  _gfortran_caf_sync_team(odd_or_even, NULL, NULL, 0);
  _gfortran_caf_end_team(&stat, NULL, 0);
  check(stat == 0 && this_image() <= images, "END TEAM");
  _gfortran_caf_deregister(&original_token, 0, NULL, NULL, 0);
}
