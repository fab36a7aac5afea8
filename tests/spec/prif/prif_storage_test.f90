! SPDX-License-Identifier: BSD-3-Clause
!
! PRIF: storage of coarrays and components, cobounds, cosubscripts, aliases, context data, cleanups.
module cleanups
  use prif_checks
  implicit none
  integer :: cleaned = 0
  interface  ! as clean-up procedures in C call them
    subroutine size_for_c(handle, bytes) bind(C, name='prif_size_bytes')
      import
      type(prif_coarray_handle), value :: handle
      integer(c_size_t) :: bytes
    end subroutine
    subroutine place_for_c(handle, place) bind(C, name='prif_local_data_pointer')
      import
      type(prif_coarray_handle), value :: handle
      type(c_ptr) :: place
    end subroutine
    subroutine set_for_c(handle, context) bind(C, name='prif_set_context_data')
      import
      type(prif_coarray_handle), value :: handle
      type(c_ptr), value :: context
    end subroutine
    subroutine get_for_c(handle, context) bind(C, name='prif_get_context_data')
      import
      type(prif_coarray_handle), value :: handle
      type(c_ptr) :: context
    end subroutine
  end interface
contains
  subroutine count_cleanup(handle) bind(C)
    type(prif_coarray_handle), value, intent(in) :: handle
    integer(c_size_t) :: bytes
    type(c_ptr) :: place, context
    call size_for_c(handle, bytes)
    call place_for_c(handle, place)
    call set_for_c(handle, place)
    call get_for_c(handle, context)
    if (c_associated(context, place)) cleaned = cleaned + int(bytes)
  end subroutine
end module

program storage_test
  use cleanups
  implicit none
  call start
  call sizes
  call cosubscripts
  call aliases
  call ends
  call components
  call finish
contains
  subroutine sizes
    type(prif_coarray_handle) :: handle
    type(c_ptr) :: memory, local, context
    integer(c_size_t) :: bytes
    integer(c_int), target :: mine
    call prif_allocate_coarray([1_c_int64_t], [int(images, c_int64_t)], 100_c_size_t, no_cleanup, handle, memory)
    call prif_size_bytes(handle, bytes)
    call check(bytes == 100, 'prif_size_bytes')
    call prif_local_data_pointer(handle, local)
    call check(c_associated(local, memory), 'prif_local_data_pointer')
    call prif_get_context_data(handle, context)
    call check(.not. c_associated(context), 'there is no context data at first')
    call prif_set_context_data(handle, c_loc(mine))
    call prif_get_context_data(handle, context)
    call check(address_of(context) == address_of(c_loc(mine)), 'prif_get_context_data')
    call prif_deallocate_coarray(handle)
  end subroutine

  ! Cosubscripts of a coarray with [0:1, 5:*].
  subroutine cosubscripts
    type(prif_coarray_handle) :: handle, handles(1)
    type(c_ptr) :: memory
    integer(c_int64_t) :: bounds(2), subs(2), one
    integer(c_size_t) :: shape(2)
    integer(c_int) :: image, columns, stat
    integer :: i
    columns = (images + 1)/2
    call prif_allocate_coarray([0_c_int64_t, 5_c_int64_t], [1_c_int64_t], 8_c_size_t, no_cleanup, handle, memory)
    call prif_lcobound_no_dim(handle, bounds)
    call check(all(bounds == [0, 5]), 'prif_lcobound_no_dim')
    call prif_ucobound_no_dim(handle, bounds)
    call check(all(bounds == [1, 4 + columns]), 'prif_ucobound_no_dim')
    call prif_lcobound_with_dim(handle, 2_c_int, one)
    call check(one == 5, 'prif_lcobound_with_dim')
    call prif_ucobound_with_dim(handle, 2_c_int, one)
    call check(one == 4 + columns, 'prif_ucobound_with_dim')
    call prif_coshape(handle, shape)
    call check(all(shape == [2, columns]), 'prif_coshape')
    do i = 1, images
      subs = [mod(i - 1, 2), 5 + (i - 1)/2]
      call prif_image_index(handle, subs, image)
      call check(image == i, 'prif_image_index')
      call prif_initial_team_index(handle, subs, image, stat)
      call check(image == i .and. stat == 0, 'prif_initial_team_index')
    end do
    call prif_image_index(handle, [2_c_int64_t, 5_c_int64_t], image)
    call check(image == 0, 'a cosubscript above its bound')
    call prif_image_index(handle, [0_c_int64_t, 4_c_int64_t], image)
    call check(image == 0, 'a cosubscript below its bound')
    call prif_image_index(handle, [0_c_int64_t, 5_c_int64_t + columns], image)
    call check(image == 0, 'an image that there is not')
    call prif_this_image_with_coarray(handle, cosubscripts=subs)
    call check(all(subs == [mod(me - 1, 2), 5 + (me - 1)/2]), 'prif_this_image_with_coarray')
    call prif_this_image_with_dim(handle, 1_c_int, cosubscript=one)
    call check(one == mod(me - 1, 2), 'prif_this_image_with_dim')
    handles(1) = handle
    call prif_deallocate_coarrays(handles)
  end subroutine

  subroutine aliases
    type(prif_coarray_handle) :: handle, alias
    type(c_ptr) :: local
    integer(c_int64_t), pointer :: words(:)
    integer(c_int64_t), target :: seen
    integer(c_int64_t) :: bounds(2)
    integer(c_size_t) :: bytes
    integer(c_int64_t) :: lower(2), upper(1)
    call allocate_words(4, handle, words)
    words = 10*me + [1, 2, 3, 4]
    lower = [3, 1]
    upper = [3]
    call prif_alias_create(handle, lower, upper, 2*word_bytes, alias)
    call prif_lcobound_no_dim(alias, bounds)
    call check(all(bounds == lower), 'cobounds of an alias')
    call prif_size_bytes(alias, bytes)
    call check(bytes == 32, 'an alias has the size of its coarray')
    call prif_local_data_pointer(alias, local)
    call check(address_of(local) == address_of(c_loc(words(3))), 'an alias begins behind its coarray')
    call prif_sync_all
    call prif_get(neighbour(1), alias, word_bytes, c_loc(seen), word_bytes)
    call check(seen == 10*neighbour(1) + 4, 'a read by an alias')
    call prif_sync_all
    call prif_alias_destroy(alias)
    call prif_deallocate_coarray(handle)
  end subroutine

  subroutine ends
    type(prif_coarray_handle) :: handles(2)
    type(c_ptr) :: memory
    procedure(prif_coarray_cleanup_interface), pointer :: cleanup
    integer :: i
    cleanup => count_cleanup
    do i = 1, 2
      call prif_allocate_coarray([1_c_int64_t], [int(images, c_int64_t)], int(10*i, c_size_t), cleanup, &
        handles(i), memory)
    end do
    call prif_deallocate_coarrays(handles)
    call check(cleaned == 30, 'the cleanup of each coarray is called')
  end subroutine

  subroutine components
    type(c_ptr) :: memory
    integer(c_int) :: stat
    integer(c_size_t) :: much
    character(:), allocatable :: text
    integer(c_int64_t), pointer :: words(:)
    call prif_allocate(80_c_size_t, memory, stat)
    call check(stat == 0 .and. c_associated(memory), 'prif_allocate')
    call c_f_pointer(memory, words, [10])
    words = me
    call check(sum(words) == 10*me, 'memory of prif_allocate')
    call prif_deallocate(memory, stat)
    call check(stat == 0, 'prif_deallocate')
    much = huge(much)/4
    call prif_allocate(much, memory, stat, errmsg_alloc=text)
    call check(stat == PRIF_STAT_OUT_OF_MEMORY .and. index(text, 'no memory') > 0, 'more than there is')
    call prif_sync_all
  end subroutine
end program
