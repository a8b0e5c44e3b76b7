import type { AuditEntry } from '@touchstone/sdk';
import { plural } from '@touchstone/sdk/view';
import { useEffect, useState } from 'preact/hooks';
import { type Address, navigate, useAddress, withQuery } from '../address.js';
import { ErrorBox } from '../parts/error-box.js';
import { Glyph } from '../parts/glyphs.js';
import { type Column, Grid } from '../parts/grid/grid.js';
import { Needs } from '../parts/needs.js';
import { CopyButton, Empty, Skeleton } from '../parts/states.js';
import { When } from '../parts/when.js';
import { type AuditFilter, useAudit } from '../queries/use-audit.js';
import { useQuery } from '../queries/use-query.js';
import { client } from '../source.js';
import '../styles/audit.css';

const runHref = ({ runId, action }: AuditEntry): string | undefined => {
  if (runId === undefined) return undefined;
  const isMove = action.startsWith('deploy:') || action === 'approvals:respond';
  return `/${isMove ? 'approvals' : 'runs'}/${encodeURIComponent(runId)}`;
};

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    id: 'allowed',
    name: 'Allowed',
    cell: ({ allowed }) => (
      <>
        <Glyph outcome={allowed ? 'passed' : 'failed'} />
        <span class="unseen">{allowed ? 'allowed' : 'refused'}</span>
      </>
    ),
  },
  { id: 'seq', name: 'No.', isNumber: true, cell: ({ seq }) => seq },
  { id: 'audit-when', name: 'When', cell: ({ at }) => <When at={at} /> },
  { id: 'principal', name: 'Who', cell: ({ principal }) => principal },
  { id: 'action', name: 'Action', cell: ({ action }) => <code>{action}</code> },
  {
    id: 'resource',
    name: 'About',
    cell: (entry) => {
      const href = runHref(entry);
      return href === undefined ? entry.resource : <a href={href}>{entry.resource}</a>;
    },
  },
  { id: 'reason', name: 'Why', cell: ({ reason }) => reason },
];

const filterOf = (query: URLSearchParams): AuditFilter => {
  const [runId, agentId] = [query.get('runId'), query.get('agentId')];
  return { ...(runId && { runId }), ...(agentId && { agentId }) };
};

/** Who asked for what, and was let or not; the newest first. */
export function AuditPage() {
  useEffect(() => {
    document.title = 'Audit · Touchstone';
  }, []);
  return (
    <>
      <h1>Audit</h1>
      <p class="muted">
        Who asked for what, and was let or not. Every record holds the digest of the one before, so none can
        be changed, moved or removed unnoticed.
      </p>
      <Needs scope="audit:read">
        <Records />
      </Needs>
    </>
  );
}

function Records() {
  const address = useAddress();
  const { items, error, isLoading, more, reload } = useAudit(filterOf(address.query));
  const [active, setActive] = useState(0);
  const open = (index: number): void => {
    const href = items[index] && runHref(items[index]);
    if (href !== undefined) navigate(href);
  };
  return (
    <>
      {error === undefined && <Chain />}
      <Filters address={address} />
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton />}
      {!isLoading && error === undefined && items.length === 0 && (
        <Empty command="touchstone audit list">Nothing is recorded here. The same at the command line:</Empty>
      )}
      {items.length > 0 && (
        <Grid
          label="Audit"
          name="audit"
          count={items.length}
          columns={COLUMNS}
          rowAt={(index) => items[index]}
          onSight={(_, to) => to >= items.length && more()}
          active={active}
          onMove={setActive}
          onOpen={open}
          rowProps={({ seq, allowed }) => ({ 'data-seq': seq, 'data-allowed': String(allowed) })}
        />
      )}
    </>
  );
}

/** Whether the chain holds, and its head: whoever keeps that elsewhere notices when the end is cut off. */
function Chain() {
  const { data, error } = useQuery('audit chain', (signal) => client.audit.verify({ signal }));
  if (error !== undefined) return <ErrorBox error={error} />;
  if (!data) return <p class="chain muted">The chain is being checked.</p>;
  const { valid, records, head, trouble } = data;
  return (
    <p class={valid ? 'chain' : 'chain broken'} data-testid="audit-chain" data-valid={valid}>
      <Glyph outcome={valid ? 'passed' : 'failed'} />
      <span class="strong">
        {valid
          ? `The chain of ${plural(records, 'record')} holds.`
          : `The chain is broken at record ${trouble?.seq}.`}
      </span>
      <span class="chain-head">
        head <code>{head}</code>
      </span>
      <CopyButton text={head} label="Copy head" />
    </p>
  );
}

const NAMES = { runId: 'run', agentId: 'agent' } as const;

const Filters = ({ address }: { readonly address: Address }) => (
  <div class="audit-filters">
    {(Object.keys(NAMES) as (keyof typeof NAMES)[]).map((name) => {
      const value = address.query.get(name);
      return value ? (
        <a key={name} class="button" href={withQuery(address, { [name]: undefined })}>
          {NAMES[name]} {value} <span aria-hidden="true">✕</span>
          <span class="unseen">: show all</span>
        </a>
      ) : null;
    })}
  </div>
);
