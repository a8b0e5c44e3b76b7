import { TASK_CHANGES, type TaskFacets, type TaskList, type TaskListing } from '@touchstone/protocol';
import { whole } from '@touchstone/sdk/view';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Address, navigate, withQuery } from '../../address.js';
import { readTaskQuery } from '../../queries/task-query.js';
import { hasContent } from '../../source.js';
import { AddFilter } from '../add-filter.js';
import { ColumnsMenu } from '../columns/columns-menu.js';
import type { Columns } from '../columns/use-columns.js';
import { Arrow, Shape } from '../glyphs.js';
import { useFindKey } from '../search-field.js';
import { FilterChips, fieldsOf } from './filter-fields.js';

type FiltersProps = {
  readonly address: Address;
  readonly facets: TaskFacets | undefined;
  readonly outcomes: TaskFacets['outcomes'] | undefined;
  /** Undefined until the first part of it is there. */
  readonly list: Pick<TaskList, 'matched' | 'total'> | undefined;
  readonly columns: Columns<TaskListing>;
};

/** Which part of the tasks is shown. Every choice is in the address, and Back undoes it. */
export function TaskFilters({ address, facets, outcomes, list, columns }: FiltersProps) {
  const { query } = address;
  const { filter } = readTaskQuery(query);
  const set = (changes: { readonly [name: string]: string | undefined }): void =>
    navigate(withQuery(address, { ...changes, task: undefined }));
  const toggle = (
    name: string,
    value: string | undefined,
    count: number | undefined,
    label: string,
    shape?: ComponentChildren,
  ) => {
    const isPressed =
      value === undefined
        ? filter.outcome === undefined && filter.change === undefined
        : query.get(name) === value;
    return (
      <button
        type="button"
        class={`toggle ${value ?? 'all'}`}
        aria-pressed={isPressed}
        onClick={() => set({ outcome: undefined, change: undefined, [name]: isPressed ? undefined : value })}
      >
        {shape}
        {label} <span class="count">{count === undefined ? '' : whole(count)}</span>
      </button>
    );
  };
  const { changes } = facets ?? {};
  const isCompared =
    changes !== undefined && (query.has('change') || TASK_CHANGES.some((change) => changes[change] > 0));
  return (
    <div class="filters" role="toolbar" aria-label="Filters">
      {toggle('outcome', undefined, list?.total, 'All')}
      {toggle('outcome', 'failed', outcomes?.failed, 'Failed', <Shape outcome="failed" />)}
      {toggle('outcome', 'unscored', outcomes?.unscored, 'Not scored', <Shape outcome="unscored" />)}
      {toggle('outcome', 'passed', outcomes?.passed, 'Passed', <Shape outcome="passed" />)}
      {isCompared && toggle('change', 'toFail', changes.toFail, 'Now fails', <Arrow isUp={false} />)}
      {isCompared && toggle('change', 'toPass', changes.toPass, 'Now passes', <Arrow isUp />)}
      <Find address={address} />
      <AddFilter address={address} fields={fieldsOf(facets)} clears={['task']} />
      <FilterChips address={address} />
      {hasContent() && <ViewChoice address={address} />}
      <ColumnsMenu columns={columns} />
      <span class="matched" data-testid="matched" role="status">
        {list && `${whole(list.matched)} of ${whole(list.total)}`}
      </span>
    </div>
  );
}

/** One box: ids at once, and with `text:` in front the contents, when the reader is done typing. */
function Find({ address }: { readonly address: Address }) {
  const current = address.text === '' ? (address.query.get('id') ?? '') : `${MARK} ${address.text}`;
  const [draft, setDraft] = useState(current);
  const kept = useRef('');
  const field = useFindKey();
  // Before the next key can come.
  useLayoutEffect(() => {
    setDraft(kept.current || current);
    kept.current = '';
  }, [current]);
  const closed = { ...address, query: new URLSearchParams(withoutTask(address.query)) };
  const type = (value: string): void => {
    setDraft(value);
    if (value.startsWith(MARK)) {
      // What was typed of the mark has been taken for an id.
      if (!address.query.has('id')) return;
      kept.current = value;
      navigate(withQuery(closed, { id: undefined }), { replace: true });
      return;
    }
    const cleared = { ...closed, text: '' };
    navigate(withQuery(cleared, { id: value }), { replace: true });
  };
  const search = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !draft.startsWith(MARK)) return;
    const text = draft.slice(MARK.length).trim();
    // One box holds one question: what was looked for by its id before is forgotten.
    navigate(withQuery({ ...closed, text }, { id: undefined }));
  };
  return (
    <input
      ref={field}
      type="search"
      aria-label="Find tasks by id"
      placeholder={hasContent() ? 'Task id  /  text: words' : 'Task id  /'}
      title={hasContent() ? '/ · Ids; text: and words looks through contents with Enter' : '/ · Ids'}
      value={draft}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={search}
    />
  );
}

const MARK = 'text:';

const withoutTask = (query: URLSearchParams): URLSearchParams => {
  const next = new URLSearchParams(query);
  next.delete('task');
  return next;
};

/** Facts in narrow rows, or contents to read in high ones. */
function ViewChoice({ address }: { readonly address: Address }) {
  const isReading = address.query.get('view') === 'reading';
  const choice = (name: string, value: string | undefined, isChosen: boolean) => (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={() => navigate(withQuery(address, { view: value }))}
    >
      {name}
    </button>
  );
  return (
    <fieldset class="segments">
      <legend class="unseen">View</legend>
      {choice('Facts', undefined, !isReading)}
      {choice('Reading', 'reading', isReading)}
    </fieldset>
  );
}
