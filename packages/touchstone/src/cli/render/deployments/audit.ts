import type { Owner } from '@touchstone/protocol';
import type { AuditEntry, AuditVerdict } from '@touchstone/sdk';
import { plural } from '@touchstone/sdk/view';
import { markedLines, noteLines, readable } from '../layout.js';
import { shell } from '../shell.js';
import { type Column, renderFitting } from '../table.js';
import { type Ink, type Look, printable } from '../text.js';

/** A chain, and whose it is where that is known. */
export type Chain = AuditVerdict & Partial<Owner>;

/** A head that was kept from earlier, and whether the chain still goes through it. */
export type Expected = { readonly records: number; readonly head: string; readonly found: boolean };

/** Whether every chain is whole, with its head, and how to find out later that nothing was cut off. */
export function renderChains(
  chains: readonly Chain[],
  expected: readonly Expected[],
  toType: (words: string) => string,
  wide: Look,
): string {
  const look = readable(wide);
  if (chains.length === 0 && expected.length === 0) return 'The audit log is empty.\n';
  const lines = [
    ...chains.flatMap((chain) => chainLines(chain, look.ink)),
    ...expected.flatMap((one) => expectedLines(one, look)),
  ];
  const isWell = chains.every(({ valid }) => valid) && expected.every(({ found }) => found);
  const heads = chains.filter(({ records }) => records > 0);
  // After a failed check the user must not be led to trust what is there now.
  const keep = isWell && heads.length > 0 ? keepLines(heads, toType, look) : [];
  return `${[...lines, ...keep].join('\n')}\n`;
}

function chainLines(chain: Chain, ink: Ink): readonly string[] {
  const { tenant, workspace, records, head, trouble } = chain;
  const whose = tenant === undefined ? '' : `${printable(`${tenant}/${workspace}`)}: `;
  const lost = chain.checkpoints.filter((one) => 'holds' in one && one.holds === false);
  if (!trouble && lost.length > 0)
    return [
      `  ${ink.red('✗')} ${whose}${printable(plural(records, 'record'))} that fit each other, and ${plural(lost.length, 'signed checkpoint')} that they do not go through: records were cut off or written anew`,
    ];
  if (!trouble)
    return [
      `  ${ink.green('✓')} ${whose}${printable(plural(records, 'record'))}, unbroken`,
      `    ${ink.dim('head')}  ${printable(head)}`,
    ];
  return [
    `  ${ink.red('✗')} ${whose}broken at record ${printable(String(trouble.seq))}: ${WHY[trouble.why]}`,
    `    ${printable(plural(records, 'record'))} before it ${records === 1 ? 'is' : 'are'} whole`,
  ];
}

const WHY = {
  gap: 'a record before it is missing',
  previous: 'it follows another record than the one before it',
  digest: 'it is not what was written',
} as const;

function expectedLines({ records, head, found }: Expected, look: Look): readonly string[] {
  const { ink } = look;
  if (found) return [`  ${ink.green('✓')} the head kept at ${plural(records, 'record')} is in it`];
  const text = `The head kept at ${plural(records, 'record')} is not in it: records were cut off or written anew since. It was ${head}.`;
  return markedLines(ink.red('✗'), text, look);
}

/** A chain that has lost its end is a chain all the same. */
function keepLines(
  chains: readonly Chain[],
  toType: (words: string) => string,
  look: Look,
): readonly string[] {
  const { ink } = look;
  const expects = chains.map(({ records, head }) => shell`--expect ${`${records}:${head}`}`).join(' ');
  const why =
    'A log that has lost its end still looks whole. Keep this line where nobody who writes this store can reach it, and type it next time:';
  return ['', ...noteLines([why], look, ink.dim), `  ${ink.cyan(toType(`audit verify ${expects}`))}`];
}

type Listed = AuditEntry & { readonly owner?: Owner };
const WIDE = 120;

/**
 * What was let in and then refused has two records, and the first must not look like something that was done. Entries are
 * newest first.
 */
function refusedAfterwards(items: readonly Listed[]): ReadonlySet<Listed> {
  const refused = new Set<string>();
  const found = new Set<Listed>();
  for (const item of items) {
    const { owner, principal, action, resource, allowed, reason } = item;
    const subject = JSON.stringify([owner, principal, action, resource]);
    if (!allowed && reason !== undefined) refused.add(subject);
    else if (allowed && refused.delete(subject)) found.add(item);
  }
  return found;
}

/** A wide screen also shows why. */
export function auditTable(
  items: readonly Listed[],
  ink: Ink,
  { columns, room }: { readonly columns: number; readonly room: number },
): string {
  const refused = refusedAfterwards(items);
  const several = new Set(items.map(({ owner }) => owner && `${owner.tenant}/${owner.workspace}`)).size > 1;
  const column = (head: string, cellOf: (item: Listed) => string): Column => ({
    head,
    cells: items.map(cellOf),
  });
  const owner = column('owner', (item) => printable(`${item.owner?.tenant}/${item.owner?.workspace}`));
  const why = column('why', ({ reason = '' }) => printable(reason));
  const shown = [
    column('', ({ seq }) => ink.dim(String(seq))),
    { ...column('when', ({ at }) => ink.dim(at.slice(0, 19).replace('T', ' '))), drop: 2 },
    ...(several ? [{ ...owner, drop: 1 }] : []),
    column('', (item) => (refused.has(item) ? ink.dim('·') : item.allowed ? ink.green('✓') : ink.red('✗'))),
    { ...column('who', ({ principal }) => printable(principal)), least: 10, named: true },
    { ...column('action', ({ action }) => printable(action)), least: 14 },
    { ...column('resource', ({ resource }) => printable(resource)), least: 24, named: true },
    ...(columns >= WIDE ? [{ ...why, least: 20, drop: 0 }] : []),
  ];
  return renderFitting(shown, ink, room);
}
