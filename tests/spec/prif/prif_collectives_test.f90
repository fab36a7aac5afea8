! SPDX-License-Identifier: BSD-3-Clause
!
! PRIF: collective subroutines, on arrays of several types and shapes, on sections, and by address.
module operations
  use prif_checks
  implicit none
contains
  ! Pairs of a number and a power of ten: the result has the digits of both in their order, so the operation
  ! is not commutative.
  subroutine concatenate(arg1, arg2_and_out, count, cdata) bind(C)
    type(c_ptr), intent(in), value :: arg1, arg2_and_out
    integer(c_size_t), intent(in), value :: count
    type(c_ptr), intent(in), value :: cdata
    integer(c_int64_t), pointer :: a(:), b(:), base
    integer(c_size_t) :: i
    call c_f_pointer(arg1, a, [2*count])
    call c_f_pointer(arg2_and_out, b, [2*count])
    call c_f_pointer(cdata, base)
    do i = 1, 2*count, 2
      b(i) = a(i)*b(i + 1) + b(i)  ! digits in the order of the images
      b(i + 1) = a(i + 1)*b(i + 1)
    end do
    if (base /= 10) b = -1
  end subroutine
end module

program collectives_test
  use operations
  implicit none
  integer(c_int) :: stat
  integer :: i

  call start
  call sums
  call extremes
  call broadcasts
  call reductions
  call finish
contains
  subroutine sums
    integer(c_int) :: one
    integer(c_int64_t) :: square(3, 4)
    real(c_double) :: row(10)
    complex(c_float_complex) :: z
    one = me
    call prif_co_sum(one, stat=stat)
    call check(stat == 0 .and. one == images*(images + 1)/2, 'a sum of integers')
    square = me
    call prif_co_sum(square, result_image=images)
    if (me == images) call check(all(square == images*(images + 1)/2), 'a sum of an array')
    row = me
    call prif_co_sum(row(1:10:3))
    call check(all(row(1:10:3) == images*(images + 1)/2.0_c_double), 'a sum of a section')
    call check(all(row(2:9:3) == me), 'what is between the elements of a section')
    z = cmplx(me, -me)
    call prif_co_sum(z)
    call check(real(z) == images*(images + 1)/2 .and. aimag(z) == -real(z), 'a sum of complex numbers')
  end subroutine

  subroutine extremes
    real(c_float) :: x(4)
    integer(c_int8_t) :: small
    character(3, kind=c_char) :: words(2), word
    x = [(real(mod(me + i, images)), i=1, 4)]
    call prif_co_max(x)
    call check(all(x == images - 1), 'prif_co_max')
    small = int(me, c_int8_t)
    call prif_co_min(small)
    call check(small == 1, 'prif_co_min')
    word = 'a'//achar(iachar('a') + me)
    call prif_co_max_character(word)
    call check(word == 'a'//achar(iachar('a') + images), 'prif_co_max_character')
    words = ['x'//achar(iachar('a') + me)//'.', 'bcd']
    call prif_co_min_character(words, result_image=1_c_int)
    if (me == 1) call check(words(1) == 'xb.' .and. words(2) == 'bcd', 'prif_co_min_character')
  end subroutine

  subroutine broadcasts
    type pair
      integer :: a
      real :: b
    end type
    type(pair) :: p(3)
    integer(c_int64_t), target :: block(5)
    p = pair(me, 2.0*me)
    call prif_co_broadcast(p, images)
    call check(all(p%a == images) .and. all(p%b == 2.0*images), 'a broadcast of a derived type')
    block = me
    call prif_co_broadcast_cptr(c_loc(block), 3*word_bytes, 1_c_int, stat)
    call check(stat == 0 .and. all(block(1:3) == 1) .and. all(block(4:5) == me), 'a broadcast by address')
  end subroutine

  subroutine reductions
    procedure(prif_operation_wrapper_interface), pointer :: operation
    integer(c_int64_t), target :: digits(2), base, expected
    type two
      integer(c_int64_t) :: digits(2)
    end type
    type(two) :: pair
    operation => concatenate
    base = 10
    expected = 0
    do i = 1, images
      expected = 10*expected + i
    end do
    pair%digits = [int(me, c_int64_t), 10_c_int64_t]
    call prif_co_reduce(pair, operation, c_loc(base), stat=stat)
    call check(stat == 0 .and. pair%digits(1) == expected, 'prif_co_reduce in the order of images')
    digits = [int(me, c_int64_t), 10_c_int64_t]
    call prif_co_reduce_cptr(c_loc(digits), 2*word_bytes, 1_c_size_t, operation, c_loc(base), images)
    if (me == images) call check(digits(1) == expected, 'prif_co_reduce_cptr')
  end subroutine
end program
