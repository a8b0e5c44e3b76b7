// States of pages that no address alone leads to, and pages with nothing or the wrong thing on them: what there is to look at besides
// the pages of `PAGES`. Each is an address, and what a person does there.
import { AGENT, SUITE } from './world.mjs';

const press = (role, name) => async (page) => {
  // A state that cannot be had is seen on its picture.
  const found = page.getByRole(role, { name }).first();
  await found.click({ timeout: 3_000 }).catch((error) => console.error(`${name}: ${error.message}`));
  await page.waitForTimeout(400);
};
const key =
  (...keys) =>
  async (page) => {
    for (const one of keys) await page.keyboard.press(one);
    await page.waitForTimeout(400);
  };

export const statesOf = ({ runs, approval }) => {
  const run = `/runs/${runs['1.8.0']}`;
  const two = `runs=${runs['1.7.2']},${runs['1.8.0']}`;
  return {
    'run-reading': [`${run}?outcome=failed&view=reading`],
    'run-menu': [run, press('button', 'More')],
    'run-compare': [run, press('button', 'Compare…')],
    'run-filter': [run, press('button', 'Add a filter')],
    'run-no-match': [`${run}?id=nothing-like-this`],
    'run-wrong-value': [`${run}?outcome=good&minScore=7`],
    'run-absent': ['/runs/run-nothing'],
    'task-judged': [`${run}?task=delay-004`],
    'task-step': [`${run}/tasks/delay-004`, press('row', /model/)],
    'task-override': [`${run}/tasks/refund-003`, press('button', 'Override')],
    'task-absent': [`${run}/tasks/nothing`],
    'compare-all': [`/compare?${two}&view=all`],
    'compare-events': [`/compare?${two}&view=events`],
    'compare-one': [`/compare?runs=${runs['1.8.0']}`],
    'compare-absent': ['/compare?runs=run-a,run-b'],
    'suite-task': [`/suites/${SUITE}?task=delay-001`],
    'history-table': [`/suites/${SUITE}/history?form=table`],
    'suite-absent': ['/suites/local.nothing'],
    'agent-promote': [`/agents/${AGENT}`, press('button', 'Promote…')],
    'agent-absent': ['/agents/local.nothing'],
    approval: [`/approvals/${approval}`],
    'approval-grant': [`/approvals/${approval}`, press('button', 'Grant')],
    'approval-reject': [`/approvals/${approval}`, press('button', 'Reject')],
    'review-sample': [`/review?source=sample&n=10&seed=7&runId=${runs['1.8.0']}`],
    'review-done': [`/review?source=flagged`],
    'review-judge': [`/review?source=sample&n=10&seed=7&runId=${runs['1.8.0']}`, key('v')],
    'keys-help': ['/runs', key('?')],
    'go-to': ['/runs', key('Control+k')],
    'runs-none': ['/runs?q=nothing-like-this'],
    'runs-marked': [`/runs?${two}`],
    nowhere: ['/nowhere'],
    'answer-spent': ['/answer#nothing'],
  };
};
