/** Nothing waits in a file. */
export const useCounts = (): undefined => undefined;
