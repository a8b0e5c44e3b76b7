import { type Context, type Out, writeLine } from '../../io.js';
import { errorDocument, reportError } from '../../report-error.js';
import { STDOUT } from '../run/report.js';
import { exitOf, type RunView, refOf } from '../run/result.js';
import type { Attempt } from '../run/run.js';
import type { RunOptions } from '../run/run-options.js';
import type { DeployDoor } from './deploy-door.js';
import type { Wish } from './deploy-options.js';
import { carryOutWish, type Promotion } from './deploy-steps.js';
import { stepTeller, tellOutcome } from './deploy-tell.js';

/** Promotes the agent of the one run that was made, if it has passed. */
export async function promoteAfter(
  context: Context,
  door: DeployDoor,
  attempts: readonly Attempt[],
  options: RunOptions,
): Promise<readonly Attempt[]> {
  const [attempt] = attempts;
  if (!attempt || !('result' in attempt)) return attempts;
  const { result } = attempt;
  if (exitOf(result) === 0)
    return [{ result: { ...result, promotion: await promote(context, door, result, options) } }];
  if (!result.interrupted)
    writeLine(context.io.stderr, `${refOf(result.agent)} was not promoted: this run is no reason to.`);
  return attempts;
}

/** The run is over and kept, whatever becomes of its agent: a move that is not possible is part of the result. */
async function promote(
  context: Context,
  door: DeployDoor,
  result: RunView,
  options: RunOptions,
): Promise<NonNullable<RunView['promotion']>> {
  const wish = wishOf(result, options);
  const screen = screenFor(context, options);
  if (screen) writeLine(screen);
  try {
    const tell = stepTeller(context, options, screen);
    const promotion: Promotion = await carryOutWish(context, door, { ...wish, where: options }, tell);
    if (screen) tellOutcome(context, options, wish, promotion, screen);
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

const wishOf = ({ agent, runId }: RunView, { to, channel, canary, wait }: RunOptions): Wish => ({
  agentId: agent.agentId,
  version: agent.version,
  transition: 'promote',
  to: to ?? 'active',
  ...(channel !== undefined && { channel }),
  ...(canary !== undefined && { canaryPercent: canary }),
  evalRun: runId,
  ...(wait !== undefined && { wait }),
});
