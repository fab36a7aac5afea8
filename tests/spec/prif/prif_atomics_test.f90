! SPDX-License-Identifier: BSD-3-Clause
!
! PRIF: atomic memory operations, direct and indirect.
program atomics_test
  use prif_checks
  implicit none
  integer, parameter :: k = PRIF_ATOMIC_INT_KIND
  type(prif_coarray_handle) :: handle
  integer(c_int64_t), pointer :: words(:)
  integer(c_int64_t), target :: local
  integer(c_intptr_t) :: first
  integer(c_int) :: stat
  integer(k) :: old
  integer :: i

  call start
  call allocate_words(4, handle, words)
  words = [0_k, 0_k, 0_k, int(address_of(c_loc(words)), k)]
  call prif_sync_all
  call prif_get(1_c_int, handle, 3*word_bytes, c_loc(local), word_bytes)
  first = local
  call sums
  call bits
  call swaps
  call logicals
  call finish
contains
  subroutine sums
    do i = 1, 100
      call prif_atomic_add(1_c_int, handle, no_offset, 1_k)
      call prif_atomic_add_indirect(1_c_int, first, 2_k, stat)
      call prif_atomic_fetch_add(1_c_int, handle, no_offset, 3_k, old)
      call prif_atomic_fetch_add_indirect(1_c_int, first, -3_k, old)
    end do
    call prif_sync_all
    call prif_atomic_ref_int(1_c_int, handle, no_offset, old, stat)
    call check(stat == 0 .and. old == 300*images, 'sums of all images')
    call prif_sync_all
  end subroutine

  ! On this image's neighbour, whose number no other image uses.
  subroutine bits
    integer(c_int) :: peer
    integer(c_intptr_t) :: place
    peer = neighbour(1)
    call prif_get(peer, handle, 3*word_bytes, c_loc(local), word_bytes)
    place = local + 8
    call prif_atomic_define_int(peer, handle, word_bytes, 12_k)
    call prif_atomic_and(peer, handle, word_bytes, 6_k)
    call prif_atomic_or(peer, handle, word_bytes, 3_k)
    call prif_atomic_xor(peer, handle, word_bytes, 1_k)
    call prif_atomic_ref_int_indirect(peer, place, old)
    call check(old == 6, 'and, or, xor')
    call prif_atomic_define_int_indirect(peer, place, 12_k)
    call prif_atomic_and_indirect(peer, place, 10_k)
    call prif_atomic_or_indirect(peer, place, 1_k)
    call prif_atomic_xor_indirect(peer, place, 8_k)
    call prif_atomic_fetch_and(peer, handle, word_bytes, 1_k, old)
    call check(old == 1, 'and, or, xor by address')
    call prif_atomic_fetch_or(peer, handle, word_bytes, 6_k, old)
    call check(old == 1, 'fetch_and')
    call prif_atomic_fetch_xor(peer, handle, word_bytes, 3_k, old)
    call check(old == 7, 'fetch_or')
    call prif_atomic_fetch_and_indirect(peer, place, 12_k, old)
    call check(old == 4, 'fetch_xor')
    call prif_atomic_fetch_or_indirect(peer, place, 8_k, old)
    call check(old == 4, 'fetch_and by address')
    call prif_atomic_fetch_xor_indirect(peer, place, 8_k, old)
    call check(old == 12, 'fetch_or by address')
    call prif_atomic_ref_int(peer, handle, word_bytes, old)
    call check(old == 4, 'fetch_xor by address')
    call prif_sync_all
  end subroutine

  subroutine swaps
    integer(c_int64_t) :: turns
    call prif_atomic_define_int(me, handle, 2*word_bytes, 0_k)
    call prif_sync_all
    do turns = 1, 50
      do
        call prif_atomic_ref_int(1_c_int, handle, 2*word_bytes, old)
        local = old
        if (mod(turns, 2_k) == 0) then
          call prif_atomic_cas_int(1_c_int, handle, 2*word_bytes, old, local, local + 1)
        else
          call prif_atomic_cas_int_indirect(1_c_int, first + 16, old, local, local + 1)
        end if
        if (old == local) exit
      end do
    end do
    call prif_sync_all
    if (me == 1) call check(words(3) == 50*images, 'increments by compare and swap')
    call prif_sync_all
  end subroutine

  subroutine logicals
    logical(PRIF_ATOMIC_LOGICAL_KIND) :: seen
    logical(PRIF_ATOMIC_LOGICAL_KIND), parameter :: yes = .true., no = .false.
    call prif_atomic_define_logical(me, handle, word_bytes, yes)
    call prif_atomic_ref_logical(me, handle, word_bytes, seen)
    call check(logical(seen), 'a logical that is true')
    call prif_atomic_cas_logical(me, handle, word_bytes, seen, yes, no)
    call check(logical(seen), 'compare and swap of a logical')
    call prif_atomic_cas_logical_indirect(me, address_of(c_loc(words(2))), seen, yes, yes)
    call check(.not. logical(seen), 'compare and swap that does not hold')
    call prif_atomic_define_logical_indirect(me, address_of(c_loc(words(2))), no)
    call prif_atomic_ref_logical_indirect(me, address_of(c_loc(words(2))), seen)
    call check(.not. logical(seen), 'a logical that is false')
    call prif_sync_all
  end subroutine
end program
