! SPDX-License-Identifier: BSD-3-Clause
!
! The steps in Fortran with coarrays: a field is v(x, y, turn)[ex, ey] on a periodic grid of images, and a border
! goes to a neighbour by one assignment of a section, whatever the radius. Five ways:
!
!   trivial   eight puts; SYNC ALL; all points
!   put       eight puts, an event for each neighbour; the inner region; eight events; the sides
!   get       an event for each neighbour; eight events and gets; all points
!   get0      events; the inner region; then each piece of the border, as soon as its events have come
!   get1      the same, but every other image does the border first
!
! Two fields alternate, so a halo may always be overwritten: an image that is a step ahead has received this
! image's event of the step before. C++ calls these procedures, and has the kernel of all programs.
module coarray_variants
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  private

  ! The exchange with one of eight neighbours. Regions are x from, x to, y from, y to.
  type, bind(C) :: link
    integer(c_int) :: place(2)  ! of the neighbour in the grid of images, from 1
    integer(c_int) :: is_own    ! this image is its own neighbour
    integer(c_int) :: border(4), halo(4)              ! here
    integer(c_int) :: their_border(4), their_halo(4)  ! in the neighbour's coordinates
  end type

  type, bind(C) :: plan
    integer(c_int) :: columns          ! of the grid of images
    integer(c_int) :: lower(2), upper(2)  ! of a field with its halos
    integer(c_int) :: is_odd           ! one of every two neighbours is
    integer(c_int) :: needs(8)         ! for each piece of the border: a bit for each direction
    type(link) :: to(8)
  end type

  ! Parts of the block, as passed to the kernel; numbers from 1 on are pieces of the border.
  integer(c_int), parameter :: whole = 0, inner = -1, sides = -2

  abstract interface
    subroutine compute_points(context, turn, part) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int), value :: turn, part
    end subroutine
    subroutine run_members(context) bind(C)
      import
      type(c_ptr), value :: context
    end subroutine
  end interface

  real(c_double), allocatable, target :: v(:, :, :)[:, :]
  type(event_type), allocatable :: arrivals(:)[:, :]  ! by direction of the neighbour
  type(plan) :: p
  integer(c_int) :: now
  logical :: has_arrived(8)
  procedure(compute_points), pointer :: compute => null()
  type(c_ptr) :: context

contains

  integer(c_int) function coarray_this_image() bind(C)
    coarray_this_image = this_image()
  end function

  integer(c_int) function coarray_num_images() bind(C)
    coarray_num_images = num_images()
  end function

  subroutine coarray_sync_all() bind(C)
    sync all
  end subroutine

  subroutine coarray_sum_reals(numbers, count) bind(C)
    integer(c_int), value :: count
    real(c_double), intent(inout) :: numbers(count)
    call co_sum(numbers)
  end subroutine

  subroutine coarray_sum_integer(number) bind(C)
    integer(c_int64_t), intent(inout) :: number
    call co_sum(number)
  end subroutine

  ! Calls `run` on the first `count` images, which are a team meanwhile.
  subroutine coarray_run_on_first(count, run, its_context) bind(C)
    use, intrinsic :: iso_fortran_env, only: team_type
    integer(c_int), value :: count
    type(c_funptr), value :: run
    type(c_ptr), value :: its_context
    procedure(run_members), pointer :: call_members
    type(team_type) :: team
    integer :: number
    call c_f_procpointer(run, call_members)
    number = merge(1, 2, this_image() <= count)
    form team (number, team)
    change team (team)
      if (number == 1) call call_members(its_context)
    end team
  end subroutine

  ! Both fields of this image; by all images of the team.
  subroutine coarray_make_fields(given, first, second) bind(C)
    type(plan), intent(in) :: given
    type(c_ptr), intent(out) :: first, second
    p = given
    allocate (v(p%lower(1):p%upper(1), p%lower(2):p%upper(2), 2)[p%columns, *])
    allocate (arrivals(8)[p%columns, *])
    v = 0
    now = 1
    first = c_loc(v(p%lower(1), p%lower(2), 1))
    second = c_loc(v(p%lower(1), p%lower(2), 2))
    sync all
  end subroutine

  subroutine coarray_end_fields() bind(C)
    deallocate (v, arrivals)
  end subroutine

  integer(c_int) function coarray_turn() bind(C)
    coarray_turn = now
  end function

  subroutine coarray_run(way, steps, kernel, its_context) bind(C)
    integer(c_int), value :: way, steps
    type(c_funptr), value :: kernel
    type(c_ptr), value :: its_context
    integer :: step
    call c_f_procpointer(kernel, compute)
    context = its_context
    do step = 1, steps
      call copy_own
      select case (way)
      case (0)
        call step_trivial
      case (1)
        call step_put
      case (2)
        call step_get
      case (3)
        call step_pieces(.true.)
      case default
        call step_pieces(p%is_odd == 0)
      end select
      now = 3 - now
    end do
    sync all
  end subroutine

  ! Fills halos on the sides where this image is its own neighbour; the inner region needs them. It uses loops,
  ! since for an assignment between sections of one array the compiler would allocate a copy.
  subroutine copy_own
    integer :: d, i, j
    do d = 1, 8
      if (p%to(d)%is_own == 0) cycle
      associate (b => p%to(d)%border, h => p%to(d)%their_halo)
        do j = 0, b(4) - b(3)
          do i = 0, b(2) - b(1)
            v(h(1) + i, h(3) + j, now) = v(b(1) + i, b(3) + j, now)
          end do
        end do
      end associate
    end do
    has_arrived = p%to%is_own /= 0
  end subroutine

  subroutine put_border(d)
    integer, intent(in) :: d
    integer :: ex, ey
    ex = p%to(d)%place(1)
    ey = p%to(d)%place(2)
    associate (b => p%to(d)%border, h => p%to(d)%their_halo)
      v(h(1):h(2), h(3):h(4), now)[ex, ey] = v(b(1):b(2), b(3):b(4), now)
    end associate
  end subroutine

  subroutine get_halo(d)
    integer, intent(in) :: d
    integer :: ex, ey
    ex = p%to(d)%place(1)
    ey = p%to(d)%place(2)
    associate (b => p%to(d)%their_border, h => p%to(d)%halo)
      v(h(1):h(2), h(3):h(4), now) = v(b(1):b(2), b(3):b(4), now)[ex, ey]
    end associate
  end subroutine

  ! The neighbour sees this image in the opposite direction.
  subroutine notify(d)
    integer, intent(in) :: d
    event post (arrivals(9 - d)[p%to(d)%place(1), p%to(d)%place(2)])
  end subroutine

  subroutine step_trivial
    integer :: d
    do d = 1, 8
      if (.not. has_arrived(d)) call put_border(d)
    end do
    sync all
    call compute(context, now, whole)
  end subroutine

  subroutine step_put
    integer :: d
    do d = 1, 8
      if (.not. has_arrived(d)) call put_border(d)
    end do
    do d = 1, 8
      if (.not. has_arrived(d)) call notify(d)
    end do
    call compute(context, now, inner)
    do d = 1, 8
      if (.not. has_arrived(d)) event wait (arrivals(d))
    end do
    call compute(context, now, sides)
  end subroutine

  subroutine step_get
    integer :: d
    do d = 1, 8
      if (.not. has_arrived(d)) call notify(d)
    end do
    do d = 1, 8
      call fetch(d)
    end do
    call compute(context, now, whole)
  end subroutine

  subroutine step_pieces(inner_first)
    logical, intent(in) :: inner_first
    integer :: d, piece
    do d = 1, 8
      if (.not. has_arrived(d)) call notify(d)
    end do
    if (inner_first) call compute(context, now, inner)
    do piece = 1, 8
      do d = 1, 8
        if (btest(p%needs(piece), d - 1)) call fetch(d)
      end do
      call compute(context, now, int(piece, c_int))
    end do
    do d = 1, 8
      call fetch(d)
    end do
    if (.not. inner_first) call compute(context, now, inner)
  end subroutine

  ! The halo in a direction, once in a step.
  subroutine fetch(d)
    integer, intent(in) :: d
    if (has_arrived(d)) return
    event wait (arrivals(d))
    call get_halo(d)
    has_arrived(d) = .true.
  end subroutine
end module
