import { isObject, type Json } from '@touchstone/protocol';
import { type Body, fromBody } from '@touchstone/protocol/bodies';
import type { Guard, Pace, PaceOf } from '../../../net/index.js';
import { createRequester, onAbort, type PostResult, type Requester } from '../../../net/index.js';
import type {
  Agent,
  AgentFacts,
  AgentHost,
  Answer,
  Clock,
  Invocation,
  Random,
} from '../../../ports/index.js';
import { DEFAULT_TIMEOUT_MS, type OpenwopRun } from '../../spec/run-spec.js';
import { withinTime } from '../../tools/tool-time.js';
import { failed } from '../answers.js';
import { type Bound, createBounds } from '../bounds.js';
import { persist } from '../requests.js';
import type { RetryLimits } from '../retry.js';
import { foldEvents, newRemoteRun, parseEvents, parseObject, type RemoteRun } from './remote-run.js';

export type OpenwopParts = {
  readonly facts: AgentFacts;
  readonly clock: Clock;
  readonly random: Random;
  readonly paceOf: PaceOf;
  readonly retries: RetryLimits;
  readonly maxOutputBytes: number;
  readonly baseUrl: string;
  readonly credential?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly guard?: Guard;
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
  const requester = createRequester({ url: baseUrl, headers }, parts.guard);
  const pace = parts.paceOf(new URL(baseUrl).origin);
  const bounds = createBounds(clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const invocations = new Set<Promise<Answer>>();
  const cancelling = new Set<Promise<unknown>>();

  function cancel(runId: string): void {
    const request = { url: placeOf(baseUrl, runId, '/cancel'), method: 'POST', body: '{}' } as const;
    const sent: Promise<unknown> = withinTime(clock, CANCEL_MS, never, (signal) =>
      requester.send({ ...request, signal, maxBytes: SMALL_BYTES }),
    )
      .catch(() => undefined)
      .finally(() => cancelling.delete(sent));
    cancelling.add(sent);
  }

  async function invoke(invocation: Invocation, host: AgentHost): Promise<Answer> {
    const answer = bounds.run(host, (bound) =>
      follow({ run, parts, requester, pace, bound, cancel }, invocation),
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
      requester.close();
    },
  };
}

const never = new AbortController().signal;

type Following = {
  readonly run: OpenwopRun;
  readonly parts: OpenwopParts;
  readonly requester: Requester;
  readonly pace: Pace;
  readonly bound: Bound;
  readonly cancel: (runId: string) => void;
};

/** `<base>/v1/runs`, or a place below one of its runs; the base may have a path of its own. */
function placeOf(baseUrl: string, runId?: string, rest = ''): URL {
  const url = new URL(baseUrl);
  const below = runId === undefined ? '' : `/${encodeURIComponent(runId)}${rest}`;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/runs${below}`;
  return url;
}

async function follow(following: Following, invocation: Invocation): Promise<Answer> {
  const { bound, cancel } = following;
  const created = await createRun(following, invocation);
  if ('kind' in created) return created;
  const { runId } = created;
  const remote = newRemoteRun();
  // However the invocation ends, a run that is still going over there has nobody left to work for.
  const cancelUnlessOver = () => {
    if (!remote.isOver) cancel(runId);
  };
  if (bound.signal.aborted) cancelUnlessOver();
  onAbort(bound.signal, cancelUnlessOver);
  const answer = await untilOver(following, runId, remote);
  return withinSize(answer, following.parts.maxOutputBytes);
}

async function createRun(
  following: Following,
  { runId, invocationId, input }: Invocation,
): Promise<{ readonly runId: string } | Answer> {
  const { run, parts, requester, bound } = following;
  const request = {
    url: placeOf(parts.baseUrl),
    method: 'POST',
    body: JSON.stringify({ agentId: run.agentId, inputs: inputsOf(input) }),
    headers: { 'idempotency-key': `${runId}-${invocationId}` },
  } as const;
  let sent = 0;
  const reply = await ask(following, async () => {
    sent += 1;
    const result = await requester.send({ ...request, signal: bound.signal, maxBytes: SMALL_BYTES });
    return sent > 1 ? stillWorking(result) : result;
  });
  if (reply.kind !== 'text') return reply;
  const created = parseObject(reply.text)?.runId;
  const isId = typeof created === 'string' && created.length > 0 && created.length <= 128;
  return isId ? { runId: created } : failed(`${WHO} did not say which run it created.`);
}

/** A conflict on a repeated request is our own first one, still being worked on: it is asked again, not given up. */
const stillWorking = (result: PostResult): PostResult =>
  result.kind === 'response' && result.status === 409 ? { kind: 'lost', code: 'HTTP 409' } : result;

function inputsOf(input: Body): Json {
  const value = fromBody(input);
  return isObject(value) ? value : { input: value };
}

const ask = (following: Following, send: () => Promise<PostResult>) =>
  persist({ ...following.parts, who: WHO }, following.pace, following.bound, send);

async function untilOver(following: Following, runId: string, remote: RemoteRun): Promise<Answer> {
  const { bound, parts } = following;
  for (;;) {
    const askedAt = parts.clock.elapsed();
    const page = await readPage(following, runId, remote);
    if ('kind' in page) return page;
    if (remote.answer) return remote.answer;
    if (remote.isOver) return failed(`${WHO} ended the run without a word about how.`);
    if (page.taken > 0 && !remote.mayWait) continue;
    if (await isWaiting(following, runId)) return failed('The agent asks for a person, and nobody is there.');
    remote.mayWait = false;
    const restMs = SHORTEST_POLL_MS - (parts.clock.elapsed() - askedAt);
    if (page.taken === 0 && restMs > 0) await parts.clock.sleep(restMs, bound.signal);
  }
}

async function readPage(
  following: Following,
  runId: string,
  remote: RemoteRun,
): Promise<{ readonly taken: number } | Answer> {
  const { parts, bound } = following;
  const url = placeOf(parts.baseUrl, runId, '/events/poll');
  if (remote.lastSequence !== undefined) url.searchParams.set('lastSequence', String(remote.lastSequence));
  url.searchParams.set('timeout', String(POLL_SECONDS));
  // An answer turns up in several events, beside the question.
  const reply = await get(following, url, 8 * parts.maxOutputBytes);
  if (reply.kind !== 'text') return reply;
  const page = parseObject(reply.text);
  const events = page && parseEvents(page);
  if (!events) return failed(`${WHO} sent events that cannot be read.`);
  const taken = await foldEvents(remote, events, bound.host);
  remote.isOver ||= page.isComplete === true;
  return { taken };
}

const get = ({ requester, bound, ...rest }: Following, url: URL, maxBytes: number) =>
  ask({ requester, bound, ...rest }, () =>
    requester.send({ url, method: 'GET', signal: bound.signal, maxBytes }),
  );

/** A host that does not say is taken to be at work; the next poll will show. */
async function isWaiting(following: Following, runId: string): Promise<boolean> {
  const { parts } = following;
  const reply = await get(following, placeOf(parts.baseUrl, runId), 8 * parts.maxOutputBytes);
  const status = reply.kind === 'text' ? parseObject(reply.text)?.status : undefined;
  return typeof status === 'string' && status.startsWith('waiting-');
}

function withinSize(answer: Answer, maxBytes: number): Answer {
  if (!('output' in answer)) return answer;
  const bytes = Buffer.byteLength(JSON.stringify(fromBody(answer.output)));
  return bytes > maxBytes ? failed(`The answer is larger than ${maxBytes} bytes.`) : answer;
}
