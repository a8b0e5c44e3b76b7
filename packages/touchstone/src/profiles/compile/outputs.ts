import { createHash } from 'node:crypto';
import {
  canonicalJson,
  defined,
  type EvalMode,
  type Json,
  type JsonObject,
  type Thresholds,
} from '@touchstone/protocol';
import type { ContractTask, EvalContract } from '@touchstone/protocol/bodies';
import { digestOf, writeCanonical } from '../../suites/index.js';
import type { ProfileWarning } from '../types.js';
import type { SuiteTask, TaskOutput } from './build-task.js';
import { type Compilation, surveyProfile } from './compile.js';
import { type CompileInput, compileError, compileIssue } from './options.js';
import { capabilityPointer, profilePointer, type SuiteIdentity } from './suite-frame.js';

/** A profile as a suite and its contract, both held as values. */
export type CompiledContract = {
  /** An AgentEvalSuite document. */
  readonly suite: SuiteIdentity & {
    readonly modes: readonly EvalMode[];
    readonly thresholds: Thresholds;
    readonly tasks: readonly SuiteTask[];
  };
  readonly contract: EvalContract;
  readonly warnings: readonly ProfileWarning[];
};

/** Makes the suite and the contract of a profile, as values. Long datasets are better written than held. */
export async function compileProfile(input: CompileInput): Promise<CompiledContract> {
  const compilation = await surveyProfile(input);
  const checkSize = createSizeCheck(input, compilation);
  const tasks: SuiteTask[] = [];
  const terms: [string, ContractTask][] = [];
  for await (const output of compilation.tasks()) {
    checkSize(output);
    tasks.push(output.task);
    terms.push([output.task.taskId, output.terms]);
  }
  const { identity, modes, thresholds, warnings } = compilation;
  const suite = { ...identity, modes, thresholds, tasks };
  const { contractVersion, suiteId, suiteVersion, ...rest } = contractHead(compilation, input);
  const contract: EvalContract = {
    contractVersion,
    suiteId,
    suiteVersion,
    suiteSha256: digestOf(suite as unknown as Json).slice('sha256:'.length),
    ...rest,
    tasks: Object.fromEntries(terms),
  };
  return { suite, contract, warnings };
}

/** A contract without its tasks, and without the digest of the suite, which is known only when the last task is. */
type ContractHead = Omit<EvalContract, 'suiteSha256' | 'tasks'>;

function contractHead(compilation: Compilation, { agent, options = {} }: CompileInput): ContractHead {
  const { identity, criteria, dataset } = compilation;
  const expectedLatencyMs = agent.evaluation?.expected_latency_ms ?? null;
  const model = agent.evaluation?.evaluator_model;
  return defined({
    contractVersion: 1 as const,
    suiteId: identity.suiteId,
    suiteVersion: identity.version,
    agent: { id: agent.id, name: agent.name, version: agent.version, sha256: agent.sha256 },
    dataset,
    sla: expectedLatencyMs === null ? undefined : { expectedLatencyMs, policy: options.sla ?? 'gate' },
    judge: model ? { model } : undefined,
    criteria,
  });
}

/** Takes the next piece of a text. A promise makes the compiler wait. */
type Sink = (piece: string) => void | Promise<void>;
export type Sinks = { readonly suite: Sink; readonly contract: Sink };

export type CompileSummary = {
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
export async function compileToWriters(input: CompileInput, sinks: Sinks): Promise<CompileSummary> {
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

const termsText = ({ task, terms }: TaskOutput): string => `"${task.taskId}":${JSON.stringify(terms)}`;

async function* batchesOf(tasks: AsyncIterable<TaskOutput>): AsyncIterable<readonly TaskOutput[]> {
  let batch: TaskOutput[] = [];
  for await (const task of tasks) {
    batch.push(task);
    if (batch.length < TASKS_PER_PIECE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const MIB = 1024 * 1024;

/**
 * Adds up what the tasks of a suite and their terms come to. The text of criteria and schemas stands in every task, so
 * a short definition and many rows can come to more than a machine holds.
 */
function createSizeCheck({ agent, options = {} }: CompileInput, { criteria }: Compilation) {
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  const schemaBytes = new WeakMap<JsonObject, number>();
  /** What is written again with every task, by where it stands in the definition. */
  const repeated = new Map<string, number>();
  let total = 0;
  const repeat = (pointer: string, bytes: number) =>
    repeated.set(pointer, (repeated.get(pointer) ?? 0) + bytes);
  return ({ task, terms: { schema, ...terms } }: TaskOutput): void => {
    total += bytesOf(task) + bytesOf(terms);
    for (const id of terms.criteria) {
      const index = criteria.findIndex((criterion) => criterion.id === id);
      const bytes = Buffer.byteLength(criteria[index]?.description ?? '');
      repeat(`${profilePointer(agent)}/grading_rubric/${index}/description`, bytes);
    }
    if (schema) {
      const bytes = schemaBytes.get(schema) ?? bytesOf(schema);
      schemaBytes.set(schema, bytes);
      total += bytes;
      const index = agent.capabilities.findIndex(({ outputs }) => outputs === schema);
      if (index >= 0) repeat(`${capabilityPointer(agent, index)}/outputs`, bytes);
    }
    if (total > maxBytes) throw tooLarge(maxBytes, total, repeated);
  };
}

function tooLarge(maxBytes: number, total: number, repeated: ReadonlyMap<string, number>): Error {
  const [largest] = [...repeated].sort(([, one], [, other]) => other - one);
  const bytes = [...repeated.values()].reduce((sum, part) => sum + part, 0);
  const size = `Suite and contract would come to more than ${Math.floor(maxBytes / MIB)} MiB, which is the most that is held at once.`;
  return compileError(
    largest && bytes > total / 2
      ? compileIssue(
          'suite_too_large',
          `${size} This is written with every task that it applies to: shorten it, or take fewer rows.`,
          largest[0],
        )
      : compileIssue('suite_too_large', `${size} Take fewer rows, or split them.`),
  );
}

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));
