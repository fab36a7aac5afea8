! SPDX-License-Identifier: BSD-3-Clause
!
! Coarrays of a program of pairs of models, see pair_part.h. Nothing is registered before the main program: the module
! has no static coarray.
module coarray_part
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer, parameter :: words = 32768
  integer(atomic_int_kind), allocatable, save, target :: box(:)[:]
contains

  subroutine coarray_begin() bind(c)
    allocate (box(words)[*])
    box = 0
    sync all
  end subroutine coarray_begin

  integer(c_int) function coarray_rank() bind(c)
    coarray_rank = this_image() - 1
  end function coarray_rank

  integer(c_int) function coarray_size() bind(c)
    coarray_size = num_images()
  end function coarray_size

  type(c_ptr) function coarray_own() bind(c)
    coarray_own = c_loc(box(1))
  end function coarray_own

  subroutine coarray_put(rank, at, source, count) bind(c)
    integer(c_int), value :: rank, at, count
    integer(c_int), intent(in) :: source(count)
    box(at + 1:at + count)[rank + 1] = source
  end subroutine coarray_put

  subroutine coarray_get(rank, at, destination, count) bind(c)
    integer(c_int), value :: rank, at, count
    integer(c_int), intent(out) :: destination(count)
    destination = box(at + 1:at + count)[rank + 1]
  end subroutine coarray_get

  subroutine coarray_fence() bind(c)
    sync memory
  end subroutine coarray_fence

  subroutine coarray_sync() bind(c)
    sync all
  end subroutine coarray_sync

  integer(c_int) function coarray_sum(number) bind(c)
    integer(c_int), value :: number
    integer(c_int) :: total
    total = number
    call co_sum(total)
    coarray_sum = total
  end function coarray_sum

  subroutine coarray_increase() bind(c)
    call atomic_add(box(1)[1], 1_atomic_int_kind)
  end subroutine coarray_increase

end module coarray_part
