import { anyObject, flag, name, open, ref } from '../../schema/build.js';

/** An error inside an event. */
export const errorObject = open(
  {
    /** A word such as `run_timeout`. */
    code: name('What went wrong, for programs.'),
    /** A sentence; it quotes no content. */
    message: name('What went wrong, for people.'),
  },
  {
    /** Further facts: names, numbers and flags; absent when there are none. */
    details: anyObject('Further facts.'),
    /** Whether trying again may help. Absent when nothing is known. */
    retryable: flag('Whether trying again may help.'),
  },
);
/** What a run or a node was given. Content. */
export const inputsObject = anyObject('What went in.');
/** What a run or a node returned. Content, except for the summary of an eval run. */
export const outputsObject = anyObject('What came out.');

/** A reference to `errorObject`. */
export const error = (description: string) => ref<typeof errorObject>('#/$defs/_errorObject', description);
/** A reference to `inputsObject`. */
export const inputs = () => ref<typeof inputsObject>('#/$defs/_inputsObject');
/** A reference to `outputsObject`. */
export const outputs = () => ref<typeof outputsObject>('#/$defs/_outputsObject');

/** Set only when the cause of an event lies on another host. */
export const causationHostId = () => name('The host on which the cause of this event lies.');
