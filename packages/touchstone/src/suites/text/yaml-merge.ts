import type { Alias, Node, Pair, YAMLMap } from 'yaml';

type Yaml = typeof import('yaml');

/** The node each alias stands for. */
export type Targets = ReadonlyMap<Alias, Node>;

/** A member of a mapping, its own or one that a merge key brings. */
type Member = { readonly key: Node; readonly value: Node | null; readonly isMerged: boolean };
export type Members = (map: YAMLMap<Node, Node | null>) => readonly Member[];

export const isMergeKey = ({ isScalar }: Yaml, { key }: Pair): boolean =>
  isScalar(key) && key.value === '<<' && key.type === 'PLAIN';

/**
 * The members of mappings with what their merge keys bring, as readers of YAML 1.1 apply them: a member of its own comes before
 * a merged one, and of several sources the first counts. Each mapping is looked at once: merges of merges would double.
 */
export function membersWith(yaml: Yaml, targets: Targets): Members {
  const known = new Map<unknown, readonly Member[]>();
  const membersOf: Members = (map) => {
    const found = known.get(map) ?? withMerged(map);
    known.set(map, found);
    return found;
  };
  const withMerged: Members = (map) => {
    const own = map.items.filter((pair) => !isMergeKey(yaml, pair));
    const merged = new Map<string, Member>();
    for (const pair of map.items)
      if (isMergeKey(yaml, pair))
        for (const source of sourcesOf(pair.value))
          for (const member of membersOf(source))
            if (!merged.has(nameOf(member.key)))
              merged.set(nameOf(member.key), { ...member, isMerged: true });
    for (const { key } of own) merged.delete(nameOf(key));
    return [...merged.values(), ...own.map(({ key, value }) => ({ key, value, isMerged: false }))];
  };
  const sourcesOf = (value: Node | null): readonly YAMLMap<Node, Node | null>[] => {
    const node = yaml.isAlias(value) ? targets.get(value) : value;
    if (yaml.isSeq<Node>(node)) return node.items.flatMap(sourcesOf);
    return yaml.isMap<Node, Node | null>(node) ? [node] : [];
  };
  const nameOf = (key: Node): string => (yaml.isScalar(key) ? String(key.value) : '');
  return membersOf;
}
