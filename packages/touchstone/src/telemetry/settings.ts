import { defined } from '@touchstone/protocol';

/** What the operator's file says. */
export type TelemetryConfig = {
  /** Whether traces and results are sent. */
  readonly otel: boolean;
  /** Whether content may be sent, if the environment asks for it too. */
  readonly content: boolean;
};

type Environment = { readonly [name: string]: string | undefined };

export type TelemetrySettings =
  | { readonly kind: 'off' }
  /** It was asked for and cannot be: why, in words for the operator. */
  | { readonly kind: 'unusable'; readonly reason: string }
  | {
      readonly kind: 'on';
      /** Where to: addresses for people, without what could be a credential in them. */
      readonly target: string;
      readonly content: boolean;
      /** A protocol was asked for that is not spoken here. */
      readonly note?: string;
    };

const OTEL_SWITCH = 'TOUCHSTONE_OTEL';
const CAPTURE_CONTENT = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
const DEFAULT_ENDPOINT = 'http://localhost:4318';
const PROTOCOL = 'http/protobuf';

const isTrue = (value: string | undefined): boolean => /^\s*(true|1)\s*$/i.test(value ?? '');
const isFalse = (value: string | undefined): boolean => /^\s*(false|0)\s*$/i.test(value ?? '');
/** A variable that is set to nothing counts as not set, as the specification has it. */
const given = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined;

/** Decides once, at the start of a process, whether and where to anything is sent. */
export function telemetrySettings(config: TelemetryConfig, env: Environment): TelemetrySettings {
  const asked = given(env, OTEL_SWITCH);
  if (isFalse(asked) || !(config.otel || isTrue(asked))) return { kind: 'off' };
  if (isTrue(env.OTEL_SDK_DISABLED)) return { kind: 'unusable', reason: 'OTEL_SDK_DISABLED is true' };
  const traces = endpointOf(env, 'TRACES', 'v1/traces');
  const logs = endpointOf(env, 'LOGS', 'v1/logs');
  if ('reason' in traces) return { kind: 'unusable', reason: traces.reason };
  if ('reason' in logs) return { kind: 'unusable', reason: logs.reason };
  return {
    kind: 'on',
    target: [...new Set([traces.shown, logs.shown])].join(' and '),
    content: config.content && isTrue(env[CAPTURE_CONTENT]),
    ...defined({ note: otherProtocol(env) }),
  };
}

type Endpoint = { readonly shown: string } | { readonly reason: string };

/** The address of one signal, by the rules of the specification. The library finds it by the same rules. */
function endpointOf(env: Environment, signal: 'TRACES' | 'LOGS', path: string): Endpoint {
  const own = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  const name = given(env, own) === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : own;
  const value = given(env, name) ?? DEFAULT_ENDPOINT;
  const whole = name === own ? value : `${value.replace(/\/$/, '')}/${path}`;
  if (!URL.canParse(whole) || !/^https?:$/.test(new URL(whole).protocol))
    return { reason: `${name} is not an http or https URL` };
  const { origin, pathname } = new URL(whole);
  // Both signals usually have one address, and then it is told once.
  return { shown: `${origin}${pathname}`.replace(new RegExp(`/${path}$`), '') };
}

const PROTOCOL_VARIABLES = [
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_EXPORTER_OTLP_LOGS_PROTOCOL',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
];

function otherProtocol(env: Environment): string | undefined {
  const name = PROTOCOL_VARIABLES.find((one) => (given(env, one) ?? PROTOCOL) !== PROTOCOL);
  return name && `${name} asks for another protocol; ${PROTOCOL} is the one that is spoken, and is used`;
}
