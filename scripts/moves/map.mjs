// Where each file of the tree before the second edition of the module layout stands now. A rule is a folder, the folder
// it became, and the names that moved. `*` is the rest of the folder, tests and fixtures included. Paths begin at packages/.
// A name is without its extension; `old>new` renames. A test follows the source of its name.

const T = 'touchstone/src';

export const FOLDERS = [
  // protocol
  [
    'contract/src/ports',
    `${T}/ports/store`,
    'annotations audit baselines bound-agents deployments idempotency keys leases ledger memory packs page record responses run-log runs store suite-store webhooks',
  ],
  ['contract/src/ports', `${T}/ports`, '*'],
  ['contract/src', `${T}/ports`, 'content-free'],
  [
    'contract/src/wire',
    'protocol/src/wire/schema',
    'build compile explain keywords phrases resolve schema-node validate hostile',
  ],
  ['contract/src/wire', 'protocol/src/wire', 'index catalogue'],
  ['contract/src/wire/payloads', 'protocol/src/wire/openwop/payloads', '*'],
  ['contract/src/wire', 'protocol/src/wire/openwop/payloads', 'run-event-payloads'],
  ['contract/src/wire', 'protocol/src/wire/openwop', '*'],
  ['contract/src', 'protocol/src/wire/vendor', 'profile-schema'],
  ['contract/src', 'protocol/src/values', 'json'],
  ['contract/src', 'protocol/src', 'index'],
  ['contract/src', 'protocol/src/model', '*'],
  ['contract', 'protocol', '*'],

  // agents and net
  [`${T}/agents`, `${T}/net`, 'abort addresses deadlines deferred guard http-post pace'],
  [
    `${T}/agents`,
    `${T}/agents/spec`,
    'digest facts http-members object-reader read-document run-spec source-files spec usage-reader',
  ],
  [
    `${T}/agents`,
    `${T}/agents/kinds/module`,
    'module module-context module-job module-queue module-thread module-worker',
  ],
  [`${T}/agents`, `${T}/agents/kinds/command`, 'child command'],
  [`${T}/agents`, `${T}/agents/kinds/http`, 'http'],
  [`${T}/agents`, `${T}/agents/kinds/openwop`, 'openwop remote-run'],
  [`${T}/agents`, `${T}/agents/kinds/model`, 'model-agent pin-model tool-names'],
  [`${T}/agents`, `${T}/agents/kinds/scripted`, 'script-file scripted'],
  [`${T}/agents`, `${T}/agents/kinds`, 'answers bounds requests retry turn-answer turns agent-cases'],
  [`${T}/agents/mcp`, `${T}/agents/tools/mcp`, '*'],
  [`${T}/agents`, `${T}/agents/tools`, 'http-tool tool-offers tool-spec tool-time tools'],

  // engine
  [`${T}/engine/gated`, `${T}/engine/approvals`, 'script>approval-flow open-script>open-flow *'],
  [`${T}/engine/programs`, `${T}/engine/kinds`, 'program>run-kind eval-frame>eval-run *'],
  [`${T}/engine`, `${T}/engine/forks`, 'history refold'],
  [`${T}/engine`, `${T}/engine/log`, 'backlog bracket committer endings recorder'],
  [
    `${T}/engine`,
    `${T}/engine/invoke`,
    'fixtures invoke memory request scene>environment spending>spend-meter tool-desk>tool-gateway',
  ],
  [
    `${T}/engine`,
    `${T}/engine/run`,
    'alarms drive driving>drive-context engine feed loop next-step open-loop progress restore slots units watching',
  ],
  [`${T}/engine`, `${T}/engine`, '*'],

  // suites, packs, profiles
  [`${T}/suites/packs`, `${T}/suites`, 'pack-path'],
  [`${T}/suites/packs`, `${T}/suites/text`, 'utf8'],
  [
    `${T}/suites/packs`,
    `${T}/packs/archive`,
    'file-table find-packs gunzip limits pack-folder read-archive tar-library write-archive',
  ],
  [
    `${T}/suites/packs`,
    `${T}/packs/manifest`,
    'agent-roles identity invalid-manifest manifest manifest-source pack-agents peers refs',
  ],
  [`${T}/suites/packs`, `${T}/packs/signing`, 'file-list integrity signature trust verify-pack'],
  [`${T}/suites/packs`, `${T}/packs`, '*'],
  [
    `${T}/suites/profiles/datasets`,
    `${T}/profiles/datasets/formats`,
    'byte-lines csv csv-library data-uri format hashing json jsonl line-count raw-row strict-utf8',
  ],
  [`${T}/suites/profiles/datasets`, `${T}/profiles/datasets`, 'row-desk>row-reader *'],
  [`${T}/suites/profiles`, `${T}/profiles`, '*'],
  [`${T}/host/datasets`, `${T}/profiles/datasets/sources`, '*'],
  [
    `${T}/suites`,
    `${T}/suites/text`,
    'json-scan json-source lines positions soundness source yaml-aliases yaml-keys yaml-library yaml-messages yaml-source yaml-value',
  ],

  // scorecard, deployments, store
  [`${T}/scorecard/deployment`, `${T}/deployments`, '*'],
  [`${T}/scorecard`, `${T}/scorecard/fold`, 'adjusted aggregate build check fold-task'],
  [
    `${T}/scorecard`,
    `${T}/scorecard/report`,
    'contract-gates contract-report report report-extras report-parts slices',
  ],
  [`${T}/scorecard`, `${T}/scorecard/comparison`, 'pair-results regression'],
  [
    `${T}/store`,
    `${T}/store/log`,
    'commit entries expand group-commit holder leases ledger listeners results run-log runs watchers',
  ],
  [
    `${T}/store`,
    `${T}/store/catalogue`,
    'bound-agents contracts memory packs retain suite-chunks suite-statements suites',
  ],

  // host
  [`${T}/host/routes/seams`, `${T}/api/seams`, '*'],
  [`${T}/host/routes`, `${T}/api/seams`, 'seams>index'],
  [`${T}/host/routes`, `${T}/api/shapes`, 'report-shape run-shapes vendor-shapes'],
  [
    `${T}/host/routes`,
    `${T}/api/operations/runs`,
    'annotations debug-bundle diff eval-summary events fork interrupts progress rejudge report run-control run-lists runs',
  ],
  [
    `${T}/host/routes`,
    `${T}/api/operations/catalogue`,
    'agents bound-agents packs profiles suites tools workflows catalogue',
  ],
  [`${T}/host/routes`, `${T}/api/operations`, '*'],
  [
    `${T}/host`,
    `${T}/api/streams`,
    'annotations-board annotations-live event-pages event-stream progress-stream sse stream-modes wakeups',
  ],
  [`${T}/host`, `${T}/api`, 'endpoint error-response host-parts>services openapi paths query'],
  [
    `${T}/host`,
    `${T}/server`,
    'app close-app gate>admission idempotency index json-body log open-ends>open-streams rate-limit register serve server trace-context',
  ],
  [`${T}/host/deployments`, `${T}/server`, 'door-audit>access-audit'],
  [`${T}/host/deployments`, `${T}/app/config`, 'gates'],
  [`${T}/host/deployments`, `${T}/app/deployments`, 'desk>deployments *'],
  [
    `${T}/host`,
    `${T}/app/config`,
    'config config-file config-parts config-shape eval-settings make-folder>data-folder prices safety-policy secrets signing-key store-file',
  ],
  [`${T}/host`, 'protocol/src/wire/schema', 'shape'],
  [
    `${T}/host`,
    `${T}/app/catalogue`,
    'agent-pool agent-registry>agent-catalogue boot checking-time>schema-budget compile-definition contract-file contracts dataset-rows definition-agent hosts-first>host-rows-first pack-policy pack-profiles pack-shelf>pack-catalogue profile-rows profiles sample-agents schemas-in-turns suite-shelf>suite-catalogue',
  ],
  [
    `${T}/host`,
    `${T}/app/runs`,
    'baseline check-trouble create-run evaluation-off fork-run model-request plan-run rejudge task-evaluators workflow-definitions',
  ],
  [
    `${T}/host`,
    `${T}/app/views/debug-bundle`,
    'debug-bundle debug-bundle-line debug-bundle-mask debug-bundle-names debug-bundle-pace debug-bundle-rewrite',
  ],
  [
    `${T}/host`,
    `${T}/app/views`,
    'comparable>log-normalisation contract-report diff import-scorecard log-events measured-run>run-measurement report scorecard-of>scorecard snapshot view-task>task-view',
  ],
  [`${T}/host`, `${T}/app/review`, 'annotations annotations-override annotations-target'],
  [`${T}/host`, `${T}/app/judges`, 'judge-desk>judges judging'],
  [
    `${T}/host`,
    `${T}/app/webhooks`,
    'webhook-circuit webhook-intake webhook-lane webhook-lanes webhook-queue webhook-registration webhook-sender webhooks',
  ],
  [`${T}/host`, `${T}/app`, 'in-process>index watch-tenants>tenant-count *'],

  // command line
  [
    `${T}/cli`,
    `${T}/cli/verbs/run`,
    'run-options start-run resume-run branch-run drive-run remote-run collect-remote collect-result result report record-file record-run recorded-suite baseline-choice earlier-runs remote-baseline watch watch-files watched-places>watch-paths defined-agent agent-choice record run-pack arguments',
  ],
  [`${T}/cli/commands`, `${T}/cli/verbs/run`, 'run rejudge replay'],
  [`${T}/cli`, `${T}/cli/verbs/run`, 'replay'],
  [
    `${T}/cli`,
    `${T}/cli/files`,
    'suite-source definition-file contract-file contract-rows contract-options compile-contract profile-source remote-profile pack-source pack-place>pack-files pack-facts pack-key remote-pack installed-pack check-suite check-definition dataset-lock draft-file place-file>write-file place-issues>locate-issues issue-lines file-hash scorecard-file starter-suite',
  ],
  [
    `${T}/cli`,
    `${T}/cli/verbs/deployments`,
    'deploy-after-run deploy-door deploy-hints deploy-local deploy-options deploy-place>channel-options deploy-remote deploy-steps deploy-story deploy-tell deploy-verbs deploy-wait promotable-agent approve audit promote',
  ],
  [`${T}/cli/commands`, `${T}/cli/verbs/deployments`, 'approve audit deployments promote'],
  [
    `${T}/cli`,
    `${T}/cli/verbs/runs`,
    'corrections annotate-options evidence-keys evidence-places>trust-paths evidence-verbs regression-verbs judge-verbs annotate baseline compare export judge verify contract-verdict',
  ],
  [
    `${T}/cli/commands`,
    `${T}/cli/verbs/runs`,
    'annotate baseline baseline-bless compare export judge-check runs show verify',
  ],
  [`${T}/cli`, `${T}/cli/verbs/project`, 'api-key contract-verbs pack-verbs verbs compile contract pack'],
  [
    `${T}/cli/commands`,
    `${T}/cli/verbs/project`,
    'compile doctor init init-files keys pack-build pack-install pack-verify serve validate',
  ],
  [`${T}/cli/health`, `${T}/cli/verbs/project/health`, '*'],
  [
    `${T}/cli/render`,
    `${T}/cli/render/run`,
    'scorecard bars certainty contract criteria failure verdict regression slices delta task corrections notes document junit markdown markdown-parts markdown-report promotion-report reports',
  ],
  [
    `${T}/cli/render`,
    `${T}/cli/render/deployments`,
    'deployment deployment-document deployment-share deployment-story audit',
  ],
  [
    `${T}/cli/render`,
    `${T}/cli/render/compare`,
    'compare compare-verdict comparison side-by-side task-pairs baseline calibration',
  ],
];

/** Whole folders of the repository that stand elsewhere. */
export const ELSEWHERE = [['test/contract', 'test/ports']];

/** Packages that have another name. */
export const PACKAGES = [
  ['@touchstone/protocol/ports', null],
  ['@touchstone/protocol', '@touchstone/protocol'],
];
