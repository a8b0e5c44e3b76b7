import { type Context, isColoured, type Out } from '../../io.js';
import { renderOutcome, renderStep } from '../../render/deployments/deployment.js';
import { createInk, type Look } from '../../render/ink.js';
import type { Where } from './deploy-door.js';
import { nextAfter, waitingWords } from './deploy-hints.js';
import type { Wish } from './deploy-options.js';
import type { Promotion, Step } from './deploy-steps.js';

const lookOf = (context: Context, screen: Out): Look => ({
  ink: createInk(isColoured(context, screen)),
  width: screen.columns,
});

/** Told step by step, as it happens; without a screen, as with `--json`, everything is told at the end. */
export const stepTeller =
  (context: Context, where: Where, screen: Out | undefined) =>
  (step: Step): void => {
    if (!screen) return;
    const waiting = step.runId === undefined ? '' : waitingWords(context, step.runId, where);
    screen.write(renderStep(step, waiting, lookOf(context, screen)));
  };

export function tellOutcome(
  context: Context,
  where: Where,
  wish: Wish,
  promotion: Promotion,
  screen: Out,
): void {
  const last = promotion.steps.at(-1);
  const next = last?.error ? nextAfter(context, wish, where, last, promotion.evalRunId) : [];
  screen.write(renderOutcome(promotion, next, lookOf(context, screen)));
}
