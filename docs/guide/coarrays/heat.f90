! SPDX-License-Identifier: BSD-3-Clause
!
! Heat on a rod: each image has a part with a halo cell at either end, which its neighbours fill.
program heat
  implicit none
  integer, parameter :: cells = 100, steps = 500
  real(8), allocatable :: now(:)[:]
  real(8) :: next(cells), total
  integer :: me, images, step

  me = this_image()
  images = num_images()
  allocate (now(0:cells + 1)[*])
  now = 0
  if (me == 1) now(1) = 1000
  sync all
  do step = 1, steps
    if (me > 1) now(cells + 1)[me - 1] = now(1)
    if (me < images) now(0)[me + 1] = now(cells)
    if (me == 1) now(0) = now(1)  ! nothing flows out at the ends
    if (me == images) now(cells + 1) = now(cells)
    sync all
    next = now(1:cells) + 0.25d0*(now(0:cells - 1) - 2*now(1:cells) + now(2:cells + 1))
    sync all
    now(1:cells) = next
  end do
  total = sum(now(1:cells))
  call co_sum(total, result_image=1)
  if (me == 1) print '(a,f8.3)', 'heat on the whole rod: ', total
  if (me == 1 .and. abs(total - 1000) > 1d-6) error stop 'heat got lost'
end program
