import { resolve } from 'node:path';
import { type Digest, defined, type EvalMode, type JsonObject, type RunId } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import type { Suite } from '../../../ports/index.js';
import { cannedTools, suiteDocument } from '../../../suites/index.js';
import { judgeReference } from '../../files/judge-choice.js';
import { findInFolders, type SuiteSource } from '../../files/suite-source.js';
import { type Context, UsageError } from '../../io.js';
import type { Local } from '../../local.js';
import { ORIGIN_KEY, type Origin } from '../../origin.js';
import { absent, asEvalRun } from '../../run-lookup.js';
import type { Session } from '../../session.js';
import { didYouMean } from '../../suggest.js';
import { channelIn, checkModel, chooseAgent, type SuiteSide } from './agent-choice.js';
import { useAnswers } from './answers-choice.js';
import { chooseBaseline, createCompared, measureOf, type StartedRun } from './baseline-choice.js';
import { withPrompt } from './prompt-choice.js';
import type { RunDriver } from './run-driver.js';
import { checkLive, configurableOf, type RunOptions } from './run-options.js';
import { chooseTasks } from './task-choice.js';

/** The options of the command, and what the run is a part of: the run whose tasks are run again, or which round it is. */
type StartOptions = RunOptions & { readonly confirms?: string; readonly roundNumber?: number };

/** Creates a run of one suite; in this process nothing is driven yet. Whatever is refused is refused here. */
export async function startRun(
  context: Context,
  session: Session,
  driver: RunDriver,
  source: SuiteSource,
  options: StartOptions,
): Promise<StartedRun> {
  const { client, local } = session;
  const { cwd } = context.io;
  const { head, suite, origin, contract } = await installSource(session, source);
  const named = agentOf(source, options);
  const chosen =
    options.answers === undefined || !local
      ? await chooseAgent(session, named, sideOf(head, suite), cwd)
      : await useAnswers(local, resolve(cwd, options.answers), head, suite);
  const agent = await withPrompt(local, chosen, options.prompt, cwd);
  checkModel(agent, options);
  checkLive(options, options.modes ?? defaultModes(head.modes), agent.facts?.conversation?.hasUser === true);
  // Which version the channel leads to has been drawn: a run in this process is pinned to it.
  const channel = local && channelIn(named, cwd);
  const metadata = { [ORIGIN_KEY]: { ...origin, ...optionsKept(options) } as JsonObject };
  const suiteRef = head.version === undefined ? head.suiteId : `${head.suiteId}@${head.version}`;
  const subject = { suiteRef, suiteId: head.suiteId, agentId: agent.agentId };
  const only = await chooseTasks(client, source, subject, options);
  const judge = await judgeReference(context.io, options.judge, client.judges.install);
  const create = (baseline?: RunId): Promise<RunId> =>
    driver.create(
      {
        mode: 'eval',
        evalSuiteRef: suiteRef,
        agentId: agent.ref,
        configurable: configurableOf(
          { ...options, ...answersAllowed(options), ...defined({ only, judge }) },
          baseline,
        ),
        metadata,
      },
      defined({ channel, contract }),
    );
  if (options.baseline === undefined) return { runId: await create() };
  const choice = await chooseBaseline(context, session, options.baseline, {
    suiteId: head.suiteId,
    digest: head.digest,
    agentId: agent.agentId,
    repeats: options.repeats ?? 1,
    common: options.common,
  });
  return createCompared(context, choice, create, async (runId) =>
    measureOf(asEvalRun(await client.runs.get(runId))),
  );
}

/** A suite may be meant for one agent; whose answers they are is not known here. */
const answersAllowed = ({ answers }: RunOptions): Pick<RunOptions, 'allowTargetMismatch'> =>
  answers === undefined ? {} : { allowTargetMismatch: true };

/** A pack says which agent a suite of it is for; `--agent` was considered when its suites were chosen. */
export function agentOf(source: SuiteSource, { agent }: RunOptions): string | undefined {
  if (source.kind === 'packed') return source.agent;
  return source.kind === 'profile' ? (source.agent ?? agent) : agent;
}

const optionsKept = ({ agent, prompt, baseline, confirms, roundNumber }: StartOptions): Origin =>
  defined({ agent, prompt, baseline, confirms, round: roundNumber });

/** A suite that can do anything else does not go live unless it is asked to. */
const defaultModes = (modes: readonly EvalMode[]): readonly EvalMode[] =>
  modes.length === 1 ? modes : modes.filter((mode) => mode !== 'live-shadow');

export const sideOf = (head: { readonly targetAgentId?: string }, suite: Suite | undefined): SuiteSide =>
  defined({ targetAgentId: head.targetAgentId, cannedTools: suite && (() => cannedTools(suite)) });

/** A suite as far as its host tells. */
type KnownSuite = {
  readonly suiteId: string;
  readonly version?: string;
  readonly digest?: Digest;
  readonly modes: readonly EvalMode[];
  readonly targetAgentId?: string;
};

type InstalledSource = {
  readonly head: KnownSuite;
  readonly suite?: Suite;
  /** Paths of this machine are kept in its own store only. */
  readonly origin: Origin;
  /** Of a file or a definition: the contract that is installed with another state of the suite does not count. */
  readonly contract?: Digest | 'none';
};

export async function installSource(
  { client, local }: Session,
  source: SuiteSource,
): Promise<InstalledSource> {
  if (source.kind === 'packed') {
    const origin = source.path === undefined || !local ? {} : { pack: source.path };
    return { head: await installedSuite(client, source.suiteRef), origin };
  }
  if (local) return installHere(client, local, source);
  if (source.kind === 'reference')
    return { head: await installedSuite(client, source.reference), origin: {} };
  const { suite } = source.kind === 'file' ? source : source.compiled;
  const { envelope } = source.kind === 'file' ? source : {};
  await client.suites.install(suiteDocument(suite) as JsonObject, defined({ envelope }));
  return { head: suite.head, suite, origin: {} };
}

/** A file is run as it is now, edited or not: runs are pinned by digest, so an older run keeps what it ran. */
async function installHere(
  client: Client,
  { touchstone, config, principal: { owner } }: Local,
  source: Exclude<SuiteSource, { kind: 'packed' }>,
): Promise<InstalledSource> {
  if (source.kind === 'profile') {
    const { compiled, file, of } = source;
    await touchstone.profiles.replace(owner, compiled);
    const { suite, pinned } = compiled;
    return { head: suite.head, suite, origin: { definition: file, of }, contract: pinned.digest };
  }
  const opened = source.kind === 'file' ? source : inFolders(source, config);
  if (!opened) {
    const { reference } = source as Extract<SuiteSource, { kind: 'reference' }>;
    return { head: await installedSuite(client, reference), origin: {} };
  }
  const { suite, pinned, envelope } = opened;
  if (pinned) await touchstone.profiles.replace(owner, { suite, pinned, ...defined({ envelope }) });
  else await touchstone.suites.replace(owner, suite, envelope);
  return { head: suite.head, suite, origin: { suite: opened.file }, contract: pinned?.digest ?? 'none' };
}

/** What is pinned is not looked for in folders: there it may be another state of the suite. */
const inFolders = (
  { reference, digest }: Extract<SuiteSource, { kind: 'reference' }>,
  config: Local['config'],
) => (digest === undefined ? findInFolders(reference, config) : undefined);

async function installedSuite(client: Client, reference: string): Promise<KnownSuite> {
  const head = await client.suites.head(reference).catch(absent);
  if (head) return head;
  const listed = await client.suites.list({ limit: 100 }).catch(absent);
  const [suiteId = '', version] = reference.split('@');
  // A host of another kind lists no suites; it says itself whether it knows this one.
  if (!listed) return { suiteId, ...(version !== undefined && { version }), modes: [] };
  // An older host lists its suites, and has no other way to read what is known of one.
  const same = listed.items.findLast(
    (suite) => suite.suiteId === suiteId && (version === undefined || suite.version === version),
  );
  if (same) return same;
  const known = listed.items.map((suite) => `${suite.suiteId}@${suite.version}`);
  throw new UsageError(`No suite ${reference} is installed here.`, didYouMean(reference, known, 'Installed'));
}
