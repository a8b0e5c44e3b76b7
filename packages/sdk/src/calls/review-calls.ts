import type {
  JudgeAgreements,
  JudgeCalibration,
  ReviewList,
  ReviewSource,
  RunId,
} from '@touchstone/protocol';
import type { Transport } from '../transport.js';
import { type Get, type PageQuery, type Reading, VENDOR } from './calls.js';

/** Which tasks people are to look at. */
export type ReviewQuery = PageQuery & {
  /** Where they come from; `failures` when absent. */
  readonly source?: ReviewSource;
  /** Of a sample: the same seed draws the same tasks; 1 when absent. */
  readonly seed?: number;
  /** How many tasks a sample has, at most 1000; 50 when absent. */
  readonly n?: number;
  /** Only runs of this suite. */
  readonly suiteId?: string;
  /** Only runs of this agent. */
  readonly agentId?: string;
  /** This run; the newest completed run of every suite with every agent when absent. */
  readonly runId?: RunId;
  /** Only those that wait, or only those that are decided; all when absent. */
  readonly state?: 'open' | 'done';
  /** Whose decisions count: those of anyone when absent. */
  readonly by?: 'me' | 'anyone';
};

/** Which labels are held against judges. */
export type AgreementQuery = {
  /** Only runs of this suite. */
  readonly suiteId?: string;
  /** Only the judge with this digest. */
  readonly judge?: string;
  /** Only labels given then or later, as RFC 3339 text. */
  readonly since?: string;
};

/** Which labels count for a calibration. */
export type CalibrationQuery = {
  /** False: labels given after the judge was seen count as well. */
  readonly blind?: boolean;
  /** Only verdicts that the judge gave then or later, as RFC 3339 text. */
  readonly since?: string;
};

/** Which labels are written down. */
export type LabelQuery = {
  /** Only runs of this suite. */
  readonly suiteId?: string;
  /** Only this run. */
  readonly runId?: RunId;
  /** Only labels given before the judge was seen, or only the others; all when absent. */
  readonly blind?: boolean;
};

/** Calls on what people look at. Their decisions are annotations: `client.runs.annotate` records them. */
export function reviewCalls(transport: Transport, get: Get) {
  return {
    /** Tasks for people to look at, in an order that does not change while they work. Without content. */
    list: (query: ReviewQuery = {}, reading?: Reading): Promise<ReviewList> =>
      get(`${VENDOR}/review`, reading, query),
    /** How far judges agree with the labels of people, by judge and by criterion. */
    agreement: (query: AgreementQuery = {}, reading?: Reading): Promise<JudgeAgreements> =>
      get(`${VENDOR}/agreement`, reading, query),
    /** What labels show of the judge of a run, about the suite of the run: what gates count. */
    calibration: (runId: RunId, query: CalibrationQuery = {}, reading?: Reading): Promise<JudgeCalibration> =>
      get(`${VENDOR}/runs/${runId}/calibration`, reading, {
        ...query,
        blind: query.blind === undefined ? undefined : String(query.blind),
      }),
    /** The labels with questions and answers, as `touchstone judge check` reads them: JSON Lines. Content. */
    labels: async ({ blind, ...query }: LabelQuery = {}, reading?: Reading): Promise<string> => {
      const flag = blind === undefined ? undefined : String(blind);
      const call = { method: 'GET', path: `${VENDOR}/labels`, query: { ...query, blind: flag } } as const;
      return (await transport.open({ ...call, ...reading })).text();
    },
  };
}
