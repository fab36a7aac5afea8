! SPDX-License-Identifier: BSD-3-Clause
!
! A round channel of shallow water, in which a hill of water becomes waves. Each image has a band of columns and
! one more on each side, which its neighbours write. The volume of water stays what it was.
program ocean
  implicit none
  integer, parameter :: rows = 64, total = 96, steps = 200
  real(8), parameter :: gravity = 9.81d0, depth = 100d0, cell = 1000d0, step = 5d0
  real(8), allocatable :: height(:, :)[:], east(:, :)[:], north(:, :)
  integer :: me, images, columns, first, left, right, n
  real(8) :: volume, highest

  me = this_image()
  images = num_images()
  first = (me - 1)*total/images + 1
  columns = me*total/images - first + 1
  left = merge(images, me - 1, me == 1)
  right = merge(1, me + 1, me == images)
  ! As wide on all images, since a coarray has one shape.
  allocate (height(rows, 0:total + 1)[*], east(rows, 0:total + 1)[*], north(0:rows, total))
  height = 0
  east = 0
  north = 0
  call raise_hill
  sync all
  do n = 1, steps
    ! The column in front of my first one is the last of my left neighbour.
    height(:, 0)[right] = height(:, columns)
    sync all
    call push
    ! The edge behind my last column is my right neighbour's first.
    east(:, columns_of(left) + 1)[left] = east(:, 1)
    sync all
    call flow
  end do
  volume = sum(height(:, 1:columns))
  highest = maxval(height(:, 1:columns))
  call co_sum(volume)
  call co_max(highest)
  if (abs(volume - 36d0) > 1d-9) error stop 'water was lost'
  if (me == 1) print '(a,f7.3,a,f6.3,a)', 'volume ', volume, ', the highest wave ', highest, ' m'
contains
  integer function columns_of(image)
    integer, intent(in) :: image
    columns_of = image*total/images - (image - 1)*total/images
  end function

  subroutine raise_hill
    integer :: j
    do j = 1, columns
      if (abs(first + j - 1 - total/2) < 3) height(rows/2:rows/2 + 2, j) = 2.4d0
    end do
  end subroutine

  ! Water runs from high to low.
  subroutine push
    integer :: j
    do j = 1, columns
      east(:, j) = east(:, j) - step*gravity/cell*(height(:, j) - height(:, j - 1))
      north(1:rows - 1, j) = north(1:rows - 1, j) - step*gravity/cell*(height(2:, j) - height(:rows - 1, j))
    end do
  end subroutine

  ! Water that runs into a cell and not out of it raises the cell.
  subroutine flow
    integer :: j
    do j = 1, columns
      height(:, j) = height(:, j) - step*depth/cell*(east(:, j + 1) - east(:, j) + north(1:rows, j) - &
                     north(0:rows - 1, j))
    end do
  end subroutine
end program
