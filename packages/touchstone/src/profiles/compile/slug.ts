import { createHash } from 'node:crypto';

const MAX_CRITERION_ID_CHARS = 64;
const MAX_PART_CHARS = 64;
const HASH_CHARS = 8;

/** Lower-case letters and digits joined by hyphens; empty when the text has none. Accents are dropped, not their letters. */
export const slugOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** A slug that is short enough for ids and file names. Of two long names that begin alike, each keeps one of its own. */
export function shortSlugOf(text: string): string {
  const slug = slugOf(text);
  if (slug.length <= MAX_PART_CHARS) return slug;
  const hash = createHash('sha256').update(slug).digest('hex').slice(0, HASH_CHARS);
  return `${slug.slice(0, MAX_PART_CHARS - HASH_CHARS - 1).replace(/-$/, '')}-${hash}`;
}

/** Names its rows as an author without ids would count them. */
export const taskIdOf = (id: string | undefined, ordinal: number): string =>
  slugOf(id ?? '') || `row-${String(ordinal).padStart(4, '0')}`;

/** Gives every name an id of its own, short enough for reports. Names that read the same as slugs are numbered. */
export function createCriterionIds(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    const wanted = slugOf(name).slice(0, MAX_CRITERION_ID_CHARS).replace(/-$/, '') || 'criterion';
    let id = wanted;
    for (let count = 2; taken.has(id); count += 1) id = numbered(wanted, count);
    taken.add(id);
    return id;
  };
}

function numbered(id: string, count: number): string {
  const suffix = `-${count}`;
  return `${id.slice(0, MAX_CRITERION_ID_CHARS - suffix.length).replace(/-$/, '')}${suffix}`;
}
