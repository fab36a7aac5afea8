! SPDX-License-Identifier: BSD-3-Clause
!
! Components that are allocatable or pointers, also nested, reached on other images: in the heaps,
! in static memory, on the stack.
module shapes
  implicit none
  type inner
    real(8) :: b(4, 5)
    integer, allocatable :: q
  end type
  type holder  ! gfortran 12 cannot allocate a coarray of a type like `outer`
    type(inner), allocatable :: a(:)
  end type
  type outer
    integer :: before
    type(inner), allocatable :: a(:)
    type(inner) :: s(0:3)
    integer, pointer :: p(:) => null()
    integer, pointer :: one => null()
    real, allocatable :: line(:)
  end type
  type leaf
    integer, pointer :: row(:) => null()
    integer, pointer :: one => null()
    integer, pointer :: two => null()
  end type
  type branch
    integer, pointer :: block(:, :) => null()
    type(leaf) :: leaves(2)
  end type
end module
program components_test
  use checks
  use shapes
  use iso_fortran_env, only: atomic_int_kind
  implicit none
  type(outer), save :: z(0:3, 2)[*]
  type(holder), allocatable :: w(:)[:]
  integer, target, save :: fixed(6)
  integer :: me, right, left

  me = this_image()
  right = mod(me, num_images()) + 1
  left = mod(me + num_images() - 2, num_images()) + 1
  call allocated_parts
  call nested
  call pointers
  call targets_from_elsewhere
  call allocatable_objects
  call repeated_questions
contains
  subroutine allocated_parts
    real :: got(3)
    real, allocatable :: taken(:)
    call check(.not. allocated(z(1, 2)[right]%line), 'nothing is allocated at first')
    sync all
    allocate (z(1, 2)%line(me:me + 4))
    z(1, 2)%line = me
    z(1, 2)%line(me + 1) = 50 + me
    sync all
    call check(allocated(z(1, 2)[right]%line), 'allocated on another image')
    call check(z(1, 2)[right]%line(right + 1) == 50 + right, 'element with bounds of that image')
    got = z(1, 2)[right]%line(right:right + 4:2)
    call check(all(got == right), 'section of it')
    got = z(1, 2)[right]%line(::2)
    call check(all(got == right), 'section without bounds')
    taken = z(1, 2)[right]%line(::-1)
    call check(taken(4) == 50 + right .and. taken(1) == right, 'section backwards')
    taken = z(1, 2)[right]%line(:right + 1)
    call check(size(taken) == 2 .and. taken(2) == 50 + right, 'section up to an index')
    taken = z(1, 2)[right]%line
    call check(size(taken) == 5 .and. taken(2) == 50 + right, 'whole of it, to an allocatable')
    sync all
    z(1, 2)[right]%line(right + 2:right + 3) = [1.5, 2.5]
    z(1, 2)[right]%before = 7
    sync all
    call check(all(z(1, 2)%line(me + 2:me + 3) == [1.5, 2.5]) .and. z(1, 2)%before == 7, 'writes')
    sync all
    z(1, 2)[right]%line(:) = -1.
    sync all
    call check(all(z(1, 2)%line == -1), 'one value to all of it')
    deallocate (z(1, 2)%line)
    sync all
    call check(.not. allocated(z(1, 2)[right]%line), 'deallocated on another image')
    sync all
  end subroutine

  subroutine nested
    real(8) :: got(4), block(2, 2)
    integer :: i, j
    allocate (z(2, 1)%a(3))
    do j = 1, 5
      do i = 1, 4
        z(2, 1)%a(2)%b(i, j) = 1000*me + 10*i + j
        z(2, 1)%s(1)%b(i, j) = -(1000*me + 10*i + j)
      end do
    end do
    allocate (z(2, 1)%a(2)%q)
    z(2, 1)%a(2)%q = 33*me
    sync all
    got = z(2, 1)[right]%a(2)%b(:, 3)
    call check(all(got == [(1000*right + 10*i + 3, i=1, 4)]), 'allocatable part, then a fixed one')
    block = z(2, 1)[right]%s(1)%b(1:3:2, 2:5:3)
    call check(all(block(:, 2) == [-(1000*right + 15), -(1000*right + 35)]), 'fixed parts only')
    call check(z(2, 1)[right]%a(2)%q == 33*right, 'scalar allocatable in an allocatable')
    call check(.not. allocated(z(2, 1)[right]%a(1)%q), 'its neighbour is not allocated')
    sync all
    z(2, 1)[right]%a(2)%q = me
    z(2, 1)[right]%a(1:3)%b(4, 5) = 2d0*me
    sync all
    call check(z(2, 1)%a(2)%q == left, 'its write')
    call check(all(z(2, 1)%a(:)%b(4, 5) == 2*left), 'one number of each element')
    sync all
  end subroutine

  subroutine pointers
    integer, target :: local(4)
    integer, target :: scalar
    integer :: got(2)
    fixed = [1, 2, 3, 4, 5, 6]*me
    local = -me
    scalar = 11*me
    z(0, 1)%p => fixed(1:5:2)
    z(1, 1)%p => local
    allocate (z(2, 2)%p(8))
    z(2, 2)%p = 8*me
    z(0, 1)%one => scalar
    sync all
    got = z(0, 1)[right]%p(2:3)
    call check(all(got == [3, 5]*right), 'pointer to a section of static memory')
    got = z(1, 1)[right]%p(1:2)
    call check(all(got == -right), 'pointer to the stack')
    call check(z(2, 2)[right]%p(5) == 8*right, 'pointer to the heap')
    call check(z(0, 1)[right]%one == 11*right, 'pointer to one number')
    sync all
    z(0, 1)[right]%p(2) = 77
    z(1, 1)[right]%p(:) = [5, 6, 7, 8]
    z(2, 2)[right]%p(1:8:7) = me
    sync all
    call check(fixed(3) == 77 .and. fixed(4) == 4*me, 'write to static memory')
    call check(all(local == [5, 6, 7, 8]), 'write to the stack')
    call check(z(2, 2)%p(1) == left .and. z(2, 2)%p(8) == left .and. z(2, 2)%p(2) == 8*me, &
               'write to the heap')
    deallocate (z(2, 2)%p)
    sync all
  end subroutine

  ! DEALLOCATE of a pointer may free memory that another pointer has allocated. A heap of 64 MiB has no room for all of
  ! them and the component.
  subroutine targets_from_elsewhere
    type(branch), save :: tree[*]
    integer, pointer :: row(:), block(:, :), one
    integer :: turn, status
    do turn = 1, 50
      allocate (row(250000), block(500, 500))
      allocate (tree%leaves(2)%row(3))
      z(3, 1)%p => row
      tree%block => block
      tree%leaves(2)%row = turn
      deallocate (z(3, 1)%p, tree%block)
      allocate (one)
      tree%leaves(2)%one => one
      deallocate (tree%leaves(2)%one)  ! its token lies where one of a row of two dimensions could be
      call check(all(tree%leaves(2)%row == turn), 'a component in front of a scalar')
      deallocate (tree%leaves(2)%row)
      allocate (row(250000))
      tree%leaves(2)%row => row
      deallocate (tree%leaves(2)%row)
    end do
    allocate (z(3, 1)%line(5000000), stat=status)
    call check(status == 0, 'room for a component after many targets')
    deallocate (z(3, 1)%line)
    sync all
  end subroutine

  subroutine allocatable_objects
    real(8) :: got(3)
    integer :: turn
    do turn = 1, 2
      allocate (w(3)[*])
      allocate (w(2)%a(3))
      w(2)%a(:)%b(2, 3) = [1, 2, 3]*me
      sync all
      got = w(2)[right]%a(1:3)%b(2, 3)
      call check(all(got == [1, 2, 3]*right), 'component of an allocatable coarray')
      sync all
      if (turn == 2) exit
      deallocate (w)
    end do
  end subroutine

  ! An image that repeatedly queries whether it may go on still answers an image that reads its memory.
  subroutine repeated_questions
    integer(atomic_int_kind), save :: is_read[*]
    integer(atomic_int_kind) :: seen
    integer, target, save :: number
    number = 6*me
    z(1, 1)%one => number
    call atomic_define(is_read, 0)
    sync all
    if (me == 1) then
      call check(z(1, 1)[right]%one == 6*right, 'pointer of an image that does not wait')
      call atomic_define(is_read[right], 1)
    end if
    seen = 0
    do while (left == 1 .and. seen == 0)
      call atomic_ref(seen, is_read)
    end do
    sync all
  end subroutine
end program
