import type { DeploymentEvent, DeploymentState, TransitionRequest, Version } from '@touchstone/protocol';
import { AGENT } from './names.js';

/** Everything that is allowed, written out. */
const TABLE: { readonly [move: string]: DeploymentState } = {
  'promote draft': 'test',
  'promote test': 'staged',
  'promote staged': 'active',
  'promote paused': 'active',
  'pause active': 'paused',
  'deprecate active': 'deprecated',
  'rollback active': 'rolled-back',
  'adjust-canary active': 'active',
};

/**
 * The state machine as a clerk would keep it: cards for states and shares, and a journal of who was put where, read from
 * its end. It draws by asking one version after the other, and finds the main version by counting draws.
 */
export class PlainModel {
  readonly states = new Map<Version, DeploymentState>();
  readonly percents = new Map<Version, number>();
  journal: { channel: string; version: Version }[] = [];

  stateOf(version: Version): DeploymentState {
    return this.states.get(version) ?? 'draft';
  }

  /** Versions of a channel, the newest first. */
  line(channel: string): Version[] {
    const entries = this.journal.filter((entry) => entry.channel === channel).reverse();
    return [...new Set(entries.map(({ version }) => version))];
  }

  draw(channel: string, u: number): Version | undefined {
    const active = [...this.states.keys()].filter((version) => this.stateOf(version) === 'active');
    if (channel === 'latest') return active.sort().at(-1);
    return this.#askEach(
      this.line(channel).filter((version) => active.includes(version)),
      u,
    );
  }

  #askEach([first, ...others]: Version[], u: number): Version | undefined {
    if (first === undefined || others.length === 0) return first;
    const p = (this.percents.get(first) ?? 100) / 100;
    return p === 1 || u < p ? first : this.#askEach(others, (u - p) / (1 - p));
  }

  #mainOf(channel: string): Version | undefined {
    const counts = new Map<Version, number>();
    for (let place = 0; place < 200; place += 1) {
      const version = this.draw(channel, (place + 0.5) / 200);
      if (version !== undefined) counts.set(version, (counts.get(version) ?? 0) + 1);
    }
    const most = Math.max(...counts.values());
    return this.line(channel).find((version) => counts.get(version) === most);
  }

  /** What happens, or the member that is wrong. */
  attempt(request: TransitionRequest): DeploymentEvent[] | string {
    const { version, transition, toState, channel, canaryPercent } = request;
    const from = this.stateOf(version);
    const elsewhere = channel !== undefined && this.line(channel)[0] !== version;
    const spreads = transition === 'promote' && from === 'active' && elsewhere;
    const to = spreads ? 'active' : TABLE[`${transition} ${from}`];
    if (!to) return '/transition';
    if (toState && toState !== to) return '/toState';
    const intoService = transition === 'promote' && to === 'active';
    if (channel && !intoService && transition !== 'rollback') return '/channel';
    if (channel && channel !== 'stable' && channel !== 'canary') return '/channel';
    if (canaryPercent !== undefined && !intoService && transition !== 'adjust-canary')
      return '/canaryPercent';
    if (canaryPercent === undefined && transition === 'adjust-canary') return '/canaryPercent';
    if (transition === 'rollback') return this.#rollBack(request);
    const changed = {
      type: 'deployment.state.changed',
      payload: { agentId: AGENT, version, fromState: from, toState: to },
    } as const;
    if (transition === 'pause' || transition === 'deprecate') {
      this.states.set(version, to);
      return [changed];
    }
    if (transition === 'adjust-canary') {
      const fromPercent = this.percents.get(version) ?? 100;
      this.percents.set(version, canaryPercent ?? 100);
      return [
        {
          type: 'deployment.canary.adjusted',
          payload: { agentId: AGENT, version, fromPercent, toPercent: canaryPercent ?? 100 },
        },
      ];
    }
    const promoted = this.#promote(request, to, spreads);
    if (from !== 'paused') return [promoted];
    return channel || canaryPercent !== undefined ? [changed, promoted] : [changed];
  }

  #promote(
    { version, channel, canaryPercent }: TransitionRequest,
    to: DeploymentState,
    anew: boolean,
  ): DeploymentEvent {
    const fromVersion = channel && this.#mainOf(channel);
    if (anew) this.percents.delete(version);
    this.states.set(version, to);
    if (canaryPercent !== undefined) this.percents.set(version, canaryPercent);
    if (channel) this.journal.push({ channel, version });
    const percent = this.percents.get(version) ?? 100;
    return {
      type: 'deployment.promoted',
      payload: {
        agentId: AGENT,
        toVersion: version,
        toState: to,
        ...(fromVersion && fromVersion !== version && { fromVersion }),
        ...(channel && { channel }),
        ...(percent < 100 && { canaryPercent: percent }),
      },
    };
  }

  #rollBack({ version, channel, reason }: TransitionRequest): DeploymentEvent[] | string {
    const mine = ['stable', 'canary'].filter((name) => this.line(name).includes(version));
    const chosen = channel ?? mine[0];
    if (chosen && !mine.includes(chosen)) return '/channel';
    const line = chosen ? this.line(chosen) : [...this.states.keys()].sort().reverse();
    const older = line.slice(line.indexOf(version) + 1);
    const target = older.find((each) => ['active', 'paused'].includes(this.stateOf(each)));
    if (!target) return '/channel';
    const headed = ['stable', 'canary'].filter(
      (name) => this.line(name).find((each) => this.stateOf(each) === 'active') === version,
    );
    const was = this.stateOf(target);
    this.journal = this.journal.filter((entry) => entry.version !== version);
    this.states.set(version, 'rolled-back').set(target, 'active');
    if (chosen) this.percents.delete(target);
    for (const name of headed)
      if (this.draw(name, 0) === undefined) this.journal.push({ channel: name, version: target });
    const rolledBack = {
      type: 'deployment.rolled-back',
      payload: {
        agentId: AGENT,
        fromVersion: version,
        toVersion: target,
        rollbackPointer: target,
        ...(reason && { reason }),
      },
    } as const;
    if (was === 'active') return [rolledBack];
    const restored = { agentId: AGENT, version: target, fromState: was, toState: 'active' } as const;
    return [rolledBack, { type: 'deployment.state.changed', payload: restored }];
  }
}
