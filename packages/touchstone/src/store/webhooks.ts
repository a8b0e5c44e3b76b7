import type { Owner } from '@touchstone/protocol';
import type { Webhook, Webhooks } from '../ports/index.js';
import type { Db, SqlValue } from './db.js';
import { jsonOrNull, toWebhook } from './rows.js';

const ADD = `INSERT INTO webhooks
    (tenant, workspace, webhook_id, url, events, tags, secret, principal, created_at, failures, open_until)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const REMOVE = 'DELETE FROM webhooks WHERE tenant = ? AND workspace = ? AND webhook_id = ?';
const LIST = `SELECT webhook_id, url, events, tags, secret, principal, created_at, failures, open_until FROM webhooks
  WHERE tenant = ? AND workspace = ? ORDER BY created_at, webhook_no`;
const NOTE = `UPDATE webhooks SET failures = ?, open_until = ?
  WHERE tenant = ? AND workspace = ? AND webhook_id = ?`;

export function createWebhooks(db: Db): Webhooks {
  return {
    async add(owner, webhook) {
      await db.transaction([{ sql: ADD, params: webhookParams(owner, webhook) }]);
    },
    async remove(owner, webhookId) {
      const params = [owner.tenant, owner.workspace, webhookId];
      const [outcome] = await db.transaction([{ sql: REMOVE, params }]);
      return outcome?.changes === 1;
    },
    async list(owner) {
      return (await db.all(LIST, [owner.tenant, owner.workspace])).map(toWebhook);
    },
    async note(owner, webhookId, { failures, openUntil }) {
      const params = [failures, openUntil ?? null, owner.tenant, owner.workspace, webhookId];
      await db.transaction([{ sql: NOTE, params }]);
    },
  };
}

const webhookParams = (owner: Owner, webhook: Webhook): readonly SqlValue[] => [
  owner.tenant,
  owner.workspace,
  webhook.webhookId,
  JSON.stringify(webhook.url),
  JSON.stringify(webhook.events),
  jsonOrNull(webhook.tags),
  webhook.secret,
  webhook.principal,
  webhook.createdAt,
  webhook.failures,
  webhook.openUntil ?? null,
];
