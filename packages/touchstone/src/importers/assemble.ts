import { defined, type Issue, type JsonObject, validationError } from '@touchstone/protocol';
import { createTaskIds, taskSlug } from '../suites/index.js';
import type {
  ImportCounts,
  ImportDraft,
  ImportedTest,
  ImportItem,
  ImportOutput,
  ItemCollector,
} from './imported.js';

/** What keeps a suite from being run, by places in its authoring form. */
export type FindTroubles = (suite: JsonObject) => Promise<readonly Issue[]>;

type Frame = {
  readonly format: string;
  readonly suiteId: string;
  readonly items: ItemCollector;
  readonly findTroubles: FindTroubles;
};

/** A test with the id of its task. */
type NumberedTest = { readonly test: ImportedTest; readonly taskId: string };

/**
 * Makes the suite. An expectation that this host cannot check is lost, with its line. A test that has no
 * expectation is left out: it would pass whatever the agent says.
 */
export async function assemble(draft: ImportDraft, frame: Frame): Promise<ImportOutput> {
  const { format, items } = frame;
  const all = withIds(draft.tests);
  const kept = (await withoutTroubles(all, draft, frame)).filter(({ test }) => isKept(test, items));
  const recorded = kept.flatMap(({ test, taskId }) => (test.answer ? [{ taskId, ...test.answer }] : []));
  const { config, files = {}, details = [] } = draft;
  const found = items.items();
  return {
    format,
    suite: suiteOf(kept, draft, frame),
    ...defined({ config }),
    files,
    recorded,
    items: found,
    counts: countsOf(draft.tests, kept, found),
    details,
  };
}

/** A test without a name has its number in the source, so that one that is left out changes no other id. */
function withIds(tests: readonly ImportedTest[]): readonly NumberedTest[] {
  const ids = createTaskIds();
  return tests.map((test, at) => ({
    test,
    taskId: ids(taskSlug(test.id ?? '') || `t-${String(at + 1).padStart(4, '0')}`),
  }));
}

const suiteOf = (tests: readonly NumberedTest[], { suite }: ImportDraft, { suiteId }: Frame): JsonObject => ({
  suiteId,
  version: '1.0.0',
  ...suite,
  tasks: tests.map(taskOf),
});

const taskOf = ({ test, taskId }: NumberedTest): JsonObject =>
  defined({
    taskId,
    tags: test.tags?.length ? test.tags : undefined,
    description: test.description,
    input: test.input,
    fixtures: test.fixtures,
    expect: test.expect.map(({ entry }) => entry),
  }) as JsonObject;

const EXPECTATION = /^\/tasks\/(\d+)\/expect\/(\d+)/;

/**
 * Finds what no run would accept, such as a pattern that RE2 does not have, and takes it out. Once more when something was
 * found: a list of troubles may be cut.
 */
async function withoutTroubles(
  tests: readonly NumberedTest[],
  draft: ImportDraft,
  frame: Frame,
): Promise<readonly NumberedTest[]> {
  const checkable = tests.filter(({ test }) => test.expect.length > 0);
  if (checkable.length === 0) return tests;
  const issues = await frame.findTroubles(suiteOf(checkable, draft, frame));
  const troubles = new Map<string, string>();
  for (const { pointer, message } of issues) {
    const [, task, entry] = EXPECTATION.exec(pointer) ?? [];
    if (entry === undefined) throw validationError(issues);
    troubles.set(`${checkable[Number(task)]?.taskId} ${entry}`, message);
  }
  if (issues.length === 0) return tests;
  return withoutTroubles(
    tests.map((one) => sifted(one, troubles, frame.items)),
    draft,
    frame,
  );
}

function sifted(
  { test, taskId }: NumberedTest,
  troubles: ReadonlyMap<string, string>,
  items: ItemCollector,
): NumberedTest {
  const expect = test.expect.filter(({ at }, index) => {
    const trouble = troubles.get(`${taskId} ${index}`);
    if (trouble !== undefined)
      items.lost(at, `an assertion that cannot be checked here: ${trouble.replace(/\.$/, '')}`);
    return trouble === undefined;
  });
  const lost = test.lost + countOf(test) - countOf({ expect });
  return { taskId, test: { ...test, expect, lost } };
}

function isKept({ at, expect, lost, unused }: ImportedTest, items: ItemCollector): boolean {
  if (expect.length > 0) return true;
  if (unused !== undefined) items.note(at, `test: left out, because ${unused}`);
  else if (lost > 0) items.note(at, 'test: left out, because none of its assertions could be carried over');
  else items.lost(at, 'test: left out, because it has no assertion and would pass with any answer');
  return false;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** How many assertions of the source a test stands for. */
const countOf = ({ expect }: Pick<ImportedTest, 'expect'>): number =>
  sum(expect.map(({ count = 1 }) => count));

function countsOf(
  tests: readonly ImportedTest[],
  kept: readonly NumberedTest[],
  items: readonly ImportItem[],
): ImportCounts {
  const counted = (severity: ImportItem['severity']): number =>
    sum(items.filter((item) => item.severity === severity).map(({ times = 1 }) => times));
  return {
    tests: { all: tests.length, carried: kept.length },
    assertions: {
      all: sum(tests.map((test) => countOf(test) + test.lost)),
      carried: sum(kept.map(({ test }) => countOf(test))),
    },
    lost: counted('lost'),
    changed: counted('changed'),
  };
}
