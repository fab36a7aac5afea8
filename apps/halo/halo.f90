! SPDX-License-Identifier: BSD-3-Clause
!
! The halo exchange of an unstructured mesh, in Fortran with coarrays: each image needs cells of its neighbours
! in a ring, at irregular places. It is written in four ways: element by element, read or written, and by
! blocks that are packed first, read or written. Each way is checked, and the best time of its rounds reported.
!
!   halo_coarray [--cells N] [--halo N] [--rounds N] [--json FILE]
!
! The same source measures other coarray libraries, so it uses only Fortran 2018, and no coarray components,
! which others do not support well.
program halo_coarray
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  implicit none
  character(15), parameter :: names(4) = [character(15) :: 'scattered_gets', 'blocked_gets', 'scattered_puts', &
                                          'blocked_puts']
  integer, parameter :: repeats = 5
  integer :: cells = 100000, wanted = 500, rounds = 3
  character(:), allocatable :: json
  integer, allocatable :: values(:)[:], halo(:)[:], packed(:)[:]
  integer, allocatable :: place(:)   ! of the j-th wanted cell at its owner; the same on all images
  real(8) :: seconds(size(names))
  integer :: me, images, left, right, way

  me = this_image()
  images = num_images()
  call read_words
  left = merge(images, me - 1, me == 1)
  right = merge(1, me + 1, me == images)
  allocate (values(cells)[*], halo(2*wanted)[*], packed(wanted)[*])
  call choose_places
  do way = 1, size(names)
    seconds(way) = measure(way)
  end do
  if (me == 1) call print_results
contains
  ! The first half of the halo comes from the left neighbour, the second from the right one.
  subroutine exchange(way)
    integer, intent(in) :: way
    integer :: j
    select case (way)
    case (1)
      sync all
      do j = 1, wanted
        halo(j) = values(place(j))[left]
        halo(wanted + j) = values(place(j))[right]
      end do
    case (2)
      packed = values(place)
      sync all
      halo(:wanted) = packed(:)[left]
      halo(wanted + 1:) = packed(:)[right]
    case (3)
      sync all
      do j = 1, wanted
        halo(wanted + j)[left] = values(place(j))
        halo(j)[right] = values(place(j))
      end do
    case (4)
      packed = values(place)
      sync all
      halo(wanted + 1:2*wanted)[left] = packed
      halo(1:wanted)[right] = packed
    end select
    sync all
  end subroutine

  real(8) function measure(way)
    integer, intent(in) :: way
    integer(int64) :: begin, end, rate
    integer :: round, repeat, j
    measure = huge(measure)
    do round = 1, rounds
      values = [(1000000*mod(me, 1000) + j, j=1, cells)]
      halo = -1
      sync all
      call system_clock(begin, rate)
      do repeat = 1, repeats
        call exchange(way)
      end do
      call system_clock(end)
      measure = min(measure, real(end - begin, 8)/rate/repeats)
      call check(halo(:wanted), left)
      call check(halo(wanted + 1:), right)
      sync all
    end do
  end function

  subroutine check(part, owner)
    integer, intent(in) :: part(:), owner
    if (all(part == 1000000*mod(owner, 1000) + place)) return
    write (error_unit, '(a,i0,4a,i0)') 'image ', me, ': ', trim(names(way)), ' brought wrong cells', &
      ' of image ', owner
    error stop 1
  end subroutine

  subroutine choose_places
    integer(int64) :: state
    integer :: j
    allocate (place(wanted))
    state = 88172645_int64
    do j = 1, wanted
      state = mod(state*48271_int64, 2147483647_int64)
      place(j) = 1 + int(mod(state, int(cells, int64)))
    end do
  end subroutine

  subroutine read_words
    character(256) :: word, value
    integer :: i
    do i = 1, command_argument_count(), 2
      call get_command_argument(i, word)
      call get_command_argument(i + 1, value)
      select case (word)
      case ('--cells')
        cells = number(word, value)
      case ('--halo')
        wanted = number(word, value)
      case ('--rounds')
        rounds = number(word, value)
      case ('--json')
        json = trim(value)
      case default
        call refuse('there is no option '//trim(word)//'; there are --cells, --halo, --rounds and --json')
      end select
    end do
  end subroutine

  integer function number(word, value)
    character(*), intent(in) :: word, value
    integer :: status
    read (value, *, iostat=status) number
    if (status == 0 .and. number > 0) return
    call refuse(trim(word)//' needs a number of 1 or more, not '''//trim(value)//'''')
  end function

  subroutine refuse(why)
    character(*), intent(in) :: why
    if (me == 1) write (error_unit, '(2a)') 'halo_coarray: ', why
    error stop 2
  end subroutine

  subroutine print_results
    integer :: i, unit
    do i = 1, size(names)
      print '(a,f12.3,a)', names(i), seconds(i)*1e6, ' us'
    end do
    if (.not. allocated(json)) return
    open (newunit=unit, file=json, action='write', status='replace')
    write (unit, '(a)') '{"app": "halo_coarray", "variants": ['
    do i = 1, size(names)
      write (unit, '(3a,es12.5,a)') '{"name": "', trim(names(i)), '", "seconds": ', seconds(i), &
        merge('},', '} ', i < size(names))
    end do
    write (unit, '(a)') ']}'
    close (unit)
  end subroutine
end program
