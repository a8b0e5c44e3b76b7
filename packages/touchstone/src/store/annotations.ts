import { HostError, type Owner, type RunId } from '@touchstone/protocol';
import type { Annotation, Annotations, LabelFilter } from '../ports/index.js';
import { auditStatement } from './audit.js';
import { type Db, GuardFailed, type SqlValue } from './db.js';
import { createListeners } from './log/watchers.js';
import type { Peers } from './peers.js';
import { jsonOrNull, textAt, toAnnotation } from './rows.js';

/** Writes no row when the run is not this owner's. */
const ADD = `INSERT INTO annotations
    (run_no, annotation_id, target, signal, note, principal, at, score_override)
  SELECT run_no, ?, ?, ?, ?, ?, ?, ? FROM runs WHERE run_id = ? AND tenant = ? AND workspace = ?`;
const COLUMNS = `u.run_id, a.annotation_id, a.target, a.signal, a.note, a.principal, a.at, a.score_override
  FROM runs u JOIN annotations a ON a.run_no = u.run_no`;
const READ = `SELECT ${COLUMNS}`;
const LIST = `${READ}
  WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ? ORDER BY a.at, a.annotation_no`;

const ONE = `SELECT u.tenant, u.workspace, ${COLUMNS} WHERE u.run_id = ? AND a.annotation_id = ?`;

export function createAnnotations(db: Db, peers: Peers): Annotations {
  const listeners = createListeners<Annotation>();
  peers.listen('annotation', async (runId, annotationId) => {
    if (listeners.size === 0) return;
    const [row] = await db.all(ONE, [runId, annotationId]).catch(() => []);
    if (!row) return;
    const owner = { tenant: textAt(row, 'tenant'), workspace: textAt(row, 'workspace') };
    listeners.notify(topicOf(owner, runId), () => toAnnotation(row));
  });
  return {
    async add(owner, annotation, audit) {
      const params = [...annotationParams(annotation), ...runKey(owner, annotation.runId)];
      const audited = audit ? [auditStatement(db.dialect, owner, audit)] : [];
      await db.transaction([{ sql: ADD, params, guard: true }, ...audited]).catch((error) => {
        if (error instanceof GuardFailed) throw new HostError('not_found', 'There is no such run.');
        throw error;
      });
      listeners.notify(topicOf(owner, annotation.runId), () => annotation);
      peers.notify('annotation', annotation.runId, annotation.annotationId);
    },
    async list(owner, runId) {
      return (await db.all(LIST, runKey(owner, runId))).map(toAnnotation);
    },
    async labelled(owner, beginning, filter = {}) {
      const { sql, params } = labelledQuery(db, owner, beginning, filter);
      const found = (await db.all(sql, params)).map(toAnnotation);
      return found.filter(({ signal }) => signal.label?.startsWith(beginning));
    },
    watch: (owner, runId, listener) => listeners.add(topicOf(owner, runId), listener),
  };
}

/** The text of the signal is looked at in the store, so that other annotations are not read. */
function labelledQuery(
  { dialect }: Db,
  { tenant, workspace }: Owner,
  beginning: string,
  { suiteId, runId, since }: LabelFilter,
): { readonly sql: string; readonly params: readonly SqlValue[] } {
  const start = JSON.stringify({ label: beginning }).slice(1, -2);
  const conditions: readonly (readonly [string, SqlValue | undefined])[] = [
    ['u.tenant = ?', tenant],
    ['u.workspace = ?', workspace],
    [`${dialect.placeOf}(a.signal, ?) > 0`, start],
    ['u.suite_id = ?', suiteId],
    ['u.run_id = ?', runId],
    ['a.at >= ?', since],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  return {
    sql: `${READ} WHERE ${given.map(([condition]) => condition).join(' AND ')} ORDER BY a.at, a.annotation_no`,
    params: given.map(([, value]) => value as SqlValue),
  };
}

const runKey = (owner: Owner, runId: RunId) => [runId, owner.tenant, owner.workspace];
const topicOf = (owner: Owner, runId: RunId): string => JSON.stringify(runKey(owner, runId));

const annotationParams = (annotation: Annotation): readonly SqlValue[] => [
  annotation.annotationId,
  JSON.stringify({ eventId: annotation.eventId, nodeId: annotation.nodeId }),
  JSON.stringify(annotation.signal),
  jsonOrNull(annotation.note),
  annotation.by,
  annotation.at,
  jsonOrNull(annotation.override),
];
