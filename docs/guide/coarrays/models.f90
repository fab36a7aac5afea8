! SPDX-License-Identifier: BSD-3-Clause
!
! The Fortran side of a program that is written in three models: a coarray, and procedures that C++ calls.
module ring
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_long), save, target :: box(3)[*]
contains
  integer(c_int) function ring_image() bind(C)
    ring_image = this_image()
  end function

  type(c_ptr) function ring_box() bind(C)
    ring_box = c_loc(box)
  end function

  ! Puts a number into the right neighbour's first element.
  subroutine ring_send(number) bind(C)
    integer(c_long), value :: number
    box(1)[mod(this_image(), num_images()) + 1] = number
    sync all
  end subroutine

  integer(c_long) function ring_sum() bind(C)
    ring_sum = sum(box)
    call co_sum(ring_sum)
  end function
end module
