// The thread, or the process, in which a `module` agent lives. Plain JavaScript, because Node starts it without any loader.
//
// Both directions carry one JSON text per turn of the event loop: an array of messages, each an array that begins with
// its name. JSON is needed anyway to bound the answer, and one text is cheaper to hand over than many small objects.
import { AsyncLocalStorage } from 'node:async_hooks';
import { basename, isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { liveAsProcess } from './module-life.js';
import { keepStdoutFree } from './module-stdout.js';

/** A process speaks with its host over another channel, and in the same words. */
const port = parentPort ?? {
  once: (event, listener) => process.once(event, listener),
  on: (event, listener) => process.on(event, listener),
  postMessage: (text) => process.connected && process.send(text),
};
/** The module to load comes with the first message: the thread may have been started before it was known. */
const { path, folder, exportName, maxOutputBytes, memoryMb } = JSON.parse(
  await new Promise((resolve) => port.once('message', resolve)),
);
/** Id of the invocation whose synchronous part is running. The host reads it when this thread does not react. */
const running = new Int32Array(workerData?.running ?? 1);
const invocations = new Map();

// ------------------------------------------------------------------------------------------------------------ messages

let outbox = [];
let postedAt = 0;
let isFlushing = false;

function post(text) {
  outbox.push(text);
  if (outbox.length === 1) postedAt = performance.now();
  flushSoon();
}

/** After all callbacks of this turn, timers included: agents that wake together answer in one message. */
function flushSoon() {
  if (isFlushing) return;
  isFlushing = true;
  setImmediate(() => {
    isFlushing = false;
    flush();
  });
}

function flush() {
  const messages = `[${outbox.join(',')}]`;
  outbox = [];
  if (messages.length > 2) port.postMessage(messages);
  for (const line of [...lines.values()]) line.goOn();
}

const handlers = {
  invoke: (agent, [, id, input, runId, invocationId, memory, offered, line, most]) =>
    lineOf(line, most).add(new Invocation(id, runId, invocationId, memory, offered), agent, input),
  result: (_agent, [, id, call, result]) => invocations.get(id)?.settleCall(call, result),
  abort: (_agent, [, id]) => invocations.get(id)?.abort(),
  withdraw: (_agent, [, id]) => invocations.get(id)?.withdraw(),
  ping: (_agent, [, number]) => post(`["pong",${number}]`),
  drain: () =>
    void Promise.all([process.stdout, process.stderr].map(written)).then(() => post('["drained"]')),
};

/** Resolves when the host has taken everything that was written before. */
const written = (stream) => new Promise((resolve) => stream.write('', resolve));

// ------------------------------------------------------------------------------------------------------------- printing

/** The invocation whose code is running, also after an await. */
const current = new AsyncLocalStorage();
const MOST_PRINTED = 16 * 1024;

/** What an agent prints while it works on a task belongs to that task; anything else goes to the host's stderr. */
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = (chunk, ...rest) => {
    const invocation = current.getStore();
    if (!invocation || invocation.over) return write(chunk, ...rest);
    invocation.print(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    const done = rest.find((one) => typeof one === 'function');
    if (done) process.nextTick(done);
    return true;
  };
}

// ---------------------------------------------------------------------------------------------------------- invocation

class ToolError extends Error {
  name = 'ToolError';
  constructor(toolId, { status, error }) {
    super(error ?? `Tool ${toolId} answered "${status}".`);
    this.toolId = toolId;
    this.status = status;
  }
}

class Invocation {
  over = false;
  hasBegun = false;
  startedAt = 0;
  line;
  refused = false;
  confidence = null;
  refusal;
  #calls;
  #controller;
  #printed = 0;

  constructor(id, runId, invocationId, memory, offered) {
    this.id = id;
    this.runId = runId;
    this.invocationId = invocationId;
    this.memory = memory;
    this.offered = offered;
    this.context = new Context(this);
  }

  get signal() {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.over) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  call(toolId, inputs = null) {
    if (this.over)
      return Promise.reject(new Error('The invocation is over; its tools cannot be called any more.'));
    this.#calls ??= [];
    const call = this.#calls.length;
    const text = `["tool",${this.id},${call},${JSON.stringify(String(toolId))},${toJson(inputs, 'Tool inputs')}]`;
    return new Promise((resolve, reject) => {
      this.#calls.push({ toolId, resolve, reject });
      post(text);
    });
  }

  settleCall(call, result) {
    const { toolId, resolve, reject } = this.#calls[call];
    if (result.status === 'ok') resolve(result.outcome);
    else reject(new ToolError(toolId, result));
  }

  report(name, text) {
    if (!this.over) post(`["${name}",${this.id},${text}]`);
  }

  print(text) {
    if (this.#printed >= MOST_PRINTED) return;
    const room = MOST_PRINTED - this.#printed;
    this.#printed += text.length;
    this.report('printed', JSON.stringify(text.length > room ? `${text.slice(0, room)}\n…` : text));
  }

  finish() {
    this.over = true;
    invocations.delete(this.id);
    this.line.leave(this);
  }

  /** What the host cannot know of one that was sent ahead: when it began. */
  get tookMs() {
    if (this.line.most === Number.POSITIVE_INFINITY) return null;
    return Math.round((performance.now() - this.startedAt) * 100) / 100;
  }

  /** One that has begun goes on. */
  withdraw() {
    if (this.hasBegun) return;
    this.finish();
    post(`["withdrawn",${this.id}]`);
  }

  abort() {
    this.finish();
    this.#controller?.abort();
    for (const { reject } of this.#calls ?? []) reject(new Error('The invocation was aborted.'));
  }
}

/** Getters make each part when it is first asked for, bound, so that `({ tools, refuse })` in a signature works. */
class Context {
  #invocation;

  constructor(invocation) {
    this.#invocation = invocation;
  }

  get runId() {
    return this.#invocation.runId;
  }

  get invocationId() {
    return this.#invocation.invocationId;
  }

  get memory() {
    return this.#invocation.memory;
  }

  get signal() {
    return this.#invocation.signal;
  }

  get tools() {
    const invocation = this.#invocation;
    return { offered: invocation.offered, call: (toolId, inputs) => invocation.call(toolId, inputs) };
  }

  get reason() {
    return (text) => this.#invocation.report('reason', JSON.stringify(String(text)));
  }

  get usage() {
    return (usage) => this.#invocation.report('usage', toJson(usage, 'Usage'));
  }

  get confidence() {
    return (value) => {
      if (!(value >= 0 && value <= 1)) throw new RangeError('Confidence is a number from 0 to 1.');
      this.#invocation.confidence = Number(value);
    };
  }

  get refuse() {
    return (output) => {
      this.#invocation.refused = true;
      this.#invocation.refusal = output;
      return output;
    };
  }
}

/** What has been answered leaves after so long at the latest, before anything else of a line begins. */
const HELD_BACK_MS = 5;

/**
 * Invocations that begin one after the other, so many at a time. The host sends some ahead, so that no slot waits for it. One begins
 * in the place of another when that one's answer has left: what it does then is not the time, and not the fault, of the other.
 */
class Line {
  most = 0;
  #number;
  #begun = 0;
  #ended = 0;
  #waiting = [];

  constructor(number) {
    this.#number = number;
  }

  add(invocation, agent, input) {
    invocation.line = this;
    invocations.set(invocation.id, invocation);
    this.#waiting.push({ invocation, agent, input });
    this.#beginNext();
  }

  leave(invocation) {
    if (invocation.hasBegun) this.#ended += 1;
    else this.#waiting = this.#waiting.filter((one) => one.invocation !== invocation);
    flushSoon();
  }

  /** What was posted has left. */
  goOn() {
    this.#begun -= this.#ended;
    this.#ended = 0;
    this.#beginNext();
    if (this.#begun === 0 && this.#waiting.length === 0) lines.delete(this.#number);
  }

  #beginNext() {
    while (this.#begun < this.most && this.#waiting.length > 0) {
      if (outbox.length > 0 && performance.now() - postedAt > HELD_BACK_MS) return;
      const { invocation, agent, input } = this.#waiting.shift();
      invocation.hasBegun = true;
      this.#begun += 1;
      start(agent, invocation, input);
    }
  }
}

const lines = new Map();

function lineOf(number, most) {
  const line = lines.get(number) ?? new Line(number);
  lines.set(number, line);
  line.most = most ?? Number.POSITIVE_INFINITY;
  return line;
}

function start(agent, invocation, input) {
  running[0] = invocation.id;
  invocation.startedAt = performance.now();
  try {
    const returned = current.run(invocation, agent, input, invocation.context);
    // An agent that answers at once does not pay for a promise.
    if (typeof returned?.then === 'function') settleLater(invocation, returned);
    else answer(invocation, returned);
  } catch (error) {
    fail(invocation, error);
  } finally {
    running[0] = 0;
  }
}

function settleLater(invocation, promise) {
  promise.then(
    (output) => answer(invocation, output),
    (error) => fail(invocation, error),
  );
}

function answer(invocation, returned) {
  if (invocation.over) return;
  try {
    const output = toJson(returned === undefined ? (invocation.refusal ?? null) : returned, 'The answer');
    const bytes = output.length * 3 > maxOutputBytes ? Buffer.byteLength(output) : 0;
    if (bytes > maxOutputBytes) throw new Error(`The answer is larger than ${maxOutputBytes} bytes.`);
    const { id, confidence, refused, tookMs } = invocation;
    post(`["answer",${id},${output},${confidence},${refused},${tookMs}]`);
    invocation.finish();
  } catch (error) {
    fail(invocation, error);
  }
}

const LONGEST_REASON = 8192;

function fail(invocation, error) {
  if (invocation.over) return;
  post(`["failed",${invocation.id},${JSON.stringify(describe(error))},${invocation.tookMs}]`);
  invocation.finish();
}

function messageOf(error) {
  const words = error?.message || error?.name || String(error);
  return String(words).slice(0, LONGEST_REASON);
}

/** The class, the message, and the first place in the author's own files: what an author needs to find the error. */
function describe(error) {
  if (!(error instanceof Error)) {
    const isObject = typeof error === 'object' && error !== null && !error.message;
    return shortPaths(`The agent threw ${isObject ? 'an object that is no Error' : messageOf(error)}`);
  }
  const { name = 'Error' } = error;
  const words = messageOf(error);
  const place = ownFrame(error.stack);
  return shortPaths(`${words === name ? name : `${name}: ${words}`}${place ? `\nat ${place}` : ''}`);
}

const FRAME = /(?<file>file:\/\/\S+?|\/.+?|[A-Za-z]:\\.+?):(?<line>\d+):\d+\)?$/;

/** `file:line` of the first frame that lies in the author's folder and not in an installed package. */
function ownFrame(stack) {
  for (const text of String(stack ?? '').split('\n')) {
    const found = FRAME.exec(text.replace(/^\s*at (?:.*\()?/, ''))?.groups;
    if (!found) continue;
    const file = found.file.startsWith('file://') ? fileURLToPath(found.file.split('?')[0]) : found.file;
    const place = relative(folder, file);
    const isOwn = !place.startsWith('..') && !isAbsolute(place) && !place.split(sep).includes('node_modules');
    if (isOwn) return `${place}:${found.line}`;
  }
  return undefined;
}

const ABSOLUTE = /(?:file:\/\/)?(?:\/[^\s'"`:]+)+\/(?<last>[^\s'"`:/]+)/g;

/** Paths of the author's folder become relative, others keep their last part: a tenant must not learn about the machine. */
const shortPaths = (text) =>
  text
    .replaceAll(pathToFileURL(folder + sep).href, '')
    .replaceAll(folder + sep, '')
    .replaceAll(ABSOLUTE, (_, last) => last);

function toJson(value, what) {
  let text;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new TypeError(`${what} cannot be written as JSON: ${messageOf(error).split('\n')[0]}`);
  }
  if (text === undefined) throw new TypeError(`${what} cannot be written as JSON: it is a ${typeof value}.`);
  return text;
}

// -------------------------------------------------------------------------------------------------------------- loading

/** Errors that another loader may not have: syntax Node does not know, imports without extension, mixed formats. */
const LINK_ERRORS = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_MODULE_NOT_FOUND',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_REQUIRE_ESM',
]);

async function load() {
  if (/\.[cm]?ts$/i.test(path)) return loadTranspiled();
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    if (error?.name !== 'SyntaxError' && !LINK_ERRORS.has(error?.code)) throw error;
    // When the second loader fails too, the first error is the one about the file as its author wrote it.
    return loadTranspiled().catch(() => Promise.reject(error));
  }
}

async function loadTranspiled() {
  const { createJiti } = await import('jiti');
  return createJiti(import.meta.url).import(path);
}

/** CommonJS modules keep their exports under `default`. */
function choose(module) {
  const name = exportName ?? 'default';
  const candidates = [module?.[name], module?.default?.[name], exportName === undefined ? module : undefined];
  const agent = candidates.find((candidate) => typeof candidate === 'function');
  if (agent) return agent;
  const names = Object.keys(module ?? {}).join(', ') || 'nothing';
  throw new Error(`The module exports no function named "${name}". It exports: ${names}.`);
}

/** Node says what is wrong with the syntax of a module it imports, but not where. */
function whyUnloadable(error) {
  if (error?.name !== 'SyntaxError' || /\.[cm]?ts$/i.test(path)) return describe(error);
  return `SyntaxError: ${shortPaths(messageOf(error))}. Find the place with: node --check ${basename(path)}`;
}

// A rejection that no invocation waits for is not a failure of those that run at the same time.
process.on('unhandledRejection', (error) => {
  // Its message may quote content, and stderr is no place for that.
  const place = ownFrame(error?.stack);
  const what = error instanceof Error ? error.name : `a ${typeof error}`;
  process.stderr.write(
    `An agent's promise was rejected without a handler: ${what}${place ? ` at ${place}` : ''}\n`,
  );
});

if (parentPort) keepStdoutFree();
else liveAsProcess(memoryMb, (error) => shortPaths(`${error?.name ?? 'Error'}: ${messageOf(error)}`));

load()
  .then(choose)
  .then((agent) => {
    port.on('message', (text) => {
      for (const message of JSON.parse(text)) handlers[message[0]](agent, message);
    });
    post('["ready"]');
  })
  .catch((error) => post(`["unloadable",${JSON.stringify(whyUnloadable(error))}]`));
