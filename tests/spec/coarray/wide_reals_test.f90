! SPDX-License-Identifier: BSD-3-Clause
!
! Collective subroutines on real(10), which only x86 processors have, and on real(16) in a program that does not
! compute with it: the compiler does not tell the library which of the two it passes.
program wide_reals_test
  use, intrinsic :: iso_c_binding
  use checks
  implicit none
  integer, parameter :: wide = max(selected_real_kind(18, 4931), 8)
  integer :: me, images, failed

  me = this_image()
  images = num_images()
  if (storage_size(1._wide) == 128) then
    call sums
    call extremes
    call reductions
    call what_padding_holds
  end if
  call only_moved
contains
  subroutine sums
    real(wide) :: one, row(6), third
    complex(wide) :: pair(2)
    one = me
    call co_sum(one)
    call check(one == images*(images + 1)/2, 'sum')
    row = me + 0.5_wide
    call co_sum(row(1:5:2), stat=failed)
    call check(failed == 0 .and. all(row(1:5:2) == images*(images + 2)/2._wide), 'sum with a stride')
    call check(all(row(2:6:2) == me + 0.5_wide), 'elements beside it')
    third = 1/3._wide
    call co_sum(third, result_image=1)
    if (me == 1) call check(abs(third - images/3._wide) <= 4*epsilon(third)*images, 'all digits')
    pair = cmplx(me, -1, wide)
    call co_sum(pair)
    call check(all(pair == cmplx(images*(images + 1)/2, -images, wide)), 'sum of complex numbers')
    row = 0
    call co_sum(row)
    call check(all(row == 0), 'sum of zeros')
  end subroutine

  subroutine extremes
    real(wide) :: line(3)
    line = [real(wide) :: me, -me, 0]
    call co_max(line)
    call check(all(line == [real(wide) :: images, -1, 0]), 'largest')
    line = [1/real(me, wide), huge(line), tiny(line)*me]
    call co_min(line, result_image=images)
    if (me == images) call check(all(line == [1/real(images, wide), huge(line), tiny(line)]), 'least')
    line = huge(line)/me
    call co_max(line)
    call check(all(line == huge(line)), 'numbers that are large only')
  end subroutine

  subroutine reductions
    real(wide) :: value, other(2)
    integer :: i
    value = me
    call co_reduce(value, times)
    call check(abs(value/product([(real(i, wide), i=1, images)]) - 1) < 1e-15_wide, 'product')
    other = [real(wide) :: me, images - me]
    call co_reduce(other, greater)
    call check(all(other == [images, images - 1]), 'values as arguments')
  end subroutine

  pure real(wide) function times(a, b)
    real(wide), intent(in) :: a, b
    times = a*b
  end function
  pure real(wide) function greater(a, b)
    real(wide), value :: a, b
    greater = max(a, b)
  end function

  ! Six bytes of each number are padding, and may look like the end of a real(16).
  subroutine what_padding_holds
    real(wide), target :: numbers(4)
    integer(2), pointer :: words(:, :)
    numbers = [1.25_wide, -7._wide, 1e-30_wide, 3e30_wide]*me
    call c_f_pointer(c_loc(numbers), words, [8, 4])
    if (digits(1._wide) == 64) words(6:8, :) = int(z'3fff', 2)
    call co_sum(numbers(1:2))
    call check(all(numbers(1:2) == [1.25_wide, -7._wide]*(images*(images + 1)/2)), 'sum, with padding')
    call co_max(numbers(3:4))
    call check(all(abs(numbers(3:4)/([1e-30_wide, 3e30_wide]*images) - 1) < 1e-15_wide), 'largest, with padding')
  end subroutine

  subroutine only_moved
    integer, parameter :: quad = max(selected_real_kind(33), 8)
    real(quad) :: number, expected
    integer(8) :: bits(storage_size(1._quad)/64)
    number = 0.2_quad
    expected = 0.2_quad
    if (me == images) then
      number = 1.1_quad
    end if
    call co_min(number)
    if (images == 1) expected = 1.1_quad
    call check(all(transfer(number, bits) == transfer(expected, bits)), 'real(16)')
  end subroutine
end program
