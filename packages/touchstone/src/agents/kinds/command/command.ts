import { basename, isAbsolute, resolve } from 'node:path';
import type { Agent, AgentFacts, Answer, Clock } from '../../../ports/index.js';
import { unsetHint } from '../../environment/hand-over.js';
import { type CommandRun, DEFAULT_TIMEOUT_MS } from '../../spec/run-spec.js';
import { failed, unreachable } from '../answers.js';
import { type Bound, createBounds, type TakeAnswer } from '../bounds.js';
import { type Ask, takeTurns } from '../turns.js';
import { type ChildResult, createChildren } from './child.js';

export type CommandParts = {
  readonly facts: AgentFacts;
  readonly baseDir: string;
  readonly clock: Clock;
  readonly maxOutputBytes: number;
  readonly takeAnswer?: TakeAnswer;
};

/** One process per turn: the request on its stdin, the answer on its stdout. No shell is involved. */
export function createCommandAgent(run: CommandRun, parts: CommandParts): Agent {
  const { command, args = [], env = {} } = run;
  const children = createChildren(parts.clock);
  const bounds = createBounds(parts.clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS, parts.takeAnswer);
  const cwd = resolve(parts.baseDir, run.cwd ?? '.');
  const askUntil =
    ({ signal, takeAnswer }: Bound, printed: string[]): Ask =>
    async (input) => {
      const request = { command, args, cwd, env, input, signal, maxBytes: parts.maxOutputBytes };
      const result = await children.run(request);
      if (result.kind === 'exited' && result.code === 0) printed.push(result.stderr);
      const reply = replyOf(result, run, parts);
      if (reply.kind === 'text') await takeAnswer(reply.text);
      return reply;
    };
  return {
    facts: parts.facts,
    invoke: (invocation, host) =>
      bounds.run(host, async (bound) => {
        const printed: string[] = [];
        const answer = await takeTurns(invocation, bound.host, askUntil(bound, printed), quoteNoise);
        const text = printed.join('').slice(-MOST_PRINTED);
        return text === '' ? answer : { ...answer, printed: text };
      }),
    async close() {
      bounds.close();
      await children.close();
    },
  };
}

export function replyOf(
  result: ChildResult,
  run: CommandRun,
  parts: Pick<CommandParts, 'maxOutputBytes'>,
): { kind: 'text'; text: string } | Answer {
  if (result.kind === 'not-started') return notStarted(result.code, run);
  if (result.kind === 'too-big')
    return failed(`The command's answer is larger than ${parts.maxOutputBytes} bytes.`);
  if (result.code === 0) return { kind: 'text', text: result.stdout };
  const how = result.code === null ? `was ended by ${result.signal}` : `exited with code ${result.code}`;
  return failed(`The command ${how}${complaintOf(result.stderr)}${unsetHint(result.stderr, run.env ?? {})}`);
}

export const MOST_PRINTED = 16 * 1024;
const MOST_QUOTED = 200;

/** Languages put the error itself last and the way to it before; a reader wants the error first. */
export function complaintOf(stderr: string): string {
  const lines = stderr.trimEnd().split('\n');
  const last = lines.at(-1)?.trim() ?? '';
  if (last === '') return '.';
  return lines.length === 1 ? `: ${last}` : `: ${last}\n${lines.join('\n')}`;
}

/** The beginning of an answer that is not JSON: usually a line that was printed for a person to read. */
export const quoteNoise = (text: string): string => {
  const begin = Buffer.from(text.trim())
    .subarray(0, MOST_QUOTED)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
  if (begin === '') return 'it printed nothing on stdout';
  return `stdout may hold the answer only, and begins with: ${JSON.stringify(begin)}`;
};

/** The machine is out of a resource. */
const EXHAUSTED = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'];

/** The operator's configuration has the whole path; a tenant reads the reason and must not learn about the machine. */
const shown = (path: string): string => (isAbsolute(path) ? basename(path) : path);

/** A command that did not run says nothing about the agent, so its tasks are not scored. */
export function notStarted(code: string, run: Pick<CommandRun, 'command' | 'cwd'>): Answer {
  const command = shown(run.command);
  if (EXHAUSTED.includes(code)) return unreachable(`This machine cannot start more processes (${code}).`);
  if (code !== 'ENOENT') return unreachable(`The command "${command}" could not be started (${code}).`);
  const where = run.cwd === undefined ? 'its path' : `its path and its cwd "${shown(run.cwd)}"`;
  return unreachable(
    `The command "${command}" was not found. Check ${where}; relative ones start at the config file's folder.`,
  );
}
