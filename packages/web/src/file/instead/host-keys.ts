/** Of the links of a host a file has the runs. */
export const LINK_WORDS = { 'g r': 'runs' } as const;
export const LINK_KEYS = { 'g r': '/runs' } as const;
export const GO_TO_WORDS = {};
export const REVIEW_WORDS = {};
