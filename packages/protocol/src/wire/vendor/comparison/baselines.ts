// The runs that others are measured by. Content-free.
import type { Digest, PrincipalId, Timestamp } from '../../../model/ids.js';
import { CONTRACT_VERDICTS } from '../../../model/verdicts.js';
import { choice, closed, flag, fraction, id, list, mark, text, type Wire } from '../../schema/build.js';
import { agentVersion, runId } from '../parts.js';
import { suiteInReport } from '../report/report-parts.js';

/** Absent when the suite has no contract. */
const contractVerdict = choice(CONTRACT_VERDICTS, 'Whether the run kept the contract of its suite.');

const blessed = {
  /** The run that is the baseline. */
  runId: runId(),
  /** The suite it measured. */
  suite: suiteInReport,
  /** The agent it measured. */
  agent: agentVersion,
  /** Its mean score. */
  score: fraction(),
  /** Who made it the baseline. An opaque id. */
  principal: id<PrincipalId>('Who made it the baseline.'),
  /** When it was made the baseline. */
  at: id<Timestamp>(),
};
/** What a baseline has only when a task needed a judge. */
const blessedOptional = {
  /** Digest of the judge; absent when no task needed one. Baselines of different judges stand side by side. */
  judge: id<Digest>('Digest of the judge; absent when no task needed one.'),
};
const blessedRun = closed(blessed, blessedOptional);
/** A run that was made the baseline of its suite, its agent and its judge. */
export type BlessedRun = Wire<typeof blessedRun>;

/** Schema of the body of `POST …/baselines`. */
export const blessRun = closed({
  /** A completed eval run with answers of its own: no fork, and no call answered from the cache. */
  runId: runId('A completed run.'),
});

/** An entry of `GET …/baselines`. */
export const baselineEntry = closed(
  {
    ...blessed,
    /**
     * It counts: no later one of its suite, its agent and its judge is there. `false` for those that a later one
     * replaced.
     */
    current: flag('It counts: no later one of its suite, its agent and its judge is there.'),
  },
  {
    ...blessedOptional,
    /** Whether the run kept the contract of its suite; absent when it has none. */
    contractVerdict,
  },
);
/** The same in a list. Earlier ones are kept as history. */
export type BaselineEntry = Wire<typeof baselineEntry>;

/** Answer of `POST …/baselines`. */
export const newBaseline = closed(
  {
    /** The baseline that counts now. */
    blessed: blessedRun,
    /** Sentences for people; empty when there is nothing to say. */
    notes: list(text(), 'What does not stand in the way and should be known.'),
  },
  {
    /** The run that was the baseline until now. */
    replaced: blessedRun,
    /** The run was the baseline before; nothing has changed. Absent when the baseline is new. */
    already: mark('The run was the baseline before; nothing has changed.'),
    /** Whether the run kept the contract of its suite; absent when it has none. */
    contractVerdict,
  },
);
/** What came of making a run the baseline. */
export type NewBaseline = Wire<typeof newBaseline>;
