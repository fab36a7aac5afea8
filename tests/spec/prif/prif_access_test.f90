! SPDX-License-Identifier: BSD-3-Clause
!
! PRIF: contiguous and strided access, direct and indirect, with and without a notification.
program access_test
  use prif_checks
  implicit none
  type(prif_coarray_handle) :: handle, addresses_handle, notes_handle
  integer(c_int64_t), pointer :: words(:), addresses(:), notes(:)
  integer(c_int64_t), target :: local(12)
  integer(c_int64_t) :: expected(24)
  integer(c_intptr_t) :: remote_words, remote_notes
  integer(c_int) :: right, left, stat
  integer :: i

  call start
  right = neighbour(1)
  left = neighbour(-1)
  call allocate_words(24, handle, words)
  call allocate_words(2, addresses_handle, addresses)
  call allocate_words(4, notes_handle, notes)
  addresses = [address_of(c_loc(words)), address_of(c_loc(notes))]
  words = [(1000*me + i, i=1, 24)]
  notes = 0
  call prif_sync_all
  call prif_get(right, addresses_handle, no_offset, c_loc(local), 2*word_bytes, stat)
  call check(stat == 0, 'stat of prif_get')
  remote_words = local(1)
  remote_notes = local(2)

  call prif_get(right, handle, 3*word_bytes, c_loc(local), 4*word_bytes)
  call check(all(local(1:4) == 1000*right + [4, 5, 6, 7]), 'prif_get')
  call prif_get_indirect(right, remote_words + 8*8, c_loc(local), 2*word_bytes)
  call check(all(local(1:2) == 1000*right + [9, 10]), 'prif_get_indirect')
  call prif_get_strided(right, handle, 23*word_bytes, [-16_c_ptrdiff_t, -64_c_ptrdiff_t], c_loc(local), &
    [16_c_ptrdiff_t, 8_c_ptrdiff_t], word_bytes, [3_c_size_t, 2_c_size_t])
  call check(all(local(1:5:2) == 1000*right + [24, 22, 20]), 'the first row of prif_get_strided')
  call check(all(local(2:6:2) == 1000*right + [16, 14, 12]), 'the second row of prif_get_strided')
  call prif_get_strided_indirect(right, remote_words, [24_c_ptrdiff_t], c_loc(local), [8_c_ptrdiff_t], word_bytes, &
    [4_c_size_t])
  call check(all(local(1:4) == 1000*right + [1, 4, 7, 10]), 'prif_get_strided_indirect')
  call prif_sync_all

  ! Each image writes to its right neighbour in eight ways; each way has separate places.
  local = [(100*me + i, i=1, 12)]
  call prif_put(right, handle, no_offset, c_loc(local), 2*word_bytes, stat)
  call prif_put_indirect(right, remote_words + 2*8, c_loc(local(3)), word_bytes)
  call prif_put_strided(right, handle, 3*word_bytes, [16_c_ptrdiff_t], c_loc(local), [24_c_ptrdiff_t], word_bytes, &
    [3_c_size_t])
  call prif_put_strided_indirect(right, remote_words + 9*8, [16_c_ptrdiff_t], c_loc(local(2)), [24_c_ptrdiff_t], &
    word_bytes, [2_c_size_t])
  call prif_put_with_notify(right, handle, 12*word_bytes, c_loc(local), word_bytes, notes_handle, no_offset)
  call prif_put_with_notify_indirect(right, handle, 13*word_bytes, c_loc(local(2)), word_bytes, remote_notes)
  call prif_put_indirect_with_notify(right, remote_words + 14*8, c_loc(local(3)), word_bytes, notes_handle, no_offset)
  call prif_put_indirect_with_notify_indirect(right, remote_words + 15*8, c_loc(local(4)), word_bytes, remote_notes)
  call prif_put_strided_with_notify(right, handle, 16*word_bytes, [8_c_ptrdiff_t], c_loc(local), [16_c_ptrdiff_t], &
    word_bytes, [2_c_size_t], notes_handle, word_bytes)
  call prif_put_strided_with_notify_indirect(right, handle, 18*word_bytes, [8_c_ptrdiff_t], c_loc(local), &
    [16_c_ptrdiff_t], word_bytes, [2_c_size_t], remote_notes + 8)
  call prif_put_strided_indirect_with_notify(right, remote_words + 20*8, [8_c_ptrdiff_t], c_loc(local), &
    [16_c_ptrdiff_t], word_bytes, [2_c_size_t], notes_handle, word_bytes)
  call prif_put_strided_indirect_with_notify_indirect(right, remote_words + 22*8, [8_c_ptrdiff_t], c_loc(local), &
    [16_c_ptrdiff_t], word_bytes, [2_c_size_t], remote_notes + 8)
  call prif_notify_wait(c_loc(notes(1)), 4_c_int64_t)
  call prif_notify_wait(c_loc(notes(2)), 3_c_int64_t)
  call prif_notify_wait(c_loc(notes(2)), stat=stat)
  call check(stat == 0 .and. all(notes == 0), 'prif_notify_wait takes what it waits for')
  expected(13:24) = 100*left + [1, 2, 3, 4, 1, 3, 1, 3, 1, 3, 1, 3]
  call check(all(words(13:24) == expected(13:24)), 'puts with a notification')
  call prif_sync_all
  expected(1:12) = 1000*me + [(i, i=1, 12)]
  expected(1:3) = 100*left + [1, 2, 3]
  expected(4:8:2) = 100*left + [1, 4, 7]
  expected(10:12:2) = 100*left + [2, 5]
  call check(all(words(1:12) == expected(1:12)), 'puts')
  call finish
end program
