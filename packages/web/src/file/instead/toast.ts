/** Nothing is done in a file that people would have to be told of. */
export const useToast = (): readonly [null, (text: unknown) => void] => [null, () => undefined];
