// What did not hold. Equal findings are counted; a few examples of each are kept.

const EXAMPLES = 3;

export function createFindings() {
  const found = new Map();
  return {
    add(what, example = '') {
      const known = found.get(what) ?? { count: 0, examples: [] };
      known.count += 1;
      if (known.examples.length < EXAMPLES) known.examples.push(String(example).slice(0, 600));
      found.set(what, known);
    },
    list: () => [...found].map(([what, { count, examples }]) => ({ what, count, examples })),
  };
}
