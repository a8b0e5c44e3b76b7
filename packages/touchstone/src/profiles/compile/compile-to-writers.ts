import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@touchstone/protocol';
import { writeCanonical } from '../../suites/index.js';
import type { ProfileWarning } from '../types.js';
import type { BuiltTask } from './build-task.js';
import { surveyProfile } from './compile.js';
import { type ContractHead, contractHead } from './compile-profile.js';
import type { CompileInput } from './options.js';

/** Takes the next piece of a text. A promise makes the compiler wait. */
export type Sink = (piece: string) => void | Promise<void>;
export type Sinks = { readonly suite: Sink; readonly contract: Sink };

export type Written = {
  readonly head: ContractHead;
  readonly suiteSha256: string;
  readonly tasks: number;
  readonly warnings: readonly ProfileWarning[];
};

const TASKS_PER_PIECE = 64;

/**
 * Writes the suite and the contract of a profile task by task, so that a dataset of any length fits. The suite is
 * written in its canonical form: the digest of the file is the digest of the suite. Nothing is written of a profile
 * that does not compile; only a dataset that changes meanwhile can still fail, and what was written is then void.
 */
export async function compileToWriters(input: CompileInput, sinks: Sinks): Promise<Written> {
  const compilation = await surveyProfile(input);
  const { identity, modes, thresholds, warnings } = compilation;
  const { suiteId, version, targetAgentId } = identity;
  const hash = createHash('sha256');
  const writeSuite = (piece: string) => {
    hash.update(piece);
    return sinks.suite(piece);
  };
  await writeSuite(`${openEnd({ modes, suiteId, targetAgentId })},"tasks":[`);
  const head = contractHead(compilation, input);
  await sinks.contract(`${JSON.stringify(head).slice(0, -1)},"tasks":{`);
  let tasks = 0;
  for await (const batch of batchesOf(compilation.tasks())) {
    const comma = tasks === 0 ? '' : ',';
    await writeSuite(comma + itemsText(batch.map(({ task }) => task as unknown as Json)));
    await sinks.contract(comma + batch.map(termsText).join(','));
    tasks += batch.length;
  }
  await writeSuite(`],${openStart({ thresholds, version })}`);
  const suiteSha256 = hash.digest('hex');
  await sinks.contract(`},"suiteSha256":"${suiteSha256}"}`);
  return { head, suiteSha256, tasks, warnings };
}

const openEnd = (members: Json): string => canonicalJson(members).slice(0, -1);
const openStart = (members: Json): string => canonicalJson(members).slice(1);

function itemsText(items: readonly Json[]): string {
  const pieces: string[] = [];
  writeCanonical(items, (piece) => pieces.push(piece));
  return pieces.join('').slice(1, -1);
}

const termsText = ({ task, terms }: BuiltTask): string => `"${task.taskId}":${JSON.stringify(terms)}`;

async function* batchesOf(tasks: AsyncIterable<BuiltTask>): AsyncIterable<readonly BuiltTask[]> {
  let batch: BuiltTask[] = [];
  for await (const task of tasks) {
    batch.push(task);
    if (batch.length < TASKS_PER_PIECE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
