/** The data of a file is there with its page. */
export const usePainted = (isThere: boolean): boolean => isThere;
