import { defined, isObject, type RunId, type UnknownObject } from '@touchstone/protocol';

/** A refusal as the host sends it. */
export type ErrorEnvelope = {
  /** What went wrong, for programs. */
  readonly error: string;
  /** The same for people. */
  readonly message: string;
  /** Further facts for programs, e.g. `issues`; absent when there are none. */
  readonly details?: UnknownObject;
};

/** The host answered, and the answer is a refusal. `code` is the protocol's, e.g. `validation_error`. */
export class HostResponseError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** For programs; `unexpected_response` when the answer did not come from a host. */
  readonly code: string;
  /** Further facts for programs, e.g. `issues`; undefined when there are none. */
  readonly details: { readonly [key: string]: unknown } | undefined;
  /** How long the host asks to wait, in milliseconds; absent when it does not. */
  readonly retryAfterMs?: number;

  /**
   * @param status The HTTP status.
   * @param retryAfterMs What the `Retry-After` header asks for, in milliseconds; absent without one.
   */
  constructor(status: number, envelope: ErrorEnvelope, retryAfterMs?: number) {
    super(envelope.message);
    this.name = 'HostResponseError';
    this.status = status;
    this.code = envelope.error;
    this.details = envelope.details;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** No answer came, or the connection broke before the whole answer was here. */
export class HostUnreachable extends Error {
  /**
   * @param origin Scheme, host and port. A path may hold a token and is not shown.
   * @param cause What the platform's `fetch` threw.
   */
  constructor(origin: string, cause: unknown) {
    super(`No answer from ${origin}. Check that the host is running and that the address is right.`, {
      cause,
    });
    this.name = 'HostUnreachable';
  }
}

/** The run ended without a scorecard. */
export class RunFailed extends Error {
  /** The run that was waited for. */
  readonly runId: RunId;
  /** How it ended. */
  readonly status: 'failed' | 'cancelled';
  /** The run's error code when it failed, e.g. `budget_exhausted`. */
  readonly code: string | undefined;

  /** @param error The run's own error; absent when it was cancelled. */
  constructor(runId: RunId, status: 'failed' | 'cancelled', error?: { code: string; message: string }) {
    super(error ? `Run ${runId} failed: ${error.message}` : `Run ${runId} was ${status}.`);
    this.name = 'RunFailed';
    this.runId = runId;
    this.status = status;
    this.code = error?.code;
  }
}

/** Waiting helps: the host is overloaded, restarting, or still busy with the first copy of this very request. */
export function isTransient(error: unknown): boolean {
  if (error instanceof HostUnreachable) return true;
  if (!(error instanceof HostResponseError)) return false;
  return [408, 429, 500, 502, 503, 504].includes(error.status) || error.code === 'idempotency_in_flight';
}

/** A body as the protocol's error envelope, if it is one. A proxy may have sent anything. */
function readEnvelope(body: unknown): ErrorEnvelope | undefined {
  if (!isObject(body) || typeof body.error !== 'string' || typeof body.message !== 'string') return undefined;
  const details = isObject(body.details) ? readDetails(body.details) : undefined;
  return { error: body.error, message: body.message, ...defined({ details }) };
}

/** Every caller goes through the issues; what is none must not break it. */
const readDetails = (details: UnknownObject): UnknownObject =>
  'issues' in details ? { ...details, issues: [details.issues].flat().filter(isIssue) } : details;

const isIssue = (value: unknown): boolean =>
  isObject(value) && typeof value.pointer === 'string' && typeof value.message === 'string';

/** A proxy in between may answer with a page of its own; such a body is not quoted, only its status is told. */
export async function refusalOf(response: Response): Promise<HostResponseError> {
  const body: unknown = await response.json().catch(() => undefined);
  const envelope = readEnvelope(body) ?? {
    error: 'unexpected_response',
    message: `Status ${response.status} came without an error envelope.`,
  };
  return new HostResponseError(response.status, envelope, retryAfterOf(response.headers, envelope));
}

/** The pause that the host asks for, in milliseconds: seconds or a date, in the header or in the details. */
function retryAfterOf(headers: Headers, envelope: ErrorEnvelope): number | undefined {
  const given = headers.get('retry-after') ?? envelope.details?.retryAfter;
  if (given === null || given === undefined) return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  // A date is measured against the host's own clock, which the same answer carries.
  const wait = Date.parse(String(given)) - Date.parse(headers.get('date') ?? '');
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
