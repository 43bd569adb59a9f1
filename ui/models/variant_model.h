// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>

#include <string>
#include <vector>

#include "core/config.h"
#include "core/model/variant_info.h"

namespace lookback::ui {

/// The variants grouped by family, each with a check box. Two levels: families, and below them their variants.
class VariantModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Role {
        VariantRole = Qt::UserRole, ///< const model::VariantInfo *; null for a family.
        SublayersRole, ///< Number of attention sublayers of the set-up.
        ExplanationRole,
    };

    explicit VariantModel(std::vector<model::VariantInfo> variants, QObject *parent = nullptr);

    /// Strips and tooltips follow it.
    void setConfig(const RunConfig &config);
    /// Checks exactly these. Emits nothing but dataChanged.
    void setChecked(const std::vector<std::string> &ids);
    /// In picker order.
    std::vector<std::string> checked() const;
    const std::vector<model::VariantInfo> &variants() const { return m_variants; }
    QModelIndex indexOf(const std::string &id) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &child) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex & = {}) const override { return 1; }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

Q_SIGNALS:
    /// The user ticked or unticked a variant.
    void toggled(const QString &id, bool isChecked);

private:
    struct Group {
        model::Family family;
        std::vector<std::size_t> members; ///< Indices into m_variants.
    };
    const model::VariantInfo *variantAt(const QModelIndex &index) const;

    std::vector<model::VariantInfo> m_variants;
    std::vector<Group> m_groups;
    std::vector<bool> m_checked; ///< As m_variants.
    RunConfig m_config;
};

} // namespace lookback::ui
