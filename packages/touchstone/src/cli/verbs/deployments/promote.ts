import type { ExitCode } from '../../exit.js';
import { type Context, writeJson } from '../../io.js';
import { promotionDocument } from '../../render/deployments/deployment-document.js';
import { withSession } from '../../session.js';
import { type PromoteOptions, promotionRequest } from './promote-options.js';
import { carryOut } from './promotion.js';
import { printOutcome, stepPrinter } from './step-output.js';

/** Moves a version of an agent: towards service, out of it, or back. */
export async function promoteCommand(
  context: Context,
  argument: string,
  options: PromoteOptions,
): Promise<ExitCode> {
  const request = promotionRequest(argument, options);
  const screen = context.settings.json ? undefined : context.io.stdout;
  const tell = stepPrinter(context, options, screen);
  const promotion = await withSession(context, options, 'work', (session) =>
    carryOut(context, session, { ...request, where: options }, tell),
  );
  if (screen) printOutcome(context, options, request, promotion, screen);
  else writeJson(context.io, promotionDocument(promotion));
  return promotion.exitCode;
}
