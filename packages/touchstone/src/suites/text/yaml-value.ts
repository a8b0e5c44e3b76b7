import { MAX_JSON_DEPTH } from '@touchstone/protocol';
import type { Node } from 'yaml';
import type { Targets } from './yaml-aliases.js';
import { yaml } from './yaml-library.js';
import { YamlFault } from './yaml-messages.js';

/** How many values all aliases together may stand for: plenty for shared fixtures, too few for an alias bomb. */
const MAX_ALIASED_VALUES = 1_000_000;

/**
 * The value of a document as a plain tree. Aliases are written out, so nothing in a suite is shared or circular; the
 * budget, not the library's count of aliases, bounds that, because one alias may stand for very much.
 */
export function toValue(root: Node | null, targets: Targets): unknown {
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  let aliased = 0;

  const convert = (node: Node | null | undefined, depth: number, inAlias: boolean): unknown => {
    if (depth > MAX_JSON_DEPTH)
      throw faultAt(node, `Nested deeper than ${MAX_JSON_DEPTH} levels. Flatten the value.`);
    if (inAlias) aliased += 1;
    if (aliased > MAX_ALIASED_VALUES)
      throw faultAt(node, 'Aliases stand for too many values. Write fewer of them.');
    if (isAlias(node)) return convert(targets.get(node), depth, true);
    if (isSeq<Node>(node)) return node.items.map((item) => convert(item, depth + 1, inAlias));
    if (isMap<Node, Node | null>(node)) {
      return members(node.items.map(({ key, value }) => [keyOf(key), convert(value, depth + 1, inAlias)]));
    }
    return isScalar(node) ? node.value : null;
  };
  return convert(root, 0, false);
}

const keyOf = (key: Node): string => (yaml().isScalar(key) ? String(key.value) : '');

// `fromEntries` defines members instead of assigning them, so a key called `__proto__` is only a key.
const members = (entries: readonly (readonly [string, unknown])[]): object => Object.fromEntries(entries);

const faultAt = (node: Node | null | undefined, message: string): YamlFault =>
  new YamlFault({ pointer: '', offset: node?.range?.[0] ?? 0, message });
