import type { CriterionId, Digest, PrincipalId } from './ids.js';

// How far a judge can be believed: its verdicts beside those of people. Ids, digests and flags alone.

/** What a person said about one criterion of one answer, beside what a judge said about it. */
export type CalibrationLabel = {
  /** Of what was asked. Labels about the same question are alike, so they are drawn together. */
  readonly task: string;
  /** Of what was asked and answered: the same answer counts once, however often it was given and labelled. */
  readonly answer: string;
  /** The criterion. */
  readonly criterion: CriterionId;
  /** Whether the person said that it is met. */
  readonly person: boolean;
  /** Whether the judge said so. */
  readonly judge: boolean;
  /** The person had seen what the judge said. */
  readonly seen?: true;
  /** Who gave the label; the name of its line where a file does not say. */
  readonly by: string;
  /** When the label was given, in milliseconds since 1970. */
  readonly at: number;
  /** When the judge gave its verdict: what a vendor serves under a model's name changes. */
  readonly judgedAt: number;
};

/** What a check of a judge by a file of labels found. It is kept for gates. */
export type CalibrationRecord = {
  /** Names the record. */
  readonly recordId: string;
  /** The judge that was asked. */
  readonly judge: Digest;
  /** The suite whose criteria the labels are about. */
  readonly suite: Digest;
  /** Of the labels of the file, whatever their order. */
  readonly labelsDigest: Digest;
  /** Who had the judge checked. */
  readonly by: PrincipalId;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** One for each label that the judge decided. */
  readonly labels: readonly CalibrationLabel[];
};

/** What a gate asks to know of the judge. */
export type RequiredCalibration = {
  /** The least kappa, from -1 to 1; any when absent. */
  readonly minKappa?: number;
  /** The least number of labels; 50 when absent. */
  readonly minLabels?: number;
  /** Whether only labels count that were given before the judge was seen; so it is when absent. */
  readonly blindOnly?: boolean;
  /** How long ago the judge may have given the verdicts that count; any time when absent. */
  readonly maxAgeDays?: number;
  /** Whether the lower end of kappa's interval has to reach the least kappa, and not kappa alone. */
  readonly conservative?: boolean;
};
