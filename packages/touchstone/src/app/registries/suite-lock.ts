import { asId, type Digest, HostError, type Version } from '@touchstone/protocol';
import { closed, constant, list, schemaIssues, text, type Wire } from '@touchstone/protocol/schema';
import { jsonOf } from '../../suites/index.js';

// Which suites of registries a project uses, by digest. What a registry says later cannot change what is pinned.

export const LOCK_FILE = 'touchstone.lock.json';
const FORMAT = 'touchstone.lock/1';

const lockShape = closed({
  format: constant(FORMAT),
  suites: list(
    closed(
      {
        name: text(undefined, { pattern: '^[a-z0-9.-]+\\.evals\\.[a-z0-9-]+$' }),
        range: text(undefined, { minLength: 1, maxLength: 256 }),
        version: text(undefined, { pattern: '^\\d+\\.\\d+\\.\\d+$' }),
        digest: text(undefined, { pattern: '^sha256:[0-9a-f]{64}$' }),
        registry: text(undefined, { minLength: 1, maxLength: 2048 }),
      },
      { keyId: text(undefined, { minLength: 1, maxLength: 256 }) },
    ),
  ),
});

/** One suite that a project has pinned. */
export type SuitePin = {
  readonly name: string;
  /** As it was asked for; `suite update` stays within it. */
  readonly range: string;
  readonly version: Version;
  readonly digest: Digest;
  readonly registry: string;
  /** The trusted key that had signed it; absent when none had. */
  readonly keyId?: string;
};

export function readSuiteLock(bytes: Buffer, file: string): readonly SuitePin[] {
  const value = jsonOf(bytes)?.value;
  const [first] = value === undefined ? [] : schemaIssues(lockShape, value);
  if (value === undefined || first)
    throw new HostError(
      'validation_error',
      `${file} is not a lock file (${FORMAT}). ${first ? `${first.pointer}: ${first.message}` : 'It is no JSON.'} Restore it, or remove it to have suites pinned anew.`,
      { file },
    );
  return (value as Wire<typeof lockShape>).suites.map((pin) => ({
    ...pin,
    version: asId<Version>(pin.version),
    digest: asId<Digest>(pin.digest),
  }));
}

/** With this pin in the place of an earlier one of the same suite. */
export const withPin = (pins: readonly SuitePin[], pin: SuitePin): readonly SuitePin[] =>
  [...pins.filter(({ name }) => name !== pin.name), pin].sort((a, b) => (a.name < b.name ? -1 : 1));

export const writeSuiteLock = (pins: readonly SuitePin[]): string =>
  `${JSON.stringify({ format: FORMAT, suites: pins }, null, 2)}\n`;
