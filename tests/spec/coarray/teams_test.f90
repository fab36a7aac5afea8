! SPDX-License-Identifier: BSD-3-Clause
!
! Teams: forming, changing, nesting, allocation inside of a team.
program teams_test
  use checks
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half, quarter, alone
  integer, save :: where_from[*]
  integer, allocatable :: inside(:)[:]
  integer :: me, images, colour, i, total, position

  me = this_image()
  images = num_images()
  colour = mod(me, 2) + 1
  call check(team_number() == -1, 'number of the initial team')
  where_from = me
  form team (colour, half)
  change team (half)
    position = this_image()
    call check(num_images() == (images + merge(1, 0, colour == 2))/2, 'size of a team')
    call check(team_number() == colour, 'number of a team')
    call check(position == (me + 1)/2, 'index in a team')
    call check(where_from[num_images()] == mod(me - 1, 2) + 1 + 2*(num_images() - 1), &
               'indices of images follow the team')
    total = 1
    call co_sum(total)
    call check(total == num_images(), 'collective of a team')
    allocate (inside(3)[*])
    inside = me
    sync all
    call check(inside(2)[1] == mod(me - 1, 2) + 1, 'coarray of a team')
    form team (mod(position, 2) + 1, quarter)
    change team (quarter)
      call check(team_number() == mod(position, 2) + 1, 'team in a team')
      call check(this_image() == (position + 1)/2, 'its indices')
      sync all
    end team
    call check(this_image() == position, 'after END TEAM of the inner one')
  end team
  call check(.not. allocated(inside), 'END TEAM deallocates')
  call check(this_image() == me .and. num_images() == images, 'after END TEAM')
  sync team (half)
  do i = 1, 20
    form team (me, alone)
    change team (alone)
      call check(num_images() == 1 .and. team_number() == me, 'a team of one')
    end team
  end do
  sync all
end program
