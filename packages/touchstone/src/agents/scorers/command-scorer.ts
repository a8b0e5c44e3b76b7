import { resolve } from 'node:path';
import { parseJson } from '@touchstone/protocol';
import { fromBody, toBody } from '@touchstone/protocol/bodies';
import type { Agent, Answer } from '../../ports/index.js';
import { failed } from '../kinds/answers.js';
import { createBounds } from '../kinds/bounds.js';
import { createChildren } from '../kinds/command/child.js';
import { type CommandParts, replyOf } from '../kinds/command/command.js';
import { openLineProgram } from '../kinds/lines/line-program.js';
import { reportedError } from '../kinds/turns.js';
import { type CommandRun, DEFAULT_TIMEOUT_MS } from '../spec/run-spec.js';

/** A text for the program, and what it wrote in return. */
type Exchange = {
  send(text: string, signal: AbortSignal): Promise<{ readonly kind: 'text'; readonly text: string } | Answer>;
  close(): Promise<void>;
};

/** A command that is given the bare input, and whose bare output is the answer: one JSON document each way, no turns. */
export function createCommandScorer(run: CommandRun, parts: CommandParts): Agent {
  const bounds = createBounds(parts.clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const exchange = run.protocol === 'lines' ? inLines(run, parts) : inProcesses(run, parts);
  return {
    facts: parts.facts,
    invoke: ({ input }, host) =>
      bounds.run(host, async ({ signal }) => {
        const reply = await exchange.send(JSON.stringify(fromBody(input)), signal);
        return reply.kind === 'text' ? answerOf(reply.text) : reply;
      }),
    async close() {
      bounds.close();
      await exchange.close();
    },
  };
}

/** A text that is no JSON is handed on as a text: it is no score, and is told as such. */
function answerOf(text: string): Answer {
  const value = parseJson(text);
  const error = value === undefined ? undefined : reportedError(value);
  return error === undefined ? { kind: 'answered', output: toBody(value ?? text) } : failed(error);
}

function inProcesses(run: CommandRun, parts: CommandParts): Exchange {
  const { command, args = [], env = {} } = run;
  const children = createChildren(parts.clock);
  const cwd = resolve(parts.baseDir, run.cwd ?? '.');
  const maxBytes = parts.maxOutputBytes;
  return {
    send: async (input, signal) =>
      replyOf(await children.run({ command, args, cwd, env, input, signal, maxBytes }), run, parts),
    close: children.close,
  };
}

function inLines(run: CommandRun, parts: CommandParts): Exchange {
  const program = openLineProgram(run, parts);
  return {
    async send(text, signal) {
      const ready = await program.take(signal);
      if ('answer' in ready) return ready.answer;
      const reply = await program.ask(ready.process, text, signal);
      program.release(ready.process, reply.kind === 'text');
      return reply;
    },
    close: program.close,
  };
}
