// Where the store lies, and how its disk gets full. On a small tmpfs this is the real thing: no space for any process. Where
// this machine allows no mount, the size of files is limited for the hosts, which SQLite meets as a failing disk.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the tenants of a soak store a minute, at most, and as much again. */
const MB_A_MINUTE = 768;
const succeeds = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** The command before this script that gives it a mount namespace of its own, or none when the machine has no such thing. */
export const namespaceLauncher = () => {
  const launcher = ['unshare', '--map-root-user', '--mount'];
  return succeeds(...launcher, 'true') ? launcher : [];
};

export function openStorage({ minutes }) {
  const sizeMb = Math.ceil(MB_A_MINUTE * Math.max(1, minutes));
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-soak-'));
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const isTmpfs = succeeds('mount', '-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', disk);
  const full = isTmpfs ? fillDisk(disk, sizeMb) : limitFiles();
  return {
    folder,
    data: join(disk, 'data'),
    /** Fills the disk of these hosts and returns what frees it, or undefined where this is not possible. */
    ...full,
    close() {
      if (isTmpfs) succeeds('umount', '--lazy', disk);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function fillDisk(disk, sizeMb) {
  const ballast = join(disk, 'ballast');
  return {
    kindOfFull: `a tmpfs of ${sizeMb} MB`,
    fill() {
      const file = openSync(ballast, 'w');
      for (const size of [2 ** 20, 4096]) writeUntilFull(file, Buffer.alloc(size));
      closeSync(file);
      return () => rmSync(ballast, { force: true });
    },
  };
}

function writeUntilFull(file, chunk) {
  try {
    for (;;) writeSync(file, chunk);
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  }
}

function limitFiles() {
  const limit = (pids, bytes) =>
    pids.every((pid) => succeeds('prlimit', '--pid', String(pid), `--fsize=${bytes}:unlimited`));
  if (!limit([process.pid], 'unlimited')) return { kindOfFull: undefined };
  return {
    kindOfFull: 'a limit on the size of files (no tmpfs here)',
    fill(pids) {
      limit(pids, 0);
      return () => limit(pids, 'unlimited');
    },
  };
}
