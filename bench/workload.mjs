// The tasks everyone gets, ours and the peers': three kinds of check in turn, one answer in ten wrong, so that the
// failing path is paid for as well. Everything follows from a task's number; nothing is random.

const STRATEGIES = ['exact', 'contains', 'json-match'];

const right = {
  exact: (i) => `This basket costs ${i} cents.`,
  contains: (i) => `total=${i};`,
  'json-match': (i) => ({
    total: i,
    currency: 'EUR',
    lines: [
      { sku: `p-${i}`, pieces: 2 },
      { sku: 'bag', pieces: 1 },
    ],
  }),
};

// What a good agent says. The JSON has its keys in another order and arrives as text, as it does from a model.
const said = {
  exact: right.exact,
  contains: (i) => `I counted twice: total=${i}; tax is included.`,
  'json-match': (i) => {
    const { lines, currency, total } = right['json-match'](i);
    return JSON.stringify({ lines, currency, total });
  },
};

const isAnsweredWrongly = (i) => i % 10 === 3;

function makeTask(i) {
  const strategy = STRATEGIES[i % STRATEGIES.length];
  const input = `${strategy} ${i}: what does this basket cost?`;
  return { taskId: `basket-${String(i).padStart(6, '0')}`, strategy, input, value: right[strategy](i) };
}

export const makeTasks = (n) => Array.from({ length: n }, (_, i) => makeTask(i));

export function answer(input) {
  const [, strategy, number] = /^(\S+) (\d+):/.exec(input);
  const i = Number(number);
  return isAnsweredWrongly(i) ? 'I would rather not say.' : said[strategy](i);
}

export const expectedPasses = (n) => n - Math.floor((n + 6) / 10);

/** The reference scorer: what a person would write by hand. */
export function isRight({ strategy, value }, output) {
  if (strategy === 'exact') return output === value;
  if (strategy === 'contains') return output.includes(value);
  try {
    return sameJson(JSON.parse(output), value);
  } catch {
    return false;
  }
}

function sameJson(one, other) {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => sameJson(one[name], other[name]))
  );
}

/** The same tasks as a portable suite. The bar is low: whether it is cleared is not what is measured. */
export const makeSuite = (n) => ({
  suiteId: 'local.bench.evals.baskets',
  version: '1.0.0',
  modes: ['golden'],
  thresholds: { passScore: 0.5 },
  tasks: makeTasks(n).map(({ taskId, input, strategy, value }) => ({
    taskId,
    input,
    expected: { kind: 'golden', match: { strategy, value } },
  })),
});

const needle = {
  exact: right.exact,
  contains: right.contains,
  'json-match': (i) => `"total":${i}`,
};

const checksOf = (text) => [
  `[check:contains ${JSON.stringify({ text })}] It names the total.`,
  '[check:regex {"pattern":"[0-9]+"}] It has a number.',
  '[check:excludes {"text":["password","secret"]}] It gives nothing away.',
  '[check:length {"max":400}] It is short.',
  '[check:contains {"text":"t","ignoreCase":true}] It is text.',
];

/** The same tasks, each decided by five checks. */
export const makeCheckedSuite = (n) => ({
  suiteId: 'local.bench.evals.checked-baskets',
  version: '1.0.0',
  modes: ['rubric'],
  thresholds: { passScore: 0.9 },
  tasks: makeTasks(n).map(({ taskId, input, strategy }, i) => ({
    taskId,
    input,
    expected: {
      kind: 'rubric',
      rubric: checksOf(needle[strategy](i)).map((criterion) => ({ criterion, weight: 1 })),
    },
  })),
});
