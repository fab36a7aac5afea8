! SPDX-License-Identifier: BSD-3-Clause
!
! A pipeline: each image adds its part to a block and hands it on. An event says that a block has
! come, another that its place is free again.
program pipeline
  use iso_fortran_env, only: event_type
  implicit none
  integer, parameter :: blocks = 20, items = 1000
  integer, save :: block(items)[*]
  type(event_type), save :: full[*], free[*]
  integer :: me, images, i

  me = this_image()
  images = num_images()
  do i = 1, blocks
    if (me == 1) then
      block = i
    else
      event wait (full)
      block = block + 1
    end if
    if (me < images) then
      if (i > 1) event wait (free)
      block(:)[me + 1] = block
      event post (full[me + 1])
    else if (any(block /= i + images - 1)) then
      error stop 'wrong sum'
    end if
    if (me > 1 .and. i < blocks) event post (free[me - 1])
  end do
  if (me == images) print '(i0,a)', blocks, ' blocks came through'
end program
