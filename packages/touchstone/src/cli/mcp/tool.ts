import type { Schema, Wire } from '@touchstone/protocol/schema';
import type { Progress } from '../../ports/index.js';
import { type Context, UsageError } from '../io.js';
import { explain } from '../report-error.js';
import { NothingToRun } from '../verbs/run/task-choice.js';

/** What the person who started the server allows. */
export type Limits = {
  /** The most that one call may spend, in US dollars. */
  readonly maxBudgetUsd: number;
  /** Runs may ask models whose price is not known. */
  readonly allowUnpriced: boolean;
  /** Whether results hold inputs, answers and reasons. */
  readonly bodies: boolean;
};

/** One call of a tool. */
export type Call = {
  /** The folder as its working folder; a cancelled call looks like Ctrl-C. */
  readonly context: Context;
  readonly limits: Limits;
  /** Tells the client how far the call is. */
  progress(progress: Progress): void;
};

/** Something that a client can ask for. */
export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  readonly output: Schema;
  /** A call changes nothing and costs nothing. */
  readonly readOnly: boolean;
  call(given: never, call: Call): Promise<object>;
};

/** States the types of a tool by its schemas. */
export const tool = <I extends Schema, O extends Schema>(
  definition: Omit<Tool, 'input' | 'output' | 'call'> & {
    readonly input: I;
    readonly output: O;
    call(given: Wire<I>, call: Call): Promise<Wire<O> & object>;
  },
): Tool => definition;

/** What went wrong and what to do, in words for whoever called a tool. */
export function troubleWords(error: unknown): string {
  const known =
    error instanceof NothingToRun ? new UsageError(`Nothing is to be run: ${error.message}`) : error;
  return explain(known).lines.map(inArguments).join('\n');
}

/** The arguments that stand in for options of the command line. */
const ARGUMENTS: { readonly [flag: string]: string } = {
  '--agent': '"agent"',
  '--only': '"only"',
  '--tag': '"tags"',
  '--failed': '"failed"',
  '--repeats': '"repeats"',
  '--budget': '"budgetUsd"',
  '--common': '"common"',
  '--allow-unpriced': '--allow-unpriced of touchstone mcp',
};

/** A command that a hint names has its counterpart among the tools. */
const inArguments = (line: string): string =>
  line
    .replace('touchstone compare <before> <after>', 'compare_runs with "before" and "after"')
    .replaceAll(/--[a-z][a-z-]*/g, (flag) => ARGUMENTS[flag] ?? flag);
