import { EVAL_MODES, type EvalMode, type Issue, SCORING_MODES, typeName } from '@touchstone/protocol';
import type { Expected } from '@touchstone/protocol/bodies';
import type { SuiteHead } from '../ports/index.js';

export type TaskKind = Expected['kind'];

/** The members of `configurable` that bear on modes, as the caller sent them. */
export type ModeRequest = { readonly evalModes?: unknown; readonly baselineRunId?: unknown };

/** `modes` and `kinds` mean something only when there are no issues. */
export type ModeDecision = {
  readonly modes: readonly EvalMode[];
  /** The kinds of task that run: all of them unless a scoring mode was asked for by name. */
  readonly kinds: readonly TaskKind[];
  readonly issues: readonly Issue[];
};

const MAX_LOOKED_AT = 20;
const ALL_KINDS: readonly TaskKind[] = ['golden', 'rubric'];

/** Which modes a run has and which kinds of task it takes. `offered` is what the host advertises. */
export function decideModes(
  head: SuiteHead,
  request: ModeRequest,
  offered: readonly EvalMode[],
): ModeDecision {
  const decision =
    request.evalModes === undefined
      ? declaredModes(head, request, offered)
      : requestedModes(head, request.evalModes, offered);
  return { ...decision, issues: [...decision.issues, ...baselineIssues(decision.modes, request, offered)] };
}

/**
 * Without requested modes the suite's own are meant, with two exceptions: `live-shadow` leaves the fixtures behind
 * and acts on the world, which a suite that can do anything else must not start by default; and without a baseline
 * `regression` has nothing to compare with.
 */
function declaredModes(head: SuiteHead, request: ModeRequest, offered: readonly EvalMode[]): ModeDecision {
  const isSole = head.modes.length === 1;
  const modes = head.modes.filter(
    (mode) =>
      isSole || (mode !== 'live-shadow' && (mode !== 'regression' || request.baselineRunId !== undefined)),
  );
  const issues = modes
    .filter((mode) => !offered.includes(mode))
    .map((mode) => notOffered(mode, offered, '/evalSuiteRef'));
  if (modes.length === 0) {
    const message = `This suite declares ${list(head.modes)}, none of which runs unasked. Name the modes in evalModes.`;
    issues.push({ pointer: '/configurable/evalModes', message });
  }
  return { modes, kinds: ALL_KINDS, issues };
}

function requestedModes(head: SuiteHead, requested: unknown, offered: readonly EvalMode[]): ModeDecision {
  const pointer = '/configurable/evalModes';
  if (!Array.isArray(requested) || requested.length === 0) {
    const got = Array.isArray(requested) ? 'an empty one' : typeName(requested);
    const message = `Expected an array with at least one of ${list(head.modes)}, got ${got}.`;
    return { modes: [], kinds: ALL_KINDS, issues: [{ pointer, message }] };
  }
  // More items than there are modes cannot all be right, so the first few hold an issue and the rest need no look.
  const looked: readonly unknown[] = requested.slice(0, MAX_LOOKED_AT);
  const issues = looked.flatMap((mode, index) =>
    modeIssues(mode, looked.indexOf(mode) < index, head, offered, `${pointer}/${index}`),
  );
  const modes = looked.filter(isMode);
  const named = ALL_KINDS.filter((kind) => modes.includes(kind) && SCORING_MODES.includes(kind));
  return { modes, kinds: named.length > 0 ? named : ALL_KINDS, issues };
}

function modeIssues(
  mode: unknown,
  isRepeated: boolean,
  head: SuiteHead,
  offered: readonly EvalMode[],
  pointer: string,
): readonly Issue[] {
  if (!isMode(mode)) return [{ pointer, message: `Expected one of ${list(EVAL_MODES)}.` }];
  if (isRepeated) return [{ pointer, message: `Mode "${mode}" is named twice. Name it once.` }];
  const issues: Issue[] = [];
  if (!head.modes.includes(mode)) issues.push(notDeclared(mode, head, pointer));
  if (!offered.includes(mode)) issues.push(notOffered(mode, offered, pointer));
  return issues;
}

/** Only whether a baseline is due; the host finds out whether the run exists and may serve. */
function baselineIssues(
  modes: readonly EvalMode[],
  request: ModeRequest,
  offered: readonly EvalMode[],
): readonly Issue[] {
  const pointer = '/configurable/baselineRunId';
  const { baselineRunId } = request;
  const compares = modes.includes('regression');
  const missing = 'Mode "regression" needs the run to compare with. Give its run id.';
  if (baselineRunId === undefined) return compares ? [{ pointer, message: missing }] : [];
  const got = baselineRunId === '' ? 'an empty string' : typeName(baselineRunId);
  if (typeof baselineRunId !== 'string' || baselineRunId === '')
    return [{ pointer, message: `Expected a run id, got ${got}.` }];
  // A host that cannot compare must not take a baseline and then say nothing about it.
  return compares || offered.includes('regression') ? [] : [notOffered('regression', offered, pointer)];
}

const notDeclared = (mode: EvalMode, head: SuiteHead, pointer: string): Issue => ({
  pointer,
  message: `Mode "${mode}" was requested, but suite ${head.suiteId}@${head.version} declares only ${list(head.modes)}. Drop it.`,
});

const notOffered = (mode: EvalMode, offered: readonly EvalMode[], pointer: string): Issue => ({
  pointer,
  message: `Mode "${mode}" is not offered by this host, which offers ${list(offered)}. Ask for other modes in evalModes.`,
});

const isMode = (mode: unknown): mode is EvalMode => EVAL_MODES.includes(mode as EvalMode);

const list = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
