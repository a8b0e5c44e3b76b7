import { kappaFigure } from '@touchstone/sdk/view';

/** Two digits, with the sign that numbers on the page have. */
export const kappaText = (kappa: number): string => kappaFigure(kappa).replace('-', '−');
