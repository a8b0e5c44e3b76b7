import { type DeploymentRecord, type Person, ROLES, type TransitionRequest } from './deployment-host.js';

// The rules of deployments as a model, written from their description and not from the code.

export const KNOWN = ['1.0.0', '1.10.0', '2.0.0-rc.1'];

export type Row = { readonly state: string; readonly percent: number; readonly pointer?: string };
export type Model = {
  readonly rows: { readonly [version: string]: Row };
  readonly lines: { readonly stable: readonly string[]; readonly canary: readonly string[] };
};
type Channel = keyof Model['lines'];
type Fact = { readonly type: string; readonly payload: object };
export type Outcome =
  | { readonly status: 400 }
  | { readonly status: 403; readonly scope: string }
  | { readonly status: 200; readonly scope: string; readonly next: Model; readonly facts: readonly Fact[] };

export const EMPTY: Model = { rows: {}, lines: { stable: [], canary: [] } };
const DRAFT: Row = { state: 'draft', percent: 100 };
const FORWARD: { readonly [state: string]: string } = {
  draft: 'test',
  test: 'staged',
  staged: 'active',
  paused: 'active',
};
const FROM_ACTIVE: { readonly [transition: string]: string } = {
  pause: 'paused',
  deprecate: 'deprecated',
  rollback: 'rolled-back',
  'adjust-canary': 'active',
};
export const rowIn = ({ rows }: Model, version: string): Row => rows[version] ?? DRAFT;
const withRow = (model: Model, version: string, row: Row): Model => ({
  ...model,
  rows: { ...model.rows, [version]: row },
});
const activeOn = (model: Model, channel: Channel): readonly string[] =>
  model.lines[channel].filter((version) => rowIn(model, version).state === 'active').reverse();

/**
 * The parts of a channel, newest first; what is left goes to the oldest. They are whole numbers, so that a version of
 * 100 % leaves exactly nothing to the older ones: with fractions, (1 - 0.81) * 100 / 100 is not 1 - 0.81.
 */
function sharesOn(model: Model, channel: Channel): readonly (readonly [string, number])[] {
  const serving = activeOn(model, channel);
  let left = 100 ** serving.length;
  return serving.map((version, index) => {
    const isLast = index === serving.length - 1;
    const part = isLast ? left : (left / 100) * rowIn(model, version).percent;
    left -= part;
    return [version, part] as const;
  });
}
function mainOn(model: Model, channel: Channel): string | undefined {
  let most: readonly [string, number] | undefined;
  for (const each of sharesOn(model, channel))
    if (each[1] > 0 && (most === undefined || each[1] > most[1])) most = each;
  return most?.[0];
}
/** 1.0.0 < 1.10.0 < 2.0.0-rc.1, which is how they are listed above. */
const latestIn = (model: Model): string | undefined =>
  KNOWN.findLast((version) => rowIn(model, version).state === 'active');

function scopeFor({ transition, channel, canaryPercent }: TransitionRequest, { state }: Row): string {
  if (transition === 'rollback') return 'deploy:rollback';
  if (transition === 'pause' || transition === 'deprecate') return 'deploy:pause';
  const comesBackAsItWas = state === 'paused' && channel === undefined && canaryPercent === undefined;
  return transition === 'promote' && comesBackAsItWas ? 'deploy:pause' : 'deploy:promote';
}
const scopesOf = (person: Person): readonly string[] =>
  person === 'lead' ? [] : ((ROLES as { [role: string]: readonly string[] })[person] ?? []);
const may = (person: Person, scope: string): boolean => person === 'lead' || scopesOf(person).includes(scope);

export function ask(
  model: Model,
  agentId: string,
  version: string,
  request: TransitionRequest,
  person: Person,
): Outcome {
  const row = rowIn(model, version);
  const scope = scopeFor(request, row);
  if (!may(person, scope)) return { status: 403, scope };
  const moved = KNOWN.includes(version) ? carryOut(model, agentId, version, row, request) : undefined;
  return moved ? { status: 200, scope, ...moved } : { status: 400 };
}

/** One step ahead; a version that serves already can be put at the head of one more channel. */
function forward(
  { lines }: Model,
  version: string,
  { state }: Row,
  { channel }: TransitionRequest,
): string | undefined {
  if (state !== 'active') return FORWARD[state];
  const line = channel === 'stable' || channel === 'canary' ? lines[channel] : undefined;
  return line && line.at(-1) !== version ? 'active' : undefined;
}
const outOfService = ({ state }: Row, transition: string): string | undefined =>
  state === 'active' ? FROM_ACTIVE[transition] : undefined;

type Done = { readonly next: Model; readonly facts: readonly Fact[] };
function carryOut(
  model: Model,
  agentId: string,
  version: string,
  row: Row,
  request: TransitionRequest,
): Done | undefined {
  const { transition = '', toState, channel, canaryPercent } = request;
  const to = transition === 'promote' ? forward(model, version, row, request) : outOfService(row, transition);
  if (to === undefined || (toState !== undefined && toState !== to)) return undefined;
  const goesLive = transition === 'promote' && to === 'active';
  if (channel !== undefined && !(goesLive || transition === 'rollback')) return undefined;
  if (channel !== undefined && channel !== 'stable' && channel !== 'canary') return undefined;
  if (canaryPercent !== undefined && !(goesLive || transition === 'adjust-canary')) return undefined;
  const changed = {
    type: 'deployment.state.changed',
    payload: { agentId, version, fromState: row.state, toState: to },
  };
  if (transition === 'rollback') return rollBack(model, agentId, version, request);
  if (transition === 'adjust-canary') {
    if (canaryPercent === undefined) return undefined;
    const payload = { agentId, version, fromPercent: row.percent, toPercent: canaryPercent };
    const next = withRow(model, version, { ...row, percent: canaryPercent });
    return { next, facts: [{ type: 'deployment.canary.adjusted', payload }] };
  }
  if (transition !== 'promote')
    return { next: withRow(model, version, { ...row, state: to }), facts: [changed] };
  const percent = canaryPercent ?? (row.state === 'paused' ? row.percent : 100);
  const placed = withRow(channel === undefined ? model : headOf(model, channel, version), version, {
    state: to,
    percent,
  });
  const fromVersion = channel === undefined ? undefined : mainOn(model, channel);
  const promoted = {
    type: 'deployment.promoted',
    payload: {
      agentId,
      toVersion: version,
      toState: to,
      ...(fromVersion !== undefined && fromVersion !== version && { fromVersion }),
      ...(channel !== undefined && { channel }),
      ...(percent !== 100 && { canaryPercent: percent }),
    },
  };
  if (row.state !== 'paused') return { next: placed, facts: [promoted] };
  const isMore = channel !== undefined || canaryPercent !== undefined;
  return { next: placed, facts: isMore ? [changed, promoted] : [changed] };
}

const headOf = (model: Model, channel: Channel, version: string): Model => ({
  ...model,
  lines: { ...model.lines, [channel]: [...model.lines[channel].filter((one) => one !== version), version] },
});

function rollBack(
  model: Model,
  agentId: string,
  version: string,
  { channel, reason }: TransitionRequest,
): Done | undefined {
  const on = (['stable', 'canary'] as const).find((name) => model.lines[name].includes(version));
  const named = (channel as Channel | undefined) ?? on;
  // Without a channel a version serves as the latest, in the order of versions.
  const line = named === undefined ? KNOWN : model.lines[named];
  if (!line.includes(version)) return undefined;
  const target = line
    .slice(0, line.indexOf(version))
    .findLast((one) => ['active', 'paused'].includes(rowIn(model, one).state));
  if (target === undefined) return undefined;
  const headed = (['stable', 'canary'] as const).filter((name) => activeOn(model, name)[0] === version);
  const lines = {
    stable: model.lines.stable.filter((one) => one !== version),
    canary: model.lines.canary.filter((one) => one !== version),
  };
  let next = withRow({ ...model, lines }, version, {
    ...rowIn(model, version),
    state: 'rolled-back',
    pointer: target,
  });
  const { state: before, percent } = rowIn(model, target);
  next = withRow(next, target, { state: 'active', percent: named === undefined ? percent : 100 });
  for (const name of headed) if (activeOn(next, name).length === 0) next = headOf(next, name, target);
  const back = {
    type: 'deployment.rolled-back',
    payload: {
      agentId,
      fromVersion: version,
      toVersion: target,
      rollbackPointer: target,
      ...(reason !== undefined && { reason }),
    },
  };
  const payload = { agentId, version: target, fromState: before, toState: 'active' };
  return {
    next,
    facts: before === 'active' ? [back] : [back, { type: 'deployment.state.changed', payload }],
  };
}

/** What everybody can see of the model. */
export const shown = (model: Model, agentId: string): readonly DeploymentRecord[] =>
  KNOWN.map((version) => {
    const { state, percent, pointer } = rowIn(model, version);
    const channels = [
      ...(['stable', 'canary'] as const).filter((name) =>
        sharesOn(model, name).some(([one, part]) => one === version && part > 0),
      ),
      ...(latestIn(model) === version ? ['latest'] : []),
    ];
    return {
      agentId,
      version,
      state,
      ...(state === 'active' && percent !== 100 && { canaryPercent: percent }),
      ...(pointer !== undefined && { rollbackPointer: pointer }),
      ...(channels.length > 0 && { channels }),
    };
  });
