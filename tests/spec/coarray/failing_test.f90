! SPDX-License-Identifier: BSD-3-Clause
!
! An image fails, and the others go on: each statement with STAT= reports the failure and does its work among
! the remaining images. Arguments: how it fails, `fail` (FAIL IMAGE), `kill` (by a signal), `allocate` (by a
! signal that comes while it waits in ALLOCATE), or `unreported` (FAIL IMAGE, before statements that cannot report
! it); and the number of the image, where 0 is the last one.
module failing
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use checks
  implicit none
  integer, parameter :: lost = stat_failed_image
  integer :: me, images, victim, next, status
  integer, allocatable :: left(:)
  integer, save :: number[*], line(8)[*]
  integer(atomic_int_kind), save :: counted[*]
  type(event_type), save :: posted[*]
  type(lock_type), save :: guard[*]
  character(60) :: words
  interface
    integer(c_int) function raise(signal) bind(C)
      import
      integer(c_int), value :: signal
    end function
    integer(c_int) function alarm(seconds) bind(C)
      import
      integer(c_int), value :: seconds
    end function
  end interface
contains
  subroutine choose
    character(8) :: text
    integer :: i
    me = this_image()
    images = num_images()
    call get_command_argument(2, text)
    read (text, *) victim
    if (victim == 0) victim = images
    left = pack([(i, i=1, images)], [(i /= victim, i=1, images)])
    next = merge(left(1), left(min(findloc(left, me, 1) + 1, size(left))), me == left(size(left)))
  end subroutine

  ! It has reached ALLOCATE when it is killed, so the others have no reason to allocate again.
  subroutine fail_in_allocate
    integer, allocatable :: more[:]
    if (me == victim) then
      status = alarm(1_c_int)
    else
      do while (image_status(victim) /= lost)
      end do
    end if
    allocate (more[*], stat=status)
    call check(status == 0 .and. allocated(more), 'ALLOCATE, in which it waited')
    more[next] = me
    sync all (stat=status)
    call check(status == lost, 'SYNC ALL after it')
    call check(any(more == left) .and. more /= me, 'a coarray that all have allocated')
    deallocate (more, stat=status)
    call check(status == lost .and. .not. allocated(more), 'DEALLOCATE after it')
    print '(a)', 'survived'
  end subroutine

  ! FORM TEAM cannot report the failure, nor can ALLOCATE and the SYNC ALL that the compiler adds. EVENT WAIT does.
  subroutine fail_unreported
    type(team_type) :: rest
    integer, allocatable :: more[:]
    sync memory (stat=status)
    if (me == victim) call fail_now
    form team (5, rest)
    allocate (more[*], stat=status)
    call check(status == 0 .and. allocated(more), 'ALLOCATE by those that are left')
    event wait (posted, stat=status)
    call check(status == lost, 'EVENT WAIT for an image that may be lost')
    deallocate (more, stat=status)
    print '(a)', 'survived'
  end subroutine

  subroutine fail_now
    character(8) :: how
    integer :: ignored
    call get_command_argument(1, how)
    if (how /= 'kill') fail image
    ignored = raise(9_c_int)
  end subroutine

  subroutine ask
    integer, allocatable :: failed(:)
    failed = failed_images()
    call check(size(failed) == 1 .and. all(failed == victim), 'FAILED_IMAGES')
    call check(size(stopped_images()) == 0, 'STOPPED_IMAGES')
    call check(image_status(victim) == lost .and. image_status(me) == 0, 'IMAGE_STATUS')
  end subroutine

  subroutine meet
    integer :: turn
    sync all (stat=status, errmsg=words)
    call check(status == lost .and. index(words, 'has failed') /= 0, 'SYNC ALL')
    do turn = 1, 50
      number[next] = 100*me + turn
      sync all (stat=status)
      call check(status == lost, 'another SYNC ALL')
      call check(mod(number, 100) == turn, 'what was written before SYNC ALL')
      sync all (stat=status)
    end do
    sync images (victim, stat=status)
    call check(status == lost, 'SYNC IMAGES with it')
    sync images (*, stat=status)
    call check(status == lost, 'SYNC IMAGES with all')
    if (size(left) == 2) then
      sync images (next)
      sync images ([victim, next], stat=status)
      call check(status == lost, 'SYNC IMAGES with it and another')
      sync images (next, stat=status)
      call check(status == 0, 'SYNC IMAGES with another')
    end if
    sync memory (stat=status)
    call check(status == 0, 'SYNC MEMORY')
  end subroutine

  subroutine access
    integer :: value
    number[victim, stat=status] = 1  ! gfortran does not pass the variable: the write has no effect
    value = number[victim, stat=status]
    call check(status == lost, 'a read')
    line(1:7:2)[victim, stat=status] = me
    line = me
    line(2:4) = line(5:7)[victim, stat=status]
    call check(status == lost .and. all(line == me), 'a read of a section')
    value = number[next, stat=status]
    call check(status == 0, 'a read of another image')
    call atomic_add(counted[victim], 1, stat=status)
    call check(status == lost, 'an atomic subroutine')
    call atomic_add(counted[next], 1, stat=status)
    call check(status == 0, 'an atomic subroutine of another image')
  end subroutine

  subroutine use_events_and_locks
    integer :: count
    logical :: is_acquired
    event post (posted[victim], stat=status)
    call check(status == lost, 'EVENT POST')
    event post (posted[next], stat=status)
    call check(status == 0, 'EVENT POST to another')
    event wait (posted, stat=status)
    call check(status == 0, 'EVENT WAIT')
    call event_query(posted, count, status)
    call check(status == 0 .and. count == 0, 'EVENT_QUERY')
    lock (guard[victim], stat=status)
    call check(status == lost, 'LOCK of it')
    lock (guard[victim], acquired_lock=is_acquired, stat=status)
    call check(status == lost .and. .not. is_acquired, 'LOCK of it without waiting')
    unlock (guard[victim], stat=status)
    call check(status == lost, 'UNLOCK of it')
    lock (guard[left(1)], stat=status)  ! the failed image held it
    call check(status == 0 .or. status == lost, 'LOCK, held by it')
    number[left(1)] = number[left(1)] + merge(1, 0, status == lost)
    unlock (guard[left(1)])
  end subroutine

  subroutine reduce
    integer :: sum
    sum = 1
    call co_sum(sum, stat=status, errmsg=words)  ! gfortran passes no address of the text
    call check(status == lost, 'CO_SUM')
    call co_broadcast(sum, left(1), stat=status)
    call check(status == lost, 'CO_BROADCAST')
  end subroutine
  subroutine allocate_more
    integer, allocatable :: more(:)[:]
    integer :: turn
    do turn = 1, 3
      allocate (more(turn)[*], stat=status)
      call check(status == 0, 'ALLOCATE')  ! gfortran sets the bounds only then
      call check(allocated(more) .and. size(more) == turn, 'what is allocated')
      more(turn)[next] = turn + me
      sync all (stat=status)
      call check(any(more(turn) == turn + left), 'a coarray of those that are left')
      deallocate (more, stat=status)
      call check(status == lost .and. .not. allocated(more), 'DEALLOCATE')
    end do
  end subroutine

  subroutine form_teams
    type(team_type) :: rest, half
    integer, allocatable :: part[:]
    integer :: sum, turn, place
    place = findloc(left, me, 1)
    do turn = 1, 3
      form team (5, rest)
      change team (rest)
        call check(num_images() == size(left), 'the size of a team of those that are left')
        call check(this_image() == place, 'THIS_IMAGE in the new team')
        call check(size(failed_images()) == 0, 'FAILED_IMAGES of the new team')
        sync all (stat=status)
        call check(status == 0, 'SYNC ALL of the new team')
        sum = me
        call co_sum(sum, stat=status)
        call check(status == 0 .and. sum == images*(images + 1)/2 - victim, 'CO_SUM of the new team')
        allocate (part[*], stat=status)
        call check(status == 0, 'ALLOCATE in the new team')
        part[mod(this_image(), num_images()) + 1] = this_image()
        sync all
        call check(part == merge(num_images(), this_image() - 1, this_image() == 1), 'its coarray')
        deallocate (part)
      end team
    end do
    form team (merge(1, 2, mod(place, 2) == 1), half)
    change team (half)
      call check(num_images() == (size(left) + merge(1, 0, mod(place, 2) == 1))/2, 'one of two teams')
      sync all
    end team
  end subroutine
end module

program failing_test
  use failing
  implicit none
  character(8) :: how
  call choose
  number = 0
  counted = 0
  sync all
  call get_command_argument(1, how)
  if (how == 'allocate') then
    call fail_in_allocate
    stop
  end if
  if (how == 'unreported') then
    call fail_unreported
    stop
  end if
  if (me == victim) then  ! fails only after its last message to each image has arrived
    lock (guard[left(1)])
    event wait (posted, until_count=images - 1)
    call fail_now
  end if
  event post (posted[victim], stat=status)
  call meet
  call ask
  call access
  number = 0
  sync all (stat=status)
  call use_events_and_locks
  sync all (stat=status)
  if (me == left(1)) call check(number == 1, 'one image is told of the lock')
  call reduce
  call allocate_more
  call form_teams
  sync all (stat=status)
  print '(a)', 'survived'
end program
