import { suiteIntegrity } from '../../../packs/index.js';
import type { Suite } from '../../../ports/index.js';
import type { Row } from '../../render/layout.js';

/** What people are told of a suite: what it is, without what is in it. */
export const suiteRows = ({ head }: Suite): readonly Row[] => [
  ['digest', head.digest],
  ['integrity', suiteIntegrity(head)],
  ['tasks', String(head.taskCount)],
];
