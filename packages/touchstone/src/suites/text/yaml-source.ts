import { segmentsOf } from '@touchstone/protocol';
import type { Document, Node, YAMLError } from 'yaml';
import type { Fault } from './json-scan.js';
import type { Source } from './source.js';
import { resolveAliases, type Targets } from './yaml-aliases.js';
import { repeatedKeys } from './yaml-keys.js';
import { yaml } from './yaml-library.js';
import { YamlFault, yamlMessage } from './yaml-messages.js';
import { toValue } from './yaml-value.js';

const MAX_FAULTS = 20;

/**
 * Reads YAML 1.2 as far as it means JSON: string keys, each once; the core schema's scalars; no tags beyond it, no
 * merge keys, one document. What another YAML reader might read differently is refused rather than guessed.
 */
export function readYaml(text: string): Source {
  // Errors keep their codes only: the library's sentences quote the text. `logLevel` must not be 'silent', which would
  // also silence the error for a second document.
  const document = yaml().parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const { targets, faults } = resolveAliases(document);
  const source = {
    // They are among the faults already.
    repeatedKeys: () => [],
    locate: () => (pointer: string) => locateYaml(document, targets, pointer),
  };
  const all = firstOfEach([...syntaxFaults(document), ...repeatedKeys(document), ...faults]).slice(
    0,
    MAX_FAULTS,
  );
  return all.length > 0 ? { ...source, faults: all } : { ...source, ...readValue(document, targets) };
}

function syntaxFaults(document: Document): readonly Fault[] {
  // Unknown tags and directives are only warnings to the library; here they would change what the suite says.
  const troubles: readonly YAMLError[] = [...document.errors, ...document.warnings];
  const faults = troubles.map(({ code, pos }) => ({
    pointer: '',
    offset: pos[0],
    message: yamlMessage(code),
  }));
  if (document.directives?.yaml.version !== '1.2') {
    faults.push({ pointer: '', offset: 0, message: 'Expected YAML 1.2. Remove the %YAML directive.' });
  }
  return faults;
}

/** In the order of the file, one for each place: what follows at the same place is an echo of the first. */
const firstOfEach = (faults: readonly Fault[]): readonly Fault[] =>
  faults
    .toSorted((a, b) => a.offset - b.offset)
    .filter((fault, at, all) => fault.offset !== all[at - 1]?.offset);

function readValue(document: Document, targets: Targets): Pick<Source, 'value' | 'faults'> {
  try {
    return { value: toValue(document.contents as Node | null, targets), faults: [] };
  } catch (error) {
    if (error instanceof YamlFault) return { faults: [error.fault] };
    throw error;
  }
}

/** The key of a member, the value of an item. An alias is followed: what is wrong stands where its anchor is. */
function locateYaml(document: Document, targets: Targets, pointer: string): number {
  let node = document.contents as Node | null;
  let offset = startOf(node);
  for (const segment of segmentsOf(pointer)) {
    const step = stepInto(yaml().isAlias(node) ? targets.get(node) : node, segment);
    if (step === undefined) break;
    node = step.node;
    offset = startOf(step.shown);
  }
  return offset;
}

type Step = { readonly node: Node | null; readonly shown: Node | null };

function stepInto(node: Node | null | undefined, segment: string): Step | undefined {
  const { isMap, isScalar, isSeq } = yaml();
  if (isSeq<Node>(node)) {
    const item = node.items[Number(segment)];
    return item && { node: item, shown: item };
  }
  if (!isMap<Node, Node | null>(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === segment);
  return pair && { node: pair.value, shown: pair.key };
}

const startOf = (node: Node | null): number => node?.range?.[0] ?? 0;
