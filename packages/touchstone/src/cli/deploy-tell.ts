import type { Where } from './deploy-door.js';
import { nextAfter, waitingWords } from './deploy-hints.js';
import type { Wish } from './deploy-options.js';
import type { Promotion, Step } from './deploy-steps.js';
import { type Context, isColoured } from './io.js';
import { renderOutcome, renderStep } from './render/deployment.js';
import { createInk, type Look } from './render/ink.js';

const lookOf = (context: Context): Look => {
  const { stdout } = context.io;
  return { ink: createInk(isColoured(context, stdout)), width: stdout.columns };
};

/** Told step by step, as it happens; with `--json` everything is told at the end. */
export const stepTeller =
  (context: Context, where: Where, isQuiet: boolean) =>
  (step: Step): void => {
    if (isQuiet) return;
    const waiting = step.runId === undefined ? '' : waitingWords(context, step.runId, where);
    context.io.stdout.write(renderStep(step, waiting, lookOf(context)));
  };

export function tellOutcome(context: Context, where: Where, wish: Wish, promotion: Promotion): void {
  const last = promotion.steps.at(-1);
  const next = last?.error ? nextAfter(context, wish, where, last, promotion.evalRunId) : [];
  context.io.stdout.write(renderOutcome(promotion, next, lookOf(context)));
}
