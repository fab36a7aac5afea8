! SPDX-License-Identifier: BSD-3-Clause
!
! A static coarray of 128 MB: it is refused before the main program where the heap is smaller, and only its
! touched pages take memory.
program large_test
  use checks
  implicit none
  real(8), save :: field(4000, 4000)[*]
  integer :: right

  right = mod(this_image(), num_images()) + 1
  field(4000, 4000)[right] = this_image()
  sync all
  call check(field(4000, 4000)[right] == this_image(), 'the last element')
end program
