import type { Digest, RunId } from '@touchstone/protocol';
import type { Suite, SuiteHead } from '../../../ports/index.js';
import { findInFolders, type SuiteSource } from '../../files/suite-source.js';
import { asEvalRun, type EvalRun } from '../../find-run.js';
import type { Context } from '../../io.js';
import { LOCAL_OWNER, LOCAL_PRINCIPAL, type Local } from '../../local.js';
import { ORIGIN_KEY, type Origin } from '../../origin.js';
import { didYouMean } from '../../suggest.js';
import { UsageError } from '../../usage-error.js';
import { channelIn, checkModel, chooseAgent, type SuiteSide } from './agent-choice.js';
import type { Created } from './baseline-choice.js';
import { measureOf } from './earlier-runs.js';
import { checkLive } from './record-file.js';
import { configurableOf, type RunOptions } from './run-options.js';

/** Creates a run of one suite; nothing is driven yet. Whatever is refused is refused here. */
export async function createLocalRun(
  context: Context,
  local: Local,
  source: SuiteSource,
  options: RunOptions,
): Promise<Created<EvalRun>> {
  const { head, suite, origin, contract } = await installSource(local, source);
  if (options.record !== undefined) checkLive(options.modes ?? unaskedModes(head));
  const agent = agentOf(source, options);
  const facts = await chooseAgent(local, agent, sideOf(head, suite), context.io.cwd);
  checkModel(facts, options.model);
  // Which version the channel leads to has been drawn: the run is pinned to it.
  const channel = channelIn(agent, context.io.cwd);
  const create = async (baseline?: RunId): Promise<EvalRun> => {
    const run = await local.touchstone.createRun(
      LOCAL_PRINCIPAL,
      {
        mode: 'eval',
        evalSuiteRef: `${head.suiteId}@${head.version}`,
        agentId: `${facts.agentId}@${facts.version}`,
        configurable: configurableOf(options, baseline),
        metadata: { [ORIGIN_KEY]: { ...origin, ...saidOf(options) } },
      },
      {
        origin: 'cli',
        start: false,
        ...(channel !== undefined && { channel }),
        ...(contract && { contract }),
      },
    );
    return asEvalRun(run);
  };
  if (options.baseline === undefined) return { created: await create() };
  const { chooseBaseline, createCompared } = await import('./baseline-choice.js');
  const wanting = { head, agentId: facts.agentId, repeats: options.repeats ?? 1 };
  const choice = await chooseBaseline(context, local, options.baseline, wanting);
  return createCompared(context, choice, create, async ({ plan }) => measureOf(plan));
}

/** A pack says which agent a suite of it is for; `--agent` has been heard when its suites were chosen. */
function agentOf(source: SuiteSource, { agent }: RunOptions): string | undefined {
  if (source.kind === 'packed') return source.agent;
  return source.kind === 'profile' ? (source.agent ?? agent) : agent;
}

const saidOf = ({ agent, baseline }: RunOptions): Origin => ({
  ...(agent !== undefined && { agent }),
  ...(baseline !== undefined && { baseline }),
});

/** A suite that can do anything else does not go live unless it is asked to. */
const unaskedModes = ({ modes }: SuiteHead): readonly string[] =>
  modes.length === 1 ? modes : modes.filter((mode) => mode !== 'live-shadow');

export const sideOf = (head: SuiteHead, suite: Suite | undefined): SuiteSide => ({
  ...(head.targetAgentId && { targetAgentId: head.targetAgentId }),
  ...(suite && { tasks: suite.tasks }),
});

type Installed = {
  readonly head: SuiteHead;
  readonly suite?: Suite;
  readonly origin: Origin;
  /** What a file or a definition says: whatever another one of the same suite has left here is not asked. */
  readonly contract?: Digest | 'none';
};

/** A file is run as it is now, edited or not: runs are pinned by digest, so an older run keeps what it ran. */
async function installSource(local: Local, source: SuiteSource): Promise<Installed> {
  const { touchstone, config } = local;
  if (source.kind === 'packed') {
    const origin = source.path === undefined ? {} : { pack: source.path };
    return { head: await installedSuite(local, source.suiteRef), origin };
  }
  if (source.kind === 'profile') {
    const { compiled, file, of } = source;
    await touchstone.useProfile(LOCAL_OWNER, compiled);
    const { suite, pinned } = compiled;
    return { head: suite.head, suite, origin: { definition: file, of }, contract: pinned.digest };
  }
  const opened = source.kind === 'file' ? source : await findInFolders(source.reference, config);
  if (opened) {
    const { suite, pinned } = opened;
    if (pinned) await touchstone.useProfile(LOCAL_OWNER, { suite, pinned });
    else await touchstone.useSuite(LOCAL_OWNER, suite);
    return { head: suite.head, suite, origin: { suite: opened.file }, contract: pinned?.digest ?? 'none' };
  }
  const { reference } = source as Extract<SuiteSource, { kind: 'reference' }>;
  return { head: await installedSuite(local, reference), origin: {} };
}

async function installedSuite({ touchstone }: Local, reference: string): Promise<SuiteHead> {
  const found = await touchstone.findSuite(LOCAL_OWNER, reference);
  if (found) return found.head;
  const { items } = await touchstone.listSuites(LOCAL_OWNER, 100);
  const known = items.map(({ suiteId, version }) => `${suiteId}@${version}`);
  throw new UsageError(`No suite ${reference} is installed here.`, didYouMean(reference, known, 'Installed'));
}
