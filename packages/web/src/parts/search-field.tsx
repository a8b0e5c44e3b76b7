import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { type Address, navigate, withQuery } from '../address.js';
import { useKeys } from './keys.js';

type SearchFieldProps = {
  readonly address: Address;
  /** The name in the address. */
  readonly name: string;
  readonly label: string;
  readonly placeholder: string;
  /** Names that make no sense any longer when this one changes. */
  readonly clears?: readonly string[];
};

/** For the field that `/` leads to. */
export function useFindKey(): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useKeys('list', { '/': () => field.current?.focus() });
  return field;
}

/** A text of the address that a list is searched by. `/` leads to it. */
export function SearchField({ address, name, label, placeholder, clears = [] }: SearchFieldProps) {
  const field = useFindKey();
  const cleared = Object.fromEntries(clears.map((one) => [one, undefined]));
  return (
    <input
      ref={field}
      type="search"
      title="/"
      aria-label={label}
      placeholder={placeholder}
      value={address.query.get(name) ?? ''}
      onInput={({ currentTarget: { value } }) =>
        navigate(withQuery(address, { ...cleared, [name]: value }), { replace: true })
      }
    />
  );
}
