import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestCli, type TestCli } from '../testing/test-cli.js';

// Goal: a person who presses the key gets what the verbs accept. Method: each shell reads the script that the verb prints,
// and is asked for what it would offer after a line. Shells that are not installed are left out; bash never is.

let cli: TestCli;
const scripts: { [shell: string]: string } = {};
beforeAll(async () => {
  cli = openTestCli();
  cli.write('desk.json', '');
  for (const shell of ['bash', 'zsh', 'fish']) scripts[shell] = (await cli.run('completion', shell)).out;
});
afterAll(() => cli.close());

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
const words = (line: string): string[] => line.split(' ');

/** Runs a program in a shell that has no settings of the user, and gives back its lines, which must be all it says. */
function linesOf(shell: string, argv: readonly string[]): string[] {
  const { stdout, stderr, status } = spawnSync(shell, argv, { encoding: 'utf8', cwd: cli.cwd, env: ENV() });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter((line) => line !== '');
}
const ENV = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, HOME: cli.cwd, TERM: 'dumb' });

/** Readline takes a word apart at `=`, and offers files when the function offers nothing. */
function offersOfBash(line: string): string[] {
  const typed = words(line).flatMap((word) => word.split(/(?<==)|(?==)/));
  const ask = `${scripts.bash}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _touchstone; printf '%s\\n' "\${COMPREPLY[@]}"
if [ "\${#COMPREPLY[@]}" = 0 ]; then compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"; fi`;
  return linesOf('bash', ['--norc', '--noprofile', '-c', ask, 'bash', ...typed]);
}

/** The functions of zsh that draw what is offered print it instead. */
function offersOfZsh(line: string): string[] {
  const ask = `compdef() {}; _files() { print -l -- $PREFIX*(N) }; compset() { PREFIX=\${PREFIX#*=} }
compadd() { shift; print -l -- "$@" }; _describe() { print -l -- "\${(@P)@[-1]}" }
${scripts.zsh}
words=("$@"); CURRENT=$#; PREFIX=$words[-1]; _touchstone`;
  const offers = linesOf('zsh', ['-f', '-c', ask, 'zsh', ...words(line)]);
  return offers.map((offer) => offer.replace(/:.*/, ''));
}

function offersOfFish(line: string): string[] {
  const ask = `${scripts.fish}\ncomplete -C '${line}'`;
  return linesOf('fish', ['--no-config', '-c', ask]).map((offer) => offer.replace(/\t.*/, ''));
}

describe.each([
  ['bash', offersOfBash],
  ['zsh', offersOfZsh],
  ['fish', offersOfFish],
] as const)('completion in %s', (shell, offersAfter) => {
  test.skipIf(!has(shell)).each([
    ['touchstone ', ['run', 'completion', 'help', 'pack']],
    ['touchstone --data run ', ['run', 'pack']],
    ['touchstone pack ', ['build', 'sign']],
    ['touchstone pack build -', ['--key-id', '-o', '--config']],
    ['touchstone run --', ['--agent', '--no-github', '--json']],
    ['touchstone run evals --to ', ['test', 'staged', 'active']],
    ['touchstone run evals --fail-on ', ['newly-failing', 'none']],
    ['touchstone runs --status ', ['waiting-approval']],
    ['touchstone schema ', ['suite', 'config']],
    ['touchstone import ', ['promptfoo', 'otel']],
    ['touchstone import adk desk', ['desk.json']],
    ['touchstone help ', ['run', 'pack']],
    ['touchstone completion ', ['bash', 'zsh', 'fish']],
  ])('offers after "%s" what the verb accepts', (line, some) => {
    expect(offersAfter(line)).toEqual(expect.arrayContaining([...some]));
  });

  test.skipIf(!has(shell))(
    'does not offer the options of another verb, or verbs where none may stand',
    () => {
      expect(offersAfter('touchstone init --')).not.toContain('--agent');
      expect(offersAfter('touchstone pack build ')).not.toContain('run');
      expect(offersAfter('touchstone run evals --agent ')).not.toContain('--json');
    },
  );

  test.skipIf(!has(shell))('offers the values of an option that is joined with its value', () => {
    const offers = offersAfter('touchstone promote a@1.0.0 --channel=');
    expect(offers.map((offer) => offer.replace('--channel=', ''))).toEqual(
      expect.arrayContaining(['canary', 'stable']),
    );
  });
});

test('completion of a shell that is not known is refused, and the known ones are named', async () => {
  const { code, err } = await cli.run('completion', 'tcsh');
  expect(code).toBe(2);
  expect(err).toContain('Allowed choices are bash, zsh, fish');
});

test('every verb and every option of the help is in each script', async () => {
  const { out } = await cli.run('help', 'run');
  const options = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name as string);
  expect(options.length).toBeGreaterThan(50);
  for (const name of options) {
    expect(scripts.bash).toMatch(new RegExp(`[ ']${name}[ '"]`));
    expect(scripts.zsh).toContain(`'${name}:`);
    expect(scripts.fish).toContain(` -l ${name.slice(2)} `);
  }
});
