! SPDX-License-Identifier: BSD-3-Clause
!
! Module prif: the Parallel Runtime Interface for Fortran, revision 0.8, on Atoll, for compilers
! that call it for their multi-image statements, and for programs that call it themselves. Nearly
! all of its procedures are C functions of libatoll, which take descriptors of gfortran and of
! flang. The rest, at the end, have arguments that C cannot have: elemental procedures, and
! procedure pointers, which gfortran passes correctly only from a variable of the procedure itself.
!
! A program compiles prif_access.f90 and this file with its own compiler, and links libatoll. Named
! constants for statuses, teams and kinds have the values of flang's ISO_FORTRAN_ENV.
module prif
  use prif_access
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_funloc, c_funptr, c_int, c_int64_t, c_intptr_t, &
    c_null_funptr, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  implicit none
  private :: c_bool, c_char, c_funloc, c_funptr, c_int, c_int64_t, c_intptr_t, c_null_funptr, c_null_ptr, &
    c_ptr, c_size_t, error_unit, output_unit

  integer(c_int), parameter :: PRIF_VERSION_MAJOR = 0, PRIF_VERSION_MINOR = 8

  abstract interface
    subroutine prif_stop_callback_interface(is_error_stop, quiet, stop_code_int, stop_code_char)
      import :: c_bool, c_int
      logical(c_bool), intent(in) :: is_error_stop, quiet
      integer(c_int), intent(in), optional :: stop_code_int
      character(len=*), intent(in), optional :: stop_code_char
    end subroutine
    subroutine prif_operation_wrapper_interface(arg1, arg2_and_out, count, cdata) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), intent(in), value :: arg1, arg2_and_out
      integer(c_size_t), intent(in), value :: count
      type(c_ptr), intent(in), value :: cdata
    end subroutine
    subroutine prif_coarray_cleanup_interface(handle) bind(C)
      import :: prif_coarray_handle
      type(prif_coarray_handle), value, intent(in) :: handle
    end subroutine
  end interface

  ! Procedures to call before the image stops, the last one that was registered first.
  type, private :: stop_callback
    procedure(prif_stop_callback_interface), pointer, nopass :: call => null()
    type(stop_callback), pointer :: next => null()
  end type
  type(stop_callback), pointer, private :: callbacks => null()

  interface
    ! --- start and end
    subroutine prif_init(stat) &
        bind(C, name='atoll_prif_init')
      import
      integer(c_int), intent(out) :: stat
    end subroutine
    subroutine prif_fail_image() bind(C, name='atoll_prif_fail_image')
    end subroutine

    ! --- questions about images
    subroutine prif_num_images(num_images) &
        bind(C, name='atoll_prif_num_images')
      import
      integer(c_int), intent(out) :: num_images
    end subroutine
    subroutine prif_num_images_with_team(team, num_images) &
        bind(C, name='atoll_prif_num_images_with_team')
      import
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: num_images
    end subroutine
    subroutine prif_num_images_with_team_number(team_number, num_images) &
        bind(C, name='atoll_prif_num_images_with_team_number')
      import
      integer(c_int64_t), intent(in) :: team_number
      integer(c_int), intent(out) :: num_images
    end subroutine
    subroutine prif_this_image_no_coarray(team, this_image) &
        bind(C, name='atoll_prif_this_image_no_coarray')
      import
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), intent(out) :: this_image
    end subroutine
    subroutine prif_this_image_with_coarray(coarray_handle, team, cosubscripts) &
        bind(C, name='atoll_prif_this_image_with_coarray')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(prif_team_type), intent(in), optional :: team
      integer(c_int64_t), intent(out) :: cosubscripts(:)
    end subroutine
    subroutine prif_this_image_with_dim(coarray_handle, dim, team, cosubscript) &
        bind(C, name='atoll_prif_this_image_with_dim')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      type(prif_team_type), intent(in), optional :: team
      integer(c_int64_t), intent(out) :: cosubscript
    end subroutine
    subroutine prif_failed_images(team, failed_images) &
        bind(C, name='atoll_prif_failed_images')
      import
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), allocatable, intent(out) :: failed_images(:)
    end subroutine
    subroutine prif_stopped_images(team, stopped_images) &
        bind(C, name='atoll_prif_stopped_images')
      import
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), allocatable, intent(out) :: stopped_images(:)
    end subroutine

    ! --- storage
    subroutine prif_allocate(size_in_bytes, allocated_memory, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_allocate')
      import
      integer(c_size_t), intent(in) :: size_in_bytes
      type(c_ptr), intent(out) :: allocated_memory
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_deallocate_coarray(coarray_handle, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_deallocate_coarray')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_deallocate_coarrays(coarray_handles, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_deallocate_coarrays')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handles(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_deallocate(mem, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_deallocate')
      import
      type(c_ptr), intent(in) :: mem
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_alias_create(source_handle, alias_lcobounds, alias_ucobounds, data_pointer_offset, &
        alias_handle) &
        bind(C, name='atoll_prif_alias_create')
      import
      type(prif_coarray_handle), intent(in) :: source_handle
      integer(c_int64_t), intent(in) :: alias_lcobounds(:), alias_ucobounds(:)
      integer(c_size_t), intent(in) :: data_pointer_offset
      type(prif_coarray_handle), intent(out) :: alias_handle
    end subroutine
    subroutine prif_alias_destroy(alias_handle) &
        bind(C, name='atoll_prif_alias_destroy')
      import
      type(prif_coarray_handle), intent(in) :: alias_handle
    end subroutine

    ! --- questions about coarrays
    subroutine prif_set_context_data(coarray_handle, context_data) &
        bind(C, name='atoll_prif_set_context_data')
      import
      type(prif_coarray_handle), value, intent(in) :: coarray_handle
      type(c_ptr), value, intent(in) :: context_data
    end subroutine
    subroutine prif_get_context_data(coarray_handle, context_data) &
        bind(C, name='atoll_prif_get_context_data')
      import
      type(prif_coarray_handle), value, intent(in) :: coarray_handle
      type(c_ptr), intent(out) :: context_data
    end subroutine
    subroutine prif_size_bytes(coarray_handle, data_size) &
        bind(C, name='atoll_prif_size_bytes')
      import
      type(prif_coarray_handle), value, intent(in) :: coarray_handle
      integer(c_size_t), intent(out) :: data_size
    end subroutine
    subroutine prif_local_data_pointer(coarray_handle, local_data) &
        bind(C, name='atoll_prif_local_data_pointer')
      import
      type(prif_coarray_handle), value, intent(in) :: coarray_handle
      type(c_ptr), intent(out) :: local_data
    end subroutine
    subroutine prif_lcobound_with_dim(coarray_handle, dim, lcobound) &
        bind(C, name='atoll_prif_lcobound_with_dim')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      integer(c_int64_t), intent(out) :: lcobound
    end subroutine
    subroutine prif_lcobound_no_dim(coarray_handle, lcobounds) &
        bind(C, name='atoll_prif_lcobound_no_dim')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(out) :: lcobounds(:)
    end subroutine
    subroutine prif_ucobound_with_dim(coarray_handle, dim, ucobound) &
        bind(C, name='atoll_prif_ucobound_with_dim')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      integer(c_int64_t), intent(out) :: ucobound
    end subroutine
    subroutine prif_ucobound_no_dim(coarray_handle, ucobounds) &
        bind(C, name='atoll_prif_ucobound_no_dim')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(out) :: ucobounds(:)
    end subroutine
    subroutine prif_coshape(coarray_handle, sizes) &
        bind(C, name='atoll_prif_coshape')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(out) :: sizes(:)
    end subroutine
    subroutine prif_image_index(coarray_handle, sub, image_index) &
        bind(C, name='atoll_prif_image_index')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      integer(c_int), intent(out) :: image_index
    end subroutine
    subroutine prif_image_index_with_team(coarray_handle, sub, team, image_index) &
        bind(C, name='atoll_prif_image_index_with_team')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: image_index
    end subroutine
    subroutine prif_image_index_with_team_number(coarray_handle, sub, team_number, image_index) &
        bind(C, name='atoll_prif_image_index_with_team_number')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:), team_number
      integer(c_int), intent(out) :: image_index
    end subroutine
    subroutine prif_initial_team_index(coarray_handle, sub, initial_team_index, stat) &
        bind(C, name='atoll_prif_initial_team_index')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      integer(c_int), intent(out) :: initial_team_index
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_initial_team_index_with_team(coarray_handle, sub, team, initial_team_index, stat) &
        bind(C, name='atoll_prif_initial_team_index_with_team')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: initial_team_index
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_initial_team_index_with_team_number(coarray_handle, sub, team_number, initial_team_index, &
        stat) &
        bind(C, name='atoll_prif_initial_team_index_with_team_number')
      import
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:), team_number
      integer(c_int), intent(out) :: initial_team_index
      integer(c_int), intent(out), optional :: stat
    end subroutine

    ! --- SYNC statements
    subroutine prif_sync_memory(stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_sync_memory')
      import
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_sync_all(stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_sync_all')
      import
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_sync_images(image_set, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_sync_images')
      import
      integer(c_int), intent(in), optional :: image_set(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_sync_team(team, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_sync_team')
      import
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine

    ! --- locks and critical sections
    subroutine prif_lock(image_num, coarray_handle, offset, acquired_lock, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_lock')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(c_bool), intent(out), optional :: acquired_lock
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_lock_indirect(image_num, lock_var_ptr, acquired_lock, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_lock_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: lock_var_ptr
      logical(c_bool), intent(out), optional :: acquired_lock
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_unlock(image_num, coarray_handle, offset, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_unlock')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_unlock_indirect(image_num, lock_var_ptr, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_unlock_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: lock_var_ptr
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_critical(critical_coarray, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_critical')
      import
      type(prif_coarray_handle), intent(in) :: critical_coarray
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_end_critical(critical_coarray) &
        bind(C, name='atoll_prif_end_critical')
      import
      type(prif_coarray_handle), intent(in) :: critical_coarray
    end subroutine

    ! --- events and notifications
    subroutine prif_event_post(image_num, coarray_handle, offset, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_event_post')
      import
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_event_post_indirect(image_num, event_var_ptr, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_event_post_indirect')
      import
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: event_var_ptr
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_event_wait(event_var_ptr, until_count, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_event_wait')
      import
      type(c_ptr), intent(in) :: event_var_ptr
      integer(c_int64_t), intent(in), optional :: until_count
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_event_query(event_var_ptr, count, stat) &
        bind(C, name='atoll_prif_event_query')
      import
      type(c_ptr), intent(in) :: event_var_ptr
      integer(c_int64_t), intent(out) :: count
      integer(c_int), intent(out), optional :: stat
    end subroutine
    subroutine prif_notify_wait(notify_var_ptr, until_count, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_notify_wait')
      import
      type(c_ptr), intent(in) :: notify_var_ptr
      integer(c_int64_t), intent(in), optional :: until_count
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine

    ! --- teams
    subroutine prif_form_team(team_number, team, new_index, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_form_team')
      import
      integer(c_int64_t), intent(in) :: team_number
      type(prif_team_type), intent(out) :: team
      integer(c_int), intent(in), optional :: new_index
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_change_team(team, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_change_team')
      import
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_end_team(stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_end_team')
      import
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_get_team(level, team) &
        bind(C, name='atoll_prif_get_team')
      import
      integer(c_int), intent(in), optional :: level
      type(prif_team_type), intent(out) :: team
    end subroutine
    subroutine prif_team_number(team, team_number) &
        bind(C, name='atoll_prif_team_number')
      import
      type(prif_team_type), intent(in), optional :: team
      integer(c_int64_t), intent(out) :: team_number
    end subroutine

    ! --- collective subroutines
    subroutine prif_co_broadcast(a, source_image, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_co_broadcast')
      import
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in) :: source_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_co_broadcast_cptr(a_ptr, size_in_bytes, source_image, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_co_broadcast_cptr')
      import
      type(c_ptr), intent(in) :: a_ptr
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(in) :: source_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_co_sum(a, result_image, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_co_sum')
      import
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_co_max(a, result_image, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_co_max')
      import
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_co_min(a, result_image, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_co_min')
      import
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_co_max_character(a, result_image, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_co_max_character')
      import
      character(len=*, kind=c_char), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
    subroutine prif_co_min_character(a, result_image, stat, errmsg, errmsg_alloc) &
        bind(C, name='atoll_prif_co_min_character')
      import
      character(len=*, kind=c_char), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    end subroutine
  end interface

  ! --- C functions behind the procedures below
  interface
    subroutine atoll_prif_stop(quiet, code, text, bytes) bind(C, name='atoll_prif_stop')
      import
      logical(c_bool), intent(in) :: quiet
      integer(c_int), intent(in), optional :: code
      character(kind=c_char), intent(in), optional :: text(*)
      integer(c_size_t), intent(in), value :: bytes
    end subroutine
    subroutine atoll_prif_error_stop(quiet, code, text, bytes) bind(C, name='atoll_prif_error_stop')
      import
      logical(c_bool), intent(in) :: quiet
      integer(c_int), intent(in), optional :: code
      character(kind=c_char), intent(in), optional :: text(*)
      integer(c_size_t), intent(in), value :: bytes
    end subroutine
    subroutine atoll_prif_image_status(image, team, image_status) bind(C, name='atoll_prif_image_status')
      import
      integer(c_int), intent(in) :: image
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), intent(out) :: image_status
    end subroutine
    subroutine atoll_prif_allocate_coarray(lcobounds, ucobounds, size_in_bytes, cleanup, coarray_handle, &
        allocated_memory, stat, text, none) bind(C, name='atoll_prif_allocate_coarray')
      import
      integer(c_int64_t), intent(in) :: lcobounds(:), ucobounds(:)
      integer(c_size_t), intent(in) :: size_in_bytes
      type(c_funptr), intent(in), value :: cleanup
      type(prif_coarray_handle), intent(out) :: coarray_handle
      type(c_ptr), intent(out) :: allocated_memory
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout) :: text
      type(c_ptr), intent(in), value :: none
    end subroutine
    subroutine atoll_prif_co_reduce(a, operation, cdata, result_image, stat, text, none) &
        bind(C, name='atoll_prif_co_reduce')
      import
      type(*), intent(inout), target :: a(..)
      type(c_funptr), intent(in), value :: operation
      type(c_ptr), intent(in), value :: cdata
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout) :: text
      type(c_ptr), intent(in), value :: none
    end subroutine
    subroutine atoll_prif_co_reduce_cptr(a_ptr, element_size, element_count, operation, cdata, result_image, &
        stat, text, none) bind(C, name='atoll_prif_co_reduce_cptr')
      import
      type(c_ptr), intent(in) :: a_ptr
      integer(c_size_t), intent(in) :: element_size, element_count
      type(c_funptr), intent(in), value :: operation
      type(c_ptr), intent(in), value :: cdata
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout) :: text
      type(c_ptr), intent(in), value :: none
    end subroutine
  end interface
  private :: run_callbacks, tell

contains

  subroutine prif_register_stop_callback(callback)
    procedure(prif_stop_callback_interface), pointer, intent(in) :: callback
    type(stop_callback), pointer :: made
    allocate (made)
    made%call => callback
    made%next => callbacks
    callbacks => made
  end subroutine

  subroutine run_callbacks(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    type(stop_callback), pointer :: each
    each => callbacks
    do while (associated(each))
      call each%call(is_error_stop, quiet, stop_code_int, stop_code_char)
      each => each%next
    end do
    flush (output_unit)
    flush (error_unit)
  end subroutine

  subroutine prif_stop(quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    call run_callbacks(.false._c_bool, quiet, stop_code_int, stop_code_char)
    if (present(stop_code_char)) then
      call atoll_prif_stop(quiet, stop_code_int, stop_code_char, len(stop_code_char, c_size_t))
    end if
    call atoll_prif_stop(quiet, stop_code_int, bytes=0_c_size_t)
  end subroutine

  subroutine prif_error_stop(quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    call run_callbacks(.true._c_bool, quiet, stop_code_int, stop_code_char)
    if (present(stop_code_char)) then
      call atoll_prif_error_stop(quiet, stop_code_int, stop_code_char, len(stop_code_char, c_size_t))
    end if
    call atoll_prif_error_stop(quiet, stop_code_int, bytes=0_c_size_t)
  end subroutine

  ! Gives the text of an error to the arguments that are present.
  subroutine tell(text, stat, errmsg, errmsg_alloc)
    character(len=*), intent(in) :: text
    integer(c_int), intent(in), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    if (.not. present(stat)) return
    if (stat == 0) return
    if (present(errmsg)) errmsg = text
    if (present(errmsg_alloc)) errmsg_alloc = trim(text)
  end subroutine

  impure elemental subroutine prif_image_status(image, team, image_status)
    integer(c_int), intent(in) :: image
    type(prif_team_type), intent(in), optional :: team
    integer(c_int), intent(out) :: image_status
    call atoll_prif_image_status(image, team, image_status)
  end subroutine

  subroutine prif_allocate_coarray(lcobounds, ucobounds, size_in_bytes, final_proc, coarray_handle, &
      allocated_memory, stat, errmsg, errmsg_alloc)
    integer(c_int64_t), intent(in) :: lcobounds(:), ucobounds(:)
    integer(c_size_t), intent(in) :: size_in_bytes
    procedure(prif_coarray_cleanup_interface), pointer, intent(in) :: final_proc
    type(prif_coarray_handle), intent(out) :: coarray_handle
    type(c_ptr), intent(out) :: allocated_memory
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    procedure(prif_coarray_cleanup_interface), pointer :: local
    character(256) :: text
    type(c_funptr) :: cleanup
    local => final_proc
    cleanup = c_null_funptr
    if (associated(local)) cleanup = c_funloc(local)
    call atoll_prif_allocate_coarray(lcobounds, ucobounds, size_in_bytes, cleanup, coarray_handle, allocated_memory, &
      stat, text, c_null_ptr)
    call tell(text, stat, errmsg, errmsg_alloc)
  end subroutine

  subroutine prif_co_reduce(a, operation_wrapper, cdata, result_image, stat, errmsg, errmsg_alloc)
    type(*), intent(inout), target :: a(..)
    procedure(prif_operation_wrapper_interface), pointer, intent(in) :: operation_wrapper
    type(c_ptr), intent(in), value :: cdata
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    procedure(prif_operation_wrapper_interface), pointer :: local
    character(256) :: text
    local => operation_wrapper
    call atoll_prif_co_reduce(a, c_funloc(local), cdata, result_image, stat, text, c_null_ptr)
    call tell(text, stat, errmsg, errmsg_alloc)
  end subroutine

  subroutine prif_co_reduce_cptr(a_ptr, element_size, element_count, operation_wrapper, cdata, &
      result_image, stat, errmsg, errmsg_alloc)
    type(c_ptr), intent(in) :: a_ptr
    integer(c_size_t), intent(in) :: element_size, element_count
    procedure(prif_operation_wrapper_interface), pointer, intent(in) :: operation_wrapper
    type(c_ptr), intent(in), value :: cdata
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    procedure(prif_operation_wrapper_interface), pointer :: local
    character(256) :: text
    local => operation_wrapper
    call atoll_prif_co_reduce_cptr(a_ptr, element_size, element_count, c_funloc(local), cdata, result_image, &
      stat, text, c_null_ptr)
    call tell(text, stat, errmsg, errmsg_alloc)
  end subroutine

end module
