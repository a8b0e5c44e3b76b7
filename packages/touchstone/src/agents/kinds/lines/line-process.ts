import type { ChildProcess } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { createDeferred, type Deferred } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import { closePipes, signalGroup, spawnGroup } from '../../process-group.js';

export type LineCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly maxBytes: number;
};

/** A line, or why there will be no further one. */
export type LineReply =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'not-started'; readonly code: string }
  | { readonly kind: 'too-big' }
  | { readonly kind: 'ended'; readonly how: string; readonly stderr: string };

const STDERR_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** A program that lives long: it answers each line on its stdin with one line on its stdout. */
export class LineProcess {
  readonly #child: ChildProcess | undefined;
  readonly #closed = createDeferred<void>();
  readonly #maxBytes: number;
  #waiting: Deferred<LineReply> | undefined;
  #lines: string[] = [];
  #parts: Buffer[] = [];
  #bytes = 0;
  #stderr = Buffer.alloc(0);
  #end: LineReply | undefined;

  constructor({ maxBytes, ...command }: LineCommand, clock: Clock) {
    this.#maxBytes = maxBytes;
    this.#child = this.#start(command, clock);
  }

  /** Whether it can be asked: it is alive, and has answered what it was asked before. */
  get isIdle(): boolean {
    return this.#end === undefined && this.#waiting === undefined && this.#lines.length + this.#bytes === 0;
  }

  /** The next line, without asking for it. */
  async next(): Promise<LineReply> {
    const line = this.#lines.shift();
    if (line !== undefined) return { kind: 'line', text: line };
    if (this.#end) return this.#end;
    this.#waiting = createDeferred<LineReply>();
    return this.#waiting.promise;
  }

  ask(text: string): Promise<LineReply> {
    this.#child?.stdin?.write(`${text}\n`);
    return this.next();
  }

  /** What it has printed since the last call. It was written before the line, so one round of the event loop brings it. */
  async takePrinted(): Promise<string> {
    await setImmediate();
    const text = this.#stderr.toString('utf8');
    this.#stderr = Buffer.alloc(0);
    return text;
  }

  async kill(): Promise<void> {
    if (this.#child) signalGroup(this.#child, 'SIGKILL');
    await this.#closed.promise;
  }

  #start(command: Omit<LineCommand, 'maxBytes'>, clock: Clock): ChildProcess | undefined {
    try {
      const child = spawnGroup({ ...command, stdio: 'pipe' });
      child.once('error', (error) => this.#notStarted(error));
      child.once('exit', () => void closePipes(child, this.#closed.promise, clock));
      child.once('close', (code, signal) => this.#ended(code, signal));
      child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
      child.stderr?.on('data', (chunk: Buffer) => {
        this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-STDERR_BYTES);
      });
      // A program that has ended reads nothing; its end is told by its exit.
      child.stdin?.on('error', () => undefined);
      return child;
    } catch (error) {
      this.#notStarted(error);
      return undefined;
    }
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      this.#keep(rest.subarray(0, end));
      const line = Buffer.concat(this.#parts).toString('utf8');
      const isTooBig = this.#bytes > this.#maxBytes;
      this.#parts = [];
      this.#bytes = 0;
      this.#give(isTooBig ? { kind: 'too-big' } : { kind: 'line', text: line });
      rest = rest.subarray(end + 1);
    }
    this.#keep(rest);
  }

  /** Of a line that is too long nothing is kept but its length. */
  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  #give(reply: LineReply): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting.resolve(reply);
    else if (reply.kind === 'line') this.#lines.push(reply.text);
  }

  #notStarted(error: unknown): void {
    this.#finish({ kind: 'not-started', code: (error as NodeJS.ErrnoException).code ?? 'unknown' });
  }

  #ended(code: number | null, signal: string | null): void {
    const how = code === null ? `was ended by ${signal}` : `exited with code ${code}`;
    this.#finish({ kind: 'ended', how, stderr: this.#stderr.toString('utf8') });
  }

  #finish(end: LineReply): void {
    this.#end ??= end;
    this.#closed.resolve();
    this.#waiting?.resolve(this.#end);
    this.#waiting = undefined;
  }
}
