import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { hasShortcuts } from '../appearance.js';

type KeyLine = readonly [keys: string, does: string];

/** What every key does. A key that does nothing yet is not listed. */
const GROUPS: readonly (readonly [name: string, lines: readonly KeyLine[]])[] = [
  [
    'Everywhere',
    [
      ['?', 'this list'],
      ['Ctrl+K', 'go to a run, suite, agent or task, or do something'],
      ['g r', 'runs'],
      ['g s', 'suites'],
      ['g a', 'agents'],
      ['g v', 'review'],
      ['g p', 'approvals'],
      ['g j', 'judges'],
      ['/', 'find tasks by id'],
      ['t', 'next theme'],
      ['Esc', 'close the topmost thing'],
    ],
  ],
  [
    'Lists',
    [
      ['j k ↓ ↑', 'next, previous row'],
      ['PgDn PgUp Home End', 'move far'],
      ['Enter', 'open in the panel'],
      ['Ctrl+Enter', 'open as a page'],
      ['c', 'mark a run for comparing'],
      ['C', 'compare the marked runs'],
    ],
  ],
  [
    'Review',
    [
      ['1 – 9', 'choose a criterion'],
      ['m u', 'met, unmet'],
      ['p x', 'the answer passes, fails'],
      ['f', 'flag'],
      ['o', 'override the score'],
      ['n', 'note'],
      ['v', 'show the judge'],
      ['Enter', 'save and go on'],
      ['s', 'skip'],
      ['[', 'back'],
    ],
  ],
];

/** The keys that lead to places, so that only those that are there are listed. */
export const PLACE_KEYS: { readonly [keys: string]: string } = {
  'g r': '/runs',
  'g s': '/suites',
  'g a': '/agents',
  'g v': '/review',
  'g p': '/approvals',
  'g j': '/judges',
};

type KeysHelpProps = { readonly places: readonly string[]; readonly onClose: () => void };

export function KeysHelp({ places, onClose }: KeysHelpProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const isThere = ([keys]: KeyLine): boolean => {
    const place = PLACE_KEYS[keys];
    return place === undefined || places.includes(place);
  };
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
        {GROUPS.map(([name, lines]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {lines.filter(isThere).map(([keys, does]) => (
                <Fragment key={keys}>
                  <dt>{keys.split(' ').map((key) => (key === '–' ? key : <kbd key={key}>{key}</kbd>))}</dt>
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
