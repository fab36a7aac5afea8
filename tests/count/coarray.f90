! SPDX-License-Identifier: BSD-3-Clause
!
! Calls the loop of coarray_loops.f90 that count_test.py names, as often as that test expects. Preparations
! for the loops are made once.
program coarray
  use counted
  implicit none
  integer, parameter :: calls = 10000
  character(len=40) :: chosen
  integer :: image, other, posts, i
  call get_command_argument(1, chosen)
  image = this_image()
  other = mod(image, num_images()) + 1
  matrix = image
  picks = [(mod(5*i, 2*turns) + 1, i=1, turns)]
  sync all
  x = 1
  y = 0
  allocate (h%part(turns))
  do i = 1, calls_of('counted_puts')
    call puts(image)
  end do
  do i = 1, calls_of('counted_gets')
    call gets(image)
  end do
  if (sum(y) /= 2*turns) error stop 'what was put did not come back'
  do i = 1, calls_of('counted_component_puts')
    call component_puts(image)
  end do
  do i = 1, calls_of('counted_component_gets')
    call component_gets(image)
  end do
  if (sum(y) /= 3*turns) error stop 'what was put to a component did not come back'
  do i = 1, calls_of('counted_events')
    call events(image)
  end do
  call event_query(e, posts)
  if (posts /= 0) error stop 'posts were not taken'
  do i = 1, calls_of('counted_row_gets')
    call row_gets(other)
  end do
  if (any(row /= other)) error stop 'a row did not come'
  sync all
  do i = 1, calls_of('counted_row_puts')
    call row_puts(other)
  end do
  do i = 1, calls_of('counted_vector_puts')
    call vector_puts(other)
  end do
  sync all
  if (any(matrix(3, :) /= image) .or. any(line(picks) /= image)) error stop 'a row was not written'
  do i = 1, calls_of('counted_barriers')
    call barriers()
  end do
  do i = 1, calls_of('counted_pairwise_syncs')
    call pairwise_syncs(image)
  end do
contains
  integer function calls_of(name)
    character(len=*), intent(in) :: name
    calls_of = merge(calls, 1, name == chosen)
  end function
end program
