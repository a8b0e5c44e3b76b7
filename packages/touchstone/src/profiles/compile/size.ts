import type { HostError, JsonObject } from '@touchstone/protocol';
import type { ProfiledAgent } from '../types.js';
import type { BuiltTask } from './build-task.js';
import type { CompiledCriterion } from './criteria.js';
import { capabilityPointer, profilePointer } from './suite-frame.js';
import { compileError } from './trouble.js';

const MIB = 1024 * 1024;

/**
 * Adds up what the tasks of a suite and their terms come to. The text of criteria and schemas stand in every task, so a
 * short definition and many rows can come to more than a machine holds; whoever is about to hold it refuses that here.
 */
export class Size {
  readonly #agent: ProfiledAgent;
  readonly #criteria: readonly CompiledCriterion[];
  readonly #maxBytes: number;
  readonly #schemas = new WeakMap<JsonObject, number>();
  /** What is written again with every task, by where it stands in the definition. */
  readonly #repeated = new Map<string, number>();
  #bytes = 0;

  constructor(agent: ProfiledAgent, criteria: readonly CompiledCriterion[], maxBytes: number) {
    this.#agent = agent;
    this.#criteria = criteria;
    this.#maxBytes = maxBytes;
  }

  add({ task, terms: { schema, ...terms } }: BuiltTask): void {
    this.#bytes += bytesOf(task) + bytesOf(terms);
    for (const id of terms.criteria) this.#addCriterion(id);
    if (schema) this.#addSchema(schema);
    if (this.#bytes > this.#maxBytes) throw this.#refusal();
  }

  #addCriterion(id: string): void {
    const index = this.#criteria.findIndex((criterion) => criterion.id === id);
    const description = this.#criteria[index]?.description;
    if (description === undefined) return;
    const pointer = `${profilePointer(this.#agent)}/grading_rubric/${index}/description`;
    this.#count(pointer, Buffer.byteLength(description));
  }

  #addSchema(schema: JsonObject): void {
    const known = this.#schemas.get(schema);
    const bytes = known ?? bytesOf(schema);
    if (known === undefined) this.#schemas.set(schema, bytes);
    this.#bytes += bytes;
    const index = this.#agent.capabilities.findIndex(({ outputs }) => outputs === schema);
    if (index >= 0) this.#count(`${capabilityPointer(this.#agent, index)}/outputs`, bytes);
  }

  #count(pointer: string, bytes: number): void {
    this.#repeated.set(pointer, (this.#repeated.get(pointer) ?? 0) + bytes);
  }

  #refusal(): HostError {
    const [largest] = [...this.#repeated].sort(([, one], [, other]) => other - one);
    const repeated = [...this.#repeated.values()].reduce((sum, bytes) => sum + bytes, 0);
    const size = `Suite and contract would come to more than ${Math.floor(this.#maxBytes / MIB)} MiB, which is the most that is held at once.`;
    const [pointer, message] =
      largest && repeated > this.#bytes / 2
        ? [
            largest[0],
            `${size} This is written with every task that it applies to: shorten it, or take fewer rows.`,
          ]
        : ['', `${size} Take fewer rows, or split them.`];
    return compileError([{ pointer, message, code: 'suite_too_large' }]);
  }
}

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));
