import { lazy } from './lazy.js';

// Parts of pages that are loaded when they are first shown. A page in one file has them at hand: file/parts.ts stands in for this file there.

export const TaskDetail = lazy(() => import('./parts/task/task-detail.js').then((part) => part.TaskDetail));
export const KeysHelp = lazy(
  () => import('./parts/shell/keys-help.js').then((part) => part.KeysHelp),
  <span />,
);
