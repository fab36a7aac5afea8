! SPDX-License-Identifier: BSD-3-Clause
!
! PRIF: ends of an image. The argument names one: stop, text, error or fail; the test checks codes and messages.
module callbacks_of_test
  use prif_checks
  implicit none
contains
  subroutine say_code(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    if (present(stop_code_int)) print '(a,i0)', 'first callback, code ', stop_code_int
    if (present(stop_code_char)) print '(2a)', 'first callback, text ', stop_code_char
  end subroutine
  subroutine say_kind(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    if (present(stop_code_int)) print '(a,l1)', 'second callback, error ', is_error_stop
  end subroutine
end module

program ending_test
  use callbacks_of_test
  implicit none
  character(20) :: way
  procedure(prif_stop_callback_interface), pointer :: callback

  call get_command_argument(1, way)
  call start
  if (way == 'fail') call fail_at_once
  callback => say_code
  call prif_register_stop_callback(callback)
  callback => say_kind
  call prif_register_stop_callback(callback)
  call prif_sync_all
  select case (way)
  case ('stop')
    if (me == images) call prif_stop(.false._c_bool, stop_code_int=7_c_int)
    call prif_stop(.true._c_bool)
  case ('text')
    call prif_stop(.false._c_bool, stop_code_char='enough')
  case ('error')
    call prif_error_stop(.false._c_bool, stop_code_int=3_c_int)
  end select
contains
  ! The last image fails before the others have reached any image control statement.
  subroutine fail_at_once
    integer(c_int) :: stat, state
    integer(c_int), allocatable :: failed(:)
    if (me == images) call prif_fail_image
    call prif_sync_all(stat=stat)
    if (stat /= PRIF_STAT_FAILED_IMAGE) error stop 'SYNC ALL tells no failure'
    call prif_image_status(images, image_status=state)
    call prif_failed_images(failed_images=failed)
    if (state /= PRIF_STAT_FAILED_IMAGE .or. any(failed /= [images])) error stop 'it is not among those that failed'
    print '(a,i0,a)', 'image ', me, ' goes on'
    call prif_stop(.true._c_bool)
  end subroutine
end program
