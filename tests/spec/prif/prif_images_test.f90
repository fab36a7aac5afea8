! SPDX-License-Identifier: BSD-3-Clause
!
! PRIF: initialisation, image queries, lists of images, error texts.
program images_test
  use prif_checks
  implicit none
  integer(c_int) :: stat, count, status
  integer(c_int), allocatable :: list(:), all_status(:)
  type(prif_team_type) :: team
  integer(c_int64_t) :: number
  character(60) :: text
  character(:), allocatable :: allocated_text
  integer :: i

  call start
  call prif_init(stat)
  call check(stat == PRIF_STAT_ALREADY_INIT, 'a second prif_init')
  call check(PRIF_VERSION_MAJOR == 0 .and. PRIF_VERSION_MINOR == 8, 'the version')
  call check(me >= 1 .and. me <= images, 'the number of this image')
  call prif_get_team(team=team)
  call prif_num_images_with_team(team, count)
  call check(count == images, 'the images of the current team')
  call prif_num_images_with_team_number(-1_c_int64_t, count)
  call check(count == images, 'the images of team number -1')
  call prif_team_number(team_number=number)
  call check(number == -1, 'the number of the initial team')
  call prif_image_status(1_c_int, image_status=status)
  call check(status == 0, 'image 1 is active')
  allocate (all_status(images))
  call prif_image_status([(int(i, c_int), i=1, images)], image_status=all_status)
  call check(all(all_status == 0), 'all images are active')
  call prif_failed_images(failed_images=list)
  call check(size(list) == 0, 'no image has failed')
  call prif_stopped_images(team, list)
  call check(size(list) == 0, 'no image has stopped')

  call prif_sync_images([images + 1], stat, errmsg=text)
  call check(stat /= 0 .and. text(1:11) == 'SYNC IMAGES', 'errmsg')
  call check(text(60:60) == ' ', 'errmsg is filled with blanks')
  call prif_sync_images([images + 1], stat, errmsg_alloc=allocated_text)
  call check(allocated(allocated_text), 'errmsg_alloc is allocated')
  call check(index(allocated_text, 'there is no image') > 0, 'errmsg_alloc')
  call check(len_trim(allocated_text) == len(allocated_text), 'errmsg_alloc has no blanks behind it')
  text = 'as it was'
  call prif_sync_all(stat, errmsg=text)
  call check(stat == 0 .and. text == 'as it was', 'errmsg without an error')

  call prif_sync_all
  if (me == images .and. images > 1) call finish
  if (images > 1) then
    do
      call prif_image_status(images, image_status=status)
      if (status /= 0) exit
    end do
    call check(status == PRIF_STAT_STOPPED_IMAGE, 'the last image has stopped')
    call prif_stopped_images(stopped_images=list)
    call check(any(list == images), 'the list of stopped images')
    call prif_sync_all(stat)
    call check(stat == PRIF_STAT_STOPPED_IMAGE, 'SYNC ALL with a stopped image')
  end if
  call finish
end program
