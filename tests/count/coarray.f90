! SPDX-License-Identifier: BSD-3-Clause
!
! Calls the loops of coarray_loops.f90 as often as count_test.py divides by.
program coarray
  use counted
  implicit none
  integer :: image, i
  image = this_image()
  x = 1
  y = 0
  allocate (h%part(turns))
  do i = 1, 10000
    call puts(image)
    call gets(image)
  end do
  if (sum(y) /= 2*turns) error stop 'what was put did not come back'
  do i = 1, 10000
    call component_puts(image)
    call component_gets(image)
  end do
  if (sum(y) /= 3*turns) error stop 'what was put to a component did not come back'
end program
