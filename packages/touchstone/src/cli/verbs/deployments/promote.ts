import { defined } from '@touchstone/protocol';
import {
  type Context,
  type ExitCode,
  lookOf,
  type Out,
  roomOf,
  writeJson,
  writeLine,
  writeResult,
} from '../../io.js';
import { deploymentsTable, renderOutcome, renderStep } from '../../render/deployments/deployment.js';
import { promotionDocument } from '../../render/run/document.js';
import { errorDocument, reportError } from '../../report-error.js';
import { type Session, type Where, withSession } from '../../session.js';
import { STDOUT } from '../run/report.js';
import { type Attempt, exitOf, type RunView, refOf } from '../run/result.js';
import type { RunOptions } from '../run/run-options.js';
import { commandsAfter, waitingLine } from './hints.js';
import { type PromoteOptions, type PromotionRequest, promotionRequest, readReference } from './options.js';
import { carryOut, findVersion, type Promotion, recordsOf } from './promotion.js';

/** Told step by step, as it happens; without a screen, as with `--json`, everything is told at the end. */
async function carryOutOn(
  screen: Out | undefined,
  context: Context,
  session: Session,
  request: PromotionRequest,
): Promise<Promotion> {
  const { where } = session;
  const promotion = await carryOut(context, session, request, (step) => {
    const waiting = step.runId === undefined ? '' : waitingLine(context, step.runId, where);
    screen?.write(renderStep(step, waiting, lookOf(context, screen)));
  });
  const last = promotion.steps.at(-1);
  const next = last?.error ? commandsAfter(context, request, where, last, promotion.evalRunId) : [];
  screen?.write(renderOutcome(promotion, next, lookOf(context, screen)));
  return promotion;
}

/** Which versions of an agent there are, and which of them serve. */
export async function deploymentsCommand(
  context: Context,
  argument: string,
  where: Where,
): Promise<ExitCode> {
  const { stdout } = context.io;
  const { agentId, version } = readReference(argument);
  const all = await withSession(context, where, 'files', ({ client }) => recordsOf(client, agentId));
  const items = version === undefined ? all : [findVersion(all, { agentId, version })];
  const size = { columns: stdout.columns, room: roomOf(stdout) };
  writeResult(context, { agentId, items }, ({ ink }) => `${deploymentsTable(items, all, ink, size)}\n`);
  return 0;
}

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
  const { to = 'active', channel, canary, wait, markdown } = options;
  const { agentId, version } = result.agent;
  const place = defined({ channel, canaryPercent: canary, wait });
  const request = { agentId, version, transition: 'promote', to, evalRun: result.runId, ...place } as const;
  // A document has it all; where stdout belongs to the summary, what was decided is told beside it.
  const { io, settings } = context;
  const screen = settings.json ? undefined : markdown === STDOUT ? io.stderr : io.stdout;
  if (screen) writeLine(screen);
  try {
    return await carryOutOn(screen, context, session, request);
  } catch (error) {
    return { exitCode: reportError(error, context.io), error: errorDocument(error) };
  }
}

/** Moves a version of an agent: towards service, out of it, or back. */
export async function promoteCommand(
  context: Context,
  argument: string,
  options: PromoteOptions,
): Promise<ExitCode> {
  const request = promotionRequest(argument, options);
  const screen = context.settings.json ? undefined : context.io.stdout;
  const promotion = await withSession(context, options, 'work', (session) =>
    carryOutOn(screen, context, session, request),
  );
  if (!screen) writeJson(context.io, promotionDocument(promotion));
  return promotion.exitCode;
}
