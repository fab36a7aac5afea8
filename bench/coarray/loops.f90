! SPDX-License-Identifier: BSD-3-Clause
!
! The loops of bench_coarray. Each assignment to or from a section of the target image stands beside
! the loop that one would write for arrays of this image. A loop works on 2^15 elements, which the
! caches of a core hold. The procedures are called from C++, so that no loop is moved out of the
! repetition. loops.h says what each does.
module coarray_loops
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_loc
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  private

  integer, parameter :: rows = 256, columns = 128, all = rows*columns
  integer, parameter :: chosen = 4096
  real(8), save :: matrix(rows, columns)[*]
  real(8), save :: list(2*chosen)[*]
  real(4), save :: single(rows, columns)[*]
  complex(8), save :: pairs(rows, columns)[*]
  real(8), save :: value[*]
  integer(c_int64_t), save, target :: flag[*]
  type(event_type), save :: posted[*]

  real(8), save :: whole(rows, columns), half(rows/2, columns), part(chosen)
  real(8), save :: other(rows, columns), other_list(2*chosen)
  real(4), save :: short(rows, columns), short_part(chosen)
  complex(8), save :: other_pairs(rows, columns)
  integer(4), save :: picks(chosen)
  integer(8), save :: long_picks(chosen)

contains

  subroutine coarray_loop_prepare() bind(c)
    integer :: i
    whole = 1; half = 2; part = 3; other = 4; other_list = 5; short = 6; short_part = 7; other_pairs = 8
    matrix = 9; list = 10; single = 11; pairs = 12; value = 13; flag = 0
    do i = 1, chosen
      picks(i) = mod(i*37, 2*chosen) + 1
    end do
    long_picks = picks
    sync all
  end subroutine

  integer(c_int) function coarray_loop_image() bind(c)
    coarray_loop_image = this_image()
  end function

  integer(c_int) function coarray_loop_images() bind(c)
    coarray_loop_images = num_images()
  end function

  type(c_ptr) function coarray_loop_flag() bind(c)
    coarray_loop_flag = c_loc(flag)
  end function

  subroutine coarray_loop_sync_all() bind(c)
    sync all
  end subroutine

  ! Image 1 posts, its target answers.
  subroutine coarray_loop_event_round_trip() bind(c)
    if (this_image() == 1) then
      event post (posted[2])
      event wait (posted)
    else if (this_image() == 2) then
      event wait (posted)
      event post (posted[1])
    end if
  end subroutine

  ! --- sections of the target image

  subroutine coarray_loop_remote(which, p) bind(c)
    integer(c_int), value :: which, p
    select case (which)
    case (0); whole = matrix(:, :)[p]
    case (1); matrix(:, :)[p] = whole
    case (2); half = matrix(1:rows:2, :)[p]
    case (3); matrix(1:rows:2, :)[p] = half
    case (4); part(1:columns) = matrix(3, :)[p]
    case (5); matrix(3, :)[p] = part(1:columns)
    case (6); part = list(picks)[p]
    case (7); list(picks)[p] = part
    case (8); part = list(long_picks)[p]
    case (9); list(long_picks)[p] = part
    case (10); short_part = list(picks)[p]
    case (11); list(picks)[p] = short_part
    case (12); short = matrix(:, :)[p]
    case (13); matrix(:, :)[p] = short
    case (14); other_pairs = matrix(:, :)[p]
    case (15); pairs(:, :)[p] = whole
    case (16); short(1:rows/2, :) = matrix(1:rows:2, :)[p]
    case (17); whole(1:2, :) = matrix(1:2, :)[p]
    end select
  end subroutine

  ! --- the same of this image

  subroutine coarray_loop_local(which) bind(c)
    integer(c_int), value :: which
    integer :: i, j
    select case (which)
    case (0)
      do j = 1, columns; do i = 1, rows; whole(i, j) = other(i, j); end do; end do
    case (1)
      do j = 1, columns; do i = 1, rows; other(i, j) = whole(i, j); end do; end do
    case (2)
      do j = 1, columns; do i = 1, rows/2; half(i, j) = other(2*i - 1, j); end do; end do
    case (3)
      do j = 1, columns; do i = 1, rows/2; other(2*i - 1, j) = half(i, j); end do; end do
    case (4)
      do j = 1, columns; part(j) = other(3, j); end do
    case (5)
      do j = 1, columns; other(3, j) = part(j); end do
    case (6)
      do i = 1, chosen; part(i) = other_list(picks(i)); end do
    case (7)
      do i = 1, chosen; other_list(picks(i)) = part(i); end do
    case (8)
      do i = 1, chosen; part(i) = other_list(long_picks(i)); end do
    case (9)
      do i = 1, chosen; other_list(long_picks(i)) = part(i); end do
    case (10)
      do i = 1, chosen; short_part(i) = real(other_list(picks(i)), 4); end do
    case (11)
      do i = 1, chosen; other_list(picks(i)) = short_part(i); end do
    case (12)
      do j = 1, columns; do i = 1, rows; short(i, j) = real(other(i, j), 4); end do; end do
    case (13)
      do j = 1, columns; do i = 1, rows; other(i, j) = short(i, j); end do; end do
    case (14)
      do j = 1, columns; do i = 1, rows; other_pairs(i, j) = other(i, j); end do; end do
    case (15)
      do j = 1, columns; do i = 1, rows; other_pairs(i, j) = whole(i, j); end do; end do
    case (16)
      do j = 1, columns; do i = 1, rows/2; short(i, j) = real(other(2*i - 1, j), 4); end do; end do
    case (17)
      do j = 1, columns; do i = 1, 2; whole(i, j) = other(i, j); end do; end do
    end select
  end subroutine

  ! --- single values

  subroutine coarray_loop_gets(count, p) bind(c)
    integer(c_int64_t), value :: count
    integer(c_int), value :: p
    integer(c_int64_t) :: i
    do i = 1, count
      part(iand(i, 63_c_int64_t) + 1) = value[p]
    end do
  end subroutine

  subroutine coarray_loop_puts(count, p) bind(c)
    integer(c_int64_t), value :: count
    integer(c_int), value :: p
    integer(c_int64_t) :: i
    do i = 1, count
      value[p] = part(iand(i, 63_c_int64_t) + 1)
    end do
  end subroutine

end module
