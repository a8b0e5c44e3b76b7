import { defined, type JsonObject, type RunId } from '@touchstone/protocol';
import { parseFailOn } from '@touchstone/sdk/view';
import type { JunitFailures } from '../../../exporters/index.js';
import type { ContractOptions } from '../../files/compile-contract.js';
import { checkHost } from '../../host-session.js';
import { checkRules, type OptionRule, UsageError } from '../../io.js';
import { placesBack } from '../../run-lookup.js';
import type { Where } from '../../session.js';
import type { TargetOptions } from '../deployments/options.js';
import { readParameters } from './prompt-choice.js';

/** Options of `touchstone run`, as the parser hands them over. */
export type RunOptions = Pick<
  ContractOptions,
  'sla' | 'sample' | 'allowUnpinned' | 'onlyAgent' | 'suiteName'
> & {
  /** The contract of a suite file, when it does not lie beside it. */
  readonly contract?: string;
  /** Address of the registry that the suite comes from. */
  readonly registry?: string;
  readonly agent?: string;
  /** A file of answers that were given elsewhere; no agent is called. */
  readonly answers?: string;
  readonly modes?: readonly string[];
  /** Ids of tasks, or patterns with `*` and `?`. */
  readonly only?: readonly string[];
  /** The suite is one of a folder: ids that it does not have may be those of another. */
  readonly oneOfSeveral?: boolean;
  /** How much is read of the summary of a run that is over; all of it when absent. */
  readonly summary?: 'headline' | 'totals';
  readonly tag?: readonly string[];
  /** Only what failed: in the newest run of the suite and agent, or in this one. */
  readonly failed?: string | true;
  readonly first?: number;
  readonly repeats?: number;
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly budget?: number;
  /** The budget is wanted although a model has no known price. */
  readonly allowUnpriced?: boolean;
  readonly model?: string;
  /** Parameters of the model, each as `name=value`. */
  readonly param?: readonly string[];
  /** A file whose prompt stands in for the agent's own. */
  readonly prompt?: string;
  readonly cache?: boolean;
  readonly record?: string;
  readonly resume?: string | true;
  readonly watch?: boolean;
  /** Tell what would run, and run nothing. */
  readonly dryRun?: boolean;
  readonly junit?: string;
  readonly junitFailures?: JunitFailures;
  readonly markdown?: string;
  /** Tell GitHub Actions what came of it; by default in its jobs. */
  readonly github?: boolean;
  /** Files of every task; their names say in which format. */
  readonly output?: readonly string[];
  readonly bodies?: boolean;
  /** Of runs side by side: every task, and not only those that differ. */
  readonly all?: boolean;
  readonly allowTargetMismatch?: boolean;
  /** A portable judge: its file, or `<judgeId>@<version>`. */
  readonly judge?: string;
  /** `last`, `blessed`, a run id, a scorecard file or a folder of them. */
  readonly baseline?: string;
  /** Compare the tasks that are the same in both suites, whatever else changed. */
  readonly common?: boolean;
  readonly tolerance?: number;
  readonly allowJudgeMismatch?: boolean;
  readonly conclusive?: boolean;
  /** Run the suite in rounds, and stop as soon as the verdict is known. */
  readonly untilConclusive?: boolean;
  /** Tasks of a round. */
  readonly round?: number;
  /** Run tasks that newly fail so many more times before they count. */
  readonly confirm?: number;
  /** What makes the run fail: `bar`, `regression`, `newly-failing`, … */
  readonly failOn?: readonly string[];
  /** Promote the agent on the evidence of this run, and where to. */
  readonly promote?: boolean;
} & TargetOptions &
  Where;

/** The run's own knobs, under the names the protocol and the host know them by. */
export const configurableOf = (options: RunOptions, baselineRunId?: RunId): JsonObject => ({
  ...(options.modes && { evalModes: modesOf(options, options.modes, baselineRunId) }),
  ...(options.only && { onlyTasks: [...new Set(options.only)] }),
  ...defined({ repeats: options.repeats, concurrency: options.concurrency, runTimeoutMs: options.timeout }),
  ...(options.budget !== undefined && { budget: { maxCostUsd: options.budget } }),
  ...(options.allowUnpriced && { allowUnpriced: true }),
  ...(options.param && { parameters: readParameters(options.param) }),
  ...defined({ model: options.model, judge: options.judge, cache: options.cache || undefined }),
  ...(options.allowTargetMismatch && { allowTargetMismatch: true }),
  ...defined({ baselineRunId }),
  ...(options.common && baselineRunId !== undefined && { commonTasks: true }),
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
  allowUnpriced: '--allow-unpriced',
  model: '--model',
  parameters: '--param',
  cache: '--cache',
  judge: '--judge',
  allowTargetMismatch: '--allow-target-mismatch',
  baselineRunId: '--baseline',
  commonTasks: '--common',
  regression: '--tolerance',
  allowJudgeMismatch: '--allow-judge-mismatch',
};

/** Only a run whose tools and memory are live, or whose user is simulated, has something to write down. */
export function checkLive({ record }: RunOptions, modes: readonly string[], hasUser: boolean): void {
  if (record === undefined || hasUser || modes.includes('live-shadow')) return;
  throw new UsageError(
    '--record writes down what live tools answered, so it works in mode live-shadow only, or where a model plays the user.',
    'Add --modes live-shadow. The suite has to declare that mode.',
  );
}

type RunCommand = RunOptions & { readonly suite: string | undefined; readonly json: boolean };

/** The first of these options that was given, as a person types it. */
export function flagIn<T extends object>(options: T, ...names: (keyof T & string)[]): string | undefined {
  const given = names.find((name) => options[name] !== undefined && options[name] !== false);
  return given && `--${given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const OF_DEFINITIONS = ['sla', 'sample', 'allowUnpinned', 'onlyAgent', 'suiteName'] as const;

/** The first option about a definition that was given. */
export const contractFlag = (options: RunOptions): string | undefined => flagIn(options, ...OF_DEFINITIONS);

export const EMPTY_BASELINE: OptionRule<Pick<RunOptions, 'baseline'>> = {
  wrong: ({ baseline }) => baseline?.trim() === '' && '--baseline',
  message: '% is empty.',
  hint: 'Name what to compare with: last, blessed, a run id, a scorecard file or a folder of them. Or leave it out.',
};
export const UNPRICED_BUDGET: OptionRule<Pick<RunOptions, 'budget' | 'allowUnpriced' | 'resume'>> = {
  wrong: ({ budget, allowUnpriced, resume }) =>
    allowUnpriced && budget === undefined && resume === undefined && '--allow-unpriced',
  message: '% is about a budget.',
  hint: 'Add --budget <usd>, or leave % out.',
};
export const BOTH_TO_STDOUT: OptionRule<Pick<RunOptions, 'markdown'> & { readonly json: boolean }> = {
  wrong: ({ markdown, json }) => json && markdown === '-' && '--markdown',
  message: '--markdown - and --json both write to stdout.',
  hint: 'Name a file for the one: --markdown summary.md',
};

/** A run that can never be evidence is not worth its time when evidence is what it is for. */
const noEvidence = (reason: string, ...names: (keyof RunOptions)[]): OptionRule<RunCommand> => ({
  wrong: (run) => run.promote && flagIn(run, ...names),
  message: `% cannot be combined with --promote: ${reason}.`,
  hint: 'Leave % out, or run without --promote.',
});

/** What only this machine can do is refused for a run on another host. */
const notOnHost = (reason: string, hint: string, ...names: (keyof RunOptions)[]): OptionRule<RunCommand> => ({
  wrong: (run) => run.host !== undefined && flagIn(run, ...names),
  message: `% cannot be combined with --host: ${reason}.`,
  hint,
});

const RULES: readonly OptionRule<RunCommand>[] = [
  {
    wrong: ({ agent = '' }) => /^https?:/.test(agent) && !URL.canParse(agent) && '--agent',
    message: '% begins like a URL and is none.',
  },
  {
    wrong: ({ suite, resume }) => resume === undefined && !suite && 'suite',
    message: 'Which suite? Give a file, a folder, a suite id, a pack or an agent definition.',
    hint: 'For example: touchstone run evals/first.suite.yaml',
  },
  notOnHost(
    'it writes down a run that is kept here',
    'Leave --host out, and configure the live tools here.',
    'record',
  ),
  {
    wrong: (run) =>
      run.answers !== undefined &&
      flagIn(run, 'agent', 'model', 'param', 'prompt', 'cache', 'repeats', 'record', 'resume', 'watch'),
    message: '--answers scores answers that are there already, so % would change nothing.',
    hint: 'Leave % out, or leave --answers out to run the agent.',
  },
  {
    wrong: (run) => run.confirm !== undefined && flagIn(run, 'answers', 'watch', 'resume', 'cache'),
    message: '--confirm runs tasks again, which % does not go with.',
    hint: 'Leave one of the two out.',
  },
  {
    wrong: (run) =>
      run.untilConclusive &&
      flagIn(
        run,
        ...(['answers', 'watch', 'resume', 'record', 'confirm', 'promote', 'dryRun', 'common'] as const),
        ...(['failed', 'first', 'junit', 'markdown', 'output', 'failOn'] as const),
      ),
    message: '--until-conclusive makes several runs of some tasks each, which % does not go with.',
    hint: 'Leave one of the two out.',
  },
  {
    wrong: (run) => !run.untilConclusive && flagIn(run, 'round'),
    message: '% is about --until-conclusive.',
    hint: 'Add --until-conclusive, or leave % out.',
  },
  notOnHost('the answers are in a file of this machine', 'Leave --host out.', 'answers'),
  notOnHost('the prompt is in a file of this machine', 'Leave --host out.', 'prompt'),
  BOTH_TO_STDOUT,
  {
    wrong: (run) => run.resume !== undefined && flagIn(run, 'contract', ...OF_DEFINITIONS),
    message: '--resume continues a run as it was planned, and % is about planning one.',
    hint: 'Leave % out, or start a new run by leaving --resume out.',
  },
  notOnHost(
    'a contract gets there with its definition only',
    'Run the definition: touchstone run <definition> --host <url>',
    'contract',
  ),
  notOnHost(
    'the host compiles the definition by its own rules',
    'Leave % out.',
    'sla',
    'sample',
    'allowUnpinned',
  ),
  UNPRICED_BUDGET,
  {
    wrong: (run) => run.junit === undefined && flagIn(run, 'junitFailures'),
    message: '% is about the JUnit report.',
    hint: 'Add --junit <file>, or leave % out.',
  },
  {
    wrong: ({ param = [] }) => param.some((pair) => pair.indexOf('=') < 1) && '--param',
    message: '% takes a name and a value.',
    hint: 'For example: --param temperature=0',
  },
  EMPTY_BASELINE,
  {
    wrong: ({ failOn }) => failOn !== undefined && !parseFailOn(failOn) && '--fail-on',
    message:
      '% takes bar, regression, newly-failing, any-failure, removed, finding[:severity], or none alone.',
    hint: 'For example: --fail-on bar,regression,newly-failing',
  },
  {
    wrong: (run) =>
      run.baseline === undefined &&
      run.resume === undefined &&
      flagIn(run, 'common', 'confirm', 'tolerance', 'allowJudgeMismatch'),
    message: '% is about a comparison, and there is no --baseline to compare with.',
    hint: 'Add --baseline last, --baseline blessed or --baseline <runId>.',
  },
  {
    wrong: (run) => !run.promote && flagIn(run, 'to', 'channel', 'canary', 'wait'),
    message: '% is about a promotion.',
    hint: 'Add --promote, or leave % out.',
  },
  {
    wrong: (run) => run.promote && (run.to ?? 'active') !== 'active' && flagIn(run, 'channel', 'canary'),
    message: '% is for a promotion to active.',
    hint: 'Leave % out.',
  },
  noEvidence(
    'evidence is a run of the whole suite, as it is declared',
    'only',
    'tag',
    'failed',
    'first',
    'modes',
    'sample',
  ),
  {
    wrong: (run) => run.resume !== undefined && flagIn(run, 'tag', 'failed', 'first'),
    message: '--resume continues a run as it was planned, and % is about planning one.',
    hint: 'Leave % out, or start a new run by leaving --resume out.',
  },
  noEvidence('remembered answers are no evidence', 'cache'),
  noEvidence('answers of a file are no evidence of what the agent would answer', 'answers'),
  noEvidence('another model than the agent asks in service shows nothing about it', 'model'),
  noEvidence(
    'other parameters or another prompt than the agent has in service show nothing about it',
    'param',
    'prompt',
  ),
  noEvidence('evidence is a run of a suite for this agent', 'allowTargetMismatch'),
  noEvidence('every change would be promoted', 'watch'),
  {
    wrong: (run) =>
      run.dryRun &&
      flagIn(run, 'resume', 'watch', 'record', 'answers', 'promote', 'junit', 'markdown', 'output'),
    message: '--dry-run runs nothing, so % would have nothing to do.',
    hint: 'Leave one of the two out.',
  },
  {
    wrong: (run) => run.watch && flagIn(run, 'resume', 'host', 'json', 'record'),
    message: '--watch cannot be combined with %.',
    hint: 'Leave one of the two out: --watch is for a person who edits, % for a single run.',
  },
];

/** Options that contradict each other. */
export function checkOptions(suite: string | undefined, options: RunOptions, json: boolean): void {
  if (options.host !== undefined) checkHost(options.host);
  checkRules(RULES, { ...options, suite, json });
}
