// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lookback::run::pickle {

/// Opcodes of Python's pickletools, as far as torch.save writes them.
enum Opcode : unsigned char {
    Proto = 0x80,
    Frame = 0x95,
    Stop = '.',
    Mark = '(',
    None = 'N',
    True = 0x88,
    False = 0x89,
    Int4 = 'J',
    Int1 = 'K',
    Int2 = 'M',
    Long1 = 0x8a,
    Double = 'G',
    Text4 = 'X',
    Text1 = 0x8c,
    EmptyList = ']',
    Append = 'a',
    Appends = 'e',
    List = 'l',
    EmptyTuple = ')',
    Tuple = 't',
    Tuple1 = 0x85,
    Tuple2 = 0x86,
    Tuple3 = 0x87,
    EmptyDict = '}',
    SetItem = 's',
    SetItems = 'u',
    Global = 'c',
    StackGlobal = 0x93,
    Reduce = 'R',
    NewObject = 0x81,
    Build = 'b',
    PersistentId = 'Q',
    Put1 = 'q',
    Put4 = 'r',
    Memoize = 0x94,
    Get1 = 'h',
    Get4 = 'j',
};

} // namespace lookback::run::pickle
