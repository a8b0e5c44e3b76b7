import { resolve } from 'node:path';
import type { Agent, AgentFacts, Answer, Clock } from '../../../ports/index.js';
import { type CommandRun, DEFAULT_TIMEOUT_MS } from '../../spec/run-spec.js';
import { failed, unreachable } from '../answers.js';
import { createBounds } from '../bounds.js';
import { type Ask, takeTurns } from '../turns.js';
import { type ChildResult, createChildren } from './child.js';

export type CommandParts = {
  readonly facts: AgentFacts;
  readonly baseDir: string;
  readonly clock: Clock;
  readonly maxOutputBytes: number;
};

/** One process per turn: the request on its stdin, the answer on its stdout. No shell is involved. */
export function createCommandAgent(run: CommandRun, parts: CommandParts): Agent {
  const { command, args = [], env = {} } = run;
  const children = createChildren(parts.clock);
  const bounds = createBounds(parts.clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const cwd = resolve(parts.baseDir, run.cwd ?? '.');
  const askUntil =
    (signal: AbortSignal): Ask =>
    async (input) =>
      replyOf(
        await children.run({ command, args, cwd, env, input, signal, maxBytes: parts.maxOutputBytes }),
        run,
        parts,
      );
  return {
    facts: parts.facts,
    invoke: (invocation, host) =>
      bounds.run(host, (bound) => takeTurns(invocation, bound.host, askUntil(bound.signal))),
    async close() {
      bounds.close();
      await children.close();
    },
  };
}

function replyOf(
  result: ChildResult,
  run: CommandRun,
  parts: CommandParts,
): { kind: 'text'; text: string } | Answer {
  if (result.kind === 'not-started') return notStarted(result.code, run);
  if (result.kind === 'too-big')
    return failed(`The command's answer is larger than ${parts.maxOutputBytes} bytes.`);
  if (result.code === 0) return { kind: 'text', text: result.stdout };
  const how = result.code === null ? `was ended by ${result.signal}` : `exited with code ${result.code}`;
  const complaint = result.stderr.trim();
  return failed(`The command ${how}.${complaint === '' ? '' : `\n${complaint}`}`);
}

/** The machine is out of a resource. */
const EXHAUSTED = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'];

/** A command that did not run says nothing about the agent, so its tasks are not scored. */
function notStarted(code: string, { command, cwd }: CommandRun): Answer {
  if (EXHAUSTED.includes(code)) return unreachable(`This machine cannot start more processes (${code}).`);
  if (code !== 'ENOENT') return unreachable(`The command "${command}" could not be started (${code}).`);
  const where = cwd === undefined ? 'its path' : `its path and its cwd "${cwd}"`;
  return unreachable(
    `The command "${command}" was not found. Check ${where}; relative ones start at the config file's folder.`,
  );
}
