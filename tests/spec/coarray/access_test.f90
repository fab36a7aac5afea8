! SPDX-License-Identifier: BSD-3-Clause
!
! Coarrays of intrinsic types: image queries, static and allocatable ones, coindexed reads and
! writes of elements, sections and vector subscripts, characters, objects of derived types.
program access_test
  use checks
  implicit none
  integer :: me, images, right, left
  integer, save :: number[*]
  integer, save :: initial[*] = 17
  real(8), save :: line(-3:6)[*]
  character(5), save :: word(3)[*]
  integer, save :: table(3, 4)[*]
  type point
    integer :: i
    real(8) :: x(3)
  end type
  type(point), save :: spot[*]
  integer, allocatable :: grid(:, :)[:]
  integer, allocatable :: plane(:)[:, :]

  me = this_image()
  images = num_images()
  right = mod(me, images) + 1
  left = mod(me + images - 2, images) + 1
  call check(initial == 17 .and. initial[right] == 17, 'initial values')
  call elements
  call sections
  call vectors
  call long_rows
  call blocks
  call characters
  call derived
  call allocation
  call aliases
contains
  subroutine elements
    number = 100*me
    sync all
    call check(number[right] == 100*right, 'read of an element')
    sync all
    number[right] = me
    sync all
    call check(number == left, 'write of an element')
    sync all
    number = 10*me
    sync all
    if (me == 1) number[images] = number[right] + 5
    sync all
    if (me == images) call check(number == 10*(mod(1, images) + 1) + 5, 'both in one statement')
    sync all
  end subroutine

  subroutine sections
    real(8) :: got(10)
    integer :: i
    line = [(real(me*100 + i, 8), i=-3, 6)]
    sync all
    got = line(:)[right]
    call check(all(got == [(real(right*100 + i, 8), i=-3, 6)]), 'read of a whole coarray')
    got(1:5) = line(-3:6:2)[right]
    call check(all(got(1:5) == [(real(right*100 + i, 8), i=-3, 6, 2)]), 'read with a stride')
    got(2:8:3) = line(4:0:-2)[right]
    call check(all(got(2:8:3) == [(real(right*100 + i, 8), i=4, 0, -2)]), 'read backwards')
    sync all
    line(1:3)[right] = got(2:8:3)
    line(4:6)[right] = 7.5d0
    sync all
    call check(all(line(1:3) == [(real(me*100 + i, 8), i=4, 0, -2)]), 'write of a section')
    call check(all(line(4:6) == 7.5d0), 'one value to a section')
    line = [(real(me*100 + i, 8), i=-3, 6)]
    sync all
    if (me == 1) line(0:2)[images] = line(4:6)[right]
    sync all
    if (me == images) call check(all(line(0:2) == [(real((mod(1, images) + 1)*100 + i, 8), i=4, 6)]), &
                                 'section from image to image')
    sync all
  end subroutine

  subroutine vectors
    integer :: chosen(3), i
    integer(8) :: longer(2)
    real(8) :: got(3)
    integer :: pair(2), rows(2, 2)
    line = [(real(me*100 + i, 8), i=-3, 6)]
    chosen = [5, -3, 0]
    longer = [6, 2]
    sync all
    got = line(chosen)[right]
    call check(all(got == right*100 + chosen), 'read by a vector subscript')
    got(2:3) = line(longer)[right]
    call check(all(got(2:3) == right*100 + longer), 'read by a vector of long integers')
    sync all
    line(chosen)[right] = [1d0, 2d0, 3d0]
    sync all
    call check(line(5) == 1 .and. line(-3) == 2 .and. line(0) == 3 .and. line(1) == me*100 + 1, &
               'write by a vector subscript')
    sync all
    table = reshape([(me*100 + i, i=1, 12)], [3, 4])
    sync all
    pair = table(2, [4, 1])[right]
    call check(all(pair == right*100 + [11, 2]), 'a vector subscript beside an index')
    rows = table(3:1:-2, [2, 3])[right]
    call check(all(rows(:, 1) == right*100 + [6, 4]) .and. all(rows(:, 2) == right*100 + [9, 7]), &
               'a vector subscript beside a triplet')
    sync all
    table(3, [2, 4])[right] = [-1, -2]
    table([1, 2], 3)[right] = -3
    sync all
    call check(all(table(3, :) == [me*100 + 3, -1, me*100 + 9, -2]) .and. all(table(:2, 3) == -3), &
               'writes by a vector subscript beside an index')
    sync all
  end subroutine

  ! Rows longer than the piece of indices that is copied at once, and no multiple of it.
  subroutine long_rows
    integer, parameter :: length = 1203
    integer, save :: long(length)[*]
    integer :: picks(length), got(length), short(length/2), i
    integer(8) :: picks_8(length)
    real(4) :: converted(length)
    long = [(me*10000 + i, i=1, length)]
    picks = [(mod(i*7, length) + 1, i=1, length)]
    picks_8 = picks
    sync all
    got = long(picks)[right]
    call check(all(got == right*10000 + picks), 'read by a long vector')
    converted = long(picks_8)[right]
    call check(all(converted == right*10000 + picks), 'read by a long vector, converted')
    short = long(2:length:2)[right]
    call check(all(short == [(right*10000 + i, i=2, length, 2)]), 'read of every other element')
    converted = -1
    converted(:602) = long(length:1:-2)[right]
    call check(all(converted(:602) == [(right*10000 + i, i=length, 1, -2)]) .and. converted(603) == -1, &
               'read of every other element backwards, converted')
    if (me /= right) then
      picks(:9) = [(i + 1, i=1, 9)]
      picks = long(picks)[right]  ! the indices are replaced
      call check(all(picks(:9) == right*10000 + [(i, i=2, 10)]), 'read to the indices')
    end if
    picks = int(picks_8)
    sync all
    long(picks)[right] = got - right*10000
    sync all
    call check(all(long(picks) == picks), 'write by a long vector')
    sync all
    converted = 3*picks
    long(picks_8)[right] = converted
    sync all
    call check(all(long(picks) == 3*picks), 'write by a long vector, converted')
    sync all
    long(1:length:3)[right] = -got(:401)
    sync all
    call check(all(long(1:length:3) == -(me*10000 + picks(:401))) .and. long(length) == 3*length, &
               'write with a stride')
    sync all
  end subroutine

  ! Small blocks, up to 512 elements, are copied row by row; larger ones by a plan.
  subroutine blocks
    integer, parameter :: counts(2, 6) = reshape([16, 31, 16, 32, 16, 33, 1, 33, 5, 1, 1, 1], [2, 6])
    integer, parameter :: strides(2, 4) = reshape([1, 1, -1, 1, 2, -2, -2, -1], [2, 4])
    integer :: shape_number, stride_number
    do shape_number = 1, size(counts, 2)
      do stride_number = 1, size(strides, 2)
        call one_block(counts(:, shape_number), strides(:, stride_number))
      end do
    end do
  end subroutine

  subroutine one_block(extents, steps)
    integer, intent(in) :: extents(2), steps(2)
    integer, parameter :: rows = 40, columns = 80
    real(8), save :: area(rows, columns)[*]
    real(8) :: got(rows, columns), mirrored(rows, columns), expected(rows, columns)
    integer :: first(2), last(2), i, j
    character(60) :: which
    write (which, '(4(a,i0))') 'a block of ', extents(1), ' by ', extents(2), ', steps ', steps(1), ' and ', steps(2)
    first = merge(3, 3 - (extents - 1)*steps, steps > 0)
    last = first + (extents - 1)*steps
    area = reshape([((me*10000 + i*100 + j, i=1, rows), j=1, columns)], [rows, columns])
    sync all
    got = -1
    mirrored = -1
    got(:extents(1), :extents(2)) = area(first(1):last(1):steps(1), first(2):last(2):steps(2))[right]
    mirrored(extents(1):1:-1, 2*extents(2):2:-2) = area(first(1):last(1):steps(1), first(2):last(2):steps(2))[right]
    expected = -1
    expected(:extents(1), :extents(2)) = reshape([((right*10000 + (first(1) + i*steps(1))*100 + first(2) + j*steps(2), &
                                                    i=0, extents(1) - 1), j=0, extents(2) - 1)], extents)
    call check(all(got == expected), 'read of '//which)
    expected = -1
    expected(extents(1):1:-1, 2*extents(2):2:-2) = got(:extents(1), :extents(2))
    call check(all(mirrored == expected), 'backwards, read of '//which)
    sync all
    if (steps(1) > 0) then
      area(first(1):last(1):steps(1), first(2):last(2):steps(2))[right] = -got(:extents(1), :extents(2))
    else
      area(first(1):last(1):steps(1), first(2):last(2):steps(2))[right] = -mirrored(extents(1):1:-1, 2*extents(2):2:-2)
    end if
    sync all
    expected = reshape([((me*10000 + i*100 + j, i=1, rows), j=1, columns)], [rows, columns])
    do j = first(2), last(2), steps(2)
      do i = first(1), last(1), steps(1)
        expected(i, j) = -expected(i, j)
      end do
    end do
    call check(all(area == expected), 'write of '//which)
    sync all
  end subroutine

  subroutine characters
    character(8) :: longer
    character(2) :: shorter
    character(5) :: words(3)
    word = [character(5) :: 'one', 'two', 'three']
    if (me == images) word(1) = 'last'
    sync all
    longer = word(3)[right]
    shorter = word(1)[images]
    words = word(:)[right]
    call check(longer == 'three', 'padding with blanks')
    call check(shorter == 'la', 'truncation')
    call check(words(2) == 'two', 'array of characters')
    sync all
    word(2)[right] = 'a'
    sync all
    call check(word(2) == 'a    ' .and. word(3) == 'three', 'write of a shorter text')
  end subroutine

  subroutine derived
    type(point) :: got
    spot = point(me, [1d0, 2d0, 3d0]*me)
    sync all
    got = spot[right]
    call check(got%i == right .and. got%x(3) == 3*right, 'object of a derived type')
    call check(spot[right]%x(2) == 2*right, 'component')
    sync all
    spot[right]%x(2:3) = -me
    sync all
    call check(spot%x(1) == me .and. all(spot%x(2:3) == -left), 'section of a component')
  end subroutine

  subroutine allocation
    integer :: failed, i, turn
    integer :: block(2, 3)
    character(40) :: words
    do turn = 1, 3
      allocate (grid(4, 5*turn)[*], stat=failed, errmsg=words)
      call check(failed == 0, 'allocation')
      grid = me
      grid(2, 3) = 1000*me
      sync all
      block = grid(2:3, 2:4)[right]
      call check(block(1, 2) == 1000*right .and. block(2, 2) == right, 'block of an allocatable')
      sync all
      grid(1:4:3, 5)[right] = [(i*me, i=1, 2)]
      sync all
      call check(grid(1, 5) == left .and. grid(4, 5) == 2*left .and. grid(2, 5) == me, 'its write')
      deallocate (grid)
      call check(.not. allocated(grid), 'deallocation')
    end do
    allocate (plane(2)[2, *])
    plane = me
    sync all
    call check(all(this_image(plane) == [mod(me - 1, 2) + 1, (me - 1)/2 + 1]), 'cosubscripts')
    call check(image_index(plane, [1, 1]) == 1, 'image index')
    call check(plane(1)[mod(right - 1, 2) + 1, (right - 1)/2 + 1] == right, 'two codimensions')
    sync all
    deallocate (plane)
    allocate (grid(2, 2)[*])  ! freed at the end of the program
  end subroutine

  ! An image that reads from itself reads the values before the assignment.
  subroutine aliases
    integer :: i
    line = [(real(i, 8), i=-3, 6)]
    line(-2:6) = line(-3:5)[me]
    call check(line(-3) == -3 .and. all(line(-2:6) == [(real(i, 8), i=-3, 5)]), 'shift of oneself')
    line(6:-3:-1)[me] = line
    call check(line(-3) == 5 .and. line(6) == -3, 'reversal of oneself')
  end subroutine
end program
