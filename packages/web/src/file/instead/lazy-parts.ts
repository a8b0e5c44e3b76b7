// At hand: a file has nothing to load.
export { KeysHelp } from '../../parts/shell/keys-help.js';
export { TaskDetail } from '../../parts/task/task-detail.js';
