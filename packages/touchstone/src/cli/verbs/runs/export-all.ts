import { join, resolve } from 'node:path';
import type { Scorecard } from '@touchstone/protocol';
import { type Client, type EvalRunSnapshot, isEvalRun } from '@touchstone/sdk';
import { refOf } from '@touchstone/sdk/view';
import { ownKey } from '../../../app/index.js';
import { readSigning, type Signing } from '../../files/pack-files.js';
import {
  type Context,
  checkRules,
  type ExitCode,
  type OptionRule,
  UsageError,
  writeResult,
} from '../../io.js';
import { isPart } from '../../origin.js';
import { exportDocument } from '../../render/exported.js';
import { runPages } from '../../run-lookup.js';
import { withSession } from '../../session.js';
import { flagIn } from '../run/run-options.js';
import {
  checkFiles,
  type ExportOptions,
  exportCommand,
  publicKeyText,
  sealCard,
  writeCard,
  writePublicKey,
} from './export.js';

/** With `--all`, a folder for the newest run of every suite and agent. */
type AllOptions = ExportOptions & {
  readonly all?: string;
  /** The page in one file: `--output` under the name that people look for. */
  readonly html?: string | true;
};

const RULES: readonly OptionRule<AllOptions & { readonly wanted: string | undefined }>[] = [
  {
    wrong: ({ wanted, all }) => wanted === undefined && all === undefined && 'run',
    message: 'Which %? Give its id, "last", or --all <folder> for the newest run of every suite.',
  },
  {
    wrong: ({ bundle, all, ...options }) =>
      bundle !== undefined && (all === undefined ? flagIn(options, 'out', 'output', 'html') : '--all'),
    message: '--bundle writes one run with all that it rests on, so % says nothing.',
    hint: 'Leave % out, or leave --bundle out.',
  },
  {
    wrong: ({ bundle, suite }) => bundle === undefined && suite === false && '--no-suite',
    message: '% is about a bundle.',
    hint: 'Add --bundle <place>, or leave % out.',
  },
  {
    wrong: ({ html }) => typeof html === 'string' && !/\.html$/i.test(html) && html,
    message: '--html writes a page, and the name % does not end in .html.',
    hint: 'For example: touchstone export last --html report.html',
  },
  {
    wrong: ({ wanted, all, ...options }) =>
      all !== undefined && (wanted ?? flagIn(options, 'out', 'output', 'html')),
    message: '--all writes the newest run of every suite into a folder, so % says nothing.',
    hint: 'Leave % out, or leave --all out.',
  },
];

/** The scorecard of one run, or those of all suites. */
export async function exportRuns(
  context: Context,
  wanted: string | undefined,
  options: AllOptions,
): Promise<ExitCode> {
  checkRules(RULES, { ...options, wanted });
  const { all, bundle } = options;
  if (bundle !== undefined)
    return (await import('../bundle/export-bundle.js')).exportBundle(context, wanted ?? '', {
      ...options,
      bundle,
    });
  return all === undefined
    ? exportCommand(context, wanted ?? '', withPage(options))
    : exportAll(context, all, options);
}

const withPage = ({ html, ...options }: AllOptions): ExportOptions =>
  html === undefined
    ? options
    : { ...options, output: [...(options.output ?? []), html === true ? 'report.html' : html] };

/** Writes the newest whole run of every suite and agent into a folder, which can then serve as `--baseline`. */
async function exportAll(context: Context, folder: string, options: ExportOptions): Promise<ExitCode> {
  await checkFiles(context, options);
  const given = readSigning(options, context.io.cwd);
  const { cards, signing } = await withSession(context, options, 'look', async ({ client }) => ({
    cards: await newestCards(client),
    signing: given ?? (await ownKey(resolve(context.io.cwd, context.settings.data))),
  }));
  if (cards.length === 0)
    throw new UsageError(
      'There is no completed run of a whole suite to export.',
      'Run one with: touchstone run <suite file>',
    );
  const files = cards.map((card) => ({ card, file: join(folder, fileName(card)) }));
  for (const { card, file } of files) writeCard(context, file, sealCard(card, signing));
  writePublicKey(context, signing, options);
  writeResult(context, { files: files.map((one) => documentOf(one, signing)) }, () =>
    files.map(({ card, file }) => `  ${file}  ${refOf(card.suite)}, agent ${refOf(card.agent)}\n`).join(''),
  );
  return 0;
}

type CardFile = { readonly card: Scorecard; readonly file: string };

const documentOf = ({ card, file }: CardFile, signing: Signing): object =>
  exportDocument({
    scorecard: card,
    file,
    keyId: signing.keyId,
    ownKey: false,
    publicKey: publicKeyText(signing),
  });

/** One file for each suite and agent: a later export replaces it. */
const fileName = ({ suite, agent }: Scorecard): string =>
  `${suite.suiteId}.${agent.agentId.replaceAll(/[^A-Za-z0-9._-]/g, '-')}.scorecard.json`;

/** Only a run that has measured every task itself, once for all. */
const isWhole = (run: EvalRunSnapshot): boolean => {
  const { fork, rejudgeOf, tasks } = run.touchstone;
  return fork === undefined && rejudgeOf === undefined && tasks.selection === undefined && !isPart(run);
};

async function newestCards(client: Client): Promise<readonly Scorecard[]> {
  const newest = new Map<string, EvalRunSnapshot>();
  for await (const page of runPages(client, { status: 'completed' }))
    for (const run of page.filter(isEvalRun).filter(isWhole)) {
      const key = JSON.stringify([run.touchstone.suite.ref.split('@')[0], run.touchstone.agent.agentId]);
      if (!newest.has(key)) newest.set(key, run);
    }
  const cards: Scorecard[] = [];
  for (const { runId } of newest.values()) cards.push(await client.runs.scorecard(runId));
  return cards;
}
