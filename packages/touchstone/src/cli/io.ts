import type { Readable, Writable } from 'node:stream';
import { decideOutcome, type Outcome, type OutcomeFacts } from '@touchstone/sdk/view';
import { createInk, type Look } from './render/text.js';

/** The command line asks for something that cannot be: exit code 2, one sentence, and what to type instead. */
export class UsageError extends Error {
  readonly hint: string | undefined;
  /** What people read instead of the message, where that depends on where the command worked. */
  shown: string | undefined;
  /** For documents: `conflict` where a host would say so too. */
  readonly code: 'cli_error' | 'conflict';

  constructor(message: string, hint?: string, code: UsageError['code'] = 'cli_error') {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
    this.code = code;
  }

  /** The same for documents, in other words for people. */
  shownAs(message: string, hint: string | undefined): UsageError {
    const other = new UsageError(this.message, hint, this.code);
    other.shown = message;
    return other;
  }
}

/** What options must not do together. In the texts, `%` stands for the flag that is wrong. */
export type OptionRule<T> = {
  /** The flag that is wrong here; none when all is well. */
  readonly wrong: (options: T) => string | false | undefined;
  readonly message: string;
  readonly hint?: string;
};

/** Throws for the first rule that is broken. */
export function checkRules<T>(rules: readonly OptionRule<T>[], options: T): void {
  for (const { wrong, message, hint } of rules) {
    const flag = wrong(options);
    if (flag) throw new UsageError(message.replaceAll('%', flag), hint?.replaceAll('%', flag));
  }
}

/** The first of these flags that was given. */
export const firstGiven = (flags: { readonly [flag: string]: unknown }): string | undefined =>
  Object.entries(flags).find(([, value]) => value !== undefined && value !== false)?.[0];

/** In order of precedence: the first that applies to a run, or to any run of a folder, is the answer. */
export const EXIT_ORDER = [130, 2, 4, 3, 1, 0] as const;
export type ExitCode = (typeof EXIT_ORDER)[number];

export const EXIT_CODES: { readonly [outcome in Outcome]: ExitCode } = {
  interrupted: 130,
  'over-budget': 4,
  unjudged: 3,
  failed: 1,
  passed: 0,
};

export const decideExit = (facts: OutcomeFacts & { readonly badInput?: boolean }): ExitCode =>
  facts.badInput && !facts.interrupted ? 2 : EXIT_CODES[decideOutcome(facts)];

export const worstExit = (codes: readonly ExitCode[]): ExitCode =>
  EXIT_ORDER.find((code) => codes.includes(code)) ?? 0;

/** Where a command writes to. See `createOut` for what becomes of a text on the way. */
export type Out = {
  write(text: string): void;
  /** One line for the runner of a job, which is to obey it. */
  writeCommand(command: string): void;
  /** Puts the text in the place of what stands on the line of the cursor. Only for a terminal. */
  rewriteLine(text: string): void;
  /** Only for a terminal. */
  clearScreen(): void;
  readonly isTTY: boolean;
  readonly columns: number;
  /** Aborted when its reader is gone. A write may find that out, a moment later. */
  readonly closed?: AbortSignal;
};

/** Everything a command may touch of the process it runs in. Tests hand in their own. */
export type Io = {
  readonly stdout: Out;
  readonly stderr: Out;
  /** All of stdin, as far as `most` bytes go; undefined when there is more. */
  readInput(most: number): Promise<string | undefined>;
  /** Stdin and stdout as they are, for a protocol. What anything else in this process prints to stdout goes to stderr from then on. */
  takeStdio(): { readonly stdin: Readable; readonly stdout: Writable };
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  every(ms: number, tick: () => void): () => void;
  /** Calls back on every SIGINT and SIGTERM until the returned function is called. */
  onSignal(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
  /** Shows an address in the browser of this machine. False where there is none. */
  openBrowser(url: string): Promise<boolean>;
  /** Ends the process at once. Only for the second Ctrl-C. */
  exit(code: number): void;
};

/** Where runs are kept unless `--data` says otherwise. */
export const DEFAULT_DATA = '.touchstone';

/** Options every verb takes. */
export type Settings = {
  readonly config?: string;
  readonly data: string;
  readonly json: boolean;
  readonly color: boolean;
  /** Set by a verb that goes on after a run: agents that are modules get processes of their own. */
  readonly modulesApart?: boolean;
};

export type Context = { readonly io: Io; readonly settings: Settings };

/** Colour only where a person looks, and not when they asked for none. */
const isColoured = ({ io, settings }: Context, out: Out): boolean =>
  out.isTTY && settings.color && !io.env.NO_COLOR && io.env.TERM !== 'dumb';

/** How wide a table may be: a pipe has no edge to cut it at. */
export const roomOf = ({ isTTY, columns }: Out): number => (isTTY ? columns : Number.POSITIVE_INFINITY);

export const writeLine = (out: Out, line = ''): void => out.write(`${line}\n`);
export const writeJson = (io: Io, document: unknown): void =>
  writeLine(io.stdout, JSON.stringify(document, null, 2));

/** How a command writes to stdout: with colours where they are wanted, in the width of the terminal. */
export const lookOf = (context: Context, out = context.io.stdout): Look => ({
  ink: createInk(isColoured(context, out)),
  width: out.columns,
});

/** What a command answers: one document with `--json`, text for people otherwise. */
export function writeResult(context: Context, document: unknown, text: (look: Look) => string): void {
  if (context.settings.json) writeJson(context.io, document);
  else context.io.stdout.write(text(lookOf(context)));
}

/** Content belongs on a person's screen, or where it is asked for by name. */
export const mayShowContent = (
  { io, settings }: Context,
  { bodies }: { readonly bodies?: boolean | undefined },
): boolean => bodies === true || (io.stdout.isTTY && !settings.json);
