import type { Deployment } from '@touchstone/sdk';

/** What a version gets of the runs of a channel, as far as the records of all versions tell. */
type Part =
  | { readonly kind: 'all' }
  | { readonly kind: 'percent'; readonly percent: number }
  /** Whatever the versions before it leave over. */
  | { readonly kind: 'rest' }
  /** Several were given a percentage, and which of them is asked first is not in the records. */
  | { readonly kind: 'unknown' };

const namedChannels = ({ channels = [] }: Deployment): readonly string[] =>
  channels.filter((name) => name !== 'latest');

function partOn(channel: string, record: Deployment, all: readonly Deployment[]): Part {
  const others = all.filter(
    (one) => one.version !== record.version && one.channels?.some((name) => name === channel),
  );
  if (others.length === 0) return { kind: 'all' };
  if (record.canaryPercent === undefined) return { kind: 'rest' };
  return others.length === 1 && others[0]?.canaryPercent === undefined
    ? { kind: 'percent', percent: record.canaryPercent }
    : { kind: 'unknown' };
}

/** A percentage is of what newer versions leave over, and the last version takes all of it whatever it was given. */
function partsOf(record: Deployment, all: readonly Deployment[]): readonly (readonly [string, Part])[] {
  return namedChannels(record).map((channel) => [channel, partOn(channel, record, all)]);
}

/** For a table: `10 %`, `the rest`, `100 % (set to 10 %)`. A version that nothing but `latest` leads to shares nothing. */
export function shareCell(record: Deployment, all: readonly Deployment[]): string {
  if (record.state !== 'active') return '–';
  const parts = partsOf(record, all).map(([channel, part]) => [channel, cellOf(part, record)] as const);
  const [first] = parts;
  if (!first) return record.canaryPercent === 0 ? '0 %' : '–';
  return parts.every(([, text]) => text === first[1])
    ? first[1]
    : parts.map(([channel, text]) => `${channel} ${text}`).join(', ');
}

function cellOf(part: Part, { canaryPercent }: Deployment): string {
  switch (part.kind) {
    case 'all':
      return canaryPercent === undefined ? '100 %' : `100 % (set to ${canaryPercent} %)`;
    case 'percent':
      return `${part.percent} %`;
    case 'rest':
      return 'the rest';
    case 'unknown':
      return `set to ${canaryPercent} %`;
  }
}

/** For a sentence, behind the channels; nothing when there is nothing to say. */
export function shareWords(record: Deployment, all: readonly Deployment[]): string {
  const { state, canaryPercent } = record;
  if (state !== 'active' || canaryPercent === undefined) return '';
  const kinds = new Set(partsOf(record, all).map(([, { kind }]) => kind));
  if (kinds.size === 1 && kinds.has('percent')) return ` with ${canaryPercent} % of the traffic`;
  return kinds.size === 1 && kinds.has('all')
    ? ` with all of the traffic, because nothing else serves there (its share is set to ${canaryPercent} %)`
    : `, its share set to ${canaryPercent} %`;
}
