import { Fragment } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { hasShortcuts } from '../appearance.js';
import { keysInUse } from '../keys.js';
import { KEYS, type KeyGroup } from './key-table.js';

const NAMES: { readonly [group in KeyGroup]: string } = {
  everywhere: 'Everywhere',
  list: 'Lists',
  task: 'Task',
  review: 'Review',
};

/** As they stand on keyboards. */
const SIGNS: { readonly [key: string]: string } = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  PageDown: 'PgDn',
  PageUp: 'PgUp',
  Escape: 'Esc',
};

/** The keys of a group that work now, those that do the same together. */
function linesOf(group: KeyGroup): readonly (readonly [does: string, keys: readonly string[]])[] {
  const inUse = keysInUse(group);
  const lines = new Map<string, readonly string[]>();
  for (const [key, does] of Object.entries(KEYS[group]))
    if (inUse.has(key)) lines.set(does, [...(lines.get(does) ?? []), key]);
  return [...lines];
}

const signsOf = (key: string): readonly string[] => key.split(/[ +]/).map((part) => SIGNS[part] ?? part);

/** The keys that work on this page at this moment. */
export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const [groups] = useState(() =>
    (Object.keys(KEYS) as KeyGroup[])
      .map((group) => [group, linesOf(group)] as const)
      .filter(([, lines]) => lines.length > 0),
  );
  return (
    <dialog
      ref={dialog}
      class="keys-help"
      aria-labelledby="keys-title"
      data-testid="keys-help"
      onClose={onClose}
    >
      <div class="panel-head">
        <h2 id="keys-title">Keys</h2>
        <button type="button" class="quiet" title="Esc" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      {!hasShortcuts() && <p class="note">Keys of one character are switched off in Settings.</p>}
      <div class="key-groups">
        {groups.map(([group, lines]) => (
          <section key={group}>
            <h3>{NAMES[group]}</h3>
            <dl>
              {lines.map(([does, keys]) => (
                <Fragment key={does}>
                  <dt>
                    {keys.flatMap(signsOf).map((sign) => (
                      <kbd key={sign}>{sign}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
