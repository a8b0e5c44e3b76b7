import { describe, expect, test } from 'vitest';
import { check } from './validate.js';

describe('formats', () => {
  const event = (timestamp: unknown) => ({
    eventId: 'a',
    runId: 'b',
    type: 'run.started',
    payload: {},
    timestamp,
    sequence: 0,
  });
  test.each([
    ['2024-02-29T23:59:60Z', true],
    ['2024-06-01t00:00:00.123456+05:30', true],
    ['2023-02-29T00:00:00Z', false],
    ['2024-13-01T00:00:00Z', false],
    ['2024-06-01T24:00:00Z', false],
    ['2024-06-01T00:00:00', false],
    ['2024-06-01', false],
    ['2024-06-01T00:00:00+24:00', false],
  ])('%s as a date-time', (text, fits) => {
    expect(check('run-event', event(text)).length === 0).toBe(fits);
  });

  test.each([
    ['https://example.com/a?b=c#d', true],
    ['mailto:someone@example.com', true],
    ['http://[::1]:8080/', true],
    ['/relative', false],
    ['https://exa mple.com', false],
    ['https://', false],
    ['', false],
  ])('%s as a uri', (text, fits) => {
    const issues = check('node-pack-manifest', { homepage: text });
    expect(issues.every(({ pointer }) => pointer !== '/homepage')).toBe(fits);
  });
});
