import { type Context, isColoured } from './io.js';
import { createInk, type Look } from './render/ink.js';

/** How a command writes to stdout: with colours where they are wanted, in the width of the terminal. */
export const lookOf = (context: Context, out = context.io.stdout): Look => ({
  ink: createInk(isColoured(context, out)),
  width: out.columns,
});

/** Content belongs on a person's screen, or where it is asked for by name. */
export const mayShowContent = (
  { io, settings }: Context,
  { bodies }: { readonly bodies?: boolean | undefined },
): boolean => bodies === true || (io.stdout.isTTY && !settings.json);
