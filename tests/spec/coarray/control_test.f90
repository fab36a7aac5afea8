! SPDX-License-Identifier: BSD-3-Clause
!
! Image control: SYNC IMAGES, events, locks, critical sections; atomic subroutines; RANDOM_INIT.
program control_test
  use checks
  use iso_fortran_env
  implicit none
  integer, parameter :: turns = 200
  integer :: me, images, right, left
  integer, save :: shared[*]
  type(event_type), save :: arrived[*], many(3)[*]
  type(lock_type), save :: guard[*], guards(2)[*]
  type(event_type), allocatable :: made(:)[:]
  integer(atomic_int_kind), save :: counter[*]
  logical(atomic_logical_kind), save :: flag[*]

  me = this_image()
  images = num_images()
  right = mod(me, images) + 1
  left = mod(me + images - 2, images) + 1
  call pairs
  call events
  call locks
  call sections
  call atomics
  call seeds
contains
  subroutine pairs
    integer :: i, failed
    character(20) :: words
    do i = 1, turns
      if (me == 1) then
        shared[images] = i
        if (images > 1) sync images (images)
        if (images > 1) sync images (images)
      else if (me == images) then
        sync images (1)
        call check(shared == i, 'what was written before SYNC IMAGES')
        sync images (1)
      end if
    end do
    sync images (*)
    sync images ([me])
    if (left /= right) sync images ([left, right])
    sync images ([1, 1], stat=failed, errmsg=words)
    call check(failed /= 0 .and. words(1:11) == 'SYNC IMAGES', 'an image that is named twice')
    sync images (images + 1, stat=failed)
    call check(failed /= 0, 'an image that there is not')
    sync memory
    sync all (stat=failed)
    call check(failed == 0, 'stat of SYNC ALL')
  end subroutine

  subroutine events
    integer :: i, count
    do i = 1, turns
      event post (arrived[right])
      event wait (arrived)
    end do
    call event_query(arrived, count)
    call check(count == 0, 'all posts are taken')
    event post (many(2)[right])
    event post (many(2)[right])
    event post (many(3)[right])
    event wait (many(2), until_count=2)
    event wait (many(3))
    call event_query(many(2), count)
    call check(count == 0, 'until_count')
    allocate (made(2)[*])
    event post (made(2)[left])
    event wait (made(2))
    sync all
    deallocate (made)
  end subroutine

  subroutine locks
    integer :: i, failed
    logical :: free
    shared = 0
    sync all
    do i = 1, turns
      lock (guard[1])
      shared[1] = shared[1] + 1
      unlock (guard[1])
    end do
    sync all
    if (me == 1) call check(shared == turns*images, 'increments under a lock')
    lock (guards(2)[me])
    lock (guards(2)[me], stat=failed)
    call check(failed == stat_locked, 'a lock that this image holds')
    sync all
    lock (guards(2)[right], acquired_lock=free, stat=failed)
    if (images > 1) call check(.not. free .and. failed == 0, 'a lock that another image holds')
    unlock (guards(2)[right], stat=failed)
    if (images > 1) call check(failed == stat_locked_other_image, 'the lock of another image')
    sync all
    if (images > 1) unlock (guards(2)[me])
    unlock (guards(1)[me], stat=failed)
    call check(failed /= 0, 'a lock that is not locked')
    sync all
  end subroutine

  subroutine sections
    integer :: i
    shared = 0
    sync all
    do i = 1, turns
      critical
        shared[1] = shared[1] + 1
      end critical
    end do
    sync all
    if (me == 1) call check(shared == turns*images, 'increments in a critical section')
    sync all
  end subroutine

  subroutine atomics
    integer(atomic_int_kind) :: old, i
    logical(atomic_logical_kind) :: seen
    call atomic_define(counter, 0)
    call atomic_define(flag, .false._atomic_logical_kind)
    sync all
    do i = 1, turns
      call atomic_add(counter[1], 1)
    end do
    sync all
    call atomic_ref(old, counter[1])
    call check(old == turns*images, 'atomic additions')
    sync all
    call atomic_define(counter, 12)
    call atomic_fetch_add(counter, 3, old)
    call check(old == 12, 'fetch and add')
    call atomic_fetch_and(counter, 6, old)
    call check(old == 15, 'fetch and and')
    call atomic_fetch_or(counter, 8, old)
    call check(old == 6, 'fetch and or')
    call atomic_fetch_xor(counter, 2, old)
    call check(old == 14, 'fetch and xor')
    call atomic_or(counter, 1)
    call atomic_and(counter, 9)
    call atomic_xor(counter, 4)
    call atomic_cas(counter, old, 13, 99)
    call check(old == 13, 'compare and swap')
    call atomic_ref(old, counter)
    call check(old == 99, 'its result')
    sync all
    call atomic_define(flag[right], .true._atomic_logical_kind)
    do
      call atomic_ref(seen, flag)
      if (seen) exit
    end do
  end subroutine

  ! Whether all images have the same number as image 1.
  logical function is_one_for_all(x)
    real, intent(in) :: x
    real :: first
    integer :: equal
    first = x
    call co_broadcast(first, 1)
    equal = merge(1, 0, first == x)
    call co_min(equal)
    is_one_for_all = equal == 1
  end function

  subroutine seeds
    real :: x, y
    call random_init(repeatable=.true., image_distinct=.true.)
    call random_number(x)
    call random_init(repeatable=.true., image_distinct=.true.)
    call random_number(y)
    call check(x == y, 'repeatable numbers')
    if (images > 1) call check(.not. is_one_for_all(x), 'other numbers on each image')
    call random_init(repeatable=.true., image_distinct=.false.)
    call random_number(x)
    call check(is_one_for_all(x), 'repeatable numbers for all images')
    call random_init(repeatable=.false., image_distinct=.false.)
    call random_number(x)
    call check(is_one_for_all(x), 'numbers for all images')
    call random_init(repeatable=.false., image_distinct=.false.)
    call random_number(y)
    call check(x /= y, 'numbers that are not repeated')
  end subroutine
end program
