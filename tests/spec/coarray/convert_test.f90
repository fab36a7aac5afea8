! SPDX-License-Identifier: BSD-3-Clause
!
! Assignments between types and kinds, in both directions.
program convert_test
  use checks
  implicit none
  integer(1), save :: i1(4)[*]
  integer(2), save :: i2(4)[*]
  integer(4), save :: i4(4)[*]
  integer(8), save :: i8(4)[*]
  integer(16), save :: i16(4)[*]
  real(4), save :: r4(4)[*]
  real(8), save :: r8(4)[*]
  real(10), save :: r10(4)[*]
  real(16), save :: r16(4)[*]
  complex(4), save :: c4(4)[*]
  complex(8), save :: c8(4)[*]
  logical(1), save :: l1(4)[*]
  logical(8), save :: l8(4)[*]
  character(3, kind=4), save :: wide[*]
  integer, parameter :: values(4) = [1, -2, 3, 100]
  integer :: me, to

  me = this_image()
  to = mod(me, num_images()) + 1
  i1 = 0; i2 = 0; i4 = 0; i8 = 0; i16 = 0
  r4 = 0; r8 = 0; r10 = 0; r16 = 0; c4 = 0; c8 = 0
  sync all
  i1(:)[to] = real(values, 8)
  i2(:)[to] = int(values, 1)
  i4(:)[to] = real(values, 4) + 0.5*sign(1, values)
  i8(:)[to] = cmplx(values, 7)
  i16(:)[to] = values
  r4(:)[to] = values
  r8(:)[to] = real(values, 4)
  r10(:)[to] = int(values, 8)
  r16(:)[to] = real(values, 8)
  c4(:)[to] = int(values, 2)
  c8(:)[to] = cmplx(values, -values, 4)
  sync all
  call check(all(i1 == values), 'integer(1) = real(8)')
  call check(all(i2 == values), 'integer(2) = integer(1)')
  call check(all(i4 == values), 'integer(4) = real(4), truncated')
  call check(all(i8 == values), 'integer(8) = complex')
  call check(all(i16 == values), 'integer(16) = integer')
  call check(all(r4 == values), 'real(4) = integer')
  call check(all(r8 == values), 'real(8) = real(4)')
  call check(all(r10 == values), 'real(10) = integer(8)')
  call check(all(r16 == values), 'real(16) = real(8)')
  call check(all(c4 == values), 'complex(4) = integer(2)')
  call check(all(c8 == cmplx(values, -values, 8)), 'complex(8) = complex(4)')
  call reads
  call others
contains
  subroutine reads
    integer :: i(4), one
    real(8) :: r(4)
    complex(8) :: c(2)
    i = r16(:)[to]
    call check(all(i == values), 'integer = real(16)')
    r(4:1:-1) = i1(:)[to]
    call check(all(r(4:1:-1) == values), 'real(8) = integer(1), backwards')
    r = c8(:)[to]
    call check(all(r == values), 'real = complex')
    c = r10(2:4:2)[to]
    call check(all(c == values(2:4:2)), 'complex = real(10)')
    r(1:2) = i2([4, 1])[to]
    call check(all(r(1:2) == [100, 1]), 'real = integer(2), by a vector subscript')
    one = r4(3)[to]
    call check(one == 3, 'one element')
    sync all
    i8(2:3)[to] = 6.25
    sync all
    call check(all(i8 == [1, 6, 6, 100]), 'one real to a section of integers')
  end subroutine

  subroutine others
    logical :: l(4)
    character(5) :: narrow
    l1 = [.true., .false., .true., .true.]
    sync all
    l = l1(:)[to]
    call check(all(l .eqv. logical(l1)), 'logical(4) = logical(1)')
    l8(:)[to] = .not. l
    sync all
    call check(all(logical(l8) .neqv. logical(l1)), 'logical(8) = logical(4)')
    wide[to] = 4_'abc'
    sync all
    call check(wide == 4_'abc', 'wide characters')
    sync all
    wide[to] = 'x'
    sync all
    call check(wide == 4_'x  ', 'wide characters = narrow ones')
    narrow = wide[to]
    call check(narrow == 'x', 'narrow characters = wide ones')
  end subroutine
end program
