import { resolve } from 'node:path';
import { canonicalJson } from '@touchstone/protocol';
import { fromBody, toBody } from '@touchstone/protocol/bodies';
import type { Agent, AgentFacts, AgentHost, Answer, Clock, Invocation } from '../../../ports/index.js';
import { DEFAULT_TIMEOUT_MS, type ScriptedRun } from '../../spec/run-spec.js';
import { failed } from '../answers.js';
import { createBounds } from '../bounds.js';
import { readScript, type Script, type ScriptedReply } from './script-file.js';

type ScriptedParts = { readonly facts: AgentFacts; readonly baseDir: string; readonly clock: Clock };

/** An agent that says what a file tells it to say. For demonstrations, and for tests that must not depend on a model. */
export function createScriptedAgent(run: ScriptedRun, parts: ScriptedParts): Agent {
  const replyTo = createReplies(readScript(resolve(parts.baseDir, run.path)));
  const bounds = createBounds(parts.clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  return {
    facts: parts.facts,
    invoke: (invocation, host) => {
      const reply = replyTo(invocation);
      return bounds.run(host, ({ host: bounded }) => perform(reply, bounded, parts.clock));
    },
    async close() {
      bounds.close();
    },
  };
}

/** A reply for this very input; else the next of those that answer anything; else `otherwise`. */
function createReplies({
  replies,
  otherwise,
}: Script): (invocation: Invocation) => ScriptedReply | undefined {
  const byInput = new Map<string, ScriptedReply>();
  const inOrder = replies.filter((reply) => reply.when === undefined);
  for (const reply of replies) {
    if (reply.when === undefined) continue;
    const key = canonicalJson(reply.when);
    if (!byInput.has(key)) byInput.set(key, reply);
  }
  let used = 0;
  return ({ input }) => byInput.get(canonicalJson(fromBody(input))) ?? inOrder[used++] ?? otherwise;
}

async function perform(reply: ScriptedReply | undefined, host: AgentHost, clock: Clock): Promise<Answer> {
  if (!reply) return failed('The script has no reply for this input, and no "otherwise".');
  if (reply.delayMs !== undefined) await clock.sleep(reply.delayMs, host.signal);
  if (reply.usage) await host.spend(reply.usage);
  if (reply.reasoning !== undefined) host.reason(reply.reasoning);
  for (const { toolId, inputs } of reply.toolCalls ?? []) await host.callTool(toolId, inputs);
  if (reply.error !== undefined) return failed(reply.error);
  const { confidence, output = toBody(null) } = reply;
  return {
    kind: reply.refused ? 'refused' : 'answered',
    output,
    ...(confidence !== undefined && { confidence }),
  };
}
