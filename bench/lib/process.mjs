// Runs a program and says what it cost: wall time, processor time, peak memory.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const GNU_TIME = '/usr/bin/time';

/** A fresh folder that is gone afterwards, whatever happens. */
export async function withFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Runs to the end. stdout and stderr go to files: a pipe would make the program wait for us. A program that takes
 * longer than `limitMs` is killed with all its children.
 */
export async function measure(command, args, { cwd, env = {}, limitMs = 600_000 } = {}) {
  return withFolder(async (folder) => {
    const files = {
      stdout: join(folder, 'stdout'),
      stderr: join(folder, 'stderr'),
      cost: join(folder, 'cost'),
    };
    const timed = existsSync(GNU_TIME);
    const [program, ...rest] = timed
      ? [GNU_TIME, '-f', '%U %S %M', '-o', files.cost, command, ...args]
      : [command, ...args];
    const startedAt = performance.now();
    const { code, peakKb } = await runToEnd(program, rest, { cwd, env, files, limitMs, watch: !timed });
    const wallMs = performance.now() - startedAt;
    const stdout = readFileSync(files.stdout, 'utf8');
    const stderr = readFileSync(files.stderr, 'utf8');
    return { code, wallMs, stdout, stderr, ...(timed ? readCost(files.cost) : { rssMb: peakKb / 1024 }) };
  });
}

/** GNU time puts a line before the numbers when the program did not exit with 0. */
function readCost(file) {
  const [user, system, kb] = readFileSync(file, 'utf8').trim().split('\n').at(-1).split(' ').map(Number);
  return { cpuMs: (user + system) * 1000, rssMb: kb / 1024 };
}

function runToEnd(program, args, { cwd, env, files, limitMs, watch }) {
  const out = openSync(files.stdout, 'w');
  const err = openSync(files.stderr, 'w');
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', out, err],
    detached: true,
  });
  let peakKb = 0;
  const limit = setTimeout(() => killGroup(child), limitMs);
  const watching = watch && setInterval(() => (peakKb = Math.max(peakKb, residentKb(child.pid))), 20);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      clearInterval(watching);
      closeSync(out);
      closeSync(err);
      resolve({ code, peakKb });
    });
  });
}

function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}

function residentKb(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

export const node = (args, options) => measure(process.execPath, args, options);

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];

/** The middle of several measurements, member by member. */
export const middle = (costs) => ({
  wallMs: median(costs.map(({ wallMs }) => wallMs)),
  cpuMs: median(costs.map(({ cpuMs }) => cpuMs ?? Number.NaN)),
  rssMb: median(costs.map(({ rssMb }) => rssMb)),
});
