import type { RunView } from '@touchstone/sdk/view';

/** What a report says of the promotion that followed a run: one sentence, free of content. */
export type ReportedPromotion = {
  readonly status: 'moved' | 'denied' | 'waiting' | 'impossible';
  /** The code of what was in the way. */
  readonly code?: string;
  readonly words: string;
};

/** A run to report about, and what the caller did besides. */
export type ExportedRun = RunView & {
  /** Absent when no promotion was tried. */
  readonly promotion?: ReportedPromotion;
};

/** A suite of a folder that was not run, and why. */
export type RefusedSuite = {
  readonly suite: { readonly ref: string };
  readonly error: { readonly code: string; readonly message: string };
};
