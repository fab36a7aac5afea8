# SPDX-License-Identifier: BSD-3-Clause
#
# `atoll bench`: what is measured (sets, apps), by whom (implementations), in which order (plan), how it is run
# (processes, running), and what is kept of it (figures, recording). Needs nothing but Python's own library;
# rich, where it is installed, draws the bar and the tables.
