import { timestampOf } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { annotationWire } from '../../../app/index.js';
import { type Endpoint, endpoint, ok, wireBody } from '../../endpoint.js';
import { optionalText } from '../../query.js';
import { findRun, runIdOf, type Services } from '../../services.js';

export const annotationEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'annotateRun',
    route: 'POST /v1/runs/{runId}/annotations',
    auth: 'runs:annotate',
    orScopes: ['runs:create'],
    summary: 'Record an annotation on a run, one of its events or one of its nodes',
    body: wireBody('annotation-create'),
    responses: {
      201: { description: 'The annotation, without what looked like a secret.', schema: 'annotation' },
    },
    refusals: ['not_found', 'quota_exceeded'],
    async handle(call) {
      const { principal, body, creationId } = call;
      const annotation = await host.annotations.annotate(principal, runIdOf(call), body, creationId);
      return { status: 201, body: annotationWire(annotation) };
    },
  }),
  endpoint({
    operationId: 'listAnnotations',
    route: 'GET /v1/runs/{runId}/annotations',
    auth: 'runs:read',
    summary: 'The annotations on a run, oldest first',
    parameters: { taskId: optionalText('Only those on this task of an eval run, or on one of its events.') },
    responses: ok('All of them.', vendor.annotationList),
    refusals: ['not_found'],
    handle: (call) => ({
      async large() {
        const all = await host.annotations.list(call.principal.owner, runIdOf(call));
        const { taskId } = call.query;
        const kept =
          taskId === undefined
            ? all
            : await host.touchstone.tasks.about(await findRun(host, call), taskId, all);
        return { status: 200, body: { annotations: kept.map(annotationWire) } };
      },
    }),
  }),
  endpoint({
    operationId: 'listOverrides',
    route: 'GET /v1/host/touchstone/runs/{runId}/overrides',
    auth: 'runs:read',
    summary: 'The corrections of scores, oldest first; the last one of a task counts',
    responses: ok('All of them.', vendor.page(vendor.scoreOverride)),
    refusals: ['not_found'],
    async handle(call) {
      const { owner, runId } = await findRun(host, call);
      const all = await host.annotations.overridesOf(owner, runId);
      const items = all.map(({ override, at, ...one }) => ({ ...one, ...override, at: timestampOf(at) }));
      return { status: 200, body: { items } };
    },
  }),
];
