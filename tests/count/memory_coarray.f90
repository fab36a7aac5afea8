! SPDX-License-Identifier: BSD-3-Clause
!
! A program with a coarray that meets at barriers and talks to nobody. A few of its images tell their private memory, as
! private_memory.h does.
program memory_coarray
  implicit none
  integer :: shared_number[*]
  shared_number = this_image()
  sync all
  if (mod(this_image() - 1, num_images()/16) == 1) call tell_private_memory
  sync all

contains

  subroutine tell_private_memory
    character(len=200) :: line
    integer :: list, status, kilobytes
    open (newunit=list, file='/proc/self/smaps_rollup', action='read', iostat=status)
    if (status /= 0) return
    do
      read (list, '(a)', iostat=status) line
      if (status /= 0) exit
      if (line(:10) /= 'Anonymous:') cycle
      read (line(11:len_trim(line) - 2), *) kilobytes
      print '(a,i0)', 'private ', kilobytes*1024
    end do
    close (list)
  end subroutine tell_private_memory

end program memory_coarray
