! SPDX-License-Identifier: BSD-3-Clause
!
! Allocatable components may differ in size from image to image.
program parts
  implicit none
  type particles
    integer :: number
    real(8), allocatable :: mass(:)
  end type
  type(particles), save :: mine[*]
  real(8), allocatable :: theirs(:)
  integer :: me, other

  me = this_image()
  mine%number = 3*me
  allocate (mine%mass(mine%number))
  mine%mass = me
  sync all
  other = num_images() + 1 - me
  theirs = mine[other]%mass
  print '(a,i0,a,i0,a,f0.1)', 'image ', me, ' sees ', size(theirs), ' particles of mass ', theirs(1)
  if (size(theirs) /= 3*other .or. any(theirs /= other)) error stop 'wrong particles'
end program
