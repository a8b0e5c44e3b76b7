// What the inputs of the action mean to the command line. Pure, so that tests can read it.
import { join } from 'node:path';

/** Everything lies in the runner's temporary folder: the project stays as it was checked out. */
export const folders = ({ RUNNER_TEMP = '.' }) => ({
  program: join(RUNNER_TEMP, 'touchstone'),
  data: join(RUNNER_TEMP, 'touchstone-data'),
  baseline: join(RUNNER_TEMP, 'touchstone-baseline'),
  report: join(RUNNER_TEMP, 'touchstone-report'),
});

/** The archive of a release; a version that is an address or a path is the archive itself. */
export function archiveOf({ version, server, repository }) {
  if (/^https?:|[/\\]|\.tgz$/.test(version)) return version;
  const number = version.replace(/^v/, '');
  return `${server}/${repository}/releases/download/v${number}/touchstone-${number}.tgz`;
}

/** Words as a shell would split them; nothing in them is expanded. */
export const splitWords = (text) =>
  [...text.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );

const option = (name, value) => (value ? [name, value] : []);

/** The words after `touchstone`. `baseline` is what to compare with; undefined when there is nothing. */
export function runArguments(inputs, baseline, { data, report }) {
  const confirm = Number(inputs.INPUT_CONFIRM) > 0 ? inputs.INPUT_CONFIRM : '';
  const compared = baseline
    ? [
        ...option('--baseline', baseline),
        ...(inputs.INPUT_COMMON === 'true' ? ['--common'] : []),
        ...option('--confirm', confirm),
      ]
    : [];
  return [
    'run',
    ...option('--agent', inputs.INPUT_AGENT),
    ...option('--config', inputs.INPUT_CONFIG),
    ...option('--budget', inputs.INPUT_BUDGET),
    ...option('--env-file', inputs.INPUT_ENV_FILE),
    ...option('--fail-on', inputs.INPUT_FAIL_ON),
    ...compared,
    ...['--data', data, '--github', '--junit', join(report, 'junit.xml')],
    ...['--output', join(report, 'report.html')],
    ...splitWords(inputs.INPUT_ARGS ?? ''),
    // Behind the two hyphens nothing is an option.
    ...['--', inputs.INPUT_SUITE || 'evals'],
  ];
}
