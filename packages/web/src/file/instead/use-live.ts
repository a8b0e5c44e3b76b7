import type * as Host from '../../queries/use-live.js';

/** The runs of a file have ended. */
export const useLive: typeof Host.useLive = () => ({ state: 'ended', progress: undefined });

export const useBeginning = (): void => undefined;
