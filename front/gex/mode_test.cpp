// SPDX-License-Identifier: BSD-3-Clause
//
// Files of one mode agree, files of two do not, and the message names one file of each.
#include <front/gex/mode.hpp>

#include <gasnetex_identity.h>

#include <gtest/gtest.h>

namespace {

using atl::gex::mode_notes;

TEST(mode_notes, files_of_one_mode_agree) {
  mode_notes notes;
  EXPECT_EQ(notes.disagreement(), "");
  notes.note(ATOLL_GEX_MODE_PAR, "a.c");
  notes.note(ATOLL_GEX_MODE_PAR, "b.c");
  EXPECT_EQ(notes.disagreement(), "");
}

TEST(mode_notes, two_modes_are_named_with_a_file_each) {
  mode_notes notes;
  notes.note(ATOLL_GEX_MODE_SEQ, "a.c");
  notes.note(ATOLL_GEX_MODE_SEQ, "b.c");
  notes.note(ATOLL_GEX_MODE_PAR, "c.c");
  EXPECT_EQ(notes.disagreement(), "a.c was compiled for GASNET_SEQ and c.c for GASNET_PAR");
}

TEST(mode_notes, a_mode_that_does_not_exist_is_ignored) {
  mode_notes notes;
  notes.note(17, "a.c");
  notes.note(-1, "a.c");
  EXPECT_EQ(notes.disagreement(), "");
}

}  // namespace
