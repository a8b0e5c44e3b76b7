import type { Owner } from '@touchstone/protocol';

/** An endpoint that events are sent to. The secret signs what is sent, so it is stored in clear. */
export type Webhook = {
  readonly webhookId: string;
  readonly url: string;
  readonly events: readonly string[];
  /** Only runs that bear one of these; absent for all runs. */
  readonly tags?: readonly string[];
  readonly secret: string;
  readonly principal: string;
  readonly createdAt: number;
  /** Deliveries that failed in a row. */
  readonly failures: number;
  /** Nothing is sent before this moment. */
  readonly openUntil?: number;
};

export type Webhooks = {
  add(owner: Owner, webhook: Webhook): Promise<void>;
  /** False when there is none of this id. */
  remove(owner: Owner, webhookId: string): Promise<boolean>;
  /** Oldest first. */
  list(owner: Owner): Promise<readonly Webhook[]>;
  /** What is remembered of the last deliveries; does nothing when the webhook is gone. */
  note(owner: Owner, webhookId: string, health: Pick<Webhook, 'failures' | 'openUntil'>): Promise<void>;
};
