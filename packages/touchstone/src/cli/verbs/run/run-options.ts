import { type JsonObject, jsonEqual, type RunId } from '@touchstone/protocol';
import { type ContractOptions, contractFlag } from '../../files/contract-options.js';
import { placesBack } from '../../find-run.js';
import { checkHost } from '../../session.js';
import { UsageError } from '../../usage-error.js';
import type { TargetOptions } from '../deployments/promote-options.js';

/** Options of `touchstone run`, as the parser hands them over. */
export type RunOptions = Pick<
  ContractOptions,
  'sla' | 'sample' | 'allowUnpinned' | 'onlyAgent' | 'suiteName'
> & {
  /** The contract of a suite file, when it does not lie beside it. */
  readonly contract?: string;
  readonly agent?: string;
  readonly modes?: readonly string[];
  readonly only?: readonly string[];
  readonly repeats?: number;
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly budget?: number;
  readonly model?: string;
  readonly cache?: boolean;
  readonly record?: string;
  readonly resume?: string | true;
  readonly watch?: boolean;
  readonly junit?: string;
  readonly markdown?: string;
  readonly bodies?: boolean;
  readonly allowTargetMismatch?: boolean;
  /** `last`, `blessed`, a run id or a scorecard file. */
  readonly baseline?: string;
  readonly tolerance?: number;
  readonly allowJudgeMismatch?: boolean;
  readonly conclusive?: boolean;
  readonly host?: string;
  readonly keyEnv?: string;
  /** Promote the agent on the evidence of this run, and where to. */
  readonly promote?: boolean;
} & TargetOptions;

/** The run's own knobs, under the names the protocol and the host know them by. */
export const configurableOf = (options: RunOptions, baselineRunId?: RunId): JsonObject => ({
  ...(options.modes && { evalModes: modesOf(options, options.modes, baselineRunId) }),
  ...(options.only && { onlyTasks: [...new Set(options.only)] }),
  ...(options.repeats !== undefined && { repeats: options.repeats }),
  ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
  ...(options.timeout !== undefined && { runTimeoutMs: options.timeout }),
  ...(options.budget !== undefined && { budget: { maxCostUsd: options.budget } }),
  ...(options.model !== undefined && { model: options.model }),
  ...(options.cache && { cache: true }),
  ...(options.allowTargetMismatch && { allowTargetMismatch: true }),
  ...(baselineRunId !== undefined && { baselineRunId }),
  ...(options.tolerance !== undefined && { regression: { tolerance: options.tolerance } }),
  ...(options.allowJudgeMismatch && { allowJudgeMismatch: true }),
});

/** `--baseline last` finds nothing before the first run, which then has nothing to compare either. */
function modesOf(
  { baseline }: RunOptions,
  modes: readonly string[],
  baselineRunId: RunId | undefined,
): readonly string[] {
  const others = modes.filter((mode) => mode !== 'regression');
  const isFirst = placesBack(baseline ?? '') !== undefined && baselineRunId === undefined;
  return isFirst && others.length > 0 ? others : modes;
}

/** The flag a person types for each knob. */
export const FLAGS: { readonly [knob: string]: string } = {
  evalModes: '--modes',
  onlyTasks: '--only',
  repeats: '--repeats',
  concurrency: '--concurrency',
  runTimeoutMs: '--timeout',
  budget: '--budget',
  model: '--model',
  cache: '--cache',
  allowTargetMismatch: '--allow-target-mismatch',
  baselineRunId: '--baseline',
  regression: '--tolerance',
  allowJudgeMismatch: '--allow-judge-mismatch',
};

/** A resumed run keeps the plan it was made with: repeating the same options is fine, other ones are refused. */
export function checkSamePlan(options: RunOptions, planned: JsonObject | undefined): void {
  const baseline = planned?.baselineRunId as RunId | undefined;
  for (const [knob, value] of Object.entries(configurableOf(options, baseline))) {
    const before = planned?.[knob];
    if (before === undefined || !jsonEqual(before, value)) throw plannedOtherwise(FLAGS[knob] ?? knob);
  }
}

/** Said again as it was said before, or by the id of the run that was meant. */
export function checkSameBaseline(
  { baseline }: RunOptions,
  said: string | undefined,
  meant: RunId | undefined,
): void {
  if (baseline !== undefined && baseline !== said && baseline !== meant) throw plannedOtherwise('--baseline');
}

export const plannedOtherwise = (flag: string): UsageError =>
  new UsageError(
    `--resume continues a run as it was planned, and it was planned with another ${flag}.`,
    `Leave ${flag} out, or start a new run by leaving --resume out.`,
  );

/** Options that contradict each other. */
export function checkOptions(suite: string | undefined, options: RunOptions, json: boolean): void {
  if (options.host !== undefined) checkHost(options.host);
  if (/^https?:/.test(options.agent ?? '') && !URL.canParse(options.agent ?? '')) {
    throw new UsageError('--agent begins like a URL and is none.');
  }
  if (options.resume === undefined && !suite) {
    throw new UsageError(
      'Which suite? Give a file, a folder, a suite id, a pack or an agent definition.',
      'For example: touchstone run evals/first.suite.yaml',
    );
  }
  if (options.record !== undefined && options.host !== undefined) {
    throw new UsageError(
      '--record cannot be combined with --host: it writes down a run that is kept here.',
      'Leave --host out, and configure the live tools here.',
    );
  }
  if (json && options.markdown === '-') throw bothToStdout();
  checkContractFlags(options);
  checkBaseline(options.baseline);
  checkComparison(options);
  checkPromotion(options);
  if (options.watch) checkWatch(options, json);
}

/** A run that can never be evidence is not worth its time when evidence is what it is for. */
function checkPromotion(options: RunOptions): void {
  const { promote, to = 'active', channel, canary, wait } = options;
  const place = { '--to': options.to, '--channel': channel, '--canary': canary, '--wait': wait };
  const [stray] = Object.entries(place).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (!promote && stray !== undefined)
    throw new UsageError(`${stray} is about a promotion.`, `Add --promote, or leave ${stray} out.`);
  if (!promote) return;
  const off =
    to === 'active' ? undefined : channel !== undefined ? '--channel' : canary !== undefined && '--canary';
  if (off) throw new UsageError(`${off} is for a promotion to active.`, `Leave ${off} out.`);
  const why = noEvidence(options);
  if (why)
    throw new UsageError(
      `${why[0]} cannot be combined with --promote: ${why[1]}.`,
      `Leave ${why[0]} out, or run without --promote.`,
    );
}

function noEvidence(options: RunOptions): readonly [flag: string, why: string] | undefined {
  const part = 'evidence is a run of the whole suite, as it is declared';
  const excluded = [
    ['--only', options.only !== undefined, part],
    ['--modes', options.modes !== undefined, part],
    ['--sample', options.sample !== undefined, part],
    ['--cache', options.cache, 'remembered answers are no evidence'],
    ['--model', options.model, 'another model than the agent asks in service shows nothing about it'],
    ['--allow-target-mismatch', options.allowTargetMismatch, 'evidence is a run of a suite for this agent'],
    ['--watch', options.watch, 'every change would be promoted'],
  ] as const;
  const found = excluded.find(([, given]) => given);
  return found && [found[0], found[2]];
}

/** A run that goes on keeps its contract, and another host decides by itself how it compiles one. */
function checkContractFlags(options: RunOptions): void {
  const { resume, host, contract } = options;
  const given = contract === undefined ? contractFlag(options) : '--contract';
  const planned = resume === undefined ? undefined : given;
  if (planned !== undefined)
    throw new UsageError(
      `--resume continues a run as it was planned, and ${planned} is about planning one.`,
      `Leave ${planned} out, or start a new run by leaving --resume out.`,
    );
  if (host !== undefined && contract !== undefined)
    throw new UsageError(
      '--contract cannot be combined with --host: a contract gets there with its definition only.',
      'Run the definition: touchstone run <definition> --host <url>',
    );
  const there = host === undefined ? undefined : contractFlag(options, ['sla', 'sample', 'allowUnpinned']);
  if (there === undefined) return;
  throw new UsageError(
    `${there} cannot be combined with --host: the host compiles the definition by its own rules.`,
    `Leave ${there} out.`,
  );
}

export const bothToStdout = (): UsageError =>
  new UsageError(
    '--markdown - and --json both write to stdout.',
    'Name a file for the one: --markdown summary.md',
  );

/** What a script takes from a variable may be empty. */
export function checkBaseline(baseline: string | undefined): void {
  if (baseline === undefined || baseline.trim() !== '') return;
  throw new UsageError(
    '--baseline is empty.',
    'Name what to compare with: last, blessed, a run id or a scorecard file. Or leave it out.',
  );
}

/** Options about a comparison that nobody has asked for are a mistake. */
function checkComparison({ baseline, resume, tolerance, allowJudgeMismatch }: RunOptions): void {
  if (baseline !== undefined || resume !== undefined) return;
  const flag = tolerance !== undefined ? '--tolerance' : allowJudgeMismatch && '--allow-judge-mismatch';
  if (flag)
    throw new UsageError(
      `${flag} is about a comparison, and there is no --baseline to compare with.`,
      'Add --baseline last, --baseline blessed or --baseline <runId>.',
    );
}

function checkWatch({ resume, host, record }: RunOptions, json: boolean): void {
  const clashes = {
    '--resume': resume !== undefined,
    '--host': host !== undefined,
    '--json': json,
    '--record': record !== undefined,
  };
  const clash = Object.entries(clashes).find(([, given]) => given)?.[0];
  if (clash !== undefined)
    throw new UsageError(
      `--watch cannot be combined with ${clash}.`,
      `Leave one of the two out: --watch is for a person who edits, ${clash} for a single run.`,
    );
}
