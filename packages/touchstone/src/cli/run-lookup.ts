import { asId, type RunId } from '@touchstone/protocol';
import {
  type Client,
  type EvalRunSnapshot,
  HostResponseError,
  isEvalRun,
  type RunEvent,
  type RunSnapshot,
} from '@touchstone/sdk';
import { UsageError } from './io.js';
import { isPart } from './origin.js';

const NTH_LAST = /^last(?:~(\d{1,4}))?$/;
const PAGE = 100;

/** How far back `last` (0) or `last~n` lies; undefined for any other name. */
export function placesBack(name: string): number | undefined {
  const [found, back = '0'] = NTH_LAST.exec(name) ?? [];
  return found === undefined ? undefined : Number(back);
}

/** A run by its id, the newest one for `last`, the one before it for `last~1`. */
export async function findRun(client: Client, name: string): Promise<RunSnapshot> {
  const back = placesBack(name);
  const run = back === undefined ? await knownRun(client, name) : await nthLast(client, back);
  if (run) return run;
  throw noRun(name);
}

/** Undefined when the host has no such run. */
export const knownRun = (client: Client, runId: string): Promise<RunSnapshot | undefined> =>
  client.runs.get(asId<RunId>(runId)).catch(absent);

/** For reads of what may not be there. */
export function absent(error: unknown): undefined {
  if (!(error instanceof HostResponseError) || error.status !== 404) throw error;
}

/**
 * `last` means the last evaluation: neither a replay, which repeats one, nor a second look at some of its tasks, nor a move
 * of a deployment is counted.
 */
async function nthLast(client: Client, back: number): Promise<RunSnapshot | undefined> {
  let left = back;
  for await (const page of runPages(client)) {
    const counted = page.filter(
      (run) =>
        run.touchstone?.kind !== 'deployment' && run.touchstone?.fork?.mode !== 'replay' && !isPart(run),
    );
    // A list leaves out what only a read of one run tells.
    if (counted[left]) return client.runs.get((counted[left] as RunSnapshot).runId);
    left -= counted.length;
  }
  return undefined;
}

/** The runs of a host, newest first, page by page. */
export async function* runPages(
  client: Client,
  filter: Omit<Parameters<Client['runs']['list']>[0] & object, 'cursor'> = {},
): AsyncGenerator<readonly RunSnapshot[]> {
  for (let cursor: string | undefined; ; ) {
    const page = await client.runs.list({ limit: PAGE, ...filter, ...(cursor !== undefined && { cursor }) });
    yield page.items;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}

/** The events of a run so far, page by page. */
export async function* eventPages(
  client: Client,
  { runId, touchstone }: RunSnapshot,
): AsyncGenerator<readonly RunEvent[]> {
  const last = (touchstone?.eventCount ?? Number.POSITIVE_INFINITY) - 1;
  for (let after: number | undefined; ; ) {
    const position = after === undefined ? {} : { after };
    const { events, isComplete } = await client.pollEvents(runId, { timeoutSeconds: 1, ...position });
    yield events;
    after = events.at(-1)?.sequence;
    if (isComplete || after === undefined || after >= last) return;
  }
}

export function noRun(name: string): UsageError {
  const back = placesBack(name);
  if (back === undefined)
    return new UsageError(`There is no run ${name} here.`, 'See the runs kept here with: touchstone runs');
  return back === 0
    ? new UsageError('There is no run here yet.', 'Start one with: touchstone run <suite file>')
    : new UsageError(`There are not enough runs here for ${name}.`, 'See them with: touchstone runs');
}

/** Refuses a run that is not of a suite. */
export function asEvalRun(run: RunSnapshot): EvalRunSnapshot {
  if (isEvalRun(run)) return run;
  throw run.touchstone?.kind === 'deployment'
    ? new UsageError(
        `Run ${run.runId} is about a deployment and not an evaluation.`,
        `See what it did with: touchstone show ${run.runId}`,
      )
    : new UsageError(
        `Run ${run.runId} is not an evaluation.`,
        `See its events with: touchstone show ${run.runId} --events`,
      );
}

export const noDeployment = (runId: string): UsageError =>
  new UsageError(
    `Run ${runId} is not about a deployment.`,
    'See those that wait for people with: touchstone runs --status waiting-approval',
  );

/** What a run is doing, in the words of the command line. */
export const stateOf = ({ status, touchstone }: RunSnapshot): string =>
  touchstone?.interrupted ? 'interrupted' : status;
