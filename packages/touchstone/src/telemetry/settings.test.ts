import { describe, expect, it } from 'vitest';
import { telemetrySettings } from './settings.js';

const OFF = { otel: false, content: false };
const ON = { otel: true, content: false };

describe('telemetry is off', () => {
  it.each([
    [
      'unless it is asked for',
      OFF,
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'otlp' },
    ],
    ['when the variable is empty', OFF, { TOUCHSTONE_OTEL: '' }],
    ['when the variable says so, whatever the file says', ON, { TOUCHSTONE_OTEL: '0' }],
  ])('%s', (_, config, env) => {
    expect(telemetrySettings(config, env)).toEqual({ kind: 'off' });
  });
});

describe('telemetry goes', () => {
  it.each([
    ['to the usual port of this machine', {}, 'http://localhost:4318'],
    ['to the endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:1/base/' }, 'http://c:1/base'],
    [
      'to the endpoints of the signals',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/in', OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c' },
      'http://t/in and https://c',
    ],
    [
      'nowhere that is told with its credentials',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:pass@c/x?key=k' },
      'https://c/x',
    ],
  ])('%s', (_, env, target) => {
    const settings = telemetrySettings(OFF, { TOUCHSTONE_OTEL: '1', ...env });
    expect(settings).toEqual({ kind: 'on', content: false, target });
  });
});

it.each(['collector:4318', 'ftp://c', '/v1'])('%s is no endpoint, and the variable is named', (value) => {
  const settings = telemetrySettings(ON, { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: value });
  expect(settings).toEqual({
    kind: 'unusable',
    reason: 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT is not an http or https URL',
  });
});

it.each([
  [true, 'true', true],
  [true, 'false', false],
  [true, undefined, false],
  [false, 'true', false],
])('content takes both switches: %s and %s', (content, captured, expected) => {
  const env = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: captured };
  expect(telemetrySettings({ otel: true, content }, env)).toMatchObject({ content: expected });
});
