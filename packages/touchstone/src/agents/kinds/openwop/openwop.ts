import { asId, defined, isObject, type Json, type ModelName, type VariableName } from '@touchstone/protocol';
import { type Body, fromBody } from '@touchstone/protocol/bodies';
import {
  type Access,
  createJsonClient,
  type Guard,
  type HttpResult,
  type JsonClient,
  onAbort,
  type Pace,
  type PaceOf,
  type RequestParts,
  sendWithRetries,
  withinTime,
} from '../../../net/index.js';
import type { Agent, AgentFacts, AgentHost, Answer, Invocation } from '../../../ports/index.js';
import { DEFAULT_TIMEOUT_MS, type OpenwopRun } from '../../spec/run-spec.js';
import { failed } from '../answers.js';
import { type Bound, createBounds, type TakeAnswer } from '../bounds.js';
import { foldEvents, newRemoteRun, parseEvents, parseObject, type RemoteRun } from './remote-run.js';

export type OpenwopParts = Omit<RequestParts, 'who'> & {
  readonly facts: AgentFacts;
  readonly paceOf: PaceOf;
  readonly maxOutputBytes: number;
  readonly baseUrl: string;
  readonly credential?: string;
  readonly keyEnv?: VariableName;
  readonly headers?: { readonly [name: string]: string };
  readonly guard?: Guard;
  readonly takeAnswer?: TakeAnswer;
};

const WHO = "The agent's host";
const POLL_SECONDS = 20;
/** A host that answers an empty poll at once would otherwise be asked without pause. */
const SHORTEST_POLL_MS = 1_000;
const CANCEL_MS = 5_000;
const SMALL_BYTES = 64 * 1024;

/**
 * An agent on another OpenWOP host: every invocation is a run over there. Tools and memory of the invocation do not
 * travel; that host gives the agent its own.
 */
export function createOpenwopAgent(run: OpenwopRun, parts: OpenwopParts): Agent {
  const { credential, baseUrl, clock } = parts;
  const headers = {
    ...parts.headers,
    ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
  };
  const client = createJsonClient(headers, parts.guard);
  const pace = parts.paceOf(new URL(baseUrl).origin);
  const bounds = createBounds(clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS, parts.takeAnswer);
  const invocations = new Set<Promise<Answer>>();
  const cancelling = new Set<Promise<unknown>>();

  function cancel(runId: string): void {
    const url = runUrl(baseUrl, runId, '/cancel');
    const sent: Promise<unknown> = withinTime(clock, CANCEL_MS, (signal) =>
      client.send({ url, body: '{}', signal, maxBytes: SMALL_BYTES }),
    )
      .catch(() => undefined)
      .finally(() => cancelling.delete(sent));
    cancelling.add(sent);
  }

  async function invoke(invocation: Invocation, host: AgentHost): Promise<Answer> {
    const answer = bounds.run(host, (bound) =>
      follow({ run, parts, client, pace, bound, cancel }, invocation),
    );
    invocations.add(answer);
    return answer.finally(() => invocations.delete(answer));
  }

  return {
    facts: parts.facts,
    invoke,
    async close() {
      bounds.close();
      // Only when they have ended is it known which runs are left to cancel.
      await Promise.allSettled(invocations);
      await Promise.all(cancelling);
      client.close();
    },
  };
}

type RemoteInvocation = {
  readonly run: OpenwopRun;
  readonly parts: OpenwopParts;
  readonly client: JsonClient;
  readonly pace: Pace;
  readonly bound: Bound;
  readonly cancel: (runId: string) => void;
};

/** `<base>/v1/runs`, or a place below one of its runs; the base may have a path of its own. */
function runUrl(baseUrl: string, runId?: string, rest = ''): URL {
  const url = new URL(baseUrl);
  const below = runId === undefined ? '' : `/${encodeURIComponent(runId)}${rest}`;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/runs${below}`;
  return url;
}

async function follow(remoteCall: RemoteInvocation, invocation: Invocation): Promise<Answer> {
  const { bound, cancel } = remoteCall;
  const created = await createRun(remoteCall, invocation);
  if ('kind' in created) return created;
  const { runId } = created;
  const remote = newRemoteRun();
  // When the invocation ends, a run that is still active on the other host is cancelled.
  const cancelUnlessOver = () => {
    if (!remote.isOver) cancel(runId);
  };
  if (bound.signal.aborted) cancelUnlessOver();
  onAbort(bound.signal, cancelUnlessOver);
  const answer = await untilOver(remoteCall, runId, remote);
  return withinSize(answer, remoteCall.parts.maxOutputBytes);
}

async function createRun(
  remoteCall: RemoteInvocation,
  { runId, invocationId, input }: Invocation,
): Promise<{ readonly runId: string } | Answer> {
  const { run, parts, client, bound } = remoteCall;
  const request = {
    url: runUrl(parts.baseUrl),
    body: JSON.stringify({ agentId: run.agentId, inputs: inputsOf(input) }),
    headers: { 'idempotency-key': `${runId}-${invocationId}` },
  };
  let sent = 0;
  const reply = await ask(
    remoteCall,
    async () => {
      sent += 1;
      const result = await client.send({ ...request, signal: bound.signal, maxBytes: SMALL_BYTES });
      return sent > 1 ? stillWorking(result) : result;
    },
    'denied-at-first',
  );
  if (reply.kind !== 'text') return reply;
  const created = parseObject(reply.text)?.runId;
  const isId = typeof created === 'string' && created.length > 0 && created.length <= 128;
  return isId ? { runId: created } : failed(`${WHO} did not say which run it created.`);
}

/** A conflict on a repeated request means that the first one is still being worked on, so it is sent again. */
const stillWorking = (result: HttpResult): HttpResult =>
  result.kind === 'response' && result.status === 409 ? { kind: 'lost', code: 'HTTP 409' } : result;

function inputsOf(input: Body): Json {
  const value = fromBody(input);
  return isObject(value) ? value : { input: value };
}

/** A missing address means a wrong one only for the first request; a run that is missing has been lost. */
async function ask(
  { parts, pace, bound }: RemoteInvocation,
  send: () => Promise<HttpResult>,
  notFound: Access['notFound'] = 'failed',
) {
  const provider = asId<ModelName>(parts.facts.agentId);
  const access = defined({ provider, keyEnv: parts.keyEnv, notFound });
  const reply = await sendWithRetries({ ...parts, who: WHO, access }, pace, bound, send);
  if (reply.kind === 'text') await bound.takeAnswer(reply.text);
  return reply;
}

async function untilOver(remoteCall: RemoteInvocation, runId: string, remote: RemoteRun): Promise<Answer> {
  const { bound, parts } = remoteCall;
  for (;;) {
    const askedAt = parts.clock.elapsed();
    const page = await readPage(remoteCall, runId, remote);
    if ('kind' in page) return page;
    if (remote.answer) return remote.answer;
    if (remote.isOver) return failed(`${WHO} ended the run without a word about how.`);
    if (page.taken > 0 && !remote.mayWait) continue;
    if (await isWaiting(remoteCall, runId))
      return failed('The agent waits for a person, and an evaluation has none.');
    remote.mayWait = false;
    const restMs = SHORTEST_POLL_MS - (parts.clock.elapsed() - askedAt);
    if (page.taken === 0 && restMs > 0) await parts.clock.sleep(restMs, bound.signal);
  }
}

async function readPage(
  remoteCall: RemoteInvocation,
  runId: string,
  remote: RemoteRun,
): Promise<{ readonly taken: number } | Answer> {
  const { parts, bound } = remoteCall;
  const url = runUrl(parts.baseUrl, runId, '/events/poll');
  if (remote.lastSequence !== undefined) url.searchParams.set('lastSequence', String(remote.lastSequence));
  url.searchParams.set('timeout', String(POLL_SECONDS));
  // An answer turns up in several events, beside the question.
  const reply = await get(remoteCall, url, 8 * parts.maxOutputBytes);
  if (reply.kind !== 'text') return reply;
  const page = parseObject(reply.text);
  const events = page && parseEvents(page);
  if (!events) return failed(`${WHO} sent events that cannot be read.`);
  const taken = await foldEvents(remote, events, bound.host);
  remote.isOver ||= page.isComplete === true;
  return { taken };
}

const get = ({ client, bound, ...rest }: RemoteInvocation, url: URL, maxBytes: number) =>
  ask({ client, bound, ...rest }, () => client.send({ url, signal: bound.signal, maxBytes }));

/** A host that does not give the status counts as active; the next poll will show. */
async function isWaiting(remoteCall: RemoteInvocation, runId: string): Promise<boolean> {
  const { parts } = remoteCall;
  const reply = await get(remoteCall, runUrl(parts.baseUrl, runId), 8 * parts.maxOutputBytes);
  const status = reply.kind === 'text' ? parseObject(reply.text)?.status : undefined;
  return typeof status === 'string' && status.startsWith('waiting-');
}

function withinSize(answer: Answer, maxBytes: number): Answer {
  if (!('output' in answer)) return answer;
  const bytes = Buffer.byteLength(JSON.stringify(fromBody(answer.output)));
  return bytes > maxBytes ? failed(`The answer is larger than ${maxBytes} bytes.`) : answer;
}
