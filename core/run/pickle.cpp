// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/pickle.h"

#include <bit>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/json.h"
#include "core/run/pickle_opcodes.h"

namespace lookback::run {

using namespace pickle;

namespace {

constexpr std::size_t kLargestPickle = 1U << 20U;

} // namespace

class PickleReader {
public:
    PickleReader(std::string_view bytes, std::string subject, std::deque<PickleValue> &values)
        : m_bytes(bytes), m_subject(std::move(subject)), m_values(values)
    {
    }

    const PickleValue *read()
    {
        if (m_bytes.size() > kLargestPickle)
            damaged("it describes too much (" + std::to_string(m_bytes.size()) + " bytes)");
        for (;;) {
            const auto opcode = static_cast<unsigned char>(take(1)[0]);
            if (opcode == Stop)
                break;
            obey(opcode);
        }
        return pop();
    }

private:
    [[noreturn]] void damaged(const std::string &what) const
    {
        throw Error(m_subject, "The file is damaged: " + what + ".", "Copy it again, or use another checkpoint.");
    }

    std::string_view take(std::size_t count)
    {
        if (count > m_bytes.size() - m_position)
            damaged("its description of the objects ends early");
        const std::string_view taken = m_bytes.substr(m_position, count);
        m_position += count;
        return taken;
    }

    /// Little-endian.
    std::uint64_t number(std::size_t count)
    {
        std::uint64_t result = 0;
        const std::string_view bytes = take(count);
        for (std::size_t i = count; i-- > 0;)
            result = result << 8U | static_cast<unsigned char>(bytes[i]);
        return result;
    }

    std::string line()
    {
        const std::size_t end = m_bytes.find('\n', m_position);
        if (end == std::string_view::npos)
            damaged("its description of the objects ends early");
        std::string result(take(end - m_position));
        take(1);
        return result;
    }

    PickleValue *make(PickleValue::Kind kind)
    {
        m_values.emplace_back();
        m_values.back().kind = kind;
        return &m_values.back();
    }

    void push(PickleValue *value) { m_stack.push_back(value); }

    PickleValue *pop()
    {
        if (m_stack.size() <= floor())
            damaged("its description of the objects takes more than it made");
        PickleValue *value = m_stack.back();
        m_stack.pop_back();
        return value;
    }

    PickleValue *top()
    {
        PickleValue *value = pop();
        push(value);
        return value;
    }

    std::size_t floor() const { return m_marks.empty() ? 0 : m_marks.back(); }

    /// What was pushed since the last mark.
    std::vector<const PickleValue *> popToMark()
    {
        if (m_marks.empty())
            damaged("its description of the objects ends a list that never began");
        std::vector<const PickleValue *> items(m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back()),
                                               m_stack.end());
        m_stack.resize(m_marks.back());
        m_marks.pop_back();
        return items;
    }

    void pushInteger(std::int64_t integer)
    {
        PickleValue *value = make(PickleValue::Kind::Integer);
        value->integer = integer;
        push(value);
    }

    void pushTuple(std::size_t count)
    {
        std::vector<const PickleValue *> items(count);
        while (count > 0)
            items[--count] = pop();
        PickleValue *tuple = make(PickleValue::Kind::Sequence);
        tuple->items = std::move(items);
        push(tuple);
    }

    void pushText(std::size_t length)
    {
        PickleValue *value = make(PickleValue::Kind::Text);
        value->text = std::string(take(length));
        push(value);
    }

    void pushClass(const std::string &module, const std::string &name)
    {
        PickleValue *value = make(PickleValue::Kind::Class);
        value->text = module + " " + name;
        push(value);
    }

    void add(const std::vector<const PickleValue *> &items, PickleValue::Kind kind)
    {
        PickleValue *container = top();
        // An OrderedDict is a call that is filled afterwards.
        const bool isFilled = container->kind == kind
            || (kind == PickleValue::Kind::Dictionary && container->kind == PickleValue::Kind::Call);
        if (!isFilled || (kind == PickleValue::Kind::Dictionary && items.size() % 2 != 0))
            damaged("its description of the objects fills something that is no list or dictionary");
        if (container->kind == PickleValue::Kind::Call) {
            if (container->items.size() != 1 || container->items[0]->text != "collections OrderedDict")
                damaged("its description of the objects fills something that is no list or dictionary");
            container->kind = PickleValue::Kind::Dictionary;
            container->items.clear();
        }
        container->items.insert(container->items.end(), items.begin(), items.end());
    }

    void put(std::uint64_t place)
    {
        if (place > kLargestPickle)
            damaged("its description of the objects numbers them wildly");
        m_memory[place] = top();
    }

    void get(std::uint64_t place)
    {
        const auto found = m_memory.find(place);
        if (found == m_memory.end())
            damaged("its description of the objects names one that is not there");
        push(found->second);
    }

    /// Arguments and names are copied, and one long tuple or text could be passed again and again.
    void countCopied(std::size_t count)
    {
        m_argumentCount += count;
        if (m_argumentCount > kLargestPickle)
            damaged("its description of the objects passes too many arguments");
    }

    void call()
    {
        const PickleValue *arguments = pop();
        const PickleValue *callee = pop();
        if (arguments->kind != PickleValue::Kind::Sequence || callee->kind != PickleValue::Kind::Class)
            damaged("its description of the objects calls something that is no class");
        countCopied(arguments->items.size());
        PickleValue *result = make(PickleValue::Kind::Call);
        result->items.push_back(callee);
        result->items.insert(result->items.end(), arguments->items.begin(), arguments->items.end());
        push(result);
    }

    void obey(unsigned char opcode)
    {
        using Kind = PickleValue::Kind;
        switch (opcode) {
        case Proto: {
            const std::uint64_t protocol = number(1);
            if (protocol > 5)
                damaged("its pickle protocol " + std::to_string(protocol) + " is not known");
            return;
        }
        case Frame:
            number(8);
            return;
        case Mark:
            m_marks.push_back(m_stack.size());
            return;
        case None:
            push(make(Kind::None));
            return;
        case True:
        case False: {
            PickleValue *value = make(Kind::Boolean);
            value->integer = opcode == True ? 1 : 0;
            push(value);
            return;
        }
        case Int1:
            pushInteger(static_cast<std::int64_t>(number(1)));
            return;
        case Int2:
            pushInteger(static_cast<std::int64_t>(number(2)));
            return;
        case Int4:
            pushInteger(static_cast<std::int32_t>(static_cast<std::uint32_t>(number(4))));
            return;
        case Long1:
            pushLong();
            return;
        case Double: {
            std::uint64_t bits = 0;
            for (const char byte : take(8)) // the only number in big-endian order
                bits = bits << 8U | static_cast<unsigned char>(byte);
            PickleValue *value = make(Kind::Real);
            value->real = std::bit_cast<double>(bits);
            push(value);
            return;
        }
        case Text1:
            pushText(number(1));
            return;
        case Text4:
            pushText(number(4));
            return;
        case EmptyList:
        case EmptyTuple:
            push(make(Kind::Sequence));
            return;
        case EmptyDict:
            push(make(Kind::Dictionary));
            return;
        case List:
        case Tuple: {
            auto items = popToMark();
            PickleValue *value = make(Kind::Sequence);
            value->items = std::move(items);
            push(value);
            return;
        }
        case Tuple1:
            pushTuple(1);
            return;
        case Tuple2:
            pushTuple(2);
            return;
        case Tuple3:
            pushTuple(3);
            return;
        case Append: {
            const PickleValue *item = pop();
            add({item}, Kind::Sequence);
            return;
        }
        case Appends: {
            const auto items = popToMark();
            add(items, Kind::Sequence);
            return;
        }
        case SetItem: {
            const PickleValue *value = pop();
            const PickleValue *key = pop();
            add({key, value}, Kind::Dictionary);
            return;
        }
        case SetItems: {
            const auto items = popToMark();
            add(items, Kind::Dictionary);
            return;
        }
        case Global: {
            const std::string module = line();
            pushClass(module, line());
            return;
        }
        case StackGlobal: {
            const PickleValue *name = pop();
            const PickleValue *module = pop();
            countCopied(module->text.size() + name->text.size());
            pushClass(module->text, name->text);
            return;
        }
        case Reduce:
        case NewObject:
            call();
            return;
        case Build:
            pop();
            return; // attributes of an object, such as a state dictionary's version notes
        case PersistentId: {
            const PickleValue *id = pop();
            countCopied(id->items.size());
            PickleValue *value = make(Kind::Stored);
            value->items = id->kind == Kind::Sequence ? id->items : std::vector<const PickleValue *>{id};
            push(value);
            return;
        }
        case Put1:
            put(number(1));
            return;
        case Put4:
            put(number(4));
            return;
        case Memoize:
            put(m_memory.size());
            return;
        case Get1:
            get(number(1));
            return;
        case Get4:
            get(number(4));
            return;
        default:
            throw Error(m_subject,
                        "The file uses a feature of Python's pickles that checkpoints do not need (code "
                            + std::to_string(opcode) + ").",
                        "Save it again with torch.save({\"step\": ..., \"variant\": ..., \"model_state\": "
                        "model.state_dict()}).");
        }
    }

    void pushLong()
    {
        const std::size_t count = number(1);
        if (count > 8)
            damaged("it holds a whole number of more than 64 bits");
        std::uint64_t bits = number(count);
        if (count > 0 && count < 8 && (bits >> (8 * count - 1) & 1U) != 0)
            bits |= ~std::uint64_t{0} << (8 * count);
        pushInteger(static_cast<std::int64_t>(bits));
    }

    std::string_view m_bytes;
    std::size_t m_position = 0;
    std::string m_subject;
    std::deque<PickleValue> &m_values;
    std::vector<PickleValue *> m_stack;
    std::vector<std::size_t> m_marks;
    std::map<std::uint64_t, PickleValue *> m_memory;
    std::size_t m_argumentCount = 0;
};

const PickleValue *PickleValue::find(std::string_view key) const
{
    if (kind != Kind::Dictionary)
        return nullptr;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (items[i]->kind == Kind::Text && items[i]->text == key)
            return items[i + 1];
    }
    return nullptr;
}

Pickle::Pickle(std::string_view bytes, const std::string &subject)
{
    m_root = PickleReader(bytes, subject, m_values).read();
}

} // namespace lookback::run
