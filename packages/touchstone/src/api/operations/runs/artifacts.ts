import { defined, HostError, isObject, type RunArtifact } from '@touchstone/protocol';
import { fromBody, type Payloads } from '@touchstone/protocol/bodies';
import { vendor } from '@touchstone/protocol/wire';
import type { Run } from '../../../ports/index.js';
import { type Endpoint, endpoint, ok, type Reply } from '../../endpoint.js';
import { findRun, type Services } from '../../services.js';

/** What runs ask people about. Nothing else that a run here makes is an artifact: its output is in its last event. */
export const artifactEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'getArtifact',
    route: 'GET /v1/runs/{runId}/artifacts/{artifactId}',
    auth: 'artifacts:read',
    summary: 'A thing that a run asks people about',
    responses: ok('The artifact.', vendor.runArtifact),
    refusals: ['not_found'],
    async handle(call) {
      const run = await findRun(host, call);
      return { large: () => readArtifact(host, run, call.params.artifactId ?? '') };
    },
  }),
];

async function readArtifact(host: Services, run: Run, artifactId: string): Promise<Reply> {
  const artifact = asksPeople(run) && (await lastAsked(host, run, artifactId));
  if (!artifact) throw new HostError('not_found', 'This run has no such artifact.');
  return { status: 200, body: artifact };
}

/** The logs of other runs can be long, and hold no question. */
const asksPeople = ({ plan }: Run): boolean => plan.kind === 'deployment' || plan.kind === 'workflow';

const PAGE_EVENTS = 200;

/** A question that was asked again, after a rejection, is about the same thing in its newest form. */
async function lastAsked(
  { touchstone: { store } }: Services,
  { owner, runId }: Run,
  artifactId: string,
): Promise<RunArtifact | undefined> {
  let found: RunArtifact | undefined;
  for (let after = -1, more = true; more; ) {
    const events = await store.log.read(owner, runId, after, PAGE_EVENTS);
    for (const { type, payload } of events) {
      if (type !== 'interrupt.requested') continue;
      const { artifactType, title, artifactData, ...data } = dataOf(payload as Payloads[typeof type]);
      if (data.artifactId === artifactId && artifactType !== undefined)
        found = { runId, artifactId, artifactType, ...defined({ title, artifactData }) };
    }
    after = events.at(-1)?.sequence ?? after;
    more = events.length > 0;
  }
  return found;
}

function dataOf({ kind, data }: Payloads['interrupt.requested']): Partial<RunArtifact> {
  const value = fromBody(data);
  return kind === 'approval' && isObject(value) ? (value as Partial<RunArtifact>) : {};
}
