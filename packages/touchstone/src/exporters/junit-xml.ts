import type { GateStatus } from '@touchstone/protocol';
import { printableExcept, refOf } from '@touchstone/sdk/view';
import type { ExportedRun } from './document.js';

/** XML 1.0 cannot write most control characters, not even as a reference; these it can. */
const writable = printableExcept('\t\n\r');
const REFERENCES: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

export const escapeXml = (text: string): string =>
  writable(text).replace(/[&<>"'\t\n\r]/g, (char) => REFERENCES[char] ?? char);

/** A test case; only `pass` and `warn` leave a report green. */
export type Case = { readonly status: GateStatus; readonly element: string };

const CHILDREN = { fail: 'failure', error: 'error', warn: 'skipped' } as const;

/** A case that did not pass says why: in a sentence, and for a failure or an error with its type. */
export function caseOf(
  { suite }: Pick<ExportedRun, 'suite'>,
  name: string,
  status: GateStatus,
  message = '',
  type?: string,
): Case {
  const why = type === undefined || status === 'warn' ? { message } : { message, type };
  const child = status === 'pass' ? '' : `<${CHILDREN[status]} ${attributeText(why)}/>`;
  return { status, element: caseElement({ classname: refOf(suite), name }, child) };
}

export const caseElement = (attributes: Attributes, child: string): string =>
  child === ''
    ? `    <testcase ${attributeText(attributes)}/>`
    : `    <testcase ${attributeText(attributes)}>\n      ${child}\n    </testcase>`;

type Attributes = { readonly [name: string]: string | number };

export const attributeText = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeXml(String(value))}"`)
    .join(' ');
