import { asId, type Owner, type RunId, type Scorecard } from '@touchstone/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSigningKey, publicKeyOf, sealStatement, statementOf } from '../../evidence/index.js';
import type { NewRun, Store } from '../../ports/index.js';
import { createMemoryStore } from '../../store/index.js';
import { systemClock } from '../system.js';
import { cardOf } from '../testing/scorecards.js';
import { ACME } from '../testing/test-host.js';
import { checkScorecardFile, importScorecard } from './import-scorecard.js';

const RIVAL: Owner = { tenant: 'rival', workspace: 'main' };
const RUN = asId<RunId>('run-elsewhere');
const { privateKey } = createSigningKey();
const SIGNING = { keyId: 'acme-2026', privateKey };
const TRUSTED = [{ keyId: 'acme-2026', publicKey: publicKeyOf(privateKey) }];

const seal = (card: Scorecard, signing: typeof SIGNING | undefined = SIGNING): string =>
  sealStatement(statementOf(card, { name: 'touchstone', version: '1.0.0' }), signing);
const unsigned = (card: Scorecard): string =>
  sealStatement(statementOf(card, { name: 'touchstone', version: '1.0.0' }));
/** Its summary claims another verdict than its results give. */
const boastful = (card = cardOf()): Scorecard => ({ ...card, summary: { ...card.summary, passed: true } });

let store: Store;
beforeEach(async () => {
  store = await createMemoryStore(systemClock);
});
afterEach(() => store.close());
const bring = (text: string, owner = ACME) => importScorecard(store, owner, text, TRUSTED);

describe('a scorecard file', () => {
  it('that is signed and adds up has no trouble, whatever its scores are', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 0.25, 0.5, 1), { minLength: 1, maxLength: 6 }), (scores) => {
        const checked = checkScorecardFile(seal(cardOf(scores)), TRUSTED);
        expect(checked).toMatchObject({
          scorecard: cardOf(scores),
          host: { name: 'touchstone', version: '1.0.0' },
          signature: { state: 'trusted', keyId: 'acme-2026' },
          troubles: [],
        });
      }),
    );
  });

  it('may be right and nobody’s, or signed and wrong; both are told', () => {
    expect(checkScorecardFile(unsigned(cardOf()), TRUSTED)).toMatchObject({
      signature: { state: 'unsigned' },
      troubles: [],
    });
    expect(checkScorecardFile(seal(boastful()), TRUSTED)).toMatchObject({
      signature: { state: 'trusted' },
      troubles: ['summary.passed does not follow from the results.'],
    });
  });
});

describe('an import', () => {
  it('keeps the scorecard for its owner alone', async () => {
    expect(await bring(seal(cardOf()))).toEqual(cardOf());
    expect(await store.baselines.kept(ACME, RUN)).toEqual(cardOf());
    expect(await store.baselines.kept(RIVAL, RUN)).toBeUndefined();
  });

  it('takes the same scorecard again, and refuses another one of the same run', async () => {
    await bring(seal(cardOf()));
    expect(await bring(seal(cardOf()))).toEqual(cardOf());
    await expect(bring(seal(cardOf([0, 0])))).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.baselines.kept(ACME, RUN)).toEqual(cardOf());
  });

  it('takes a later file of the same run that says more of its contract, and none that says otherwise', async () => {
    const older: Scorecard = { ...cardOf(), contract: cardOf().suite.digest };
    const later: Scorecard = { ...older, contractVerdict: 'fail' };
    await bring(seal(older));
    await bring(seal(later));
    expect(await store.baselines.kept(ACME, RUN)).toEqual(later);
    const other = seal({ ...later, contractVerdict: 'pass' });
    await expect(bring(other)).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.baselines.kept(ACME, RUN)).toEqual(later);
  });

  it.each([
    ['by nobody', () => unsigned(cardOf()), 'The scorecard file is not signed. Add the public key'],
    [
      'by a stranger',
      () => seal(cardOf(), { ...SIGNING, keyId: 'who' }),
      'signed by key who, which is not trusted',
    ],
    [
      'by a stranger under a name we know',
      () => seal(cardOf(), { ...SIGNING, privateKey: createSigningKey().privateKey }),
      'The signature of key acme-2026 does not fit',
    ],
    ['and does not add up', () => seal(boastful()), 'summary.passed does not follow from the results'],
    ['and is something else', () => '{"hello":1}', 'Expected a scorecard file'],
  ])('of a file that is signed %s is refused, and keeps nothing', async (_name, text, words) => {
    await expect(bring(text())).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(words),
    });
    expect(await store.baselines.kept(ACME, RUN)).toBeUndefined();
  });

  it('of a run that is here keeps nothing: its own log says more', async () => {
    const { suite, agent } = cardOf();
    const run: NewRun = {
      runId: RUN,
      owner: ACME,
      principal: 'ci',
      origin: 'host',
      workflowId: suite.suiteId,
      plan: { kind: 'eval', suite, agent, modes: ['golden'], totalTasks: 2, repeats: 1, concurrency: 1 },
      request: {},
      createdAt: 1,
      engineVersion: 1,
    };
    await store.runs.create(run);
    expect(await bring(seal(cardOf()))).toEqual(cardOf());
    expect(await store.baselines.kept(ACME, RUN)).toBeUndefined();
    await bring(seal(cardOf()), RIVAL);
    expect(await store.baselines.kept(RIVAL, RUN)).toEqual(cardOf());
  });
});
