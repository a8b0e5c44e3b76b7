// A thread shares the file descriptors of its process. What an agent writes to number 1, or hands on to a program that it
// starts, would stand in the middle of a result that another program reads. Plain JavaScript, like the worker.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const STDERR = 2;
const WRITES = 'write writeSync writev writevSync writeFile writeFileSync appendFile appendFileSync'.split(
  ' ',
);
const STARTS = 'spawn spawnSync execSync execFileSync'.split(' ');

/** From here on such writes go to stderr, for the code of this thread alone. */
export function keepStdoutFree() {
  for (const name of WRITES)
    replace(
      fs,
      name,
      (write) =>
        (target, ...rest) =>
          write(isStdout(target) ? STDERR : target, ...rest),
    );
  for (const name of STARTS)
    replace(
      childProcess,
      name,
      (start) =>
        (...typed) =>
          start(...typed.map(apart)),
    );
  replace(childProcess, 'fork', forkApart);
  syncBuiltinESMExports();
}

/** With the properties of the original, by which `promisify` knows it. */
function replace(module, name, make) {
  const original = module[name];
  const properties = Object.getOwnPropertyDescriptors(original);
  module[name] = Object.defineProperties(make(original.bind(module)), properties);
}

const isStdout = (target) => target === 1 || target === '/dev/stdout';

/** Options of a program, whose stdout is not ours. */
function apart(typed) {
  if (typed?.stdio === 'inherit') return { ...typed, stdio: ['inherit', STDERR, 'inherit'] };
  if (!Array.isArray(typed?.stdio)) return typed;
  const [first, second, ...others] = typed.stdio;
  return second === 'inherit' || second === 1 ? { ...typed, stdio: [first, STDERR, ...others] } : typed;
}

/** It hands on what it has when nobody says otherwise. */
const forkApart =
  (fork) =>
  (path, ...rest) => {
    const options = rest.find((one) => one && !Array.isArray(one)) ?? {};
    const args = rest.find(Array.isArray) ?? [];
    if (options.silent || Array.isArray(options.stdio)) return fork(path, args, apart(options));
    const isOurs = options.stdio === undefined || options.stdio === 'inherit';
    const stdio = isOurs ? ['inherit', STDERR, 'inherit', 'ipc'] : options.stdio;
    return fork(path, args, { ...options, stdio });
  };
