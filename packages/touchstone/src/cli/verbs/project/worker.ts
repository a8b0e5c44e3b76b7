import { resolve } from 'node:path';
import { createTouchstone, systemClock } from '../../../app/index.js';
import { createLog, type RunningWorker, startWorker } from '../../../server/index.js';
import { type Context, type ExitCode, writeLine } from '../../io.js';
import { readConfig } from '../../local.js';
import { packageVersion } from '../../version.js';
import { checkShared, explainListening, untilSignal } from './serve.js';

type WorkerCommandOptions = {
  readonly health?: number;
  readonly bind: string;
  /** In seconds. */
  readonly drain: number;
  readonly logLevel: 'info' | 'warn' | 'error' | 'silent';
};

/** Works until a signal. The first line on stdout says that it has begun; scripts wait for it. */
export async function workerCommand(context: Context, options: WorkerCommandOptions): Promise<ExitCode> {
  const { io } = context;
  const stopped = untilSignal(io);
  const worker = await openWorker(context, options);
  try {
    writeLine(io.stdout, `working ${worker.healthUrl ?? ''}`.trim());
    await stopped;
  } finally {
    await worker.close(options.drain * 1_000);
  }
  return 0;
}

async function openWorker(context: Context, options: WorkerCommandOptions): Promise<RunningWorker> {
  const { io, settings } = context;
  const { health, bind, logLevel } = options;
  const config = await readConfig(context);
  checkShared(context, config, 'A worker');
  const version = packageVersion();
  const log = await createLog(logLevel);
  const dataDir = resolve(io.cwd, settings.data);
  const role = { works: true, prepares: false };
  const env = io.env as NodeJS.ProcessEnv;
  const touchstone = await createTouchstone({ config, dataDir, origin: 'host', role, version, log, env });
  try {
    const worker = await startWorker({
      ...{ touchstone, config, log, version },
      clock: { ...systemClock, now: io.now },
      env,
      ...(health !== undefined && { health: { address: bind, port: health } }),
    });
    touchstone.keepAgentsReady();
    return worker;
  } catch (error) {
    await touchstone.close();
    throw explainListening(error, { port: health ?? 0, bind });
  }
}
