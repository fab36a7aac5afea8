! SPDX-License-Identifier: BSD-3-Clause
!
! PRIF: teams, also seen from their siblings, and coarrays that are allocated in a team.
module team_cleanups
  use prif_checks
  implicit none
  integer :: cleaned = 0
  type :: state
    integer :: number
  end type
  type :: team_of_compiler  ! the space that a compiler reserves
    type(state), pointer :: p
  end type
contains
  subroutine count_cleanup(handle) bind(C)
    type(prif_coarray_handle), value, intent(in) :: handle
    integer(c_size_t) :: bytes
    call prif_size_bytes(handle, bytes)
    cleaned = cleaned + int(bytes)
  end subroutine
end module

program teams_test
  use team_cleanups
  implicit none
  type(prif_coarray_handle) :: handle, inside
  type(prif_team_type) :: team, asked, initial
  type(c_ptr) :: memory
  integer(c_int64_t), pointer :: words(:)
  integer(c_int64_t), target :: seen
  integer(c_int64_t) :: number, mine, other
  integer(c_int) :: count, other_count, image, status, stat
  procedure(prif_coarray_cleanup_interface), pointer :: cleanup
  type(team_of_compiler) :: sample

  call start
  call check(storage_size(team) == storage_size(sample), 'the size of prif_team_type')
  cleanup => count_cleanup
  call allocate_words(1, handle, words)
  words = 7*me
  call prif_sync_all
  mine = mod(me, 2) + 5000000000_c_int64_t  ! more than 32 bits
  other = mod(me + 1, 2) + 5000000000_c_int64_t
  other_count = merge((images + 1)/2, images/2, mod(me, 2) == 0)
  count = images - other_count
  image = count - (me - 1)/2  ! in reverse order
  call prif_form_team(mine, team, image, stat)
  call check(stat == 0, 'prif_form_team')
  call prif_change_team(team, stat)
  call check(stat == 0, 'prif_change_team')

  call prif_num_images(status)
  call check(status == count, 'images of the team')
  call prif_this_image_no_coarray(this_image=status)
  call check(status == image, 'new_index')
  call prif_this_image_no_coarray(team, status)
  call check(status == image, 'this image in a team that is named')
  call prif_team_number(team_number=number)
  call check(number == mine, 'the number of the team')
  call prif_num_images_with_team_number(mine, status)
  call check(status == count, 'images of this team by its number')
  if (images > 1) then
    call prif_num_images_with_team_number(other, status)
    call check(status == other_count, 'images of the sibling by its number')
    call prif_image_index_with_team_number(handle, [int(other_count, c_int64_t)], other, status)
    call check(status == other_count, 'prif_image_index_with_team_number')
    call prif_initial_team_index_with_team_number(handle, [int(other_count, c_int64_t)], other, status, stat)
    call check(stat == 0 .and. status == merge(1, 2, mod(me, 2) == 0), 'the last image of the sibling')
    call prif_get(status, handle, no_offset, c_loc(seen), word_bytes)
    call check(seen == 7*status, 'a read from an image of the sibling')
  end if
  call prif_get_team(PRIF_INITIAL_TEAM, initial)
  call prif_num_images_with_team(initial, status)
  call check(status == images, 'images of the initial team')
  call prif_get_team(PRIF_PARENT_TEAM, asked)
  call prif_this_image_no_coarray(asked, status)
  call check(status == me, 'this image in the parent team')
  call prif_get_team(PRIF_CURRENT_TEAM, asked)
  call prif_team_number(asked, number)
  call check(number == mine, 'the current team')
  call prif_image_index_with_team(handle, [int(images, c_int64_t)], initial, status)
  call check(status == images, 'prif_image_index_with_team')
  call prif_initial_team_index_with_team(handle, [int(me, c_int64_t)], initial, status)
  call check(status == me, 'prif_initial_team_index_with_team')
  call prif_initial_team_index(handle, [int(image, c_int64_t)], status)
  call check(status == me, 'prif_initial_team_index in a team')

  call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], 24_c_size_t, cleanup, inside, memory)
  call prif_end_team(stat)
  call check(stat == 0 .and. cleaned == 24, 'END TEAM deallocates what the team allocated')
  call prif_num_images(status)
  call check(status == images, 'the images after END TEAM')
  call prif_deallocate_coarray(handle)
  call finish
end program
