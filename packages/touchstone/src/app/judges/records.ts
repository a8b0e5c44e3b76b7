import {
  asId,
  type CalibrationLabel,
  type CalibrationRecord,
  type CriterionId,
  type Digest,
  type Json,
  type JudgeIdentity,
  type Owner,
  type PrincipalId,
  type ResourceName,
  type ScopeName,
  validationError,
} from '@touchstone/protocol';
import { isJudged } from '@touchstone/protocol/bodies';
import type { Clock, Ids, Store } from '../../ports/index.js';
import { criteriaOf } from '../../scoring/index.js';
import { digestOf } from '../../suites/index.js';
import type { SuiteVisible } from '../catalogue/entries.js';
import { type SuiteCatalogue, taskPages } from '../catalogue/suite-catalogue.js';

/** What a check of a judge found, to be kept. */
type CheckedJudge = {
  readonly judge: JudgeIdentity;
  /** `<suiteId>` or `<suiteId>@<version>`: the suite whose criteria the labels are about. */
  readonly suite: string;
  readonly verdicts: readonly CalibrationLabel[];
  readonly by: string;
};
/** What became of it. */
export type KeptCalibration = {
  readonly recordId: string;
  /** `<suiteId>@<version>` */
  readonly suite: string;
  readonly kept: number;
  /** Labels about criteria that the suite does not have. */
  readonly otherCriteria: number;
};

export type CalibrationRecords = {
  /** Keeps what gates may count, with an audit record. Refuses when nothing is left of it. */
  keep(owner: Owner, checked: CheckedJudge): Promise<KeptCalibration>;
  get(owner: Owner, recordId: string): Promise<CalibrationRecord | undefined>;
};

type Parts = {
  readonly store: Store;
  readonly ids: Pick<Ids, 'token'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly findSuite: SuiteCatalogue['find'];
};

export const createCalibrationRecords = (parts: Parts): CalibrationRecords => ({
  keep: (owner, checked) => keep(parts, owner, checked),
  get: (owner, recordId) => parts.store.calibrations.get(owner, recordId),
});

async function keep(parts: Parts, owner: Owner, checked: CheckedJudge): Promise<KeptCalibration> {
  const { store, ids, clock } = parts;
  const { judge, verdicts, by } = checked;
  if (judge.mock) throw refusal('judge', 'The judge is a scripted one: its verdicts count for no gate.');
  const found = await parts.findSuite(owner, checked.suite);
  if (!found)
    throw refusal(
      'suite',
      'No suite of this name and version is installed. Run it once, or install it with: touchstone suite install',
    );
  const criteria = await judgedCriteria(parts, found);
  const labels = verdicts.filter(({ criterion }) => criteria.has(criterion));
  const { suiteId, version, digest: suite } = found.head;
  if (labels.length === 0)
    throw refusal(
      'suite',
      `None of the labels is about a criterion that a judge decides in ${suiteId}@${version}.`,
    );
  const at = clock.now();
  const record: CalibrationRecord = {
    recordId: `cal-${ids.token().slice(0, 22)}`,
    judge: judge.digest,
    suite,
    labelsDigest: labelsDigest(labels),
    by: asId<PrincipalId>(by),
    at,
    labels,
  };
  await store.audit.append(owner, auditEntry(record, by));
  await store.calibrations.add(owner, record);
  const otherCriteria = verdicts.length - labels.length;
  return { recordId: record.recordId, suite: `${suiteId}@${version}`, kept: labels.length, otherCriteria };
}

/** Before it is done, as everything that an operator does at the machine. */
const auditEntry = ({ recordId, judge, labels, at }: CalibrationRecord, by: string) => ({
  action: asId<ScopeName>('judges:calibrate'),
  resource: asId<ResourceName>(`calibrations/${recordId}`),
  allowed: true,
  reason: `${labels.length} labels for ${judge}`,
  at,
  principal: asId<PrincipalId>(by),
});

async function judgedCriteria({ store }: Parts, { owner, head }: SuiteVisible): Promise<Set<CriterionId>> {
  const ids = new Set<CriterionId>();
  for await (const page of taskPages(store, owner, head))
    for (const task of page) for (const { id, parsed } of criteriaOf(task)) if (isJudged(parsed)) ids.add(id);
  return ids;
}

/** Of what people said, whatever the order, the judge and the time. */
export const labelsDigest = (labels: readonly CalibrationLabel[]): Digest =>
  digestOf(labels.map(({ answer, criterion, person }) => `${answer} ${criterion} ${person}`).sort() as Json);

const refusal = (field: string, message: string) =>
  validationError([{ pointer: `/${field}`, message }], { field });
