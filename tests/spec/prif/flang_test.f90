! SPDX-License-Identifier: BSD-3-Clause
!
! The multi-image features that flang 22 compiles: image queries, SYNC statements, collective subroutines, teams, and
! ends of an image, of which the argument chooses one.
program flang_test
  use, intrinsic :: iso_fortran_env
  implicit none
  integer :: me, images, stat
  character(10) :: way

  me = this_image()
  images = num_images()
  call get_command_argument(1, way)
  if (way == 'fail') call fail_at_once
  call synchronize
  call collect
  call form_teams
  select case (way)
  case ('stop')
    if (me == images) stop 7
  case ('error')
    error stop 'all is lost'
  end select
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (error_unit, '(a,i0,2a)') 'image ', this_image(), ' misses: ', what
    error stop 9
  end subroutine

  ! The last image fails before the others have reached any image control statement.
  subroutine fail_at_once
    integer :: one, team_me, team_images
    type(team_type) :: left
    if (me == images) fail image
    sync all (stat=stat)
    call check(stat == stat_failed_image, 'SYNC ALL tells the failure')
    one = 1
    call co_sum(one, stat=stat)
    call check(stat == stat_failed_image, 'CO_SUM tells the failure')
    form team (1, left, stat=stat)
    call check(stat == stat_failed_image, 'FORM TEAM tells the failure')
    change team (left)
      team_images = num_images()
      team_me = this_image()
      one = 1
      call co_sum(one)
    end team
    call check(team_images == images - 1 .and. team_me == me .and. one == images - 1, 'a team of those that are left')
    print '(a,i0,a)', 'image ', me, ' goes on'
    stop
  end subroutine

  subroutine synchronize
    character(40) :: text
    character(:), allocatable :: allocated_text
    sync all
    sync all (stat=stat, errmsg=text)
    call check(stat == 0, 'stat of SYNC ALL')
    sync memory
    sync images (*)
    sync images (me)
    sync images ([me, me], stat=stat, errmsg=text)
    call check(stat /= 0 .and. text(1:11) == 'SYNC IMAGES', 'errmsg')
    allocate (character(60) :: allocated_text)
    sync images ([images + 1], stat=stat, errmsg=allocated_text)
    call check(stat /= 0 .and. index(allocated_text, 'no image') > 0, 'errmsg that is allocatable')
  end subroutine

  subroutine collect
    integer :: one
    real(real64) :: row(10)
    real(10) :: extended
    complex :: z
    character(4) :: word
    one = me
    call co_sum(one)
    call check(one == images*(images + 1)/2, 'CO_SUM')
    row = me
    call co_max(row(1:10:3), result_image=1)
    if (me == 1) call check(all(row(1:10:3) == images), 'CO_MAX of a section')
    call check(all(row(2:9:3) == me), 'what is between the elements of a section')
    extended = 1.0_10/me
    call co_min(extended)
    call check(extended == 1.0_10/images, 'CO_MIN of real(10)')
    extended = 0.5_10*me
    call co_sum(extended)
    call check(extended == 0.25_10*images*(images + 1), 'CO_SUM of real(10)')
    z = cmplx(me, 1)
    call co_sum(z, stat=stat)
    call check(stat == 0 .and. aimag(z) == images, 'CO_SUM of complex numbers')
    word = 'ab'//achar(iachar('0') + me)
    call co_min(word)
    call check(word == 'ab1', 'CO_MIN of characters')
    row = me
    call co_broadcast(row, images)
    call check(all(row == images), 'CO_BROADCAST')
  end subroutine

  subroutine form_teams
    type(team_type) :: team, inner
    integer :: half, size_of_half, index, i
    half = mod(me, 2) + 1
    size_of_half = merge(images/2, (images + 1)/2, half == 1)
    index = size_of_half - (me - 1)/2
    do i = 1, 250
      form team (half, inner)
    end do
    form team (half, team, new_index=index, stat=stat)
    call check(stat == 0, 'FORM TEAM')
    change team (team)
      call check(num_images() == size_of_half .and. this_image() == index, 'the images of a team')
      call check(team_number() == half, 'TEAM_NUMBER')
      sync team (team)
      form team (1, inner)
      change team (inner)
        call check(this_image() == index, 'a team in a team')
      end team
      index = me
      call co_max(index)
      call check(index == images - merge(1, 0, mod(images, 2) /= mod(me, 2)), 'CO_MAX in a team')
    end team
    call check(num_images() == images .and. this_image(team) > 0, 'after END TEAM')
  end subroutine
end program
