import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../packages/touchstone/src/ports/index.js';
import { amountsCases } from './store/amounts-cases.js';
import { annotationsCases } from './store/annotations-cases.js';
import { appendsCases } from './store/appends-cases.js';
import { auditCases } from './store/audit-cases.js';
import { baselinesCases } from './store/baselines-cases.js';
import { closingCases } from './store/closing-cases.js';
import { contractsCases } from './store/contracts-cases.js';
import { deploymentsCases } from './store/deployments-cases.js';
import { entriesCases } from './store/entries-cases.js';
import { type TestClock, testClock } from './store/givens.js';
import { calibrationsCases, judgesCases } from './store/judges-cases.js';
import { leasesCases } from './store/leases-cases.js';
import { ledgerCases } from './store/ledger-cases.js';
import { logCases } from './store/log-cases.js';
import { logModelCases } from './store/log-model-cases.js';
import { memoryCases } from './store/memory-cases.js';
import { oneWriterCases } from './store/one-writer-cases.js';
import { ownersCases } from './store/owners-cases.js';
import { pacesCases } from './store/paces-cases.js';
import { packsCases } from './store/packs-cases.js';
import { packsModelCases } from './store/packs-model-cases.js';
import { pageCases } from './store/page-cases.js';
import { responsesCases } from './store/responses-cases.js';
import { retainCases } from './store/retain-cases.js';
import { retentionCases } from './store/retention-cases.js';
import { runsCases } from './store/runs-cases.js';
import { sealCases } from './store/seal-cases.js';
import { sharedStoreCases } from './store/shared-cases.js';
import { boundAgentsCases, idempotencyCases, keysCases, secretsCases } from './store/small-cases.js';
import { suitesCases } from './store/suites-cases.js';
import { webhooksCases } from './store/webhooks-cases.js';
import { withdrawnPacksCases } from './store/withdrawn-packs-cases.js';
import { workCases } from './store/work-cases.js';
import { workModelCases } from './store/work-model-cases.js';

type OpenStore = (clock: TestClock, holder: string) => Promise<Store>;

/** What every store engine must do. `createStore` answers a new, empty store each time. */
export function storeCases(createStore: OpenStore, engine: { readonly oneWriter?: true } = {}): void {
  let clock: TestClock;
  let opened: Store[] = [];
  beforeEach(() => {
    clock = testClock();
  });
  afterEach(async () => {
    for (const store of opened) await store.close();
    opened = [];
  });
  const open = async (): Promise<Store> => {
    const store = await createStore(clock, 'me');
    opened.push(store);
    return store;
  };

  describe('runs', () => runsCases(open));
  describe('judges', () => judgesCases(open));
  describe('calibrations', () => calibrationsCases(open));
  describe('amounts', () => amountsCases(open));
  describe('leases', () => leasesCases(open, () => clock));
  describe('log', () => logCases(open));
  describe('seal and append', () => sealCases(open));
  describe('log as a model', () => logModelCases(open));
  describe('entries', () => entriesCases(open));
  describe('pages', () => pageCases(open));
  describe('appends', () => appendsCases(open));
  describe('contracts', () => contractsCases(open));
  describe('ledger', () => ledgerCases(open));
  describe('work', () => workCases(open, () => clock));
  describe('work as a model', () => workModelCases(open));
  describe('suites', () => suitesCases(open));
  describe('bound agents', () => boundAgentsCases(open));
  describe('packs', () => packsCases(open));
  describe('withdrawn packs', () => withdrawnPacksCases(open));
  describe('packs as a model', () => packsModelCases(open));
  describe('memory', () => memoryCases(open));
  describe('responses', () => responsesCases(open));
  describe('annotations', () => annotationsCases(open));
  describe('baselines', () => baselinesCases(open));
  describe('webhooks', () => webhooksCases(open));
  describe('deployments', () => deploymentsCases(open));
  describe('audit', () => auditCases(open));
  describe('secrets', () => secretsCases(open));
  describe('retaining', () => retainCases(open));
  describe('retention', () => retentionCases(open));
  describe('keys', () => keysCases(open));
  describe('idempotency', () => idempotencyCases(open));
  describe('paces', () => pacesCases(open, () => clock));
  describe('owners', () => ownersCases(open));
  describe('closing', () => closingCases(open));
  if (engine.oneWriter) describe('one writer', () => oneWriterCases(open));
}

/** What engines must do whose data several stores can open. `createData` answers a way to open one new, empty set. */
export function sharedCases(createData: () => Promise<OpenStore>): void {
  let clock: TestClock;
  let openData: OpenStore;
  let opened: Store[] = [];
  beforeEach(async () => {
    clock = testClock();
    openData = await createData();
  });
  afterEach(async () => {
    for (const store of opened) await store.close();
    opened = [];
  });
  const open = async (holder: string): Promise<Store> => {
    const store = await openData(clock, holder);
    opened.push(store);
    return store;
  };
  describe('several stores over the same data', () => sharedStoreCases(open, () => clock));
}
