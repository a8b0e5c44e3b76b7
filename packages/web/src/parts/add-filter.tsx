import { useState } from 'preact/hooks';
import { type Address, navigate, withQuery } from '../address.js';
import { Field } from './dialog.js';
import { Popover } from './popover.js';

/** Something that a list can be filtered by. */
export type FilterField = {
  /** The name in the address. */
  readonly name: string;
  readonly label: string;
  /** What there is to choose from; anything can be typed when absent. */
  readonly values?: readonly (readonly [value: string, text: string])[];
  /** What can be typed, among others. */
  readonly examples?: readonly string[];
  /** Of numbers that are typed. */
  readonly range?: { readonly max?: number; readonly step: number };
  /** Of days that are typed. */
  readonly isDay?: true;
};

type AddFilterProps = {
  readonly address: Address;
  readonly fields: readonly FilterField[];
  /** Names that make no sense any longer when a filter comes. */
  readonly clears?: readonly string[];
};

/** Filters for those who do not know the names in the address. */
export const AddFilter = (props: AddFilterProps) => (
  <Popover label="Add a filter" text="+ Filter" kind="dialog">
    {(close) => <FilterForm {...props} onDone={close} />}
  </Popover>
);

function FilterForm({
  address,
  fields,
  clears = [],
  onDone,
}: AddFilterProps & { readonly onDone: () => void }) {
  const [name, setName] = useState(fields[0]?.name);
  const field = fields.find((one) => one.name === name) ?? fields[0];
  const [typed, setTyped] = useState('');
  if (!field) return <p class="muted">There is nothing to filter by yet.</p>;
  const value = typed === '' ? (field.values?.[0]?.[0] ?? '') : typed;
  const add = (event: Event): void => {
    event.preventDefault();
    const cleared = Object.fromEntries(clears.map((one) => [one, undefined]));
    const given = field.isDay ? new Date(value).toISOString() : value;
    onDone();
    navigate(withQuery(address, { ...cleared, [field.name]: given }));
  };
  return (
    <form class="add-filter" onSubmit={add}>
      <Field name="Filter by">
        {(id) => (
          <select
            id={id}
            value={field.name}
            onChange={({ currentTarget }) => {
              setName(currentTarget.value);
              setTyped('');
            }}
          >
            {fields.map((one) => (
              <option key={one.name} value={one.name}>
                {one.label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field name="Value">
        {(id) => <ValueInput id={id} field={field} value={value} onInput={setTyped} />}
      </Field>
      <button type="submit" class="primary" disabled={value === ''}>
        Add
      </button>
    </form>
  );
}

type ValueInputProps = {
  readonly id: string;
  readonly field: FilterField;
  readonly value: string;
  readonly onInput: (value: string) => void;
};

const ValueInput = ({
  id,
  field: { values, examples = [], range, isDay },
  value,
  onInput,
}: ValueInputProps) =>
  values ? (
    <select id={id} value={value} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
      {values.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  ) : (
    <>
      <input
        id={id}
        required
        type={range ? 'number' : isDay ? 'date' : 'text'}
        {...(range && { min: 0, max: range.max, step: range.step })}
        {...(examples.length > 0 && { list: `${id}-examples` })}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {examples.length > 0 && (
        <datalist id={`${id}-examples`}>
          {examples.map((example) => (
            <option key={example} value={example} />
          ))}
        </datalist>
      )}
    </>
  );
