// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch and other libraries allocate before main, where no catch block stands: with too little memory the program
// would end with "terminate called" and a core dump. What stands in .preinit_array runs before every library.
#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

#include <cxxabi.h>
#include <unistd.h>

namespace {

void endWithASentence()
{
    const std::type_info *const type = abi::__cxa_current_exception_type();
    constexpr std::string_view kSentence =
        "error: The memory that this program may use does not suffice to start it. Close other programs, or raise the "
        "limit (ulimit -v).\n";
    if (type && *type == typeid(std::bad_alloc)) {
        static_cast<void>(!write(STDERR_FILENO, kSentence.data(), kSentence.size()));
        _exit(1);
    }
    __gnu_cxx::__verbose_terminate_handler();
}

void prepare(int, char **, char **)
{
    std::set_terminate(endWithASentence);
}

using Prepare = void (*)(int, char **, char **);
[[gnu::section(".preinit_array"), gnu::used]] const Prepare first = prepare;

} // namespace
