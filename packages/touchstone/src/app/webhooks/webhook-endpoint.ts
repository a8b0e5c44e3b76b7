import { createHmac } from 'node:crypto';
import { asId, type Id, type RunId } from '@touchstone/protocol';
import { createJsonClient, type Guard, type JsonClient, TIMED_OUT, withinTime } from '../../net/index.js';
import type { Clock, Log, Webhook } from '../../ports/index.js';
import type { SharedBytes } from '../held-bytes.js';

/** One event to send. The body is written once for all webhooks of an owner, and signed for each. */
export type WebhookMessage = {
  readonly runId: RunId;
  readonly sequence: number;
  readonly type: string;
  readonly body: string;
};

/** One webhook and the messages that wait for it; they are sent one after the other. Endpoints do not wait for each other. */
export type Endpoint = {
  /** Whether events of a run with these tags are subscribed to, and would be sent now. */
  isOpenTo(tags: readonly string[]): boolean;
  wants(type: string): boolean;
  offer(message: WebhookMessage): void;
  /** Abandons the delivery under way and what waits. Resolves when both have ended. */
  close(): Promise<void>;
};

type EndpointParts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly guard: Guard;
  readonly version: string;
};

export function createEndpoint(
  webhook: Webhook,
  parts: EndpointParts,
  /** What the endpoints of a tenant hold in common. */
  shared: SharedBytes<WebhookMessage>,
  /** Stores the health, so that it survives a restart. */
  saveHealth: (health: EndpointHealth) => Promise<void>,
): Endpoint {
  const { clock, log, guard, version } = parts;
  const webhookId = asId<Id<'webhook'>>(webhook.webhookId);
  // A connection goes to an address that was checked when it was opened. It is closed when the queue is empty, so that
  // a name that has moved since is resolved and checked again.
  const client = createJsonClient({ 'user-agent': `openwop-webhook-dispatcher/${version}` }, guard);
  const closing = new AbortController();
  const queue = createQueue(shared);
  const health = createHealth(webhook, parts, saveHealth);
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (let message = queue.take(); message; message = queue.take()) {
      await deliver(message);
      shared.release(message);
    }
    client.close();
    const events = queue.takeDropped();
    if (events > 0) log.warn('webhook.dropped', { webhookId, events });
    working = undefined;
  }

  async function deliver(message: WebhookMessage): Promise<void> {
    try {
      const attempt = (signal: AbortSignal) => send(client, webhook, message, clock.now(), signal);
      const result = await withinTime(clock, TIMEOUT_MS, attempt, closing.signal);
      const failure: DeliveryFailure | undefined = result === TIMED_OUT ? { why: 'timeout' } : result;
      if (failure) {
        client.close();
        logFailure(message, failure);
      }
      await health.update(failure === undefined, queue.clear);
    } catch (error) {
      // A delivery that this host abandoned says nothing about the receiver.
      if (!closing.signal.aborted) log.error('webhook.failed', { webhookId }, error);
    }
  }

  function logFailure({ runId, sequence }: WebhookMessage, { why, ...status }: DeliveryFailure): void {
    log.warn('webhook.undelivered', { webhookId, runId, sequence, why: asId<Id<'failure'>>(why), ...status });
  }

  return {
    isOpenTo: (tags) => !health.isResting() && (webhook.tags?.some((tag) => tags.includes(tag)) ?? true),
    wants: (type) => webhook.events.includes(type),
    offer(message) {
      if (closing.signal.aborted || health.isResting()) return;
      queue.put(message);
      working ??= work();
    },
    async close() {
      closing.abort();
      queue.clear();
      await working;
    },
  };
}

// ------------------------------------------------------------------------------------------------------------ health

/**
 * After the fourth failure in a row an endpoint rests: nothing is sent for an hour. The first event after that is a trial.
 * If it arrives, the endpoint is healthy; if not, it rests for another hour. The trial needs no state: the failures still
 * count until something arrives.
 */
export type EndpointHealth = Pick<Webhook, 'failures' | 'openUntil'>;

const FAILURES_TO_REST = 4;
const REST_MS = 3_600_000;

export const isResting = ({ openUntil }: EndpointHealth, now: number): boolean =>
  openUntil !== undefined && now < openUntil;

export function healthAfter({ failures }: EndpointHealth, isDelivered: boolean, now: number): EndpointHealth {
  if (isDelivered) return { failures: 0 };
  const inARow = failures + 1;
  return inARow < FAILURES_TO_REST ? { failures: inARow } : { failures: inARow, openUntil: now + REST_MS };
}

function createHealth(
  webhook: Webhook,
  { clock, log }: Pick<EndpointParts, 'clock' | 'log'>,
  save: (health: EndpointHealth) => Promise<void>,
) {
  const webhookId = asId<Id<'webhook'>>(webhook.webhookId);
  let health: EndpointHealth = webhook;
  return {
    isResting: (): boolean => isResting(health, clock.now()),
    /** What still waits is cleared when the endpoint begins to rest. */
    async update(isDelivered: boolean, clear: () => number): Promise<void> {
      if (isDelivered && health.failures === 0) return;
      const wasResting = health.openUntil !== undefined;
      health = healthAfter(health, isDelivered, clock.now());
      if (health.openUntil !== undefined)
        log.warn('webhook.opened', { webhookId, failures: health.failures, unsent: clear() });
      else if (wasResting) log.info('webhook.closed', { webhookId });
      // Without it, the endpoint would only be tried too early after a restart.
      await save(health).catch((error) => log.error('webhook.notNoted', { webhookId }, error));
    },
  };
}

// ------------------------------------------------------------------------------------------------------------- queue

const MAX_WAITING = 1_000;
/** Events can hold long answers, so their size is limited too. */
const MAX_WAITING_CHARS = 16 * 1024 * 1024;

/** Past its limits the oldest messages are dropped: the newest ones say most about the state of a run. */
export function createQueue(shared: SharedBytes<WebhookMessage>) {
  const waiting: WebhookMessage[] = [];
  let chars = 0;
  let dropped = 0;

  function drop(): void {
    const message = take();
    if (!message) return;
    shared.release(message);
    dropped += 1;
  }

  function take(): WebhookMessage | undefined {
    const message = waiting.shift();
    chars -= message?.body.length ?? 0;
    return message;
  }
  const isTooLong = (): boolean =>
    waiting.length > MAX_WAITING || (chars > MAX_WAITING_CHARS && waiting.length > 1);

  return {
    put(message: WebhookMessage): void {
      while (!shared.hold(message)) {
        if (waiting.length === 0) {
          dropped += 1;
          return;
        }
        drop();
      }
      waiting.push(message);
      chars += message.body.length;
      while (isTooLong()) drop();
    },
    /** The caller releases it when it is done with it. */
    take,
    /** Returns how many messages were waiting. */
    clear(): number {
      chars = 0;
      const messages = waiting.splice(0);
      for (const message of messages) shared.release(message);
      return messages.length;
    },
    /** How many messages were dropped since the last call. */
    takeDropped(): number {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}

// ---------------------------------------------------------------------------------------------------------- delivery

type DeliveryFailure = {
  readonly why: 'timeout' | 'lost' | 'refused' | 'unreadable' | 'status';
  readonly status?: number;
};

const TIMEOUT_MS = 5_000;

/** One attempt. Everything but a status of 2xx is a failure, redirects included. */
async function send(
  client: JsonClient,
  webhook: Webhook,
  message: WebhookMessage,
  now: number,
  signal: AbortSignal,
): Promise<DeliveryFailure | undefined> {
  const headers = headersOf(webhook, message, Math.floor(now / 1_000));
  const request = { url: new URL(webhook.url), body: message.body, headers, signal };
  const result = await client.send({ ...request, statusOnly: true });
  if (result.kind !== 'response') return { why: result.kind };
  const { status } = result;
  return status >= 200 && status < 300 ? undefined : { why: 'status', status };
}

const headersOf = ({ webhookId, secret }: Webhook, { type, body }: WebhookMessage, timestamp: number) => ({
  'X-openwop-Webhook-Id': webhookId,
  'X-openwop-Event-Type': type,
  'X-openwop-Timestamp': String(timestamp),
  'X-openwop-Signature': `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
  'X-openwop-Signature-Algorithm': 'v1',
});
