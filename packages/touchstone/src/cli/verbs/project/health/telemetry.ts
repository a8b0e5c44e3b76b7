import { type Config, telemetrySettings } from '../../../../app/index.js';
import type { Io } from '../../../io.js';
import { type Finding, ok, warning } from './finding.js';

/** Whether runs of this machine are told to a collector, and which. Nobody is asked: a look must send nothing. */
export function checkTelemetry({ telemetry }: Config, env: Io['env']): Finding {
  const settings = telemetrySettings(telemetry, env);
  if (settings.kind === 'off')
    return telemetry.content
      ? warning(
          'telemetry',
          'off, although telemetry.content is set',
          'Set "telemetry.otel" too, or TOUCHSTONE_OTEL=1, or run with --otel',
        )
      : ok('telemetry', 'off');
  if (settings.kind === 'unusable')
    return warning(
      'telemetry',
      `asked for, but ${settings.reason}`,
      'Correct the variable, or switch it off',
    );
  const { target, content, note } = settings;
  const detail = `on, to ${target}, ${content ? 'with content' : 'without content'}`;
  return note === undefined
    ? ok('telemetry', detail)
    : warning('telemetry', `${detail}; ${note}`, 'Unset the variable');
}
