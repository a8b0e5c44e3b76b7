import { describe, expect, it } from 'vitest';
import {
  type AssignmentStep,
  type AssignmentView,
  assignmentStop,
  nextAssignmentStep,
  unitsWanted,
} from './assignment-step.js';

const BUSY: AssignmentView = {
  isOver: false,
  leaving: false,
  releasing: false,
  stop: undefined,
  aborted: false,
  withdrawn: false,
  isExhausted: false,
  ready: 3,
  running: 2,
  waiting: 0,
  ahead: 0,
  unsealed: 0,
  isAsking: false,
  wanted: 0,
  slots: 4,
  isAlone: false,
  isUnsure: false,
};
const IDLE = { ready: 0, running: 0 };

it.each<[string, Partial<AssignmentView>, AssignmentStep]>([
  ['a free slot and a claimed unit', {}, 'start'],
  ['no free slot', { running: 4 }, 'wait'],
  ['no free slot, and some may be handed over ahead', { running: 4, ahead: 1 }, 'queue'],
  ['a free slot, and some wait with the agent', { waiting: 2, ahead: 1 }, 'start'],
  ['some wait with the agent, and nothing else is left', { ...IDLE, waiting: 1, isExhausted: true }, 'wait'],
  [
    'the run drains, and some wait with the agent',
    { running: 0, ready: 0, waiting: 1, stop: 'finish' },
    'drop',
  ],
  ['nothing was heard of the store for long', { isUnsure: true }, 'wait'],
  ['nothing was heard of the store for long, and nothing runs', { isUnsure: true, running: 0 }, 'wait'],
  ['too much waits for the disk', { unsealed: 512 }, 'wait'],
  ['no free slot, and few units in hand', { running: 4, wanted: 9 }, 'claim'],
  ['a claim is on its way', { running: 4, wanted: 9, isAsking: true }, 'wait'],
  ['nothing is claimed yet', { ...IDLE, wanted: 4 }, 'claim'],
  ['nothing is left to claim, and some run', { ready: 0, isExhausted: true, wanted: 4 }, 'wait'],
  [
    'nothing is left to claim, and the last is not on disk',
    { ...IDLE, isExhausted: true, unsealed: 1 },
    'wait',
  ],
  ['nothing is left at all', { ...IDLE, isExhausted: true }, 'finish'],
  ['it is given up, and units are claimed', { releasing: true }, 'start'],
  ['it is given up, and few units are in hand', { releasing: true, ready: 0, wanted: 9 }, 'wait'],
  ['it is given up, and all that was claimed is done', { ...IDLE, releasing: true, wanted: 9 }, 'release'],
  ['it is given up while a claim is on its way', { ...IDLE, releasing: true, isAsking: true }, 'wait'],
  ['the run drains, and units are claimed', { stop: 'finish' }, 'drop'],
  ['the run drains, and some run', { stop: 'finish', ready: 0, withdrawn: true }, 'wait'],
  [
    'the run drains, and the last is not on disk',
    { ...IDLE, stop: 'finish', withdrawn: true, unsealed: 2 },
    'wait',
  ],
  ['the run drains, and nothing runs', { ...IDLE, stop: 'finish', withdrawn: true }, 'release'],
  ['the run drains when nothing was left', { ...IDLE, stop: 'finish', isExhausted: true }, 'release'],
  ['the run is cancelled', { stop: 'abort' }, 'abort'],
  ['the run is cancelled, units are claimed', { stop: 'abort', aborted: true }, 'drop'],
  [
    'the run is cancelled, aborted ones still end',
    { stop: 'abort', aborted: true, ready: 0, withdrawn: true },
    'wait',
  ],
  ['the run is cancelled, all have ended', { ...IDLE, stop: 'abort', aborted: true }, 'release'],
  ['the process ends', { leaving: true }, 'abort'],
  ['the process ends, what was executed is not on disk', { ...IDLE, leaving: true, unsealed: 1 }, 'wait'],
  ['the process ends, nothing runs', { ...IDLE, leaving: true }, 'release'],
  ['others have it', { isOver: true }, 'abort'],
  ['others have it, nothing runs', { ...IDLE, isOver: true, unsealed: 3, isAsking: true }, 'leave'],
  ['units that are executed alone, one runs', { isAlone: true, running: 1 }, 'wait'],
  [
    'units that are executed alone, the last is not on disk',
    { isAlone: true, running: 0, unsealed: 1 },
    'wait',
  ],
  [
    'units that are executed alone, one waits with the agent',
    { isAlone: true, running: 0, waiting: 1 },
    'wait',
  ],
  ['units that are executed alone, nothing runs', { isAlone: true, running: 0 }, 'start'],
  ['units that are executed alone, and no slot is left', { isAlone: true, running: 0, slots: 0 }, 'start'],
])('%s', (_name, change, expected) => {
  expect(nextAssignmentStep({ ...BUSY, ...change })).toBe(expected);
});

describe('what is asked of those who execute', () => {
  const pause = (drainPolicy: 'immediate' | 'drain-current-node') =>
    ({ control: { kind: 'pause', by: 'x', drainPolicy } }) as Parameters<typeof assignmentStop>[0];
  it.each([
    ['nothing', {}, undefined],
    ['a cancel', { control: { kind: 'cancel', by: 'x' } }, 'abort'],
    ['a pause at once', pause('immediate'), 'abort'],
    ['a pause that drains', pause('drain-current-node'), 'finish'],
    ['a cancel while the work drains', { control: { kind: 'cancel', by: 'x' }, stop: 'drain' }, 'abort'],
    ['work that drains', { stop: 'drain' }, 'finish'],
    ['an agent that was written to', { stop: 'changed' }, 'abort'],
  ] as const)('%s', (_name, asked, expected) => {
    expect(assignmentStop(asked)).toBe(expected);
  });
});

it.each([
  ['nothing is known of the units yet', 16, 0, 0, undefined, 16],
  ['slow units are claimed as slots become free', 16, 15, 0, 1_000, 1],
  ['all slots are taken by slow units', 16, 16, 0, 1_000, 0],
  ['units of 50 ms, for a quarter of a second', 16, 0, 0, 50, 80],
  ['asked for before the slots run dry', 16, 16, 20, 50, 44],
  ['more than half is in hand', 16, 16, 30, 50, 0],
  ['fast units, up to the largest claim', 16, 0, 0, 0, 256],
])('%s', (_name, slots, running, ready, averageMs, expected) => {
  expect(unitsWanted({ slots, running, waiting: 0, ready }, averageMs)).toBe(expected);
});
