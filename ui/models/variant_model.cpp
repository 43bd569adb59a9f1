// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/variant_model.h"

#include <QFont>

#include <algorithm>

#include "ui/widgets/sublayer_strip.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {
constexpr quintptr kFamilyLevel = 0; // internal id of a family; a variant has 1 + the row of its family
}

VariantModel::VariantModel(std::vector<model::VariantInfo> variants, QObject *parent)
    : QAbstractItemModel(parent), m_variants(std::move(variants)), m_checked(m_variants.size(), false)
{
    for (std::size_t i = 0; i < m_variants.size(); ++i) {
        auto group = std::ranges::find(m_groups, m_variants[i].family, &Group::family);
        if (group == m_groups.end())
            group = m_groups.insert(m_groups.end(), {m_variants[i].family, {}});
        group->members.push_back(i);
    }
}

void VariantModel::setConfig(const RunConfig &config)
{
    const bool isStripNew = m_config.pairs != config.pairs || m_config.window != config.window;
    m_config = config;
    if (!isStripNew)
        return;
    for (int group = 0; group < rowCount(); ++group) {
        const QModelIndex family = index(group, 0);
        Q_EMIT dataChanged(index(0, 0, family), index(rowCount(family) - 1, 0, family),
                           {SublayersRole, Qt::ToolTipRole});
    }
}

void VariantModel::setChecked(const std::vector<std::string> &ids)
{
    for (std::size_t i = 0; i < m_variants.size(); ++i) {
        const bool isChecked = std::ranges::find(ids, m_variants[i].id) != ids.end();
        if (m_checked[i] == isChecked)
            continue;
        m_checked[i] = isChecked;
        const QModelIndex changed = indexOf(m_variants[i].id);
        Q_EMIT dataChanged(changed, changed, {Qt::CheckStateRole});
    }
}

std::vector<std::string> VariantModel::checked() const
{
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < m_variants.size(); ++i) {
        if (m_checked[i])
            ids.push_back(m_variants[i].id);
    }
    return ids;
}

QModelIndex VariantModel::indexOf(const std::string &id) const
{
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        const std::vector<std::size_t> &members = m_groups[group].members;
        for (std::size_t row = 0; row < members.size(); ++row) {
            if (m_variants[members[row]].id == id)
                return createIndex(static_cast<int>(row), 0, group + 1);
        }
    }
    return {};
}

QModelIndex VariantModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : kFamilyLevel);
}

QModelIndex VariantModel::parent(const QModelIndex &child) const
{
    if (!child.isValid() || child.internalId() == kFamilyLevel)
        return {};
    return createIndex(static_cast<int>(child.internalId()) - 1, 0, kFamilyLevel);
}

int VariantModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_groups.size());
    if (parent.internalId() != kFamilyLevel || parent.column() > 0)
        return 0;
    return static_cast<int>(m_groups[static_cast<std::size_t>(parent.row())].members.size());
}

const model::VariantInfo *VariantModel::variantAt(const QModelIndex &index) const
{
    if (!index.isValid() || index.internalId() == kFamilyLevel)
        return nullptr;
    return &m_variants[m_groups[index.internalId() - 1].members[static_cast<std::size_t>(index.row())]];
}

QVariant VariantModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const model::VariantInfo *variant = variantAt(index);
    if (!variant) {
        const model::Family family = m_groups[static_cast<std::size_t>(index.row())].family;
        if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)
            return {};
        const std::string_view title = model::familyTitle(family);
        return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()));
    }
    const QString id = QString::fromStdString(variant->id);
    const QString explanation = QString::fromStdString(variant->explanation);
    switch (role) {
    case Qt::DisplayRole:
        return id;
    case Qt::CheckStateRole:
        return static_cast<int>(m_checked[static_cast<std::size_t>(variant - m_variants.data())] ? Qt::Checked
                                                                                                 : Qt::Unchecked);
    case Qt::ToolTipRole:
        return u"<p><b>%1</b><br>%2.</p><p>%3.</p><p>%4</p>"_s.arg(
            id.toHtmlEscaped(), explanation.toHtmlEscaped(), sublayersInWords(*variant, m_config).toHtmlEscaped(),
            QString::fromStdString(variant->source).toHtmlEscaped());
    case Qt::AccessibleTextRole:
        return tr("%1: %2. %3", "variant: explanation. sublayers")
            .arg(id, explanation, sublayersInWords(*variant, m_config));
    case VariantRole:
        return QVariant::fromValue(variant);
    case SublayersRole:
        return static_cast<qlonglong>(m_config.pairs);
    case ExplanationRole:
        return explanation;
    default:
        return {};
    }
}

bool VariantModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const model::VariantInfo *variant = variantAt(index);
    if (!variant || role != Qt::CheckStateRole)
        return false;
    const bool isChecked = value.toInt() == Qt::Checked;
    const auto place = static_cast<std::size_t>(variant - m_variants.data());
    if (m_checked[place] == isChecked)
        return true;
    m_checked[place] = isChecked;
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT toggled(QString::fromStdString(variant->id), isChecked);
    return true;
}

Qt::ItemFlags VariantModel::flags(const QModelIndex &index) const
{
    if (!variantAt(index))
        return index.isValid() ? Qt::ItemIsEnabled : Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemNeverHasChildren;
}

} // namespace lookback::ui
