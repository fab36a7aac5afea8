! SPDX-License-Identifier: BSD-3-Clause
!
! Loops over coindexed scalars of this image and over elements of a component, which the library accesses like
! those of other mapped images; and over image control statements that need not wait. The instructions of each
! loop are counted, so it contains nothing else. The loops have a file of their own, so that the compiler does
! not inline them into their caller.
module counted
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  integer, parameter :: turns = 64
  real(8), save :: x(turns)[*]
  real(8) :: y(turns)
  type holder
    real(8), allocatable :: part(:)
  end type
  type(holder), save :: h[*]
  type(event_type), save :: e[*]
  real(8), save :: matrix(turns, turns)[*], row(turns), line(2*turns)[*]
  integer, save :: picks(turns)
contains
  subroutine puts(image) bind(C, name='counted_puts')
    integer, intent(in) :: image
    integer :: i
    do i = 1, turns
      x(i)[image] = 2.0d0
    end do
  end subroutine
  subroutine gets(image) bind(C, name='counted_gets')
    integer, intent(in) :: image
    integer :: i
    do i = 1, turns
      y(i) = x(i)[image]
    end do
  end subroutine
  subroutine component_puts(image) bind(C, name='counted_component_puts')
    integer, intent(in) :: image
    integer :: i
    do i = 1, turns
      h[image]%part(i) = 3.0d0
    end do
  end subroutine
  subroutine component_gets(image) bind(C, name='counted_component_gets')
    integer, intent(in) :: image
    integer :: i
    do i = 1, turns
      y(i) = h[image]%part(i)
    end do
  end subroutine
  subroutine events(image) bind(C, name='counted_events')
    integer, intent(in) :: image
    integer :: i
    do i = 1, turns
      event post (e[image])
      event wait (e)
    end do
  end subroutine
  ! Of a mapped image, a part of an array at a time.
  subroutine row_gets(image) bind(C, name='counted_row_gets')
    integer, intent(in) :: image
    row = matrix(3, :)[image]
  end subroutine
  subroutine row_puts(image) bind(C, name='counted_row_puts')
    integer, intent(in) :: image
    matrix(3, :)[image] = row
  end subroutine
  subroutine vector_puts(image) bind(C, name='counted_vector_puts')
    integer, intent(in) :: image
    line(picks)[image] = row
  end subroutine
  subroutine barriers() bind(C, name='counted_barriers')
    integer :: i
    do i = 1, turns
      sync all
    end do
  end subroutine
  subroutine pairwise_syncs(image) bind(C, name='counted_pairwise_syncs')
    integer, intent(in) :: image
    integer :: i
    do i = 1, turns
      sync images (image)
    end do
  end subroutine
end module
