// Renames types and functions whose names stand for one thing in the whole tree. Can be run again.
//
//   node scripts/moves/words.mjs
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const WORDS = {
  ProfileDesk: 'Profiles',
  createProfileDesk: 'createProfiles',
  ContractDesk: 'Contracts',
  createContractDesk: 'createContracts',
  JudgeDesk: 'Judges',
  createJudgeDesk: 'createJudges',
  DeploymentDesk: 'Deployments',
  createDeploymentDesk: 'createDeployments',
  SuiteShelf: 'SuiteCatalogue',
  createSuiteShelf: 'createSuiteCatalogue',
  PackShelf: 'PackCatalogue',
  createPackShelf: 'createPackCatalogue',
  AgentRegistry: 'AgentCatalogue',
  createAgentRegistry: 'createAgentCatalogue',
  JudgeWish: 'JudgeRequest',
  CompileWish: 'CompileRequest',
  WebhookWish: 'WebhookRequest',
  ledThere: 'withChannel',
  toldLike: 'withoutContractOutcome',
  buildScorecard: 'buildSummary',
  RunHeadline: 'RunTotals',
  RunResult: 'RunView',
  RowDesk: 'RowReader',
};
const PATTERN = new RegExp(`\\b(${Object.keys(WORDS).join('|')})\\b`, 'g');
const files = execFileSync('git', ['ls-files', 'packages', 'test', 'scripts'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|mjs|js)$/.test(file) && !file.startsWith('scripts/moves/'));
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  const fresh = text.replaceAll(PATTERN, (word) => WORDS[word]);
  if (fresh !== text) writeFileSync(file, fresh);
}
