import type { Alias, Document, Node, Pair } from 'yaml';
import type { Fault } from './json-scan.js';
import { yaml } from './yaml-library.js';

/** The node each alias stands for. */
export type Targets = ReadonlyMap<Alias, Node>;

const MERGE_KEY =
  'Merge keys are not part of YAML 1.2. Write the members out, or quote the key if it is meant literally.';

/**
 * Finds what every alias stands for, and what no two readers would agree on: aliases to nothing or to their own
 * inside, and merge keys, which YAML 1.2 does not have but many readers still apply.
 */
export function resolveAliases(document: Document): {
  readonly targets: Targets;
  readonly faults: readonly Fault[];
} {
  const { isAlias, visit } = yaml();
  const targets = new Map<Alias, Node>();
  const anchors = new Map<string, Node>();
  const faults: Fault[] = [];
  const fault = (node: Node, message: string) =>
    faults.push({ pointer: '', offset: node.range?.[0] ?? 0, message });

  visit(document, {
    Pair: (_, pair) => {
      if (isMergeKey(pair)) fault(pair.key as Node, MERGE_KEY);
    },
    Node: (_, node, path) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target === undefined) fault(node, 'Expected an anchor of this name earlier in the file.');
      else if (path.includes(target)) fault(node, 'An alias cannot stand inside the value it stands for.');
      else targets.set(node, target);
    },
  });
  return { targets, faults };
}

const isMergeKey = ({ key }: Pair): boolean =>
  yaml().isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
