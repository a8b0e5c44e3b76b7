import { createHmac } from 'node:crypto';
import type { RunId } from '@touchstone/protocol';
import { createRequester, type Guard, type Requester } from '../../net/index.js';
import type { Clock, Webhook } from '../../ports/index.js';

/** One event on its way. The body is written once for all webhooks of an owner, and signed for each. */
export type Message = {
  readonly runId: RunId;
  readonly sequence: number;
  readonly type: string;
  readonly body: string;
};

export type Delivery =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly why: 'timeout' | 'lost' | 'refused' | 'unreadable' }
  | { readonly kind: 'failed'; readonly why: 'status'; readonly status: number };

export type Sender = {
  /** One attempt. Whatever has no status of 2xx in time is a failure, redirects included: they are not followed. */
  send(message: Message, stopped: AbortSignal): Promise<Delivery>;
  /** Ends the connection; the next message opens another one. */
  close(): void;
};

type SenderParts = {
  readonly guard: Guard;
  readonly clock: Clock;
  readonly version: string;
};

const TIMEOUT_MS = 5_000;

export function createSender(parts: SenderParts, webhook: Webhook): Sender {
  const { guard, clock, version } = parts;
  const url = new URL(webhook.url);
  const target = { url: webhook.url, headers: { 'user-agent': `openwop-webhook-dispatcher/${version}` } };
  let requester: Requester | undefined;

  // A connection goes to an address that was checked when it was opened. It is kept while there is more to send and not
  // longer, so a name that points elsewhere by then is looked up and checked again.
  const close = (): void => {
    requester?.close();
    requester = undefined;
  };
  const post = async (message: Message, signal: AbortSignal): Promise<Delivery> => {
    requester ??= createRequester(target, guard);
    const result = await requester.send({
      url,
      method: 'POST',
      body: message.body,
      headers: headersOf(webhook, message, Math.floor(clock.now() / 1_000)),
      signal,
      statusOnly: true,
    });
    if (result.kind !== 'response') return { kind: 'failed', why: result.kind };
    const { status } = result;
    return status >= 200 && status < 300 ? { kind: 'delivered' } : { kind: 'failed', why: 'status', status };
  };
  return {
    async send(message, stopped) {
      const delivery = await inTime(clock, stopped, (signal) => post(message, signal));
      if (delivery.kind === 'failed') close();
      return delivery;
    },
    close,
  };
}

const headersOf = ({ webhookId, secret }: Webhook, { type, body }: Message, timestamp: number) => ({
  'X-openwop-Webhook-Id': webhookId,
  'X-openwop-Event-Type': type,
  'X-openwop-Timestamp': String(timestamp),
  'X-openwop-Signature': `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
  'X-openwop-Signature-Algorithm': 'v1',
});

async function inTime(
  clock: Clock,
  stopped: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<Delivery>,
): Promise<Delivery> {
  const given = new AbortController();
  // Apart from the one above: aborting that would tear a connection whose answer has just been read.
  const timer = new AbortController();
  const giveUp = (): void => given.abort();
  stopped.addEventListener('abort', giveUp);
  if (stopped.aborted) giveUp();
  clock.sleep(TIMEOUT_MS, timer.signal).then(giveUp, () => undefined);
  try {
    return await attempt(given.signal);
  } catch (error) {
    if (!given.signal.aborted) throw error;
    return { kind: 'failed', why: 'timeout' };
  } finally {
    timer.abort();
    stopped.removeEventListener('abort', giveUp);
  }
}
