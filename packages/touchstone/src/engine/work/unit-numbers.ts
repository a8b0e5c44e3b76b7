import { type EvalPlan, plannedSteps } from '@touchstone/protocol';
import type { OrdinalRange, UnitRange } from '../../ports/index.js';
import type { PlannedUnit } from '../run/units.js';

/** Units are numbered in plan order, so that a few of them in a row can be told by two numbers. */
export type UnitNumbers = {
  readonly units: number;
  unitAt(number: number): PlannedUnit;
  numberOf(position: number, repeat: number): number;
  /** The steps that these units are of. */
  stepsOf(range: UnitRange): OrdinalRange;
};

/** Everything about it stands in the plan: neither suite nor agent is needed. */
export function unitNumbers(plan: EvalPlan): UnitNumbers {
  const { repeats } = plan;
  const ordinalAt = (position: number): number => plan.ordinals?.[position] ?? position;
  const unitAt = (number: number): PlannedUnit => {
    const position = Math.floor(number / repeats);
    return { position, ordinal: ordinalAt(position), repeat: number % repeats };
  };
  return {
    units: plannedSteps(plan) * repeats,
    unitAt,
    numberOf: (position, repeat) => position * repeats + repeat,
    stepsOf: ({ first, count }) => [unitAt(first).ordinal, unitAt(first + count - 1).ordinal],
  };
}
