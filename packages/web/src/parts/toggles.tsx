import { type Address, navigate, withQuery } from '../address.js';

type TogglesProps = {
  readonly address: Address;
  /** The name in the address. */
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string | undefined, label: string])[];
  /** Names that make no sense any longer when this one changes. */
  readonly clears?: readonly string[];
};

/** One of a few values of the address. Pressed again, the default comes back. */
export function Toggles({ address, name, label, choices, clears = [] }: TogglesProps) {
  const chosen = address.query.get(name) ?? undefined;
  const cleared = Object.fromEntries(clears.map((one) => [one, undefined]));
  return (
    <fieldset class="toggles">
      <legend class="unseen">{label}</legend>
      {choices.map(([value, text]) => (
        <button
          key={text}
          type="button"
          class="toggle"
          aria-pressed={chosen === value}
          onClick={() =>
            navigate(withQuery(address, { ...cleared, [name]: chosen === value ? undefined : value }))
          }
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
