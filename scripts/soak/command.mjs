// The command line as a process.
import { spawn } from 'node:child_process';
import { COMMAND } from '../../bench/lib/touchstone.mjs';

/** Starts a verb on the store of the soak. */
export function startCommand({ config, storage, folder, env = {} }, args) {
  const options = ['--config', config, '--data', storage.data];
  const child = spawn(process.execPath, [COMMAND, ...args, ...options], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const ended = new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  );
  return { child, ended };
}

export const runCommand = (soak, args) => startCommand(soak, args).ended;
