! SPDX-License-Identifier: BSD-3-Clause
!
! The checks of the programs in this folder: the first one that fails ends all images.
module checks
  use iso_fortran_env, only: error_unit
  implicit none
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (error_unit, '(a,i0,2a)') 'image ', this_image(), ' misses: ', what
    flush (error_unit)
    error stop 9
  end subroutine
end module
