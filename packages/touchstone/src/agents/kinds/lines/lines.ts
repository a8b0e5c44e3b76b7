import { parseJson } from '@touchstone/protocol';
import type { Agent, AgentFacts, Answer, Invocation } from '../../../ports/index.js';
import { DEFAULT_TIMEOUT_MS } from '../../spec/run-spec.js';
import { type Bound, createBounds, type TakeAnswer } from '../bounds.js';
import { MOST_PRINTED, quoteNoise } from '../command/command.js';
import { reportedError, takeTurns } from '../turns.js';
import type { LineProcess } from './line-process.js';
import { type LineParts, type LineProgram, type LinesRun, openLineProgram } from './line-program.js';

type LinesParts = LineParts & { readonly facts: AgentFacts; readonly takeAnswer?: TakeAnswer };

/** A shorter wait for a process is not recorded. */
const NOTICEABLE_MS = 1;

/**
 * An agent in long-lived processes that speak the turn protocol, one JSON document a line. An invocation has a process
 * to itself until it is over; a process whose invocation did not come to its end is ended.
 */
export function createLinesAgent(run: LinesRun, parts: LinesParts): Agent {
  const { clock, facts } = parts;
  const program = openLineProgram(run, parts);
  const bounds = createBounds(clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS, parts.takeAnswer);
  return {
    facts,
    async invoke(invocation, host) {
      const createdAt = clock.elapsed();
      const ready = await program.take(host.signal);
      if ('answer' in ready) return ready.answer;
      const waitedMs = clock.elapsed() - createdAt;
      const answer = await bounds.run(host, (bound) => useProcess(program, ready.process, invocation, bound));
      return waitedMs > NOTICEABLE_MS ? { ...answer, effort: { attempts: 1, waitedMs } } : answer;
    },
    async loadIssue() {
      const ready = await program.take(new AbortController().signal);
      if ('process' in ready) program.release(ready.process, true);
      return 'answer' in ready && ready.answer.kind === 'failed' ? ready.answer.reason : undefined;
    },
    async close() {
      bounds.close();
      await program.close();
    },
  };
}

async function useProcess(
  program: LineProgram,
  child: LineProcess,
  invocation: Invocation,
  { host, takeAnswer }: Bound,
): Promise<Answer> {
  let last = '';
  let isOver = false;
  try {
    // Printed while it was loaded: it belongs to no task.
    forward(await child.takePrinted());
    const answer = await takeTurns(
      invocation,
      host,
      async (text) => {
        const reply = await program.ask(child, text, host.signal);
        last = reply.kind === 'text' ? reply.text : '';
        await takeAnswer(last);
        return reply;
      },
      quoteNoise,
    );
    isOver = answer.kind !== 'failed' || isError(last);
    const printed = (await child.takePrinted()).slice(-MOST_PRINTED);
    return printed === '' || !isOver ? answer : { ...answer, printed };
  } finally {
    program.release(child, isOver);
  }
}

/** An agent that has reported an error waits for the next request; one that failed otherwise may be anywhere. */
const isError = (text: string): boolean =>
  text !== '' && reportedError(parseJson(text) ?? null) !== undefined;

const forward = (text: string): void => {
  if (text !== '') process.stderr.write(text);
};
