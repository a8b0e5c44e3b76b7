import type { JsonObject } from '@touchstone/protocol';

/** Collects the graders that are Python. The same code is one scorer. */
export type Graders = {
  /** The name of the scorer. */
  add(source: string): string;
  /** `scorers` of the configuration. */
  entries(): JsonObject;
  files(): { readonly [path: string]: string };
};

export function createGraders(): Graders {
  const names = new Map<string, string>();
  const pathOf = (name: string): string => `scorers/${name}.py`;
  return {
    add(source) {
      const name = names.get(source) ?? `python-${names.size + 1}`;
      names.set(source, name);
      return name;
    },
    entries: () =>
      Object.fromEntries(
        [...names.values()].map((name) => [name, { kind: 'python', path: `./${pathOf(name)}` }]),
      ),
    files: () => Object.fromEntries([...names].map(([source, name]) => [pathOf(name), programOf(source)])),
  };
}

/** There a grader is called with the sample and the item. */
const programOf = (
  source: string,
): string => `# Made from a grader of OpenAI Evals. Read it before you run it.
${source.trimEnd()}


def score(given):
    output = given.get("output")
    text = output if isinstance(output, str) else ""
    sample = {"output_text": text, "output_json": output if not isinstance(output, str) else None}
    item = (given.get("config") or {}).get("item")
    return min(1.0, max(0.0, float(grade(sample, item))))
`;
