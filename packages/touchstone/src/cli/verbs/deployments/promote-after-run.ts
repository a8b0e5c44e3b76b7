import { type Context, type Out, writeLine } from '../../io.js';
import { errorDocument, reportError } from '../../report-error.js';
import type { Session } from '../../session.js';
import { STDOUT } from '../run/report.js';
import { type Attempt, exitOf, type RunView, refOf } from '../run/result.js';
import type { RunOptions } from '../run/run-options.js';
import type { PromotionRequest } from './promote-options.js';
import { carryOut, type Promotion } from './promotion.js';
import { printOutcome, stepPrinter } from './step-output.js';

/** Promotes the agent of the one run that was made, if it has passed. */
export async function promoteAfter(
  context: Context,
  session: Session,
  attempts: readonly Attempt[],
  options: RunOptions,
): Promise<readonly Attempt[]> {
  const [attempt] = attempts;
  if (!attempt || !('result' in attempt)) return attempts;
  const { result } = attempt;
  if (exitOf(result) === 0)
    return [{ result: { ...result, promotion: await promote(context, session, result, options) } }];
  if (!result.interrupted)
    writeLine(context.io.stderr, `${refOf(result.agent)} was not promoted: this run is no reason to.`);
  return attempts;
}

/** The run is over and kept, whatever becomes of its agent: a move that is not possible is part of the result. */
async function promote(
  context: Context,
  session: Session,
  result: RunView,
  options: RunOptions,
): Promise<NonNullable<RunView['promotion']>> {
  const request = promotionRequest(result, options);
  const screen = screenFor(context, options);
  if (screen) writeLine(screen);
  try {
    const tell = stepPrinter(context, options, screen);
    const promotion: Promotion = await carryOut(context, session, { ...request, where: options }, tell);
    if (screen) printOutcome(context, options, request, promotion, screen);
    return promotion;
  } catch (error) {
    return { exitCode: reportError(error, context.io), error: errorDocument(error) };
  }
}

/** A document has it all; where stdout belongs to the summary, what was decided is told beside it. */
function screenFor({ io, settings }: Context, { markdown }: RunOptions): Out | undefined {
  if (settings.json) return undefined;
  return markdown === STDOUT ? io.stderr : io.stdout;
}

const promotionRequest = (
  { agent, runId }: RunView,
  { to, channel, canary, wait }: RunOptions,
): PromotionRequest => ({
  agentId: agent.agentId,
  version: agent.version,
  transition: 'promote',
  to: to ?? 'active',
  ...(channel !== undefined && { channel }),
  ...(canary !== undefined && { canaryPercent: canary }),
  evalRun: runId,
  ...(wait !== undefined && { wait }),
});
