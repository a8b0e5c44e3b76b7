import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isTerminal, type RunId } from '@touchstone/contract';
import type { Run, Suite, SuiteHead } from '@touchstone/contract/ports';
import { chooseAgent, type SuiteSide } from './agent-choice.js';
import { asEvalRun, type EvalRun, findRun } from './collect-result.js';
import { LOCAL_OWNER, LOCAL_PRINCIPAL, type Local } from './local.js';
import { checkSamePlan, configurableOf, type RunOptions } from './run-options.js';
import { didYouMean } from './suggest.js';
import { findInFolders, openSuiteFile, type SuiteSource } from './suite-source.js';
import { UsageError } from './usage-error.js';

/** What a run was started from, kept with the run so that `--resume` alone finds it all again. */
const ORIGIN_KEY = 'touchstone.cli';

/** Creates a run of one suite; nothing is driven yet. Whatever is refused is refused here. */
export async function createLocalRun(
  local: Local,
  source: SuiteSource,
  options: RunOptions,
  cwd: string,
): Promise<Run> {
  const { head, suite, file } = await installSource(local, source);
  const facts = await chooseAgent(local, options.agent, sideOf(head, suite), cwd);
  const origin = {
    ...(file && { suite: file }),
    ...(options.agent !== undefined && { agent: options.agent }),
  };
  return local.touchstone.createRun(
    LOCAL_PRINCIPAL,
    {
      mode: 'eval',
      evalSuiteRef: `${head.suiteId}@${head.version}`,
      agentId: `${facts.agentId}@${facts.version}`,
      configurable: configurableOf(options),
      metadata: { [ORIGIN_KEY]: origin },
    },
    { origin: 'cli', start: false },
  );
}

const sideOf = (head: SuiteHead, suite: Suite | undefined): SuiteSide => ({
  ...(head.targetAgentId && { targetAgentId: head.targetAgentId }),
  ...(suite && { tasks: suite.tasks }),
});

type Installed = { readonly head: SuiteHead; readonly suite?: Suite; readonly file?: string };

/** A file is run as it is now, edited or not: runs are pinned by digest, so an older run keeps what it ran. */
async function installSource({ touchstone, config }: Local, source: SuiteSource): Promise<Installed> {
  const opened = source.kind === 'file' ? source : await findInFolders(source.reference, config);
  if (opened) {
    await touchstone.useSuite(LOCAL_OWNER, opened.suite);
    return { head: opened.suite.head, suite: opened.suite, file: opened.file };
  }
  const { reference } = source as Extract<SuiteSource, { kind: 'reference' }>;
  const found = await touchstone.findSuite(LOCAL_OWNER, reference);
  if (found) return { head: found.head };
  const { items } = await touchstone.listSuites(LOCAL_OWNER, 100);
  const known = items.map(({ suiteId, version }) => `${suiteId}@${version}`);
  throw new UsageError(`No suite ${reference} is installed here.`, didYouMean(reference, known, 'Installed'));
}

/** The run to continue, after a check that neither its suite nor its agent has changed since. */
export async function findRunToResume(
  local: Local,
  suite: string | undefined,
  options: RunOptions,
  cwd: string,
): Promise<EvalRun> {
  const run = asEvalRun(await unfinishedRun(local, options.resume));
  const { concurrency, repeats, modes } = run.plan;
  checkSamePlan(options, { evalModes: modes, ...run.request.configurable, concurrency, repeats });
  const origin = (run.request.metadata?.[ORIGIN_KEY] ?? {}) as {
    readonly suite?: string;
    readonly agent?: string;
  };
  const current = await currentSuite(suite ?? origin.suite, cwd);
  if (current && current.head.digest !== run.plan.suite.digest) {
    throw changed(run.runId, `the suite file ${suite ?? origin.suite}`);
  }
  const named = options.agent ?? origin.agent ?? `${run.plan.agent.agentId}@${run.plan.agent.version}`;
  const suiteNow = current ?? (await storedSuite(local, run));
  const facts = await chooseAgent(local, named, suiteNow ? sideOf(suiteNow.head, suiteNow) : {}, cwd);
  if (facts.digest !== run.plan.agent.digest)
    throw changed(run.runId, `agent ${facts.agentId}@${facts.version}`);
  return run;
}

async function unfinishedRun({ touchstone }: Local, wanted: RunOptions['resume']): Promise<Run> {
  if (typeof wanted === 'string' && wanted !== 'last') {
    const run = await findRun(touchstone, wanted);
    if (!isTerminal(run.status)) return run;
    throw new UsageError(
      `Run ${run.runId} has already ended as ${run.status}.`,
      `See it with: touchstone show ${run.runId}`,
    );
  }
  const { items } = await touchstone.store.runs.list(LOCAL_OWNER, { limit: 100 });
  const newest = items.find(
    (run) => run.origin === 'cli' && run.plan.kind === 'eval' && !isTerminal(run.status),
  );
  if (newest) return newest;
  throw new UsageError('There is no interrupted run here.', 'See the runs kept here with: touchstone runs');
}

/** A file that is gone has not changed: the run has its tasks in the store. */
async function currentSuite(file: string | undefined, cwd: string): Promise<Suite | undefined> {
  if (file === undefined || !existsSync(resolve(cwd, file))) return undefined;
  return (await openSuiteFile(resolve(cwd, file), cwd)).suite;
}

async function storedSuite({ touchstone }: Local, run: EvalRun): Promise<Suite | undefined> {
  const head = await touchstone.store.suites.byDigest(LOCAL_OWNER, run.plan.suite.digest);
  return head && touchstone.readSuite({ head, owner: LOCAL_OWNER });
}

function changed(runId: RunId, what: string): UsageError {
  return new UsageError(
    `Run ${runId} cannot be continued: ${what} has changed since it began, and half a run of each would prove nothing.`,
    'Undo the change, or start a new run by leaving --resume out.',
  );
}
