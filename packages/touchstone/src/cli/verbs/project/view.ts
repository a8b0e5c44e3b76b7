import { hashKey, systemClock } from '../../../app/index.js';
import { createLog, type RunningHost, startHost } from '../../../server/index.js';
import { type Context, type ExitCode, UsageError, writeJson, writeLine } from '../../io.js';
import { hasStore, LOCAL_OWNER, type Local, withTouchstone } from '../../local.js';
import { findRun } from '../../run-lookup.js';
import { localClient } from '../../session.js';
import { packageVersion } from '../../version.js';
import { newToken } from './keys.js';
import { explainListening, untilSignal } from './serve.js';

type ViewOptions = { readonly port: number; readonly open?: boolean };

/** Serves the page for what is kept here until a signal. Takes up no unfinished run and deletes nothing, as a host would. */
export async function viewCommand(
  context: Context,
  runId: string | undefined,
  options: ViewOptions,
): Promise<ExitCode> {
  if (!(await hasStore(context)))
    throw new UsageError(
      'There is no run here yet.',
      'Make one with: touchstone run <suite> --agent <agent>',
    );
  const stopped = untilSignal(context.io);
  await withTouchstone(context, 'work', async (local) => {
    const host = await openHost(context, local, await placeOf(local, runId), options);
    try {
      await tell(context, host, options);
      await stopped;
    } finally {
      await host.close();
    }
  });
  return 0;
}

/** Where the page begins. */
async function placeOf(local: Local, runId: string | undefined): Promise<string | undefined> {
  if (runId === undefined) return undefined;
  const run = await findRun(await localClient(local), runId);
  return `/runs/${run.runId}`;
}

/** A key that lives as long as this process is what the link is made for: nothing of it is kept. */
async function openHost(
  { io }: Context,
  { touchstone, config, principal }: Local,
  openAt: string | undefined,
  { port }: ViewOptions,
): Promise<RunningHost> {
  const keyHash = hashKey(newToken());
  const roles = [...new Set([...principal.roles, 'operator'])];
  return startHost({
    touchstone,
    config: { ...config, page: config.page || { origins: [], insecure: false } },
    log: await createLog('error'),
    clock: { ...systemClock, now: io.now },
    ids: { token: newToken },
    version: packageVersion(),
    env: io.env as NodeJS.ProcessEnv,
    port,
    extraKeys: [{ keyHash, owner: LOCAL_OWNER, principal: 'operator', roles }],
    openFor: keyHash,
    ...(openAt !== undefined && { openAt }),
  }).catch((error) => {
    throw explainListening(error, { port, bind: '127.0.0.1' });
  });
}

async function tell({ io, settings }: Context, host: RunningHost, { open }: ViewOptions): Promise<void> {
  const link = host.openUrl ?? host.url;
  if (settings.json) writeJson(io, { url: host.url, open: link });
  else {
    writeLine(io.stdout, `listening ${host.url}`);
    writeLine(io.stdout, `open ${link}`);
    writeLine(io.stderr, 'The link signs in once, within ten minutes. Ctrl-C ends.');
  }
  if (open && !(await io.openBrowser(link)))
    writeLine(io.stderr, 'No browser could be opened on this machine. Open the link in one yourself.');
}
