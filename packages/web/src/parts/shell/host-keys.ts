// Keys for what only a host has, and what they do. A file has none of them.

type Digit = '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

const eachDigit = (does: string): Readonly<Record<Digit, string>> =>
  Object.fromEntries([...'123456789'].map((digit) => [digit, does])) as Record<Digit, string>;

export const LINK_WORDS = {
  'g t': 'today',
  'g r': 'runs',
  'g s': 'suites',
  'g a': 'agents',
  'g v': 'review',
  'g p': 'approvals',
  'g j': 'judges',
  'g u': 'audit',
  'g e': 'settings',
} as const;

export const LINK_KEYS = {
  'g t': '/',
  'g r': '/runs',
  'g s': '/suites',
  'g a': '/agents',
  'g v': '/review',
  'g p': '/approvals',
  'g j': '/judges',
  'g u': '/audit',
  'g e': '/settings',
} as const;

export const GO_TO_WORDS = { 'Ctrl+K': 'go to a run, suite, agent or task, or do something' } as const;

export const REVIEW_WORDS = {
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
} as const;
