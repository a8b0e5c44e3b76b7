import { HostError, isHostError } from '@touchstone/protocol';

type ErrorEnvelope = {
  readonly error: string;
  readonly message: string;
  readonly details?: { readonly [key: string]: unknown };
};
type ErrorResponse = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: ErrorEnvelope;
};

/** The one place that knows how an error looks on the wire: a closed envelope, and headers derived from its details. */
export function errorResponse(error: HostError, correlationId?: string): ErrorResponse {
  const details = { ...error.details, ...(correlationId !== undefined && { correlationId }) };
  return {
    status: error.status,
    headers: headersOf(error),
    body: {
      error: error.code,
      message: error.message,
      ...(Object.keys(details).length > 0 && { details }),
    },
  };
}

function headersOf(error: HostError): { readonly [name: string]: string } {
  const { retryAfter, allow } = error.details ?? {};
  return {
    ...(error.status === 401 && { 'www-authenticate': 'Bearer realm="touchstone"' }),
    ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
    ...(Array.isArray(allow) && { allow: allow.join(', ') }),
  };
}

/** Anything thrown, as one of our errors. What is not ours becomes `internal_error`, without a word of its message. */
export function toHostError(error: unknown, limits: { readonly maxRequestBodyBytes: number }): HostError {
  if (isHostError(error)) return error;
  return (
    refusedBody(error, limits.maxRequestBodyBytes) ??
    new HostError(
      'internal_error',
      'Something went wrong inside the host. The correlation id finds it in the log.',
      undefined,
      error,
    )
  );
}

/** Fastify's own refusals while it receives a body. */
function refusedBody(error: unknown, limitBytes: number): HostError | undefined {
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new HostError('payload_too_large', `The body is larger than ${limitBytes} bytes.`, {
        limitBytes,
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new HostError('unsupported_media_type', 'This request takes application/json.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new HostError('validation_error', 'The body is not as long as Content-Length says.', {
        field: 'body',
      });
    case 'ECONNRESET':
    case 'ECONNABORTED':
      return new HostError('validation_error', 'The request ended before its body did.', { field: 'body' });
    default:
      return undefined;
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
