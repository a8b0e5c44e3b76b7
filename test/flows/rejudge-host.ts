import { expect } from 'vitest';
import type { ModelRequest } from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import { type Actor, decides, literally, openJudgeHost, resultOf, rubricTask, says } from './judge-host.js';
import { type Evaluated, readJson, startToolServer } from './pack-host.js';
import type { WholeHost } from './whole-host.js';

// A host with two judges that disagree, and an agent that looks things up: what judging again is tried on.

export const open: { close(): Promise<void> }[] = [];
/** Closes what a test has opened, the last first. */
export async function closeAll(): Promise<void> {
  for (const one of open.splice(0).reverse()) await one.close();
}

export const TOOL = 'local:notes.read';
/** Looks something up where it is told to, fails, refuses or tries what it may not, and says what it is told to say. */
const actor: Actor = (turn) => {
  const { calls = [], fail, refuse } = turn.input as { calls?: string[]; fail?: true; refuse?: true };
  if (turn.turn === 0 && calls.length > 0)
    return { toolCalls: calls.map((toolId, index) => ({ callId: `c${index}`, toolId, inputs: { q: 1 } })) };
  if (fail) return { nonsense: true };
  return { ...says(turn), ...(refuse && { refused: true }) };
};
/** The second judge says no where the first said yes. */
export const bothJudges = (request: ModelRequest) =>
  request.body.model === 'judge-2'
    ? decides((sentence) => !sentence.startsWith('Yes'))(request)
    : literally(request);

export async function start(options: Parameters<typeof openJudgeHost>[0] = {}) {
  const tool = await startToolServer(() => ({ found: 'a note' }));
  open.push(tool);
  const { config, ...rest } = options;
  const setup = await openJudgeHost({
    actor,
    judge: bothJudges,
    agent: { toolAllowlist: [TOOL] },
    config: {
      tools: [{ toolId: TOOL, kind: 'http', url: tool.url, safetyTier: 'read', tenants: ['acme'] }],
      prices: {
        'local/judge-1': { inputPerMTok: 1_000, outputPerMTok: 10_000 },
        'local/judge-2': { inputPerMTok: 10_000, outputPerMTok: 100_000 },
      },
      ...config,
    },
    ...rest,
  });
  open.push(setup);
  return { ...setup, tool };
}
export const again = (host: WholeHost, runId: string, body: object = {}, key?: string) =>
  readJson(host, `/v1/host/touchstone/runs/${runId}:rejudge`, {
    method: 'POST',
    body,
    ...(key !== undefined && { key }),
  });
export async function rejudged(host: WholeHost, runId: string, body?: object): Promise<Evaluated> {
  const created = await again(host, runId, body);
  expect(created).toMatchObject({ status: 201 });
  return resultOf(host, created.body.runId as string);
}

export const task = (
  input: object,
  index: number,
  criteria: readonly string[] = ['Yes', 'Yes too', 'No'],
): object => ({
  ...rubricTask({ say: 'x', criteria }, index),
  input: { say: `answer ${index}`, ...input },
});
