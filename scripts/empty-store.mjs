// Makes the file that new stores begin as: all tables, no rows. It is made by the migrations, as a store is where it is missing.
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../packages/touchstone/dist/app/index.js';
import { openStore } from '../packages/touchstone/dist/store/index.js';

const target = fileURLToPath(
  new URL('../packages/touchstone/dist/store/sqlite/empty-store.db', import.meta.url),
);
const folder = mkdtempSync(join(tmpdir(), 'touchstone-empty-'));
const file = join(folder, 'empty-store.db');
try {
  // The one of an earlier build would be taken, with what its migrations were then.
  rmSync(target, { force: true });
  const store = await openStore({ file, clock: systemClock });
  await store.close();
  copyFileSync(file, target);
  chmodSync(target, 0o644);
} finally {
  rmSync(folder, { recursive: true });
}
