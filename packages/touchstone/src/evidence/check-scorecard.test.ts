import type { Json, Scorecard } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkScorecard, Reading } from './check-scorecard.js';
import {
  anyCard,
  FULL_CARD,
  placesOf,
  pointersOf,
  refusalOf,
  valueAt,
  withValueAt,
} from './testing/cards.js';

const read = (value: unknown) => {
  const reading = new Reading();
  const card = reading.parse(vendor.scorecard, value);
  checkScorecard(card, reading);
  return card;
};
const changed = (path: string, value: unknown) => withValueAt(FULL_CARD, path.split('.'), value);
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const places = placesOf(FULL_CARD).map((path) => ({ path, name: `/${path.join('/')}` }));
const objects = places.filter(({ path }) => isObject(valueAt(FULL_CARD, path)));

/** Members without which a scorecard is still one, wherever they stand. */
const OPTIONAL =
  /^\/(model|judge|safetyJudge|safetyPolicy|thresholds|caveats)$|\/(channel|temperature|maxTokens|mock|passScore|maxCostUsd|maxP95LatencyMs|costUsd|judgeUsd|latencyMs|unpriced|cacheHits|schemaValid|findings|safetyFindings|unscored|outcome|criteria|agreement|evaluatedModelClass|totalCostUsd|regression|diffRef|rejudgeOf|forkOf|targetMismatch|nondeterministic)$|results\/\d\/judge$/;

describe('the shape', () => {
  test('is that of any scorecard, and nothing is lost in reading', () => {
    expect(read(FULL_CARD)).toEqual(FULL_CARD);
    fc.assert(
      fc.property(anyCard, (card) => {
        expect(read(card)).toEqual(card);
      }),
    );
  });

  test.each(objects)('is closed at $name', ({ path }) => {
    const pointer = path.map((step) => `/${step}`).join('');
    const added = withValueAt(FULL_CARD, [...path, 'output'], 'an answer');
    expect(pointersOf(refusalOf(() => read(added)))).toEqual([pointer]);
    // As JSON.parse makes it: a member of the object's own, by that name.
    const tricked = withOwnProto(FULL_CARD, path);
    expect(pointersOf(refusalOf(() => read(tricked)))).toEqual([pointer]);
  });

  test('wants every member that is not optional, by its name', () => {
    for (const { path, name } of places.filter((place) => typeof place.path.at(-1) === 'string')) {
      const refusal = refusalOf(() => read(withValueAt(FULL_CARD, path, undefined)));
      expect([name, pointersOf(refusal)]).toEqual([name, OPTIONAL.test(name) ? [] : [name]]);
    }
  });

  test('takes nothing for a member that every object inherits', () => {
    const inherited = Object.create(FULL_CARD) as Scorecard;
    expect(pointersOf(refusalOf(() => read(inherited)))).toContain('/runId');
  });

  test('whatever stands in one place, it is refused there or read as it is', () => {
    const place = fc.constantFrom(...places.map(({ path }) => path));
    fc.assert(
      fc.property(place, fc.jsonValue(), (path, value) => {
        const given = withValueAt(FULL_CARD, path, value);
        let card: Scorecard | undefined;
        const refusal = refusalOf(() => {
          card = read(given);
        });
        if (!refusal) expect(JSON.stringify(card, ordered)).toBe(JSON.stringify(given, ordered));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('single members', () => {
  test.each<[string, unknown]>([
    ['runId', '../etc'],
    ['runId', 'r'.repeat(1025)],
    ['suite.suiteId', 'refunds'],
    ['suite.version', '1.2'],
    ['suite.digest', `sha512:${'1'.repeat(64)}`],
    ['suite.digest', `sha256:${'A'.repeat(64)}`],
    ['agent.agentId', 'two words'],
    ['agent.version', 'latest'],
    ['model.model', 'two\nlines'],
    ['model.temperature', 2.5],
    ['model.mock', false],
    ['judge.votes', 0],
    ['modes', []],
    ['modes.0', 'exact'],
    ['totalTasks', 1.5],
    ['repeats', 101],
    ['results', []],
    ['results.0.score', 1.0001],
    ['results.0.score', -0.1],
    ['results.0.score', '1'],
    ['results.0.latencyMs', 0.5],
    ['results.0.costUsd', Number.POSITIVE_INFINITY],
    ['results.0.unscored', 'it was raining'],
    ['results.0.findings.0.severity', 'fatal'],
    ['results.0.criteria.0.id', 'The answer names the order number.'],
    ['results.0.repeats', [1]],
    ['summary.regression.scoreDelta', -1.5],
    ['summary.regression.diffRef', 'https://elsewhere.example/'],
    ['startedAt', '2026-01-31'],
    ['startedAt', '2026-06-31T12:00:00.000Z'],
    ['endedAt', '2026-01-31T12:00:00.000+02:00'],
    ['log.events', 0],
  ])('%s is not %j', (path, value) => {
    const pointer = `/${path.replaceAll('.', '/')}`;
    expect(pointersOf(refusalOf(() => read(changed(path, value))))).toEqual([pointer]);
  });
});

describe('the parts of a scorecard agree', () => {
  test.each<[string, string, unknown, string]>([
    ['no mode twice', 'modes', ['golden', 'golden'], '/modes'],
    ['no more results than tasks', 'totalTasks', 1, '/results'],
    ['no task twice', 'results.1.taskId', 'refund-1', '/results/1/taskId'],
    ['a score for every repeat', 'results.1.repeats', [0, 0, 0], '/results/1/repeats'],
    ['the same suite', 'summary.suiteId', 'core.acme.evals.returns', '/summary/suiteId'],
    ['the same version of it', 'summary.suiteVersion', '1.2.1', '/summary/suiteVersion'],
    ['as many tasks as it says', 'summary.taskCount', 3, '/summary/taskCount'],
    ['as many passed as it says', 'summary.passedCount', 1, '/summary/passedCount'],
    ['the same score in both places', 'summary.tasks.0.score', 1, '/summary/tasks/0'],
    ['the same verdict in both places', 'summary.tasks.1.passed', true, '/summary/tasks/1'],
  ])('%s', (_, path, value, pointer) => {
    expect(pointersOf(refusalOf(() => read(changed(path, value))))).toContain(pointer);
  });

  test('a task that is left out of the summary is missed', () => {
    const tasks = FULL_CARD.summary.tasks.slice(0, 1);
    expect(pointersOf(refusalOf(() => read(changed('summary.tasks', tasks))))).toEqual(['/summary/tasks']);
  });
});

test('a file that is wrong everywhere is refused after a few sentences', () => {
  const results: readonly Json[] = Array.from({ length: 100_000 }, () => ({ answer: 'text' }));
  expect(pointersOf(refusalOf(() => read(changed('results', results))))).toHaveLength(20);
});

/** Members in the order of their names, at every level. */
const ordered = (_: string, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

function withOwnProto(card: Scorecard, path: readonly (string | number)[]): unknown {
  const text = JSON.stringify(withValueAt(card, [...path, '-'], { polluted: true }));
  return JSON.parse(text.replace('"-":', '"__proto__":'));
}
