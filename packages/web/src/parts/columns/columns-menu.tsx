import { Popover } from '../popover.js';
import type { Columns } from './use-columns.js';

/** Which columns a list has, and in which order: what the mouse does at their heads, for the keyboard. */
export const ColumnsMenu = <Row,>({ columns }: { readonly columns: Columns<Row> }) => (
  <Popover label="Columns" text={<Icon />} kind="dialog">
    {() => (
      <div class="columns">
        <ul>
          {columns.all.map((column, at) => (
            <li key={column.id}>
              <label>
                <input
                  type="checkbox"
                  checked={!columns.isHidden(column)}
                  disabled={column.isKept}
                  onChange={() => columns.toggle(column)}
                />{' '}
                {column.name}
              </label>
              <button
                type="button"
                class="quiet"
                aria-label={`Move ${column.name} to the left`}
                disabled={at === 0}
                onClick={() => columns.step(column, -1)}
              >
                ←
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={`Move ${column.name} to the right`}
                disabled={at === columns.all.length - 1}
                onClick={() => columns.step(column, 1)}
              >
                →
              </button>
            </li>
          ))}
        </ul>
        <button type="button" disabled={columns.isUsual} onClick={columns.reset}>
          As usual
        </button>
      </div>
    )}
  </Popover>
);

const Icon = () => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M1.5 2.5h13v11h-13zM6 2.5v11M10.5 2.5v11" />
  </svg>
);
