import { expect, it } from 'vitest';
import { createStoreTimes } from './store-times.js';

it('durations are counted up to each bound, by kind, and summed in seconds', () => {
  const times = createStoreTimes();
  for (const ms of [1, 3, 40_000]) times.called('read', ms);
  times.called('write', 20);
  times.appended(250);
  const lines = times.render().split('\n');
  for (const line of [
    '# TYPE touchstone_store_seconds histogram',
    'touchstone_store_seconds_bucket{kind="read",le="0.001"} 1',
    'touchstone_store_seconds_bucket{kind="read",le="0.005"} 2',
    'touchstone_store_seconds_bucket{kind="read",le="30"} 2',
    'touchstone_store_seconds_bucket{kind="read",le="+Inf"} 3',
    'touchstone_store_seconds_count{kind="read"} 3',
    'touchstone_store_seconds_sum{kind="read"} 40.004',
    'touchstone_store_seconds_bucket{kind="write",le="0.005"} 0',
    'touchstone_store_seconds_bucket{kind="write",le="0.025"} 1',
    'touchstone_append_lag_seconds_bucket{le="0.1"} 0',
    'touchstone_append_lag_seconds_bucket{le="0.5"} 1',
    'touchstone_append_lag_seconds_count 1',
  ])
    expect(lines).toContain(line);
});
