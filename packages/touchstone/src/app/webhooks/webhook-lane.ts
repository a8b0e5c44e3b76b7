import { asId, type Id } from '@touchstone/protocol';
import type { Clock, Log, Webhook } from '../../ports/index.js';
import { type Health, healthAfter, isOpen } from './webhook-circuit.js';
import { createQueue } from './webhook-queue.js';
import type { Delivery, Message, Sender } from './webhook-sender.js';

/** What waits to be sent to one webhook, one after the other. Lanes know nothing of each other. */
export type Lane = {
  /** Whether events of a run with these tags are wanted, and would be sent just now. */
  isOpenTo(tags: readonly string[]): boolean;
  wants(type: string): boolean;
  offer(message: Message): void;
  /** Gives up what is under way and what waits. Resolves when nothing of it is left. */
  close(): Promise<void>;
};

type LaneParts = {
  readonly clock: Clock;
  readonly log: Log;
  /** Remembers the health across restarts. */
  readonly note: (health: Health) => Promise<void>;
  readonly sender: Sender;
};

export function createLane(webhook: Webhook, { clock, log, note, sender }: LaneParts): Lane {
  const webhookId = asId<Id<'webhook'>>(webhook.webhookId);
  const types = new Set(webhook.events);
  const closing = new AbortController();
  const queue = createQueue();
  let health: Health = webhook;
  let working: Promise<void> | undefined;

  const reportDropped = (): void => {
    const events = queue.takeDropped();
    if (events > 0) log.warn('webhook.dropped', { webhookId, events });
  };

  const settle = async (message: Message, delivery: Delivery): Promise<void> => {
    const isDelivered = delivery.kind === 'delivered';
    if (!isDelivered) logFailure(log, webhookId, message, delivery);
    if (isDelivered && health.failures === 0) return;
    const wasOpened = health.openUntil !== undefined;
    health = healthAfter(health, isDelivered, clock.now());
    if (health.openUntil !== undefined)
      log.warn('webhook.opened', { webhookId, failures: health.failures, unsent: queue.clear() });
    else if (wasOpened) log.info('webhook.closed', { webhookId });
    // Without the note a restart would only be kinder to the webhook than it should be.
    await note(health).catch((error) => log.error('webhook.notNoted', { webhookId }, error));
  };

  const work = async (): Promise<void> => {
    for (let message = queue.take(); message; message = queue.take()) {
      const delivery = await sender.send(message, closing.signal);
      // An attempt that was given up here says nothing about the other side.
      if (closing.signal.aborted) return;
      await settle(message, delivery);
    }
  };
  const workNow = (): void => {
    working ??= work()
      .catch((error) => log.error('webhook.failed', { webhookId }, error))
      .finally(() => {
        sender.close();
        reportDropped();
        working = undefined;
        // Something may have come between the last look and here.
        if (queue.size > 0 && !closing.signal.aborted) workNow();
      });
  };

  return {
    isOpenTo: (tags) =>
      !isOpen(health, clock.now()) && (webhook.tags?.some((tag) => tags.includes(tag)) ?? true),
    wants: (type) => types.has(type),
    offer(message) {
      if (closing.signal.aborted || isOpen(health, clock.now())) return;
      queue.put(message);
      workNow();
    },
    async close() {
      closing.abort();
      queue.clear();
      await working;
    },
  };
}

const logFailure = (
  log: Log,
  webhookId: Id<'webhook'>,
  { runId, sequence }: Message,
  delivery: Delivery & { readonly kind: 'failed' },
): void =>
  log.warn('webhook.undelivered', {
    webhookId,
    runId,
    sequence,
    why: asId<Id<'trouble'>>(delivery.why),
    ...(delivery.why === 'status' && { status: delivery.status }),
  });
