import type { Shape } from '@touchstone/protocol/wire';
import { type AnnotationCreateWire, parse } from '@touchstone/protocol/wire';
import { annotationWire } from '../../../app/index.js';
import { type BodyRule, type Endpoint, endpoint } from '../../endpoint.js';
import { runIdOf, type Services } from '../../services.js';

export const annotationEndpoints = ({ annotations }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'annotateRun',
    method: 'POST',
    path: '/v1/runs/{runId}/annotations',
    auth: 'runs:annotate',
    orScopes: ['runs:create'],
    summary: 'Record an annotation on a run, one of its events or one of its nodes',
    body: annotationBody,
    responses: {
      201: { description: 'The annotation, without what looked like a secret.', schema: 'annotation' },
    },
    refusals: ['not_found'],
    async handle(call) {
      const annotation = await annotations.annotate(call.principal, runIdOf(call), call.body);
      return { status: 201, body: annotationWire(annotation) };
    },
  }),
  endpoint({
    operationId: 'listAnnotations',
    method: 'GET',
    path: '/v1/runs/{runId}/annotations',
    auth: 'runs:read',
    summary: 'The annotations on a run, oldest first',
    responses: { 200: { description: 'All of them.', schema: annotationList } },
    refusals: ['not_found'],
    async handle(call) {
      const all = await annotations.list(call.principal.owner, runIdOf(call));
      return { status: 200, body: { annotations: all.map(annotationWire) } };
    },
  }),
];

const annotationBody: BodyRule<AnnotationCreateWire> = {
  schema: 'annotation-create',
  required: true,
  read: (value) => parse('annotation-create', value),
};

const annotationList: Shape = {
  type: 'object',
  properties: { annotations: { type: 'array', items: { $ref: 'annotation' } } },
  required: ['annotations'],
  additionalProperties: false,
};
