! SPDX-License-Identifier: BSD-3-Clause
!
! A ring by module prif: each image puts its number into its right neighbour's memory, with a notification.
program prif_ring
  use prif
  use, intrinsic :: iso_c_binding
  implicit none
  type(prif_coarray_handle) :: ring
  type(c_ptr) :: memory
  integer(c_int64_t), pointer :: words(:)  ! a number, and what counts notifications
  integer(c_int), target :: mine
  integer(c_int) :: stat, images, right
  procedure(prif_coarray_cleanup_interface), pointer :: no_cleanup => null()

  call prif_init(stat)
  call prif_this_image_no_coarray(this_image=mine)
  call prif_num_images(images)
  right = mod(mine, images) + 1
  call prif_allocate_coarray([1_c_int64_t], [int(images, c_int64_t)], 16_c_size_t, no_cleanup, ring, memory)
  call c_f_pointer(memory, words, [2])
  words = 0
  call prif_sync_all
  call prif_put_with_notify(right, ring, 0_c_size_t, c_loc(mine), 4_c_size_t, ring, 8_c_size_t)
  call prif_notify_wait(c_loc(words(2)))
  print '(a,i0,a,i0)', 'image ', mine, ' got ', words(1)
  if (words(1) /= mod(mine + images - 2, images) + 1) call prif_error_stop(.false._c_bool, stop_code_int=1_c_int)
  call prif_stop(.true._c_bool)
end program
