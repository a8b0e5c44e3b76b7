import {
  defined,
  isObject,
  isUnsound,
  type Json,
  type JsonObject,
  MAX_JSON_DEPTH,
  parseJson,
} from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import type { AgentHost, Answer } from '../../../ports/index.js';
import { readUsage } from '../../spec/members.js';
import { failed } from '../answers.js';

/** What is known of a run on another host so far. */
export type RemoteRun = {
  /** Highest sequence read; undefined before the first event. */
  lastSequence?: number;
  /** The run may be waiting for a person: its status has to be read. */
  mayWait: boolean;
  /** Its last event has been read. */
  isOver: boolean;
  refused: boolean;
  confidence?: number;
  decision?: Json;
  answer?: Answer;
};

export const newRemoteRun = (): RemoteRun => ({ mayWait: false, isOver: false, refused: false });

type RemoteEvent = { readonly type: string; readonly sequence: number; readonly payload: JsonObject };

/** A JSON object of the other host; undefined for anything else, and for JSON that this host would not store. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) && !isUnsound(value, MAX_JSON_DEPTH) ? value : undefined;
}

/** Events of one page, or undefined when they are not what the protocol calls events. */
export function parseEvents(page: JsonObject): readonly RemoteEvent[] | undefined {
  if (!Array.isArray(page.events)) return undefined;
  const events = page.events.map((event: Json) => (isObject(event) ? event : {}));
  const isSound = events.every(
    ({ type, sequence }) => typeof type === 'string' && Number.isSafeInteger(sequence),
  );
  return isSound
    ? events.map((event) => ({ ...event, payload: payloadOf(event) }) as RemoteEvent)
    : undefined;
}

const payloadOf = ({ payload }: JsonObject): JsonObject => (isObject(payload) ? payload : {});

/** Takes in the events that are new; those that a page repeats have been counted already. */
export async function foldEvents(
  run: RemoteRun,
  events: readonly RemoteEvent[],
  host: AgentHost,
): Promise<number> {
  let taken = 0;
  for (const event of events) {
    if (run.lastSequence !== undefined && event.sequence <= run.lastSequence) continue;
    run.lastSequence = event.sequence;
    taken += 1;
    if (event.type === 'provider.usage') await spend(run, event.payload, host);
    else folds.get(event.type)?.(run, event.payload, host);
  }
  return taken;
}

/** A cost that cannot be read must not count as 0. */
async function spend(run: RemoteRun, payload: JsonObject, host: AgentHost): Promise<void> {
  const { costEstimateUsd, ...rest } = payload;
  const reading = readUsage({ ...rest, costUsd: costEstimateUsd });
  if (typeof reading === 'string')
    run.answer = failed(`The agent's host reported a usage that cannot be read: ${reading}`);
  else await host.spend([reading]);
}

type Fold = (run: RemoteRun, payload: JsonObject, host: AgentHost) => void;

const suspended: Fold = (run) => {
  run.mayWait = true;
};

/** The run has ended; an answer from before stands. */
const ended =
  (answerOf: (run: RemoteRun, payload: JsonObject) => Answer): Fold =>
  (run, payload) => {
    run.isOver = true;
    run.answer ??= answerOf(run, payload);
  };

// A map, because the types come from another host, and an object has inherited members such as `constructor`.
const folds: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  ['node.suspended', suspended],
  ['interrupt.requested', suspended],
  ['approval.requested', suspended],
  ['clarification.requested', suspended],
  [
    'agent.reasoned',
    (_run, { reasoning }, host) => {
      if (typeof reasoning === 'string' && reasoning !== '') host.reason(reasoning);
    },
  ],
  [
    'agent.decided',
    (run, { decision, confidence }) => {
      if (decision !== undefined) run.decision = decision;
      if (typeof confidence === 'number' && confidence >= 0 && confidence <= 1) run.confidence = confidence;
    },
  ],
  [
    'agent.invocation.completed',
    (run, { outcome }) => {
      run.refused = outcome === 'refused';
    },
  ],
  ['run.completed', ended(completed)],
  [
    'run.failed',
    ended((_run, { error }) => failed(`The agent's run failed on its host (${codeOf(error)}).`)),
  ],
  ['run.cancelled', ended(() => failed("The agent's run was cancelled on its host."))],
]);

function completed({ refused, confidence, decision }: RemoteRun, { outputs }: JsonObject): Answer {
  const output = toBody(outputOf(outputs) ?? decision ?? null);
  return defined({ kind: refused ? 'refused' : 'answered', output, confidence } as const);
}

/** A run of a single agent wraps its answer in `output`; other shapes are the answer themselves. */
function outputOf(outputs: Json | undefined): Json | undefined {
  const isWrapped = isObject(outputs) && Object.keys(outputs).join() === 'output';
  return isWrapped ? outputs.output : outputs;
}

/** A code is a name; whatever is not one could be content. */
function codeOf(error: Json | undefined): string {
  const code = isObject(error) ? error.code : undefined;
  return typeof code === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(code) ? code : 'no code given';
}
