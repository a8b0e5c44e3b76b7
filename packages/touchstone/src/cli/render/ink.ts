import picocolors from 'picocolors';

export type Ink = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'inverse'
>;

export const createInk = (coloured: boolean): Ink => picocolors.createColors(coloured);

/** How a rendered value may look: columns to fill, and whether colour is understood. */
export type Look = {
  readonly ink: Ink;
  readonly width: number;
  /** Content is shown whole, on as many lines as it takes. */
  readonly uncut?: boolean;
};
