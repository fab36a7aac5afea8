! SPDX-License-Identifier: BSD-3-Clause
!
! Ways to end, chosen by the argument, and their effect on the other images.
module interruption
  use, intrinsic :: iso_c_binding
  implicit none
  integer, save, volatile :: is_held[*], is_released[*]
  interface
    integer(c_int) function alarm(seconds) bind(C)
      import
      integer(c_int), value :: seconds
    end function
    integer(c_int) function usleep(microseconds) bind(C)
      import
      integer(c_int), value :: microseconds
    end function
  end interface
contains
  ! The handler of a signal, which blocks this image until another has released it, or for two seconds.
  subroutine hold_up() bind(C)
    integer :: turn
    integer(c_int) :: ignored
    is_held = 1
    do turn = 1, 1000
      if (is_released == 1) return
      ignored = usleep(2000_c_int)
    end do
  end subroutine
end module

program ending_test
  use checks
  use interruption
  use iso_fortran_env
  implicit none
  character(20) :: way
  integer, save :: number[*], row(10)[*]
  integer :: position = 8
  type(event_type), save :: released[*]
  type(lock_type), save :: guard[*]
  integer, allocatable :: stopped(:), more[:]
  integer :: me, images, failed, line(4)
  character(60) :: words

  me = this_image()
  images = num_images()
  number = 10*me
  row = me
  call get_command_argument(1, way)
  sync all
  select case (way)
  case ('stop')  ! one image stops, with a code; the others go on and read its memory
    if (me == 1) then
      lock (guard[1])
      stop 7
    end if
    do while (image_status(1) /= stat_stopped_image)
    end do
    call check(number[1] == 10, 'memory of an image that has stopped')
    stopped = stopped_images()
    call check(any(stopped == 1) .and. size(failed_images()) == 0, 'lists of images')
    sync all (stat=failed, errmsg=words)
    call check(failed == stat_stopped_image .and. index(words, 'has stopped') /= 0, 'SYNC ALL')
    sync images (1, stat=failed)
    call check(failed == stat_stopped_image, 'SYNC IMAGES with it')
    call co_sum(number, stat=failed)
    call check(failed == stat_stopped_image, 'a collective with it')
    sync images ([1, 5 - me], stat=failed)
    call check(failed == stat_stopped_image, 'SYNC IMAGES with it and another')
    number = 100*me
    sync images (5 - me)
    call check(number[5 - me] == 100*(5 - me), 'SYNC IMAGES after one that has failed')
    lock (guard[1], stat=failed)
    call check(failed == stat_stopped_image, 'LOCK, held by it')
    print '(a)', 'the others went on'
  case ('event')  ! an image waits for a post that no image is left to make
    if (me /= images) stop
    event wait (released, stat=failed, errmsg=words)
    call check(failed == stat_stopped_image .and. index(words, 'have stopped') /= 0, 'EVENT WAIT')
  case ('late')  ! an image stops after a barrier in which others still are
    if (me == images) call sleep(1)
    sync all
    print '(a)', 'every image came'
  case ('stop_text')
    if (me == 1) stop 'enough'
  case ('hang')
    if (me == 1) stop
    sync all
  case ('apart')  ! an image allocates, and the others are at another statement
    if (me == 1) allocate (more[*])
    sync all
    sync all
  case ('deallocate')
    call deallocate_behind_stop
  case ('error_stop')
    if (me == 1) error stop 3
    event wait (released)
  case ('error_text')
    if (me == images) error stop 'all is lost'
    event wait (released)
  case ('fail')
    if (me == images) fail image
    event wait (released)
  case ('fail_sync')
    if (me == images) fail image
    sync all
    sync all
  case ('fail_read')
    if (me == images) fail image
    do
      sync memory
      number = number[images]
    end do
  case ('poll')  ! a loop of loads, which the compiler has put into the program
    if (me == images) fail image
    do while (number[images] == 10*images)
    end do
  case ('poll_row')
    if (me == images) fail image
    do while (all(row(1:2)[images] >= 0))
    end do
  case ('image')
    if (me == 1) number[images + 1] = 1
    event wait (released)
  case ('bounds')
    if (me == 1) line = row(position:position + 3)[images]
    event wait (released)
  case ('overrun')
    call overrun
  case ('index')  ! the wrong index is not among the first ones
    if (me == 1) call read_beyond
    event wait (released)
  case ('turned_indices')
    if (me == 1) call read_turned
    event wait (released)
  case ('unallocated')
    call unallocated
  case ('text')  ! its length is not known
    call text
  case ('exit')
    if (me == 1) call exit(5)
    event wait (released)
  case ('both_kinds')
    call sum_both_kinds
  end select
contains
  ! Writes in front of an array, over what the heap notes there.
  subroutine overrun
    real, allocatable :: row(:)
    allocate (row(1000))
    row = 1
    call write_from(row, -7)
    print '(f4.1)', row(1)  ! the compiler may not drop the array then
    deallocate (row)
  end subroutine

  subroutine write_from(row, first)
    real, intent(inout) :: row(*)
    integer, intent(in) :: first
    row(first:0) = 0
  end subroutine

  ! An image is delayed in DEALLOCATE. Another stops after it, and the first one misses two more.
  subroutine deallocate_behind_stop
    integer, allocatable :: x[:], y[:], z[:]
    allocate (x[*], y[*], z[*])
    is_held = 0
    is_released = 0
    sync all
    if (me == images) then
      call signal(14, hold_up)
      failed = alarm(1_c_int)
    else
      do while (is_held[images] == 0)
      end do
    end if
    deallocate (x)
    if (me == 2) stop
    if (me == 1) then
      do while (image_status(2) /= stat_stopped_image)
      end do
    end if
    deallocate (y, stat=failed)
    call check(failed == stat_stopped_image, 'DEALLOCATE after the end of an image')
    deallocate (z, stat=failed)
    call check(failed == stat_stopped_image, 'another DEALLOCATE after it')
    if (me == 1) is_released[images] = 1
    sync images ([1, images])
    print '(a)', 'the others went on'
  end subroutine

  ! The compiler passes three divided by the step of the section of indices, and no step.
  subroutine read_turned
    integer :: list(3)
    list = [1, 5, 9]
    line(1:3) = row(list(3:1:-1))[2]
  end subroutine

  subroutine read_beyond
    integer :: chosen(700), got(700)
    chosen = 1
    chosen(650) = size(row) + 2
    got = row(chosen)[images]
    print *, got(650)
  end subroutine

  subroutine sum_both_kinds
    real(selected_real_kind(33)) :: fine
    real(selected_real_kind(18)) :: padded(2) = 0.5
    fine = me
    call co_sum(fine)
    call check(fine == images*(images + 1)/2, 'real(16)')
    padded = padded*me
    call co_sum(padded)
  end subroutine

  subroutine text
    type titled
      character(:), pointer :: title => null()
    end type
    type(titled), allocatable :: whole[:]
    character(:), allocatable, target :: other
    allocate (whole[*])
    allocate (character(2) :: whole%title)
    other = 'longer'
    whole%title => other
    sync all
    if (me == 1) words = whole[images]%title
    event wait (released)
  end subroutine

  subroutine unallocated
    type part
      integer, allocatable :: a(:)
    end type
    type(part), allocatable :: whole[:]
    allocate (whole[*])
    if (me == 1) whole[images]%a(1) = 3
    event wait (released)
  end subroutine
end program
