import type { ExitCode } from '../../exit.js';
import { type Context, writeJson } from '../../io.js';
import { promotionDocument } from '../../render/deployments/deployment-document.js';
import { withDoor } from './deploy-door.js';
import { type PromoteOptions, wishOf } from './deploy-options.js';
import { carryOutWish } from './deploy-steps.js';
import { stepTeller, tellOutcome } from './deploy-tell.js';

/** Moves a version of an agent: towards service, out of it, or back. */
export async function promoteCommand(
  context: Context,
  argument: string,
  options: PromoteOptions,
): Promise<ExitCode> {
  const wish = wishOf(argument, options);
  const screen = context.settings.json ? undefined : context.io.stdout;
  const tell = stepTeller(context, options, screen);
  const promotion = await withDoor(context, options, (door) =>
    carryOutWish(context, door, { ...wish, where: options }, tell),
  );
  if (screen) tellOutcome(context, options, wish, promotion, screen);
  else writeJson(context.io, promotionDocument(promotion));
  return promotion.exitCode;
}
