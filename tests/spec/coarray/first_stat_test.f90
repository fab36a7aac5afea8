! SPDX-License-Identifier: BSD-3-Clause
!
! A program in which nothing shows at the start that it handles failures: an image is killed when one of the others
! has used STAT=, and the rest reach their first STAT= a little later. They go on without it. (The launcher waits three
! seconds for that, so the little is much less.)
program first_stat_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use checks
  implicit none
  type(event_type), save :: answers[*]
  integer :: me, images, status
  integer(c_int) :: ignored
  interface
    integer(c_int) function raise(signal) bind(C)
      import
      integer(c_int), value :: signal
    end function
    integer(c_int) function usleep(microseconds) bind(C)
      import
      integer(c_int), value :: microseconds
    end function
  end interface

  me = this_image()
  images = num_images()
  if (me == images) then
    event wait (answers)
    ignored = raise(9_c_int)
  else if (me == 1) then
    sync memory (stat=status)
    event post (answers[images])
  else
    ignored = usleep(200000_c_int)
  end if
  sync all (stat=status)
  call check(status == stat_failed_image, 'the first SYNC ALL with STAT=')
  print '(a)', 'survived'
end program
