import { runDocument } from '../../../exporters/index.js';
import { exitOfAll, type RunView } from '../../verbs/run/result.js';
import { promotionDocument } from '../deployments/deployment-document.js';

export { judgeDocument } from '../../../exporters/index.js';

/** The `--json` form of one run. */
export function documentOf(result: RunView): object {
  const { recorded, promotion } = result;
  return runDocument(result, {
    exitCode: exitOfAll(result),
    ...(recorded !== undefined && { recorded }),
    ...(promotion && { promotion: 'steps' in promotion ? promotionDocument(promotion) : promotion }),
  });
}
