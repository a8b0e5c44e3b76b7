import type { Client } from '@touchstone/sdk';
import type { SuiteSource } from '../files/suite-source.js';
import { type Context, UsageError } from '../io.js';
import { readConfig } from '../local.js';
import { findRun } from '../run-lookup.js';
import type { Session } from '../session.js';
import { didYouMean } from '../suggest.js';
import { fileAt, fileOfId, isSuiteId, knownFiles, openInside } from './folder.js';

type SuiteChoice = { readonly suite: string; readonly agent?: string };

/** A suite file of the folder, or a suite that a pack of the configuration brings. */
export async function sourceNamed(
  context: Context,
  session: Session,
  named: SuiteChoice,
): Promise<SuiteSource> {
  const config = await readConfig(context);
  const { suite } = named;
  if (!isSuiteId(suite)) return openInside(context, config, fileAt(context, config, suite));
  const file = fileOfId(context, config, suite);
  if (file !== undefined) return openInside(context, config, file);
  const packed = await packedSuites(session.client);
  const found = packed.find(({ suiteRef }) => suiteRef === suite || suiteRef.startsWith(`${suite}@`));
  if (found) return { kind: 'packed', suiteRef: found.suiteRef, agent: named.agent ?? found.agent };
  throw unknownSuite(
    suite,
    [...knownFiles(context, config).map(({ head }) => `${head.suiteId}@${head.version}`)].concat(
      packed.map(({ suiteRef }) => suiteRef),
    ),
  );
}

export const unknownSuite = (suite: string, known: readonly string[]): UsageError =>
  new UsageError(
    `The folder has no suite ${suite}.`,
    didYouMean(suite, known, 'Suites') ?? 'The tool list_suites lists what there is.',
  );

/** A suite that a pack brings, with the agent that it is for. */
export type PackedSuite = { readonly suiteRef: string; readonly agent: string; readonly pack: string };

export async function packedSuites(client: Client): Promise<readonly PackedSuite[]> {
  const { items } = await client.packs.list({ limit: 200 });
  return items
    .filter(({ revoked }) => revoked !== true)
    .flatMap(({ name, version, agents }) =>
      agents.flatMap(({ agentId, suiteRef }) =>
        suiteRef === undefined
          ? []
          : [{ suiteRef, agent: `${agentId}@${version}`, pack: `${name}@${version}` }],
      ),
    );
}

/** An agent is named by its id and by nothing else: a path or a URL would be an agent that nobody has configured. */
export async function checkAgent(client: Client, agent: string | undefined): Promise<void> {
  if (agent === undefined) return;
  const known: readonly string[] = (await client.agents.list()).agents.map(({ agentId }) => agentId);
  if (known.includes(agent.split('@')[0] ?? '')) return;
  throw new UsageError(
    `The configuration has no agent ${agent}.`,
    didYouMean(agent, known, 'Its agents') ?? 'Add one to "agents" of the configuration.',
  );
}

/** A run by its id or place. */
export async function runNamed(client: Client, name: string) {
  try {
    return await findRun(client, name);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(
      error.message,
      'The tool list_runs lists the runs of this folder; run_suite makes one.',
    );
  }
}
