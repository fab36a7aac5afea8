# SPDX-License-Identifier: BSD-3-Clause
#
# A file includes the headers of the names that it uses: of the standard library and of the system, itself or
# through a header of the tree. A compiler does not check this rule where sources are compiled several at a time or
# with precompiled headers. The table has most names that the tree uses. Names that it lacks are not checked, nor are
# those that nearly every header provides (move, pair, size_t).

import re
from functools import cache

ALGORITHMS = """
adjacent_find all_of any_of clamp copy copy_if copy_n count count_if equal equal_range fill fill_n find find_if
generate is_sorted lower_bound max max_element min min_element minmax none_of nth_element partial_sort partition
remove_if reverse rotate shuffle sort stable_sort transform unique upper_bound
"""

# The names that a header declares, in std or in the namespace that stands before them.
STANDARD = {
    "algorithm": ALGORITHMS + " ".join("ranges::" + each for each in ALGORITHMS.split()),
    "any": "any any_cast",
    "array": "array to_array",
    "atomic": """atomic atomic_flag atomic_ref atomic_thread_fence atomic_signal_fence memory_order memory_order_relaxed
        memory_order_acquire memory_order_release memory_order_acq_rel memory_order_seq_cst memory_order_consume""",
    "barrier": "barrier",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero endian has_single_bit popcount",
    "bitset": "bitset",
    "charconv": "from_chars to_chars chars_format",
    "chrono": "chrono chrono_literals",
    "cmath": """acos atan2 ceil cos exp exp2 floor fma hypot isfinite isnan ldexp llround log log10 log2 lround pow
        round sin sqrt""",
    "compare": "strong_ordering three_way_comparable",
    "complex": "complex norm polar",
    "concepts": """convertible_to floating_point integral invocable same_as signed_integral totally_ordered
        unsigned_integral""",
    "condition_variable": "condition_variable condition_variable_any",
    "coroutine": "coroutine_handle suspend_always suspend_never",
    "csetjmp": "jmp_buf longjmp",
    "csignal": "raise sig_atomic_t signal",
    "cstddef": "byte max_align_t to_integer",
    "cstdint": """int8_t int16_t int32_t int64_t intptr_t uint8_t uint16_t uint32_t uint64_t uintptr_t""",
    "cstdio": """fclose fdopen ferror fflush fgets fopen fprintf fputs fread fscanf fwrite perror printf puts setvbuf
        snprintf sscanf vsnprintf""",
    "cstdlib": """_Exit abort aligned_alloc atof atoi atol atoll calloc exit free getenv labs llabs malloc realloc strtol
        strtoll strtoul strtoull system""",
    "cstring": """memchr memcmp memcpy memmove memset strchr strcmp strcpy strerror strlen strncmp strncpy strrchr
        strstr""",
    "ctime": "time",
    "deque": "deque",
    "exception": "current_exception exception_ptr rethrow_exception terminate uncaught_exceptions",
    "filesystem": "filesystem",
    "forward_list": "forward_list",
    "fstream": "fstream ifstream ofstream",
    "functional": "bit_and bit_or bit_xor cref function greater invoke less multiplies plus ref reference_wrapper",
    "future": "async future future_status launch promise",
    "initializer_list": "initializer_list",
    "iosfwd": "ostream",
    "iostream": "cerr cin cout",
    "iterator": """back_inserter istream_iterator istreambuf_iterator make_move_iterator""",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": """addressof destroy_at enable_shared_from_this make_shared make_unique make_unique_for_overwrite
        shared_ptr unique_ptr weak_ptr""",
    "mutex": "call_once lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock",
    "new": "align_val_t bad_alloc launder nothrow nothrow_t",
    "numbers": "numbers",
    "numeric": "accumulate gcd iota lcm",
    "optional": "bad_optional_access make_optional nullopt nullopt_t optional",
    "queue": "priority_queue queue",
    "random": """minstd_rand mt19937 mt19937_64 random_device uniform_int_distribution uniform_real_distribution""",
    "ranges": """views ranges::borrowed_range ranges::common_range ranges::contiguous_range ranges::forward_range
        ranges::input_range ranges::sized_range ranges::subrange ranges::view""",
    "regex": "regex regex_match regex_replace regex_search smatch sregex_iterator",
    "set": "multiset set",
    "span": "as_bytes as_writable_bytes span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "invalid_argument length_error logic_error out_of_range overflow_error runtime_error",
    "string": "basic_string getline stoi stol stoul stoull string to_string u16string u32string",
    "string_view": "string_view",
    "system_error": "errc error_code system_error",
    "stop_token": "stop_source stop_token",
    "thread": "this_thread thread jthread",
    "tuple": "apply make_tuple tie tuple tuple_cat tuple_element_t tuple_size_v",
    "type_traits": """conditional_t decay_t enable_if_t integral_constant invoke_result_t is_arithmetic_v is_array_v
        is_base_of_v is_class_v is_const_v is_constructible_v is_convertible_v is_copy_assignable_v
        is_copy_constructible_v is_default_constructible_v is_empty_v is_enum_v is_final_v is_floating_point_v
        is_function_v is_integral_v is_invocable_r_v is_invocable_v is_lvalue_reference_v is_member_function_pointer_v
        is_move_constructible_v is_object_v is_pointer_v is_polymorphic_v is_reference_v is_same_v is_signed_v
        is_standard_layout_v is_trivially_copyable_v is_trivially_destructible_v is_void_v make_unsigned_t
        remove_all_extents_t remove_const_t remove_cv_t remove_extent_t remove_pointer_t remove_reference_t
        underlying_type_t""",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_multiset unordered_set",
    "utility": "as_const exchange index_sequence index_sequence_for integer_sequence make_index_sequence",
    "vector": "vector",
}

# Functions of the system, which the tree calls with `::` before their names.
SYSTEM = {
    "dlfcn.h": "dladdr dlclose dlerror dlopen dlsym",
    "fcntl.h": "fallocate fcntl open",
    "poll.h": "poll ppoll",
    "sched.h": "sched_getaffinity sched_getcpu sched_setaffinity sched_yield setns",
    "signal.h": "kill sigaction sigemptyset sigfillset",
    "sys/epoll.h": "epoll_create1 epoll_ctl epoll_wait",
    "sys/eventfd.h": "eventfd",
    "sys/mman.h": "madvise memfd_create mincore mmap mprotect mremap munmap",
    "sys/prctl.h": "prctl",
    "sys/ptrace.h": "ptrace",
    "sys/random.h": "getrandom",
    "sys/resource.h": "getpriority getrlimit getrusage setpriority setrlimit",
    "sys/socket.h": "accept4 bind connect getsockname getsockopt listen recv send setsockopt shutdown socket",
    "sys/stat.h": "fchmod fstat",
    "sys/uio.h": "process_vm_readv process_vm_writev writev",
    "sys/wait.h": "waitpid",
    "unistd.h": """_exit access alarm close dup dup2 execlp execv fork fsync ftruncate gethostname getpid getppid
        isatty lseek pause pipe pipe2 pread pwrite read readlink syscall sysconf unlink usleep write""",
}

# Headers that declare the names of other headers too.
CONTAINERS = ("array deque forward_list list map optional queue regex set span string string_view tuple unordered_map "
              "unordered_set utility valarray vector")
BRINGS = {header: {"initializer_list"} for header in CONTAINERS.split()} | {
    "charconv": {"system_error"},
    "condition_variable": {"mutex"},
    "csignal": {"signal.h"},
    "filesystem": {"system_error"},
    "fstream": {"iosfwd"},
    "iostream": {"iosfwd"},
    "memory": {"new"},
    "ostream": {"iosfwd"},
    "ranges": {"iterator", "span", "string_view", "initializer_list"},
    "regex": {"string", "string_view", "initializer_list"},
    "sstream": {"iosfwd", "string", "string_view"},
    "string": {"string_view", "initializer_list"},
    "thread": {"stop_token"},
}

INCLUDE = re.compile(r"^ *# *include *[<\"]([^>\"]+)[>\"]", re.MULTILINE)
OF_STANDARD = re.compile(r"\bstd::(ranges::)?(\w+)")
OF_SYSTEM = re.compile(r"(?<![\w>:])::(\w+)\(")


def header_of(table):
    return {name: header for header, names in table.items() for name in names.split()}


STANDARD_HEADER = header_of(STANDARD)
SYSTEM_HEADER = header_of(SYSTEM)


def spelling(file):
    """How programs include a header."""
    return "/".join(file.parts[3:]) if file.is_dictated else file.path


def closures(tree):
    """A function that returns all headers that a file of the tree includes, itself or through others of the tree."""
    by_spelling = {spelling(file): file for file in tree.code() if file.is_header}
    own = cache(lambda path: INCLUDE.findall(tree.by_path[path].text))

    @cache
    def closure(path):
        found, more = set(), set(own(path))
        while more:
            found |= more
            more = {each for header in more if header in by_spelling
                    for each in own(by_spelling[header].path)} - found
        for header in list(found):
            found |= BRINGS.get(header, set())
        return found

    return closure


def rule_includes(tree):
    """includes: a file includes the headers of the names of the standard library and the system that it uses"""
    closure = closures(tree)
    for file in tree.code():
        if file.suffix not in (".cpp", ".hpp"):
            continue
        missing = {}
        code = file.code_without_directives
        for pattern, table in ((OF_STANDARD, STANDARD_HEADER), (OF_SYSTEM, SYSTEM_HEADER)):
            for match in pattern.finditer(code):
                name = "".join(each or "" for each in match.groups())
                header = table.get(name)
                if header and header not in closure(file.path):
                    missing.setdefault(header, (match.start(), name))
        for header, (offset, name) in missing.items():
            yield file.path, code.count("\n", 0, offset) + 1, f"uses {name}, and does not include <{header}>"


RULES = [rule_includes]
