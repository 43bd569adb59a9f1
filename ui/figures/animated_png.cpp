// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/animated_png.h"

#include <QBuffer>
#include <QImageWriter>
#include <QtEndian>

#include <utility>

#include "core/error.h"
#include "core/run/crc32.h"

namespace lookback::ui {

namespace {

constexpr qsizetype kSignature = 8;

template <typename Number> void append(QByteArray &bytes, Number number)
{
    const Number big = qToBigEndian(number);
    bytes.append(reinterpret_cast<const char *>(&big), sizeof big);
}

QByteArray chunk(const QByteArray &type, const QByteArray &data)
{
    QByteArray bytes;
    append(bytes, static_cast<quint32>(data.size()));
    bytes += type + data;
    run::Crc32 crc;
    crc.add(type.constData(), static_cast<std::size_t>(type.size()));
    crc.add(data.constData(), static_cast<std::size_t>(data.size()));
    append(bytes, static_cast<quint32>(crc.value()));
    return bytes;
}

struct Chunk {
    QByteArray type;
    QByteArray data;
};

/// Of a PNG that Qt wrote.
std::vector<Chunk> chunksOf(const QByteArray &png)
{
    std::vector<Chunk> chunks;
    for (qsizetype place = kSignature; place + 12 <= png.size();) {
        const auto length = static_cast<qsizetype>(qFromBigEndian<quint32>(png.constData() + place));
        chunks.push_back({png.mid(place + 4, 4), png.mid(place + 8, length)});
        place += 12 + length;
    }
    return chunks;
}

QByteArray pngOf(const QImage &image)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QImageWriter writer(&buffer, "png");
    if (!writer.write(image))
        throw Error("Animation", "A frame could not be encoded.", "Choose a smaller size.",
                    writer.errorString().toStdString());
    return buffer.data();
}

} // namespace

QByteArray animatedPng(const QByteArray &still, const std::vector<AnimationFrame> &frames)
{
    const std::vector<Chunk> own = chunksOf(still);
    QByteArray bytes = still.left(kSignature);
    QByteArray count;
    append(count, static_cast<quint32>(frames.size()));
    append(count, quint32{0}); // plays: for ever
    bool hasCount = false;
    for (const Chunk &each : own) {
        if (each.type == "IEND")
            break;
        if (each.type == "IDAT" && !std::exchange(hasCount, true))
            bytes += chunk("acTL", count); // before the first IDAT
        bytes += chunk(each.type, each.data);
    }
    quint32 number = 0;
    for (const AnimationFrame &frame : frames) {
        const std::vector<Chunk> chunks = chunksOf(pngOf(frame.image));
        if (chunks.empty() || own.empty() || chunks.front().data != own.front().data)
            throw Error("Animation", "A frame has another size or kind than the first one.");
        QByteArray control;
        append(control, number++);
        append(control, static_cast<quint32>(frame.image.width()));
        append(control, static_cast<quint32>(frame.image.height()));
        append(control, quint32{0}); // left
        append(control, quint32{0}); // top
        append(control, static_cast<quint16>(frame.milliseconds));
        append(control, quint16{1000});
        control += '\0'; // leave the frame when it is over
        control += '\0'; // replace what was there
        bytes += chunk("fcTL", control);
        for (const Chunk &each : chunks) {
            if (each.type != "IDAT")
                continue;
            QByteArray data;
            append(data, number++);
            bytes += chunk("fdAT", data + each.data);
        }
    }
    return bytes + chunk("IEND", {});
}

} // namespace lookback::ui
