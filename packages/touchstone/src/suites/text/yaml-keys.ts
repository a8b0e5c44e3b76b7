import type { Document, Node } from 'yaml';
import type { Fault } from './json-scan.js';
import { yaml } from './yaml-library.js';
import { yamlMessage } from './yaml-messages.js';

/** Keys that a mapping has more than once. The library would compare every key with every other one. */
export function repeatedKeys(document: Document): readonly Fault[] {
  const { isScalar, visit } = yaml();
  const faults: Fault[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : '';
        if (seen.has(name))
          faults.push({
            pointer: '',
            offset: (key as Node).range?.[0] ?? 0,
            message: yamlMessage('DUPLICATE_KEY'),
          });
        seen.add(name);
      }
    },
  });
  return faults;
}
