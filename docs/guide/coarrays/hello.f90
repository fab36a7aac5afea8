! SPDX-License-Identifier: BSD-3-Clause
!
! A coarray is a variable that exists on every image; [ ] says whose copy is meant.
program hello
  implicit none
  integer :: left[*]
  integer :: me, images

  me = this_image()
  images = num_images()
  left[mod(me, images) + 1] = me
  sync all
  print '(a,i0,a,i0,a,i0,a)', 'image ', me, ' of ', images, ': ', left, ' is to my left'
  if (left /= mod(me + images - 2, images) + 1) error stop 'wrong neighbour'
end program
