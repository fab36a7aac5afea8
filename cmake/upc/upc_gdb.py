# SPDX-License-Identifier: BSD-3-Clause
#
# Commands for gdb that show pointers-to-shared of UPC, and a function that gives the address of the element.
#
#   gdb -x share/atoll/upc_gdb.py ./a.out
#   (gdb) print p
#   $1 = thread 2, phase 1, offset 4100, address 0x7f25c0001004
#   (gdb) print *(int *)$upc_address(p)
#
# The address is valid in the debugged process; elements of threads whose memory is not mapped there have none. It
# comes from the library's table that the program's accesses use too, so it needs a running program or a core file.

import gdb


def address_of(pointer):
    """The private address of a pointer-to-shared; 0 if there is none."""
    offset = int(pointer["offset"])
    routes = gdb.parse_and_eval("*(char***)&atoll_upc_routes")
    if offset == 0 or int(routes) == 0:
        return 0
    words = gdb.parse_and_eval("sizeof(void*)")
    row = gdb.parse_and_eval(f"(char**){int(routes) + 4 * int(words) * int(pointer['thread'])}")
    local = int(row[0].cast(gdb.lookup_type("unsigned long")))
    places = int(row[2].cast(gdb.lookup_type("unsigned long")))
    return local + offset if offset - 1 < places else 0


class SharedPointerPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        if int(self.value["offset"]) == 0:
            return "NULL"
        text = "thread {thread}, phase {phase}, offset {offset}".format(
            **{name: int(self.value[name]) for name in ("thread", "phase", "offset")})
        try:
            address = address_of(self.value)
        except gdb.error:  # the program has not started
            return text
        return f"{text}, address {address:#x}" if address else f"{text}, not mapped here"


class SharedAddress(gdb.Function):
    """$upc_address(POINTER): the private address of a pointer-to-shared, as void*; 0 if it has none here."""

    def __init__(self):
        super().__init__("upc_address")

    def invoke(self, pointer):
        return gdb.Value(address_of(pointer)).cast(gdb.lookup_type("void").pointer())


def printer_of(value):
    kind = value.type.unqualified().strip_typedefs()
    is_pointer = kind.code == gdb.TYPE_CODE_STRUCT and kind.tag == "atoll_upc_pointer"
    return SharedPointerPrinter(value) if is_pointer else None


gdb.pretty_printers.append(printer_of)
SharedAddress()
