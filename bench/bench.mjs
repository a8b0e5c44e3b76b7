// npm run bench -- [part…] [--n 100,1000] [--reps 3] [--attacks a,b] [--seconds 5] [--rows a,b] [--workers 1,8] [--peers a,b] [--peers-dir DIR] [--install] [--json]
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { createReport } from './lib/report.mjs';
import { cold } from './parts/cold.mjs';
import { fleet } from './parts/fleet.mjs';
import { install } from './parts/install.mjs';
import { latency } from './parts/latency.mjs';
import { models } from './parts/models.mjs';
import { noisy } from './parts/noisy.mjs';
import { page } from './parts/page.mjs';
import { reading } from './parts/reading.mjs';
import { resume } from './parts/resume.mjs';
import { safety } from './parts/safety.mjs';
import { serving } from './parts/serving.mjs';
import { sse } from './parts/sse.mjs';
import { stores } from './parts/stores.mjs';
import { throughput } from './parts/throughput.mjs';
import { openPeers } from './peers/index.mjs';

const PARTS = { cold, throughput, latency, models, reading, serving, stores, resume, sse, safety };
// Only by name: one takes ten minutes, one needs a browser, one a PostgreSQL server, one asks the registry.
const ON_DEMAND = { noisy, page, fleet, install };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    n: { type: 'string' },
    reps: { type: 'string', default: '3' },
    attacks: { type: 'string' },
    seconds: { type: 'string' },
    rows: { type: 'string' },
    workers: { type: 'string' },
    peers: { type: 'string' },
    'peers-dir': { type: 'string' },
    install: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const known = { ...PARTS, ...ON_DEMAND };
const unknown = positionals.filter((name) => !(name in known));
if (unknown.length > 0) {
  console.error(`There is no part called ${unknown.join(', ')}. Parts: ${Object.keys(known).join(', ')}`);
  process.exit(2);
}

const chosen = new Set(positionals.length > 0 ? positionals : Object.keys(PARTS));
if (values.install) chosen.add('install');

const machine = {
  cpus: cpus().length,
  model: cpus()[0]?.model,
  memoryGb: Math.round(totalmem() / 1e9),
  node: process.version,
  load: loadavg().map((load) => Number(load.toFixed(2))),
};
const report = createReport({ json: values.json });
report.say(
  `${machine.cpus} × ${machine.model}, ${machine.memoryGb} GB, node ${machine.node}, load ${machine.load.join(' ')}`,
);

const peers = await openPeers(values.peers, values['peers-dir'], report);
try {
  for (const name of chosen) {
    report.heading(name);
    const sizes = values.n?.split(',').map(Number);
    const attacks = values.attacks?.split(',');
    const measuredSeconds = values.seconds && Number(values.seconds);
    await known[name]({
      report,
      reps: Number(values.reps),
      peers: peers.list,
      sizes,
      attacks,
      measuredSeconds,
      rows: values.rows?.split(','),
      workers: values.workers?.split(',').map(Number),
    });
  }
} finally {
  peers.close();
}
report.end(machine);
