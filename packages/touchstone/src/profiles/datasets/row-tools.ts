import { child, type Issue, isObject, type Json, typeName } from '@touchstone/protocol';
import type { NormalRow } from '../types.js';
import { type Entry, placeOf } from './shapes.js';

type Tool = NonNullable<NormalRow['tools']>[number];
type Read = { readonly tool?: Tool; readonly issues: readonly Issue[] };
type ToolParts = {
  readonly list: Entry | undefined;
  readonly outputs: Entry | undefined;
  readonly mocks: Entry | undefined;
};

/**
 * What the tools of a row answer. A list is in the order of the calls. Maps have one answer a tool; where both maps
 * name one, what it gave when the row was recorded counts more than what somebody made up for it.
 */
export function toolsOf(parts: ToolParts): {
  readonly tools: readonly Tool[] | undefined;
  readonly issues: readonly Issue[];
} {
  if (!parts.list && !parts.outputs && !parts.mocks) return { tools: undefined, issues: [] };
  const listed = parts.list ? fromList(parts.list) : [];
  const recorded = parts.outputs ? fromMap(parts.outputs) : [];
  const mocked = parts.mocks ? fromMap(parts.mocks) : [];
  const known = new Set([...listed, ...recorded].map(({ tool }) => tool?.tool));
  const all = [
    ...listed,
    ...recorded,
    ...mocked.filter(({ tool }) => tool === undefined || !known.has(tool.tool)),
  ];
  return { tools: all.flatMap(({ tool }) => tool ?? []), issues: all.flatMap(({ issues }) => issues) };
}

function fromList(entry: Entry): readonly Read[] {
  const { value } = entry;
  const at = placeOf(entry);
  if (!Array.isArray(value)) return [refused(at, `Expected an array of tools, got ${typeName(value)}.`)];
  return value.map((item: unknown, index) => {
    const pointer = child(at, index);
    if (!isObject(item) || typeof item.tool !== 'string')
      return refused(pointer, 'Expected an object with "tool", a text, and "response".');
    const stranger = Object.keys(item).some((key) => key !== 'tool' && key !== 'response');
    if (stranger) return refused(pointer, 'Expected no members but "tool" and "response".');
    return named(item.tool, child(pointer, 'tool'), item.response);
  });
}

function fromMap(entry: Entry): readonly Read[] {
  const { value } = entry;
  const at = placeOf(entry);
  if (!isObject(value))
    return [refused(at, `Expected an object of answers by tool, got ${typeName(value)}.`)];
  return Object.entries(value).map(([name, response]) => named(name, at, response));
}

/** A tool without a scope is one of this house's own. */
function named(name: string, pointer: string, response: unknown): Read {
  if (name === '' || /\s/.test(name)) return refused(pointer, 'Expected the name of a tool without spaces.');
  const tool = /^[^:]+:./.test(name) ? name : `local:${name}`;
  return { tool: { tool, ...(response !== undefined && { response: response as Json }) }, issues: [] };
}

const refused = (pointer: string, message: string): Read => ({ issues: [{ pointer, message }] });
