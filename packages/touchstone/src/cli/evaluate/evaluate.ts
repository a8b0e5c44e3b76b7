import { resolve } from 'node:path';
import { defined, HostError, isObject, type JsonObject, typeName } from '@touchstone/protocol';
import { type Config, type ConfigInput, parseConfig, parseScorers } from '../../app/index.js';
import { cannedTools } from '../../suites/index.js';
import { openSources } from '../files/pack-source.js';
import { inProject } from '../files/project-config.js';
import type { SuiteSource } from '../files/suite-source.js';
import { type Context, DEFAULT_DATA, UsageError } from '../io.js';
import { type Local, readConfig, withHost } from '../local.js';
import { localClient, type Session } from '../session.js';
import { didYouMean } from '../suggest.js';
import { toolsFor } from '../verbs/run/agent-choice.js';
import { runOne } from '../verbs/run/attempts.js';
import type { RunView } from '../verbs/run/result.js';
import { driverOf, type RunDriver, watchedDriver } from '../verbs/run/run-driver.js';
import type { RunOptions } from '../verbs/run/run-options.js';
import { NothingToRun } from '../verbs/run/task-choice.js';
import type { EndedTask, EvaluateOptions, Evaluation } from './evaluate-types.js';
import { evaluationOf } from './evaluation.js';
import { programIo } from './program-io.js';
import type { ScorerInput } from './scorer-types.js';
import { suiteOf } from './suite-value.js';

/** Runs a suite as `touchstone run` does, for a program. Bad input throws a `HostError`; a missed bar does not. */
export async function evaluate(options: EvaluateOptions): Promise<Evaluation> {
  try {
    checkNames(options);
    options.signal?.throwIfAborted();
    const { suite, config } = options;
    const isNamed = typeof suite !== 'string' || config !== undefined;
    const context = contextOf(options);
    return await evaluateHere(isNamed ? context : await inProject(context, suite), options);
  } catch (error) {
    throw forPrograms(error);
  }
}

/** Types tell a TypeScript program of a misspelt option; in any other program it would be left out without a word. */
const OPTIONS: { readonly [option in keyof EvaluateOptions]-?: true } = {
  ...{ suite: true, agent: true, scorers: true, config: true, data: true, only: true, tags: true },
  ...{
    repeats: true,
    concurrency: true,
    model: true,
    baseline: true,
    budgetUsd: true,
    signal: true,
    onTask: true,
  },
};

function checkNames(options: EvaluateOptions): void {
  if (!isObject(options))
    throw new UsageError(
      `evaluate() expects an object with "suite" and "agent", and got ${typeName(options)}.`,
      "For example: evaluate({ suite: 'first.suite.yaml', agent })",
    );
  const stray = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (stray === undefined) return;
  const known = Object.keys(OPTIONS);
  throw new UsageError(`evaluate() has no option "${stray}".`, didYouMean(stray, known, 'It has'));
}

async function evaluateHere(context: Context, options: EvaluateOptions): Promise<Evaluation> {
  const { io } = context;
  const config = withEntries(await configOf(context, options.config), options.scorers);
  const { store: _, ...unkept } = config;
  const dataDir = options.data === undefined ? undefined : resolve(io.cwd, options.data);
  return withHost(io, dataDir === undefined ? unkept : config, dataDir, async (local) => {
    const session = { client: await localClient(local), where: {}, local };
    for (const [name, score] of Object.entries(options.scorers ?? {}))
      if (typeof score === 'function')
        local.touchstone.useScorer(name, (given) => score(given as ScorerInput));
    const source = await sourceOf(context, session, options.suite);
    const agent = await agentOf(local, source, options.agent, io.cwd);
    const view = await run(context, session, source, options, agent);
    return evaluationOf(session.client, view);
  });
}

const contextOf = ({ config, data, signal }: EvaluateOptions): Context => ({
  io: programIo(signal),
  settings: {
    ...(typeof config === 'string' && { config }),
    data: data ?? DEFAULT_DATA,
    json: true,
    color: false,
  },
});

const configOf = async (context: Context, config: string | ConfigInput | undefined): Promise<Config> =>
  typeof config === 'object' ? parseConfig(config, context.io.cwd) : readConfig(context);

/** Scorers that are entries join those of the configuration; functions are registered later. */
function withEntries(config: Config, scorers: EvaluateOptions['scorers'] = {}): Config {
  const entries = Object.entries(scorers).filter(([, scorer]) => typeof scorer !== 'function');
  const all = { ...config.scorers, ...(Object.fromEntries(entries) as JsonObject) };
  parseScorers(all);
  return { ...config, scorers: all };
}

async function sourceOf(
  context: Context,
  session: Session,
  suite: EvaluateOptions['suite'],
): Promise<SuiteSource> {
  if (typeof suite !== 'string') return suiteOf(suite, context.io.cwd);
  const sources = await openSources(context, session, suite, {});
  const [only] = sources;
  if (only && sources.length === 1) return only;
  throw new UsageError(`One suite is evaluated at a time, and there are ${sources.length} in ${suite}.`);
}

/** The name of the agent, once it is known here; undefined leaves the choice to the suite. */
async function agentOf(
  { touchstone, config }: Local,
  source: SuiteSource,
  agent: EvaluateOptions['agent'],
  cwd: string,
): Promise<string | undefined> {
  if (agent === undefined || typeof agent === 'string') return agent;
  const canned = source.kind === 'file' ? cannedTools(source.suite) : [];
  const { agentId, version } =
    typeof agent === 'function'
      ? await touchstone.useFunction(agent, { agentId: FUNCTION_ID, toolAllowlist: toolsFor(config, canned) })
      : await touchstone.useAgent(agent, cwd);
  return `${agentId}@${version}`;
}

const FUNCTION_ID = 'local.program.agent';

async function run(
  context: Context,
  session: Session & { readonly local: Local },
  source: SuiteSource,
  options: EvaluateOptions,
  agent: string | undefined,
): Promise<RunView> {
  const driver = driverOf(context.io, session);
  const calls: Promise<void>[] = [];
  const told = options.onTask ? tellingTasks(driver, session.local, options.onTask, calls) : driver;
  const view = await runOne(context, session, told, source, runOptions(options, agent));
  await Promise.all(calls);
  return view;
}

/** What the caller's function throws, at once or later, must not disturb the run: it is thrown when the run has ended. */
function tellingTasks(
  driver: RunDriver,
  local: Local,
  onTask: NonNullable<EvaluateOptions['onTask']>,
  calls: Promise<void>[],
): RunDriver {
  const call = async (task: EndedTask): Promise<void> => onTask(task);
  return watchedDriver(driver, local, (_, finished) => {
    for (const task of finished) {
      const called = call(task);
      // It is looked at when the run has ended; until then nobody is to miss a handler.
      called.catch(() => undefined);
      calls.push(called);
    }
  });
}

const runOptions = (options: EvaluateOptions, agent: string | undefined): RunOptions => {
  const { only, tags, repeats, concurrency, model, baseline, budgetUsd } = options;
  return defined({ agent, only, tag: tags, repeats, concurrency, model, baseline, budget: budgetUsd });
};

/** Programs catch one kind of error for what they got wrong. */
function forPrograms(error: unknown): unknown {
  if (error instanceof UsageError) {
    const code = error.code === 'conflict' ? 'conflict' : 'validation_error';
    const words = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
    return new HostError(code, words, undefined, error);
  }
  return error instanceof NothingToRun
    ? new HostError('validation_error', `Nothing is to be run: ${error.message}`, undefined, error)
    : error;
}
