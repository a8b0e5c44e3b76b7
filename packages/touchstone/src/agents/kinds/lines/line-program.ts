import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@touchstone/protocol';
import { onAbort } from '../../../net/index.js';
import { AgentChanged, type Answer, type Clock } from '../../../ports/index.js';
import { PYTHON_RUNNER } from '../../python-runner.js';
import type { AgentFiles } from '../../spec/digest.js';
import type { CommandRun, PythonRun } from '../../spec/run-spec.js';
import { CLOSED, failed } from '../answers.js';
import { complaintOf, notStarted } from '../command/command.js';
import { reportedError } from '../turns.js';
import { createLinePool } from './line-pool.js';
import { type LineCommand, LineProcess, type LineReply } from './line-process.js';

export type LineParts = {
  readonly baseDir: string;
  readonly clock: Clock;
  readonly maxOutputBytes: number;
  /** Its files as they were when it was opened. */
  readonly files?: Pick<AgentFiles, 'isUntouched'>;
};

export type LinesRun = PythonRun | CommandRun;
/** A process that is ready to be asked, or the answer that is known without asking. */
type Ready = { readonly process: LineProcess } | { readonly answer: Answer };

type LineAnswer = { readonly kind: 'text'; readonly text: string } | Answer;

/** A program in long-lived processes. Each serves one invocation at a time. */
export type LineProgram = {
  take(signal: AbortSignal): Promise<Ready>;
  release(process: LineProcess, isFit: boolean): void;
  /** What the process says to a text, or the answer that follows from there being none. An aborted one is ended. */
  ask(process: LineProcess, text: string, signal: AbortSignal): Promise<LineAnswer>;
  close(): Promise<void>;
};

/** Processes that nobody limits: more would compete for the cores of a usual machine. */
const MOST_PROCESSES = 4;
const LOADING_MS = 30_000;

export function openLineProgram(run: LinesRun, parts: LineParts): LineProgram {
  const { baseDir, clock, maxOutputBytes, files } = parts;
  const command = { ...commandOf(run, baseDir), maxBytes: maxOutputBytes };
  const pool = createLinePool(run.processes ?? MOST_PROCESSES, () => new LineProcess(command, clock));
  /** Those that have loaded, with the issue of those that could not. */
  const loaded = new WeakMap<LineProcess, Answer | undefined>();
  let starts = 0;

  const load = async (process: LineProcess): Promise<Answer | undefined> => {
    starts += 1;
    const isFirst = starts === 1;
    const issue = run.kind === 'python' ? await greeting(process, clock, read) : undefined;
    // A process that is started later has read the files again. Answers of changed files would be no evidence.
    if (files && !isFirst && !(await files.isUntouched())) throw new AgentChanged();
    loaded.set(process, issue);
    return issue;
  };
  const read = (reply: LineReply) => readReply(reply, command, run, maxOutputBytes);

  return {
    async ask(process, text, signal) {
      const stopListening = onAbort(signal, () => pool.release(process, false));
      try {
        return read(await process.ask(text));
      } finally {
        stopListening();
      }
    },
    release: pool.release,
    close: pool.close,
    async take(signal) {
      const process = await pool.take(signal);
      if (!process) return { answer: CLOSED };
      const stopListening = onAbort(signal, () => pool.release(process, false));
      try {
        const issue = loaded.has(process) ? loaded.get(process) : await load(process);
        signal.throwIfAborted();
        if (!issue) return { process };
        pool.release(process, false);
        return { answer: issue };
      } catch (error) {
        pool.release(process, false);
        throw error;
      } finally {
        stopListening();
      }
    },
  };
}

function commandOf(run: LinesRun, baseDir: string): Omit<LineCommand, 'maxBytes'> {
  const { env = {} } = run;
  if (run.kind === 'command')
    return { command: run.command, args: run.args ?? [], cwd: resolve(baseDir, run.cwd ?? '.'), env };
  const { export: name = 'answer', python = 'python3' } = run;
  const path = resolve(baseDir, run.path);
  const cwd = resolve(baseDir);
  return {
    command: python,
    args: [fileURLToPath(PYTHON_RUNNER), path, name, authorFolder(path, cwd)],
    cwd,
    env,
  };
}

/** Places of errors are told relative to it. */
const authorFolder = (path: string, folder: string): string =>
  path.startsWith(folder + sep) ? folder : dirname(path);

/** The first line of a Python process: that its file is loaded, or why it cannot be. */
async function greeting(
  process: LineProcess,
  clock: Clock,
  read: (reply: LineReply) => LineAnswer,
): Promise<Answer | undefined> {
  const over = new AbortController();
  const late = clock.sleep(LOADING_MS, over.signal).then(
    () => failed(`Its file did not load within ${LOADING_MS} ms.`),
    () => undefined,
  );
  const said = await Promise.race([process.next().then(read), late]);
  over.abort();
  if (said?.kind !== 'text') return said;
  const error = reportedError(parseJson(said.text) ?? null);
  return error === undefined ? undefined : failed(`Its file does not load: ${error}`);
}

function readReply(
  reply: LineReply,
  { command }: Pick<LineCommand, 'command'>,
  run: LinesRun,
  maxOutputBytes: number,
): LineAnswer {
  if (reply.kind === 'line') return { kind: 'text', text: reply.text };
  if (reply.kind === 'not-started') return notStarted(reply.code, run.kind === 'command' ? run : { command });
  if (reply.kind === 'too-big') return failed(`The agent's answer is larger than ${maxOutputBytes} bytes.`);
  return failed(`The agent's process ${reply.how}${complaintOf(reply.stderr)}`);
}
