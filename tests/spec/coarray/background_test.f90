! SPDX-License-Identifier: BSD-3-Clause
!
! Writes that may go on after their statement: this image sees its own in order, and others see them after
! an image control statement of each kind. With the argument "slow" there is a long delay between the hosts
! of the images, and many writes take the time of few.
program background_test
  use checks
  use iso_fortran_env, only: event_type, lock_type, atomic_int_kind, int64
  implicit none
  integer, parameter :: count = 300, turns = 20
  integer, save :: line(count)[*], grid(8, 8)[*]
  integer, allocatable :: large(:)[:]
  type(event_type), save :: posts[*]
  type(lock_type), save :: guard[*]
  integer(atomic_int_kind), save :: flag[*]
  integer :: me, right, left, i, turn

  me = this_image()
  right = mod(me, num_images()) + 1
  left = mod(me + num_images() - 2, num_images()) + 1
  if (command_argument_count() > 0) then
    call overlap
    stop
  end if
  allocate (large(100000)[*])
  call own_order
  call many
  call by_events
  call by_locks
  call by_atomics
  call by_pairs
contains
  ! Statements that write do not wait for an answer, and everything has arrived one round trip later.
  subroutine overlap
    integer, parameter :: reads = 4, writes = 40
    integer(int64) :: begun, read_in, written, complete, rate
    real(8) :: round_trip
    integer :: seen(reads)
    if (me == 1) seen(1) = line(1)[num_images()]
    sync all
    call system_clock(begun, rate)
    if (me == 1) then
      do i = 1, reads
        seen(i) = line(7*i)[num_images()]
      end do
      call system_clock(read_in)
      do i = 1, writes
        line(7*i)[num_images()] = i
      end do
      call system_clock(written)
      sync memory
      call system_clock(complete)
      round_trip = real(read_in - begun, 8)/reads/rate
      print '(3(a,f0.2))', 'ms: a read ', 1000*round_trip, ', 40 writes ', &
        1000*real(written - read_in, 8)/rate, ', until SYNC MEMORY ', 1000*real(complete - read_in, 8)/rate
      call check(round_trip > 0.005, 'a round trip takes long')
      call check(real(written - read_in, 8)/rate < round_trip/2, 'no statement waits for an answer')
      call check(real(complete - read_in, 8)/rate < 5*round_trip, 'writes go on at the same time')
    end if
    sync all
    if (me == num_images()) call check(all(line(7:7*writes:7) == [(i, i=1, writes)]), 'all is written')
  end subroutine

  subroutine own_order
    integer :: seen(4)
    do turn = 1, turns
      line(7)[right] = turn
      line(7)[right] = -turn
      call check(line(7)[right] == -turn, 'the last of two writes')
      line(1:4)[right] = turn
      line(2:3)[right] = 2*turn
      seen = line(1:4)[right]
      call check(all(seen == turn*[1, 2, 2, 1]), 'a write over a part of another')
      grid(3, :)[right] = turn
      grid(:, 4)[right] = turn + 1
      grid(3, [1, 4])[right] = turn + 2
      call check(grid(3, 4)[right] == turn + 2 .and. grid(3, 5)[right] == turn, 'sections that cross')
      call check(grid(2, 4)[right] == turn + 1, 'a section that is crossed')
    end do
    sync all
  end subroutine

  ! More writes than are remembered one by one, in order, backwards, and large ones.
  subroutine many
    do turn = 1, turns
      do i = 1, count
        line(i)[right] = turn*1000 + i
      end do
      do i = count, 1, -2
        line(i)[right] = -line(i)[right]
      end do
      large(:)[right] = turn*me
      sync all
      call check(all(line(2::2) == [(-turn*1000 - i, i=2, count, 2)]), 'many writes, then every other again')
      call check(all(line(1::2) == [(turn*1000 + i, i=1, count, 2)]), 'many writes')
      call check(all(large == turn*left), 'large writes')
      sync all
    end do
  end subroutine

  subroutine by_events
    do turn = 1, turns
      line(:)[right] = turn + me
      event post (posts[right])
      event wait (posts)
      call check(all(line == turn + left), 'writes before EVENT POST')
      sync all
    end do
  end subroutine

  subroutine by_locks
    integer :: sum
    if (me == 1) line = 0
    sync all
    do turn = 1, turns
      lock (guard[1])
      sum = line(5)[1]
      line(5)[1] = sum + 1
      line(6)[1] = sum + 1
      unlock (guard[1])
    end do
    sync all
    if (me == 1) call check(all(line(5:6) == turns*num_images()), 'writes before UNLOCK')
    sync all
  end subroutine

  subroutine by_atomics
    integer(atomic_int_kind) :: seen
    call atomic_define(flag, 0)
    sync all
    line(1:50)[right] = 77*me
    sync memory
    call atomic_define(flag[right], 1)
    do
      call atomic_ref(seen, flag)
      if (seen == 1) exit
    end do
    sync memory
    call check(all(line(1:50) == 77*left), 'writes before SYNC MEMORY')
    sync all
  end subroutine

  subroutine by_pairs
    if (num_images() == 1) return
    do turn = 1, turns
      line(1:200)[right] = turn*me
      if (left == right) sync images (right)
      if (left /= right) sync images ([left, right])
      call check(all(line(1:200) == turn*left), 'writes before SYNC IMAGES')
      if (left == right) sync images (right)
      if (left /= right) sync images ([left, right])
    end do
  end subroutine
end program
