! SPDX-License-Identifier: BSD-3-Clause
!
! The checks of the programs in this folder, which call module prif: the first one that fails ends all images.
! Every program begins with start() and ends with finish().
module prif_checks
  use prif
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer(c_int) :: me, images
  integer(c_size_t), parameter :: no_offset = 0, word_bytes = 8
  procedure(prif_coarray_cleanup_interface), pointer :: no_cleanup => null()
contains
  subroutine start
    integer(c_int) :: stat
    call prif_init(stat)
    call check(stat == 0, 'prif_init')
    call prif_this_image_no_coarray(this_image=me)
    call prif_num_images(images)
  end subroutine

  subroutine finish
    call prif_stop(.true._c_bool, stop_code_int=0_c_int)
  end subroutine

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (error_unit, '(a,i0,2a)') 'image ', me, ' misses: ', what
    flush (error_unit)
    call prif_error_stop(.true._c_bool, stop_code_int=9_c_int)
  end subroutine

  ! A coarray of `count` words with one codimension, [*].
  subroutine allocate_words(count, handle, words)
    integer, intent(in) :: count
    type(prif_coarray_handle), intent(out) :: handle
    integer(c_int64_t), pointer, intent(out) :: words(:)
    type(c_ptr) :: memory
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], count*word_bytes, no_cleanup, handle, memory)
    call c_f_pointer(memory, words, [count])
  end subroutine

  integer(c_int) function neighbour(distance)
    integer, intent(in) :: distance
    neighbour = modulo(me - 1 + distance, images) + 1
  end function

  ! The address of a variable, for the procedures that take one of another image.
  integer(c_intptr_t) function address_of(variable)
    type(c_ptr), intent(in) :: variable
    address_of = transfer(variable, address_of)
  end function
end module
