! SPDX-License-Identifier: BSD-3-Clause
!
! Components of type character(:), and coarrays of derived types with final procedures.
module ended_parts
  implicit none
  integer :: finals = 0
  type counted
    integer, allocatable :: a(:)
    integer :: b = 1
  contains
    final :: count_final
  end type
contains
  subroutine count_final(part)
    type(counted), intent(inout) :: part
    finals = finals + 1
    if (part%b == 0) finals = finals + 100
  end subroutine
end module

program parts_test
  use checks
  use ended_parts
  implicit none
  type named
    integer :: before = 0
    character(:), allocatable :: name
    character(:), pointer :: title => null()
    character(:), allocatable :: lines(:)
    character(5), allocatable :: words(:)
    integer :: behind = 0
  end type
  type holder
    type(named) :: inside(2)
  end type
  type(named), save :: x[*]
  type(holder), save :: h[*]
  integer :: me, right

  me = this_image()
  right = mod(me, num_images()) + 1
  call names
  call lines
  call whole_coarrays
  call finalized
contains
  character function letter(image)
    integer, intent(in) :: image
    letter = achar(iachar('a') + image)
  end function

  subroutine names
    character(12) :: got
    allocate (character(4 + me) :: x%name)
    x%name = repeat(letter(me), 4 + me)
    h%inside(2)%name = 'h'//letter(me)
    sync all
    got = x[right]%name
    call check(got == repeat(letter(right), 4 + right), 'a component of type character(:)')
    got = h[right]%inside(2)%name
    call check(got == 'h'//letter(right), 'such a component in a component')
    sync all
    x%name = letter(me)//letter(me)  ! now shorter
    sync all
    got = x[right]%name
    call check(got == letter(right)//letter(right), 'after its length has changed')
    sync all
    x[right]%name = letter(me)
    sync all
    call check(x%name == letter(merge(num_images(), me - 1, me == 1)), 'a write to such a component')
    x%name = ''
    got = 'not empty'
    allocate (character(2*me) :: x%title)
    x%title = repeat(letter(me), 2*me)
    sync all
    got = x[right]%name
    call check(got == '', 'an empty component of type character(:)')
    got = x[right]%title
    call check(got == repeat(letter(right), 2*right), 'a pointer of type character(:)')
    sync all
  end subroutine

  subroutine lines
    character(7) :: got(3), one
    allocate (character(2 + me) :: x%lines(3))
    x%lines = letter(me)//'z'
    x%lines(2) = repeat(letter(me), 2 + me)
    allocate (x%words(2))
    x%words = ['hello', 'world']
    sync all
    one = x[right]%lines(2)
    call check(one == repeat(letter(right), min(7, 2 + right)), 'an element of an array of them')
    got = x[right]%lines(:)
    call check(got(1) == letter(right)//'z' .and. got(3) == got(1), 'a section of an array of them')
    one = x[right]%words(2)
    call check(one == 'world', 'an array of characters of a fixed length')
    sync all
  end subroutine

  subroutine whole_coarrays
    character(:), allocatable :: text[:]
    character(9) :: got
    allocate (character(6) :: text[*])
    text = repeat(letter(me), 6)
    sync all
    got = text[right]
    call check(got == repeat(letter(right), 6), 'a coarray of type character(:)')
    sync all
    deallocate (text)
  end subroutine

  subroutine finalized
    type(counted), allocatable :: one[:], many(:)[:]
    integer :: got(2)
    allocate (one[*], many(3)[*])
    allocate (one%a(2), many(2)%a(2))
    one%a = [me, 2*me]
    many(2)%a = me
    many(2)%b = 7*me
    sync all
    got = one[right]%a
    call check(all(got == [right, 2*right]), 'a component of an object with a final procedure')
    call check(many(2)[right]%b == 7*right, 'an element of an array of them')
    sync all
    deallocate (one)
    call check(finals == 1, 'the final procedure is called once')
    deallocate (many)
    sync all
  end subroutine
end program
