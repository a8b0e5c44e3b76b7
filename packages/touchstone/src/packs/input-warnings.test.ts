import { fromBody } from '@touchstone/protocol/bodies';
import { expect, test } from 'vitest';
import type { SchemaCheck } from '../ports/index.js';
import { inputWarnings, openPackFiles } from './open-pack.js';
import { agentEntry, manifest, options, PACK_NAME, packFiles } from './testing/pack-bytes.js';

/** Stands for a schema that wants an order number. */
const wantsOrder: SchemaCheck = (_, body) => {
  const { order } = fromBody(body) as { readonly order?: unknown };
  return order === undefined ? [{ pointer: '/order', message: 'is missing' }] : [];
};

const warnings = async (agents: readonly object[], check: SchemaCheck = wantsOrder) =>
  inputWarnings(await openPackFiles(packFiles(manifest({ agents })), options), check);

test('an agent that does not take the tasks of its own suite is told of, with the place', async () => {
  const [warning, ...more] = await warnings([agentEntry()]);
  expect(more).toEqual([]);
  expect(warning).toContain(`${PACK_NAME}.default`);
  expect(warning).toContain('/tasks/0/input/order: is missing');
  expect(await warnings([agentEntry()], () => [])).toEqual([]);
});

test('an agent without a task schema takes everything', async () => {
  expect(await warnings([agentEntry({ handoff: undefined })])).toEqual([]);
});

test('a suite is held against the agent it is meant for, and no other', async () => {
  expect(await warnings([agentEntry(), agentEntry({ agentId: PACK_NAME })])).toHaveLength(1);
});
