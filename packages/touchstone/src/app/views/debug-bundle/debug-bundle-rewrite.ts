import type { Pace } from './debug-bundle-pace.js';

/** What becomes of the parts of a value. A promise only where something has to be waited for. */
type Rewriting = {
  text(text: string): string | Promise<string>;
  /** Whether the member is replaced by `instead` as a whole. */
  replaces(name: string, member: unknown): boolean;
  readonly instead: unknown;
  readonly pace: Pace;
};

type Members = { readonly [name: string]: unknown };
type Rewritten = unknown | Promise<unknown>;

export const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * The value with its parts rewritten, names of members included; the very same when nothing in it changes. There is no
 * promise for what is known at once: one for each of a million numbers would cost more than all the rest.
 */
export function rewriteDeep(value: unknown, rewriting: Rewriting): Rewritten {
  if (typeof value === 'string') return rewriting.text(value);
  if (!isContainer(value)) return value;
  return Array.isArray(value) ? rewriteItems(value, rewriting) : rewriteMembers(value as Members, rewriting);
}

async function rewriteItems(items: readonly unknown[], rewriting: Rewriting): Promise<unknown> {
  const shown: unknown[] = [];
  let isChanged = false;
  for (const item of items) {
    if (rewriting.pace.isDue()) await rewriting.pace.pause();
    const next = rewriteDeep(item, rewriting);
    const rewritten = next instanceof Promise ? await next : next;
    isChanged ||= rewritten !== item;
    shown.push(rewritten);
  }
  return isChanged ? shown : items;
}

async function rewriteMembers(members: Members, rewriting: Rewriting): Promise<unknown> {
  const shown: [string, unknown][] = [];
  let isChanged = false;
  for (const name of Object.keys(members)) {
    if (rewriting.pace.isDue()) await rewriting.pace.pause();
    const member = members[name];
    const next = rewriting.replaces(name, member) ? rewriting.instead : rewriteDeep(member, rewriting);
    const rewritten = next instanceof Promise ? await next : next;
    const nameText = rewriting.text(name);
    const newName = typeof nameText === 'string' ? nameText : await nameText;
    isChanged ||= rewritten !== member || newName !== name;
    shown.push([newName, rewritten]);
  }
  return isChanged ? Object.fromEntries(shown) : members;
}
