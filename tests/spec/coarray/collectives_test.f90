! SPDX-License-Identifier: BSD-3-Clause
!
! Collective subroutines of all types, with and without a result image.
program collectives_test
  use checks
  implicit none
  integer :: me, images, i, failed
  character(30) :: words

  me = this_image()
  images = num_images()
  call sums
  call extremes
  call broadcasts
  call broadcasts_of_components
  call reductions
contains
  subroutine sums
    integer(1) :: i1
    integer(2) :: i2(3)
    integer :: i4(2, 3)
    integer(8) :: i8
    integer(16) :: i16
    real(4) :: r4
    real(8) :: r8(1000)
    real(16) :: r16
    complex(8) :: c8(2)
    i1 = 1_1; i2 = int(me, 2); i4 = me; i8 = 2_8**40; i16 = 3
    r4 = 0.5; r8 = [(real(i*me, 8), i=1, 1000)]; r16 = 0.25_16; c8 = cmplx(me, -1, 8)
    call co_sum(i1)
    call co_sum(i2, stat=failed, errmsg=words)
    call check(failed == 0, 'stat of a sum')
    call co_sum(i4(1, :))
    call co_sum(i8)
    call co_sum(i16)
    call co_sum(r4)
    call co_sum(r8)
    call co_sum(r16, result_image=images)
    call co_sum(c8)
    call check(i1 == images .and. i8 == images*2_8**40 .and. i16 == 3*images, 'sums of integers')
    call check(all(i2 == images*(images + 1)/2), 'sum of an array')
    call check(all(i4(1, :) == images*(images + 1)/2) .and. all(i4(2, :) == me), 'sum of a row')
    call check(r4 == 0.5*images .and. all(r8 == [(i*images*(images + 1)/2, i=1, 1000)]), 'of reals')
    if (me == images) call check(r16 == images*0.25_16, 'sum at one image')
    call check(all(c8 == cmplx(images*(images + 1)/2, -images, 8)), 'sum of complex numbers')
  end subroutine

  subroutine extremes
    integer :: i4(4)
    real(8) :: r8
    character(4) :: text(2)
    i4 = [me, -me, 5, images - me]
    call co_max(i4)
    call check(all(i4 == [images, -1, 5, images - 1]), 'largest integers')
    r8 = 1d0/me
    call co_min(r8, result_image=1)
    if (me == 1) call check(r8 == 1d0/images, 'smallest real, at image 1')
    text = [character(4) :: 'b', 'x']
    if (me == images) text = [character(4) :: 'abcd', 'z']
    call co_max(text)
    call check(text(2) == 'z', 'largest text')
    text = 'm'
    if (me == 1) text(1) = 'c'
    call co_min(text)
    call check(text(1) == 'c' .and. text(2) == 'm', 'smallest text')
  end subroutine

  subroutine broadcasts
    type pair
      integer :: a
      real(8) :: b(2)
    end type
    type(pair) :: given
    integer :: line(10)
    character(6) :: word
    logical :: flag
    given = pair(me, [me, 2*me])
    call co_broadcast(given, images)
    call check(given%a == images .and. given%b(2) == 2*images, 'object of a derived type')
    line = me
    call co_broadcast(line(1:9:2), 1)
    call check(all(line(1:9:2) == 1) .and. all(line(2:10:2) == me), 'section with a stride')
    word = merge('first ', 'other ', me == 1)
    call co_broadcast(word, 1)
    call check(word == 'first', 'text')
    flag = me == 1
    call co_broadcast(flag, 1, stat=failed)
    call check(flag .and. failed == 0, 'logical')
  end subroutine

  ! gfortran does not initialize some fields of the descriptors of allocatable components.
  subroutine broadcasts_of_components
    type outer
      complex, allocatable :: scalar
      integer, allocatable :: vector(:), none(:)
      logical, allocatable :: matrix(:, :)
      character(3), allocatable :: words(:)
      integer :: plain = 0
      character(:), allocatable :: title
    end type
    type pair
      integer :: number
      character(4) :: name
    end type
    type(outer) :: given
    type(pair), target :: pairs(5)
    integer, pointer :: numbers(:)
    real(8) :: wide(6)
    integer :: round

    do round = 1, 3
      given%scalar = cmplx(me, -me)
      given%vector = [(i*me, i=1, 10*round)]
      given%none = [integer ::]
      given%matrix = reshape([(mod(i, me + 1) == 0, i=1, 12)], [3, 4])
      given%words = [character(3) :: 'one', 'two', merge('me ', 'you', me == 1)]
      given%plain = me
      given%title = 'same'  ! its length is not passed
      wide = me
      call co_broadcast(wide, 1)  ! leaves a descriptor of longer elements on the stack
      call co_broadcast(given, 1)
      call check(all(wide == 1), 'array before an object')
      call check(given%scalar == (1, -1), 'component that is a scalar')
      call check(all(given%vector == [(i, i=1, 10*round)]), 'component that is an array')
      call check(all(given%matrix .eqv. reshape([(mod(i, 2) == 0, i=1, 12)], [3, 4])), 'matrix')
      call check(all(given%words == ['one', 'two', 'me ']), 'component of texts')
      call check(given%plain == 1, 'component that is not allocatable')
      call check(given%title == 'same' .and. size(given%none) == 0, 'components without bytes')
      call scribble(1)
    end do

    pairs = [(pair(me*i, merge('mine', 'your', me == images)), i=1, 5)]
    numbers => pairs(2:4)%number
    call co_broadcast(numbers, images)
    call check(all(pairs%number == [me, 2*images, 3*images, 4*images, 5*me]), 'pointer to components')
    call check(all(pairs%name == merge('mine', 'your', me == images)), 'components beside them')
    call co_broadcast(pairs(1:3)%name, images)
    call check(all(pairs(1:3)%name == 'mine'), 'section of components')
    call check(all(pairs(4:)%name == merge('mine', 'your', me == images)), 'the others')
    call check(all(pairs%number == [me, 2*images, 3*images, 4*images, 5*me]), 'numbers beside texts')
  end subroutine

  ! Fills the stack below its caller.
  subroutine scribble(seed)
    integer, intent(in) :: seed
    integer(8), volatile :: stack(1024)
    integer :: k
    do k = 1, size(stack)
      stack(k) = 1000003_8*k + seed
    end do
  end subroutine

  subroutine reductions
    integer :: product_of, line(3)
    real(8) :: largest
    integer(8) :: last
    character(3) :: text
    logical :: all_hold
    complex(8) :: c
    product_of = me
    call co_reduce(product_of, times)
    call check(product_of == product([(i, i=1, images)]), 'product')
    line = [me, 1, 2]
    call co_reduce(line, times, result_image=1)
    if (me == 1) call check(line(3) == 2**images, 'products at one image')
    largest = me
    call co_reduce(largest, greater)
    call check(largest == images, 'values as arguments')
    last = me
    call co_reduce(last, second)
    call check(last == images, 'an operation that does not commute')
    text = merge('abc', 'xyz', me == images)
    call co_reduce(text, later_text)
    call check(text == 'abc', 'texts')
    all_hold = me /= images
    call co_reduce(all_hold, both)
    call check(.not. all_hold, 'logicals')
    c = (0d0, 1d0)
    call co_reduce(c, times_complex)
    call check(abs(c - (0d0, 1d0)**images) < 1d-12, 'complex numbers')
  end subroutine

  pure integer function times(a, b)
    integer, intent(in) :: a, b
    times = a*b
  end function
  pure real(8) function greater(a, b)
    real(8), value :: a, b
    greater = max(a, b)
  end function
  pure integer(8) function second(a, b)
    integer(8), intent(in) :: a, b
    second = b + 0*a
  end function
  pure function later_text(a, b)
    character(3), intent(in) :: a, b
    character(3) :: later_text
    later_text = b
    if (a == '') later_text = a
  end function
  pure logical function both(a, b)
    logical, intent(in) :: a, b
    both = a .and. b
  end function
  pure complex(8) function times_complex(a, b)
    complex(8), intent(in) :: a, b
    times_complex = a*b
  end function
end program
