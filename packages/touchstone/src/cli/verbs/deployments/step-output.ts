import { type Context, isColoured, type Out } from '../../io.js';
import { renderOutcome, renderStep } from '../../render/deployments/deployment.js';
import { createInk, type Look } from '../../render/text.js';
import type { Where } from '../../session.js';
import { commandsAfter, waitingLine } from './hints.js';
import type { PromotionRequest } from './promote-options.js';
import type { Promotion } from './promotion.js';
import type { Step } from './transitions.js';

const lookOf = (context: Context, screen: Out): Look => ({
  ink: createInk(isColoured(context, screen)),
  width: screen.columns,
});

/** Told step by step, as it happens; without a screen, as with `--json`, everything is told at the end. */
export const stepPrinter =
  (context: Context, where: Where, screen: Out | undefined) =>
  (step: Step): void => {
    if (!screen) return;
    const waiting = step.runId === undefined ? '' : waitingLine(context, step.runId, where);
    screen.write(renderStep(step, waiting, lookOf(context, screen)));
  };

export function printOutcome(
  context: Context,
  where: Where,
  request: PromotionRequest,
  promotion: Promotion,
  screen: Out,
): void {
  const last = promotion.steps.at(-1);
  const next = last?.error ? commandsAfter(context, request, where, last, promotion.evalRunId) : [];
  screen.write(renderOutcome(promotion, next, lookOf(context, screen)));
}
