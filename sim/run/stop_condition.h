// A condition that ends a run: a formula of values of the whole field, or "steady:1e-6".
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sim/run/advance.h"
#include "sim/text/error.h"

namespace stencil {

/// Throws InputError, about what is given, unless the formula has one value for the whole field.
void require_whole_field_value(const Model& model, const std::string& formula, const Given& given);

/// Throws InputError unless the model's state has an answer: the formula must be the same in every cell, and
/// `steady` needs rates without noise.
void require_condition(const Model& model, const std::string& condition);

/// The next step at which a condition is looked at: each up to 100, each tenth up to 1000, then each
/// hundredth. Only the step decides, so that a resumed run ends where an uncut one does.
long long next_look(long long step);

class StopCondition {
  public:
    explicit StopCondition(std::string condition) : condition_(std::move(condition)) {}

    /// Looks if the present step is one of those, as a run may begin where its condition is true. Throws
    /// InputError, as the looks of the observer do.
    void begin(Simulation& simulation);
    Observer observer();
    bool met() const { return met_; }
    /// Goes on until the condition is true at a later step.
    void forget() { met_ = false; }

  private:
    void look(Simulation& simulation);

    std::string condition_, formula_;     ///< the formula that decides; empty: the condition is never met
    std::shared_ptr<const Model> model_;  ///< that the formula is of
    bool met_ = false;
};

}  // namespace stencil
