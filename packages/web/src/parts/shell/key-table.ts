type Digit = '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

const eachDigit = (does: string): Readonly<Record<Digit, string>> =>
  Object.fromEntries([...'123456789'].map((digit) => [digit, does])) as Record<Digit, string>;

/**
 * Every key of the page, and what it does. A part can take no key that is not here, and the list of keys shows those that a part on
 * the page has taken. `g r` is `g` and then `r`.
 */
export const KEYS = {
  everywhere: {
    '?': 'this list',
    'g t': 'today',
    'g r': 'runs',
    'g s': 'suites',
    'g a': 'agents',
    'g v': 'review',
    'g p': 'approvals',
    'g j': 'judges',
    'g u': 'audit',
    'g e': 'settings',
    t: 'next theme',
    'Ctrl+K': 'go to a run, suite, agent or task, or do something',
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
  review: {
    ...eachDigit('choose a criterion'),
    m: 'met',
    u: 'unmet',
    p: 'the answer passes',
    x: 'the answer fails',
    f: 'flag',
    o: 'override the score',
    n: 'note',
    v: 'show the judge',
    Enter: 'save and go on',
    s: 'skip',
    '[': 'back',
  },
} as const;

export type KeyGroup = keyof typeof KEYS;
export type KeyOf<Group extends KeyGroup> = keyof (typeof KEYS)[Group];
