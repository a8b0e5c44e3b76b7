/**
 * The error catalogue: every code a client can meet, with the HTTP status it travels under. `docs/errors.md` lists the
 * same codes and a test keeps the two equal. Rooms throw codes; only the host's error response knows HTTP.
 */
export const ERROR_STATUS = {
  validation_error: 400,
  unsupported_stream_mode: 400,
  bad_path: 400,
  webhook_url_rejected: 400,
  INVALID_RESUME_VALUE: 400,
  provider_usage_credential_leak: 400,
  no_active_deployment: 400,
  invalid_pack_scope: 400,
  invalid_pack_name: 400,
  invalid_version: 400,
  invalid_body: 400,
  tarball_gunzip_failed: 400,
  tarball_too_large: 400,
  tarball_tar_parse_failed: 400,
  tarball_path_traversal: 400,
  tarball_entry_too_large: 400,
  tarball_entry_missing: 400,
  tarball_manifest_missing: 400,
  tarball_manifest_too_large: 400,
  tarball_manifest_not_json: 400,
  invalid_manifest: 400,
  manifest_name_mismatch: 400,
  manifest_version_mismatch: 400,
  unsupported_runtime: 400,
  pack_kind_invalid: 400,
  pack_engine_unsupported: 400,
  pack_integrity_failure: 400,
  pack_signature_invalid: 400,
  pack_peer_dependency_missing: 400,
  unauthenticated: 401,
  key_expired: 401,
  key_revoked: 401,
  forbidden: 403,
  mock_provider_forbidden: 403,
  force_engine_version_forbidden: 403,
  eval_gate_unmet: 403,
  not_found: 404,
  subscription_not_found: 404,
  interrupt_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  idempotency_key_mismatch: 409,
  idempotency_in_flight: 409,
  pack_revoked: 409,
  quota_exceeded: 409,
  run_already_active: 409,
  run_terminal: 409,
  run_state_conflict: 409,
  interrupt_already_resolved: 409,
  interrupt_expired: 410,
  interrupt_gone: 410,
  bodies_removed: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  fork_point_invalid: 422,
  interrupt_cancelled: 422,
  rate_limited: 429,
  internal_error: 500,
  capability_not_provided: 501,
  not_implemented: 501,
  unavailable: 503,
} as const;

/** A code of the catalogue; clients decide by it and never by the message. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** One thing wrong with an input. Says where and what was expected; names what came by type or id, never by content. */
export type Issue = {
  /** JSON pointer into the input, e.g. `/tasks/3/expected/match`. */
  readonly pointer: string;
  /** What was expected and what came, for people. */
  readonly message: string;
  /** Of the source text, from 1; absent when the input was not text. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
};

/** Further facts for programs, e.g. `field`, `issues`, `runId`. Never content. */
export type ErrorDetails = { readonly [key: string]: unknown };

const mark = Symbol.for('touchstone.HostError');

/** Recognised by a marker rather than `instanceof`, so two copies of the package still agree. */
export class HostError extends Error {
  /** What went wrong, for programs. */
  readonly code: ErrorCode;
  /** Further facts for programs; undefined when there are none. */
  readonly details: ErrorDetails | undefined;
  readonly [mark] = true;

  constructor(code: ErrorCode, message: string, details?: ErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'HostError';
    this.code = code;
    this.details = details;
  }

  /** The HTTP status that the code travels under. */
  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** Whether an error is one of ours, made by this copy of the package or by another one. */
export const isHostError = (error: unknown): error is HostError =>
  typeof error === 'object' && error !== null && mark in error;

/** The error for an input with one or more things wrong: all of them are listed, the first one is in the message. */
export function validationError(issues: readonly Issue[], details: ErrorDetails = {}): HostError {
  const first = issues[0];
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const message = first ? `${first.pointer || '/'}: ${first.message}${more}` : 'The input is not valid.';
  const field = first && fieldOf(first.pointer);
  return new HostError('validation_error', message, { ...(field && { field }), ...details, issues });
}

/** The same for the body of a request, which is the field when no member of it is to blame. */
export const bodyError = (issues: readonly Issue[]): HostError =>
  validationError(issues, fieldOf(issues[0]?.pointer ?? '') ? {} : { field: 'body' });

/** The member of the input that a pointer is about: its names up to the first index, e.g. `configurable.evalModes`; none for the input itself. */
function fieldOf(pointer: string): string {
  const segments = pointer.split('/').slice(1);
  const index = segments.findIndex((segment) => /^\d+$/.test(segment));
  return (index < 0 ? segments : segments.slice(0, index)).join('.');
}

/** Failure codes of a run, carried by `run.failed`. */
export const RUN_ERROR_CODES = [
  'agent_failed',
  'agent_denied',
  'agent_unavailable',
  'agent_changed',
  'node_failed',
  'replay_source_missing',
  'run_timeout',
  'too_many_restarts',
  'check_over_limit',
  'budget_exhausted',
  'storage_exhausted',
  'forbidden',
  'eval_gate_unmet',
  'approval_rejected',
  'approval_timeout',
  'interrupt_timeout',
  'conflict',
  'internal_error',
] as const;
/**
 * Why a run failed, for programs. `docs/errors.md` says of each when it occurs and what to do.
 * - `agent_failed`, `agent_unavailable`: the agent gave no valid answer, or could not be opened
 * - `agent_changed`: the files of the agent were written to while the run was at work
 * - `node_failed`: a node of a workflow failed
 * - `replay_source_missing`: a replay came to an effect of which its source has no outcome
 * - `run_timeout`, `budget_exhausted`: a limit of the run was reached
 * - `too_many_restarts`: every process that drove the run ended at the same place
 * - `check_over_limit`: the answer could not be checked in the time and memory that a tenant has for it
 * - `storage_exhausted`: the tenant has stored all it may
 * - `forbidden`, `eval_gate_unmet`, `approval_rejected`, `approval_timeout`: a deployment was not allowed
 * - `interrupt_timeout`: what a workflow waited for did not come in time
 * - `conflict`: the deployments of the agent changed in the meantime
 * - `internal_error`: a bug of the host
 */
export type RunErrorCode = (typeof RUN_ERROR_CODES)[number];
/** Why a run failed. */
export type RunError = {
  /** For programs. */
  readonly code: RunErrorCode;
  /** For people; says what to do where something can be done. */
  readonly message: string;
  /** Further facts: names, numbers and flags, never content. */
  readonly details?: { readonly [key: string]: number | string | boolean };
};
