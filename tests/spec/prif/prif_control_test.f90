! SPDX-License-Identifier: BSD-3-Clause
!
! PRIF: SYNC statements, locks, critical sections, events.
program control_test
  use prif_checks
  implicit none
  integer, parameter :: turns = 200
  type(prif_coarray_handle) :: handle
  integer(c_int64_t), pointer :: words(:)
  integer(c_int64_t), target :: local
  integer(c_intptr_t) :: first

  call start
  call allocate_words(8, handle, words)
  words = 0
  words(8) = address_of(c_loc(words))
  call prif_sync_all
  call prif_get(1_c_int, handle, 7*word_bytes, c_loc(local), word_bytes)
  first = local
  call syncs
  call locks
  call criticals
  call events
  call finish
contains
  ! Adds one to a word of image 1, which needs protection.
  subroutine increment(word)
    integer, intent(in) :: word
    call prif_get(1_c_int, handle, (word - 1)*word_bytes, c_loc(local), word_bytes)
    local = local + 1
    call prif_put(1_c_int, handle, (word - 1)*word_bytes, c_loc(local), word_bytes)
  end subroutine

  subroutine syncs
    type(prif_team_type) :: team
    integer(c_int) :: stat
    integer :: i
    do i = 1, turns
      if (images > 1 .and. me == 1) then
        local = i
        call prif_put(images, handle, 4*word_bytes, c_loc(local), word_bytes)
        call prif_sync_images([images])
        call prif_sync_images([images])
      else if (me == images .and. images > 1) then
        call prif_sync_images([1_c_int])
        call check(words(5) == i, 'what was written before prif_sync_images')
        call prif_sync_images([1_c_int])
      end if
    end do
    call prif_sync_images
    call prif_sync_images([1_c_int, 1_c_int], stat)
    call check(stat /= 0, 'an image that is named twice')
    call prif_sync_memory(stat)
    call check(stat == 0, 'prif_sync_memory')
    call prif_get_team(team=team)
    call prif_sync_team(team, stat)
    call check(stat == 0, 'prif_sync_team')
  end subroutine

  subroutine locks
    integer(c_int) :: stat
    logical(c_bool) :: acquired
    integer :: i
    do i = 1, turns
      call prif_lock(1_c_int, handle, no_offset)
      call increment(2)
      if (mod(i, 2) == 0) then
        call prif_unlock(1_c_int, handle, no_offset)
      else
        call prif_unlock_indirect(1_c_int, first)
      end if
    end do
    call prif_sync_all
    if (me == 1) call check(words(2) == turns*images, 'increments under a lock')
    call prif_lock(me, handle, 2*word_bytes, stat=stat)
    call check(stat == 0, 'a lock that is free')
    call prif_lock(me, handle, 2*word_bytes, stat=stat)
    call check(stat == PRIF_STAT_LOCKED, 'a lock that this image holds')
    call prif_sync_all
    call prif_lock(neighbour(1), handle, 2*word_bytes, acquired, stat)
    if (images > 1) call check(stat == 0 .and. .not. acquired, 'a lock that another image holds')
    call prif_unlock(neighbour(1), handle, 2*word_bytes, stat)
    if (images > 1) call check(stat == PRIF_STAT_LOCKED_OTHER_IMAGE, 'the lock of another image')
    call prif_sync_all
    if (images > 1) call prif_unlock(me, handle, 2*word_bytes)
    call prif_unlock(me, handle, 2*word_bytes, stat)
    call check(stat == PRIF_STAT_UNLOCKED, 'a lock that is not locked')
    call prif_sync_all
    if (me == 1) call prif_lock_indirect(1_c_int, first, acquired)
    if (me == 1) call check(logical(acquired), 'prif_lock_indirect')
    if (me == 1) call prif_unlock_indirect(1_c_int, first)
    call prif_sync_all
  end subroutine

  subroutine criticals
    type(prif_coarray_handle) :: critical
    integer(c_int64_t), pointer :: unused(:)
    integer :: i
    call allocate_words(1, critical, unused)
    do i = 1, turns
      call prif_critical(critical)
      call increment(4)
      call prif_end_critical(critical)
    end do
    call prif_sync_all
    if (me == 1) call check(words(4) == turns*images, 'increments in a critical section')
    call prif_deallocate_coarray(critical)
  end subroutine

  subroutine events
    integer(c_int64_t) :: count
    integer(c_int) :: stat
    integer :: i
    do i = 1, turns
      call prif_event_post(neighbour(1), handle, 5*word_bytes)
      call prif_event_wait(c_loc(words(6)))
    end do
    call prif_event_query(c_loc(words(6)), count, stat)
    call check(count == 0 .and. stat == 0, 'all posts are taken')
    call prif_sync_all
    call prif_event_post_indirect(1_c_int, first + 6*8)
    if (me == 1) then
      call prif_event_wait(c_loc(words(7)), int(images, c_int64_t), stat)
      call check(stat == 0, 'until_count')
      call prif_event_query(c_loc(words(7)), count)
      call check(count == 0, 'until_count takes all')
    end if
    call prif_sync_all
  end subroutine
end program
