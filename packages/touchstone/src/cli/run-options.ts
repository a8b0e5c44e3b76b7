import { type JsonObject, jsonEqual } from '@touchstone/contract';
import { UsageError } from './usage-error.js';

/** Options of `touchstone run`, as the parser hands them over. */
export type RunOptions = {
  readonly agent?: string;
  readonly modes?: readonly string[];
  readonly only?: readonly string[];
  readonly repeats?: number;
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly budget?: number;
  readonly resume?: string | true;
  readonly watch?: boolean;
  readonly junit?: string;
  readonly markdown?: string;
  readonly bodies?: boolean;
  readonly allowTargetMismatch?: boolean;
  readonly host?: string;
  readonly keyEnv?: string;
};

/** The run's own knobs, under the names the protocol and the host know them by. */
export const configurableOf = (options: RunOptions): JsonObject => ({
  ...(options.modes && { evalModes: options.modes }),
  ...(options.only && { onlyTasks: [...new Set(options.only)] }),
  ...(options.repeats !== undefined && { repeats: options.repeats }),
  ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
  ...(options.timeout !== undefined && { runTimeoutMs: options.timeout }),
  ...(options.budget !== undefined && { budget: { maxCostUsd: options.budget } }),
  ...(options.allowTargetMismatch && { allowTargetMismatch: true }),
});

/** The flag a person types for each knob. */
export const FLAGS: { readonly [knob: string]: string } = {
  evalModes: '--modes',
  onlyTasks: '--only',
  repeats: '--repeats',
  concurrency: '--concurrency',
  runTimeoutMs: '--timeout',
  budget: '--budget',
  allowTargetMismatch: '--allow-target-mismatch',
};

/** A resumed run keeps the plan it was made with: repeating the same options is fine, other ones are refused. */
export function checkSamePlan(options: RunOptions, planned: JsonObject | undefined): void {
  for (const [knob, value] of Object.entries(configurableOf(options))) {
    const before = planned?.[knob];
    if (before !== undefined && jsonEqual(before, value)) continue;
    throw new UsageError(
      `--resume continues a run as it was planned, and it was planned with another ${FLAGS[knob]}.`,
      `Leave ${FLAGS[knob]} out, or start a new run by leaving --resume out.`,
    );
  }
}

/** Options that contradict each other. */
export function checkOptions(suite: string | undefined, options: RunOptions, json: boolean): void {
  if (options.host !== undefined && !URL.canParse(options.host)) {
    throw new UsageError(`--host expects a URL such as https://evals.example; got something else.`);
  }
  if (/^https?:/.test(options.agent ?? '') && !URL.canParse(options.agent ?? '')) {
    throw new UsageError('--agent begins like a URL and is none.');
  }
  if (options.resume === undefined && !suite) {
    throw new UsageError(
      'Which suite? Give a file, a folder or a suite id.',
      'For example: touchstone run evals/first.suite.yaml',
    );
  }
  if (!options.watch) return;
  const clash =
    options.resume !== undefined ? '--resume' : options.host ? '--host' : json ? '--json' : undefined;
  if (clash) throw new UsageError(`--watch cannot be combined with ${clash}.`);
}
