import type { ComponentChildren } from 'preact';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';
import { ErrorBox } from '../error-box.js';
import { Needs } from '../needs.js';
import { Skeleton } from '../states.js';

type ListProps<Item> = {
  readonly title: string;
  /** What a key needs to read it; absent when every key may. */
  readonly scope?: string;
  /** What is said when there is none. */
  readonly none: ComponentChildren;
  readonly heads: readonly string[];
  readonly read: (signal: AbortSignal) => Promise<readonly Item[]>;
  readonly cells: (item: Item) => readonly ComponentChildren[];
};

/** A short list of something that the host has. */
function HostList<Item>(props: ListProps<Item>) {
  const { title, scope } = props;
  const id = title.toLowerCase().replaceAll(' ', '-');
  return (
    <section aria-labelledby={id} class="settings-part">
      <h2 id={id}>{title}</h2>
      {scope === undefined ? (
        <Items {...props} />
      ) : (
        <Needs scope={scope}>
          <Items {...props} />
        </Needs>
      )}
    </section>
  );
}

function Items<Item>({ title, none, heads, read, cells }: ListProps<Item>) {
  const { data, error, isLoading, reload } = useQuery(title, read);
  return (
    <>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton rows={2} />}
      {data?.length === 0 && <p class="muted">{none}</p>}
      {data && data.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by the keyboard.
        <section class="table-box" aria-label={`${title}, as a table`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.map((item, row) => (
                <tr key={row}>
                  {cells(item).map((cell, column) => (
                    <td key={column}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

const stateOf = ({ expiresAt, revokedAt }: { readonly expiresAt?: string; readonly revokedAt?: string }) => {
  if (revokedAt !== undefined) return <span class="worse">revoked</span>;
  if (expiresAt === undefined) return 'never';
  return Date.parse(expiresAt) <= Date.now() ? <span class="worse">expired</span> : expiresAt.slice(0, 10);
};

/** Keys by the beginning of their hash, never the keys themselves. */
export const Keys = () => (
  <HostList
    title="Keys"
    scope="keys:read"
    none="No key is listed."
    heads={['Key', 'Principal', 'Roles', 'From', 'Expires']}
    read={(signal) => client.keys.list({ signal }).then(({ items }) => items)}
    cells={(key) => [
      <code key="id">{key.keyId}</code>,
      key.principal,
      key.roles.join(', '),
      key.from === 'config' ? 'configuration' : 'store',
      stateOf(key),
    ]}
  />
);

export const Webhooks = () => (
  <HostList
    title="Webhooks"
    scope="webhooks:manage"
    none="No webhook is registered."
    heads={['Address', 'Events', 'Failures']}
    read={(signal) => client.webhooks.list({ signal }).then(({ items }) => items)}
    cells={({ url, events, failures }) => [
      <code key="url">{url}</code>,
      events.join(', '),
      failures > 0 ? <span class="worse">{failures}</span> : '0',
    ]}
  />
);

export const Tools = () => (
  <HostList
    title="Tools"
    none="No tool is configured."
    heads={['Tool', 'Safety']}
    read={(signal) => client.tools.list({ signal })}
    cells={({ toolId, safetyTier }) => [<code key="id">{String(toolId)}</code>, String(safetyTier ?? '–')]}
  />
);

export const Packs = () => (
  <HostList
    title="Packs"
    scope="runs:read"
    none="No pack is installed."
    heads={['Pack', 'Version', 'Agents', 'Signed by']}
    read={(signal) => client.packs.list({ limit: 200 }, { signal }).then(({ items }) => items)}
    cells={({ name, version, agents, signedBy, revoked }) => [
      <code key="name">{name}</code>,
      revoked ? <span class="worse">{version} revoked</span> : version,
      agents.map(({ agentId }) => agentId).join(', '),
      signedBy ?? 'nobody',
    ]}
  />
);

/** What the host offers: the discovery document, which needs no key. */
export function Capabilities() {
  const { data, error } = useQuery('capabilities', (signal) => client.discovery({ signal }));
  return (
    <section aria-labelledby="capabilities" class="settings-part">
      <h2 id="capabilities">Capabilities</h2>
      {error !== undefined && <ErrorBox error={error} />}
      {data && (
        <>
          <p class="capability-names">
            {namesIn(data).map((name) => (
              <code key={name} class="chip">
                {name}
              </code>
            ))}
          </p>
          <details>
            <summary>The whole document</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by the keyboard. */}
            <pre class="document" tabIndex={0}>
              {JSON.stringify(data, null, 2)}
            </pre>
          </details>
        </>
      )}
    </section>
  );
}

/** What the document says about itself and its sizes is no capability. */
const ABOUT = /Version|^limits$|^implementation$|^supported/;

const namesIn = (document: object): readonly string[] =>
  Object.entries(document)
    .filter(([name]) => !ABOUT.test(name))
    .flatMap(([name, value]) => (name === 'agents' ? partsOf(name, value) : [name]));

const partsOf = (name: string, value: object): readonly string[] =>
  Object.entries(value).flatMap(([part, facts]) => (typeof facts === 'object' ? [`${name}.${part}`] : []));
