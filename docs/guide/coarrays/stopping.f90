! SPDX-License-Identifier: BSD-3-Clause
!
! STOP ends one image; the others go on, and STAT= tells them where they would wait for it.
program stopping
  use iso_fortran_env, only: stat_stopped_image
  implicit none
  integer, save :: result[*]
  integer :: status

  result = 10*this_image()
  sync all
  if (this_image() == num_images()) stop
  sync all (stat=status)
  if (status /= stat_stopped_image) error stop 'it came'
  if (result[num_images()] /= 10*num_images()) error stop 'its memory is gone'
  print '(a,i0,a)', 'image ', this_image(), ' goes on'
end program
