import { GO_TO_WORDS, LINK_WORDS, REVIEW_WORDS } from './host-keys.js';

/**
 * Every key of the page, and what it does. A part can take no key that is not here, and the list of keys shows those that a part on
 * the page has taken. `g r` is `g` and then `r`.
 */
export const KEYS = {
  everywhere: {
    '?': 'this list',
    ...LINK_WORDS,
    t: 'next theme',
    ...GO_TO_WORDS,
    Escape: 'close the topmost thing',
  },
  list: {
    '/': 'find',
    j: 'next row',
    ArrowDown: 'next row',
    k: 'previous row',
    ArrowUp: 'previous row',
    PageDown: 'move far',
    PageUp: 'move far',
    Home: 'first row',
    End: 'last row',
    Enter: 'open',
    'Ctrl+Enter': 'open as a page',
    c: 'mark a run for comparing',
    C: 'compare the marked runs',
  },
  task: {
    '[': 'previous task',
    ']': 'next task',
    d: 'difference on or off',
    o: 'override the score',
  },
  review: REVIEW_WORDS,
} as const;

export type KeyGroup = keyof typeof KEYS;
export type KeyOf<Group extends KeyGroup> = keyof (typeof KEYS)[Group];
