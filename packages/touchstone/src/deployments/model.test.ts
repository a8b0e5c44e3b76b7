import {
  type AgentDeployments,
  asId,
  CHANNELS,
  type ChannelName,
  DEPLOYMENT_STATES,
  type DeploymentRecord,
  type DeploymentState,
  type ReasonLabel,
  type Transition,
  type TransitionRequest,
  type Version,
} from '@touchstone/protocol';
import { check } from '@touchstone/protocol/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveChannel, shares } from './channels.js';
import { stateOf } from './picture.js';
import { deploymentRecords } from './records.js';
import { outcomeOf } from './states.js';
import { activated, after, ask, v } from './testing/names.js';
import { PlainModel } from './testing/plain-model.js';

// Goal: whatever is asked in whatever order, the machine does what a second one does that was written in another way,
// and what may never happen does not. Method: long random sequences over four versions; both machines take every step.
const VERSIONS = ['1.0.0', '1.1.0', '1.2.0', '2.0.0'].map(v);
const DRAWS = [0, 0.0999, 0.1, 0.54, 0.56, 0.77, 1 - 2 ** -53];

const weighted = <T>(weights: readonly (readonly [number, T])[]): fc.Arbitrary<T> =>
  fc.oneof(...weights.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
const transition = weighted<Transition>([
  [16, 'promote'],
  [6, 'pause'],
  [1, 'deprecate'],
  [6, 'rollback'],
  [2, 'adjust-canary'],
]);
const channel = weighted([
  [6, 'stable'],
  [5, 'canary'],
  [6, undefined],
  [1, 'latest'],
  [1, 'constructor'],
]);
const percent = weighted([
  [6, undefined],
  [2, 10],
  [2, 50],
  [1, 0],
  [1, 100],
]);
const toState = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom<DeploymentState>(...DEPLOYMENT_STATES) },
);
const wish = fc.record({
  version: fc.constantFrom(...VERSIONS),
  transition,
  channel,
  percent,
  toState,
  /** Most requests name only what their transition takes, so that sequences get somewhere. */
  isTidy: weighted([
    [5, true],
    [1, false],
  ]),
  reason: fc.constantFrom(undefined, asId<ReasonLabel>('too-slow')),
});
type Wish = typeof wish extends fc.Arbitrary<infer W> ? W : never;

/** Versions that are in service when a sequence begins: from there it gets further than from nothing. */
const opening = fc.array(fc.record({ channel: fc.constantFrom('stable', 'canary'), percent }), {
  minLength: 2,
  maxLength: VERSIONS.length,
});
const openingRequests = (entries: readonly { channel: string; percent: number | undefined }[]) =>
  entries.flatMap(({ channel, percent }, place) => activated(VERSIONS[place] as Version, channel, percent));

function requestOf(current: AgentDeployments, asked: Wish): TransitionRequest {
  const { version, transition, isTidy, percent, reason } = asked;
  const to = outcomeOf(transition, stateOf(current, version), true);
  const isIntoService = transition === 'promote' && to === 'active';
  const channel = isTidy && !isIntoService && transition !== 'rollback' ? undefined : asked.channel;
  const share = isTidy && !isIntoService && transition !== 'adjust-canary' ? undefined : percent;
  const toState = isTidy && asked.toState ? to : asked.toState;
  return {
    version,
    transition,
    ...(channel && { channel: asId<ChannelName>(channel) }),
    ...(share !== undefined && { canaryPercent: share }),
    ...(toState && { toState }),
    ...(reason && { reason }),
  };
}

/** What may never happen, and has. */
function brokenInvariants(before: AgentDeployments, now: AgentDeployments): readonly string[] {
  const records = deploymentRecords(now, VERSIONS);
  const left = before.versions.filter(
    ({ version, state }) => ['deprecated', 'rolled-back'].includes(state) && stateOf(now, version) !== state,
  );
  return [
    ...left.map(({ version }) => `${version} has left a final state`),
    ...records.flatMap((record) => check('agent-deployment', record).map(({ message }) => message)),
    ...(records.map(({ version }) => version).join() === VERSIONS.join() ? [] : ['not one record each']),
    ...(now.revision === before.revision + 1 ? [] : ['the revision does not count']),
    ...CHANNELS.flatMap((name) => brokenChannel(now, name, records)),
  ];
}

function brokenChannel(
  now: AgentDeployments,
  name: (typeof CHANNELS)[number],
  records: readonly DeploymentRecord[],
): readonly string[] {
  const dealt = shares(now, name);
  const sum = dealt.reduce((total, { share }) => total + share, 0);
  const takers = dealt.map(({ version }) => version).sort();
  const listed = records.filter(({ channels }) => channels?.some((each) => each === name));
  const drawn = DRAWS.flatMap((u) => resolveChannel(now, name, u)?.version ?? []);
  const rules: readonly (readonly [string, boolean])[] = [
    ['shares do not add up', dealt.length === 0 || Math.abs(sum - 1) < 1e-12],
    ['a share is nothing', dealt.every(({ share }) => share > 0)],
    ['it leads to what is not active', takers.every((version) => stateOf(now, version) === 'active')],
    [
      'records say otherwise',
      listed
        .map(({ version }) => version)
        .sort()
        .join() === takers.join(),
    ],
    ['it leads elsewhere', drawn.every((version) => takers.includes(version))],
    ['it leads nowhere', drawn.length === (takers.length > 0 ? DRAWS.length : 0)],
  ];
  return rules.flatMap(([trouble, holds]) => (holds ? [] : [`${name}: ${trouble}`]));
}

type Answers = {
  readonly state: (version: Version) => DeploymentState;
  readonly draw: (channel: string, u: number) => Version | undefined;
};
/** Everything that can be asked of a picture, as one text. */
const answersOf = ({ state, draw }: Answers): string =>
  [...VERSIONS.map(state), ...CHANNELS.flatMap((name) => DRAWS.map((u) => draw(name, u)))].join(' ');

test('random transitions do what an independent model of the state machine does', () => {
  const done = new Map<string, number>();
  const sequences = fc.property(
    opening,
    fc.array(wish, { minLength: 40, maxLength: 80 }),
    (entries, wishes) => {
      const model = new PlainModel();
      const begun = openingRequests(entries);
      for (const request of begun) model.attempt(request);
      let current = after(begun);
      for (const asked of wishes) {
        const request = requestOf(current, asked);
        const before = JSON.stringify(current);
        const decision = ask(current, request);
        const expected = model.attempt(request);
        expect(JSON.stringify(current)).toBe(before);
        if (decision.kind === 'illegal') {
          expect(decision.issue.pointer).toBe(expected);
          continue;
        }
        const { next } = decision.move;
        expect(decision.move.events).toEqual(expected);
        expect(brokenInvariants(current, next)).toEqual([]);
        const draw = (name: string, u: number) => resolveChannel(next, name, u)?.version;
        expect(answersOf({ state: (version) => stateOf(next, version), draw })).toBe(
          answersOf({ state: (version) => model.stateOf(version), draw: (name, u) => model.draw(name, u) }),
        );
        current = next;
        const name = [`${request.transition}:`, ...decision.move.events.map(({ type }) => type)].join(' ');
        done.set(name, (done.get(name) ?? 0) + 1);
      }
    },
  );
  fc.assert(sequences, { numRuns: 120, seed: 7 });
  // The sequences have been everywhere, or the agreement would say little.
  const reached = [...done].filter(([, times]) => times >= 15).map(([name]) => name);
  expect(reached.sort()).toEqual([
    'adjust-canary: deployment.canary.adjusted',
    'deprecate: deployment.state.changed',
    'pause: deployment.state.changed',
    'promote: deployment.promoted',
    'promote: deployment.state.changed',
    'promote: deployment.state.changed deployment.promoted',
    'rollback: deployment.rolled-back',
    'rollback: deployment.rolled-back deployment.state.changed',
  ]);
});
