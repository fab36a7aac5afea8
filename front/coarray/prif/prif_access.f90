! SPDX-License-Identifier: BSD-3-Clause
!
! The first part of module prif (prif.f90): its types and constants, access to coarrays, and atomic
! memory operations. Programs use module prif, which has all of this too.
module prif_access
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_intptr_t, c_null_ptr, c_ptr, c_ptrdiff_t, c_size_t
  implicit none
  private :: c_int, c_int64_t, c_intptr_t, c_null_ptr, c_ptr, c_ptrdiff_t, c_size_t

  integer, parameter :: PRIF_ATOMIC_INT_KIND = c_int64_t, PRIF_ATOMIC_LOGICAL_KIND = 8
  integer(c_int), parameter :: PRIF_CURRENT_TEAM = -1, PRIF_INITIAL_TEAM = -2, PRIF_PARENT_TEAM = -3
  integer(c_int), parameter :: PRIF_STAT_FAILED_IMAGE = 101, PRIF_STAT_LOCKED = 102, &
    PRIF_STAT_LOCKED_OTHER_IMAGE = 103, PRIF_STAT_STOPPED_IMAGE = 104, PRIF_STAT_UNLOCKED = 105, &
    PRIF_STAT_UNLOCKED_FAILED_IMAGE = 106, PRIF_STAT_OUT_OF_MEMORY = 301, PRIF_STAT_ALREADY_INIT = 302

  type, bind(C) :: prif_coarray_handle
    private
    type(c_ptr) :: info = c_null_ptr
  end type
  ! PRIF has a pointer to a derived type in a team, whose size compilers reserve for their own TEAM_TYPE: one
  ! address with gfortran, a descriptor with flang. Only the first word is used.
  type, private :: pointed_type
    integer :: unused
  end type
  type, private :: pointer_type
    type(pointed_type), pointer :: target
  end type
  type(pointer_type), private :: pointer_sample
  integer, parameter, private :: pointer_words = storage_size(pointer_sample)/storage_size(0_c_intptr_t)
  type, bind(C) :: prif_team_type
    private
    type(c_ptr) :: info(pointer_words) = c_null_ptr
  end type
  type, bind(C) :: prif_event_type
    private
    integer(PRIF_ATOMIC_INT_KIND) :: counter = 0
  end type
  type, bind(C) :: prif_notify_type
    private
    integer(PRIF_ATOMIC_INT_KIND) :: counter = 0
  end type
  type, bind(C) :: prif_lock_type
    private
    integer(c_int64_t) :: word = 0
  end type
  type, bind(C) :: prif_critical_type
    private
    integer(c_int64_t) :: word = 0
  end type

  interface
    ! --- contiguous access
    subroutine prif_put(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, stat, errmsg, &
        errmsg_alloc) &
        bind(C, name='atoll_prif_put')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_put_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat, errmsg, &
        errmsg_alloc) &
        bind(C, name='atoll_prif_put_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_get(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, stat, errmsg, &
        errmsg_alloc) &
        bind(C, name='atoll_prif_get')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_get_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat, errmsg, &
        errmsg_alloc) &
        bind(C, name='atoll_prif_get_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_put_with_notify(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, &
        notify_coarray_handle, notify_offset, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_put_with_notify')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_size_t), intent(in) :: notify_offset
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_put_with_notify_indirect(image_num, coarray_handle, offset, current_image_buffer, &
        size_in_bytes, notify_ptr, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_put_with_notify_indirect')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_intptr_t), intent(in) :: notify_ptr
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_put_indirect_with_notify(image_num, remote_ptr, current_image_buffer, size_in_bytes, &
        notify_coarray_handle, notify_offset, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_put_indirect_with_notify')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_size_t), intent(in) :: notify_offset
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_put_indirect_with_notify_indirect(image_num, remote_ptr, current_image_buffer, &
        size_in_bytes, notify_ptr, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_put_indirect_with_notify_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_intptr_t), intent(in) :: notify_ptr
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine

    ! --- strided access
    subroutine prif_put_strided(image_num, coarray_handle, offset, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_put_strided')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size, extent(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_put_strided_indirect(image_num, remote_ptr, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_put_strided_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size, extent(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_get_strided(image_num, coarray_handle, offset, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_get_strided')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size, extent(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_get_strided_indirect(image_num, remote_ptr, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_get_strided_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size, extent(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_put_strided_with_notify(image_num, coarray_handle, offset, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_coarray_handle, &
        notify_offset, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_put_strided_with_notify')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size, extent(:)
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_size_t), intent(in) :: notify_offset
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_put_strided_with_notify_indirect(image_num, coarray_handle, offset, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_ptr, stat, errmsg, &
        errmsg_alloc) &
        bind(C, name='atoll_prif_put_strided_with_notify_indirect')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size, extent(:)
      integer(c_intptr_t), intent(in) :: notify_ptr
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_put_strided_indirect_with_notify(image_num, remote_ptr, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_coarray_handle, &
        notify_offset, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_put_strided_indirect_with_notify')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size, extent(:)
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_size_t), intent(in) :: notify_offset
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_put_strided_indirect_with_notify_indirect(image_num, remote_ptr, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_ptr, stat, errmsg, &
        errmsg_alloc) &
        bind(C, name='atoll_prif_put_strided_indirect_with_notify_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size, extent(:)
      integer(c_intptr_t), intent(in) :: notify_ptr
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine

    ! --- atomic memory operations
    subroutine prif_atomic_add(image_num, coarray_handle, offset, value, stat) &
        bind(C, name='atoll_prif_atomic_add')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_add_indirect(image_num, atom_remote_ptr, value, stat) &
        bind(C, name='atoll_prif_atomic_add_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_and(image_num, coarray_handle, offset, value, stat) &
        bind(C, name='atoll_prif_atomic_and')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_and_indirect(image_num, atom_remote_ptr, value, stat) &
        bind(C, name='atoll_prif_atomic_and_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_or(image_num, coarray_handle, offset, value, stat) &
        bind(C, name='atoll_prif_atomic_or')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_or_indirect(image_num, atom_remote_ptr, value, stat) &
        bind(C, name='atoll_prif_atomic_or_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_xor(image_num, coarray_handle, offset, value, stat) &
        bind(C, name='atoll_prif_atomic_xor')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_xor_indirect(image_num, atom_remote_ptr, value, stat) &
        bind(C, name='atoll_prif_atomic_xor_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_fetch_add(image_num, coarray_handle, offset, value, old, stat) &
        bind(C, name='atoll_prif_atomic_fetch_add')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_fetch_add_indirect(image_num, atom_remote_ptr, value, old, stat) &
        bind(C, name='atoll_prif_atomic_fetch_add_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_fetch_and(image_num, coarray_handle, offset, value, old, stat) &
        bind(C, name='atoll_prif_atomic_fetch_and')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_fetch_and_indirect(image_num, atom_remote_ptr, value, old, stat) &
        bind(C, name='atoll_prif_atomic_fetch_and_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_fetch_or(image_num, coarray_handle, offset, value, old, stat) &
        bind(C, name='atoll_prif_atomic_fetch_or')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_fetch_or_indirect(image_num, atom_remote_ptr, value, old, stat) &
        bind(C, name='atoll_prif_atomic_fetch_or_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_fetch_xor(image_num, coarray_handle, offset, value, old, stat) &
        bind(C, name='atoll_prif_atomic_fetch_xor')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_fetch_xor_indirect(image_num, atom_remote_ptr, value, old, stat) &
        bind(C, name='atoll_prif_atomic_fetch_xor_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_cas_int(image_num, coarray_handle, offset, old, compare, new, stat) &
        bind(C, name='atoll_prif_atomic_cas_int')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: compare, new
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_cas_int_indirect(image_num, atom_remote_ptr, old, compare, new, stat) &
        bind(C, name='atoll_prif_atomic_cas_int_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: compare, new
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_define_int(image_num, coarray_handle, offset, value, stat) &
        bind(C, name='atoll_prif_atomic_define_int')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_define_int_indirect(image_num, atom_remote_ptr, value, stat) &
        bind(C, name='atoll_prif_atomic_define_int_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_ref_int(image_num, coarray_handle, offset, value, stat) &
        bind(C, name='atoll_prif_atomic_ref_int')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_ref_int_indirect(image_num, atom_remote_ptr, value, stat) &
        bind(C, name='atoll_prif_atomic_ref_int_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_cas_logical(image_num, coarray_handle, offset, old, compare, new, stat) &
        bind(C, name='atoll_prif_atomic_cas_logical')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: old
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: compare, new
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_cas_logical_indirect(image_num, atom_remote_ptr, old, compare, new, stat) &
        bind(C, name='atoll_prif_atomic_cas_logical_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: old
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: compare, new
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_define_logical(image_num, coarray_handle, offset, value, stat) &
        bind(C, name='atoll_prif_atomic_define_logical')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_define_logical_indirect(image_num, atom_remote_ptr, value, stat) &
        bind(C, name='atoll_prif_atomic_define_logical_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_ref_logical(image_num, coarray_handle, offset, value, stat) &
        bind(C, name='atoll_prif_atomic_ref_logical')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_atomic_ref_logical_indirect(image_num, atom_remote_ptr, value, stat) &
        bind(C, name='atoll_prif_atomic_ref_logical_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
  end interface
end module
