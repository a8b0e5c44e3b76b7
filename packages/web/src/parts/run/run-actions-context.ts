import type { EvalRunSnapshot } from '@touchstone/sdk';
import { createContext, type FunctionComponent } from 'preact';

export type RunHandle = {
  readonly run: EvalRunSnapshot;
  /** Asks again where the run stands. */
  readonly reload: () => void;
};

/** What can be done with a run, beside its name. It is loaded after the run, and a page in a file has none. */
export const RunActionsContext = createContext<FunctionComponent<RunHandle> | undefined>(undefined);
