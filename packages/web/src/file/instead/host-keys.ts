/** Of the places of a host a file has the runs. */
export const PLACE_WORDS = { 'g r': 'runs' } as const;
export const PLACE_KEYS = { 'g r': '/runs' } as const;
export const GO_TO_WORDS = {};
export const REVIEW_WORDS = {};
