import { anyObject, flag, name, open, ref } from '../../schema/build.js';

export const errorObject = open(
  { code: name('What went wrong, for programs.'), message: name('What went wrong, for people.') },
  { details: anyObject('Further facts.'), retryable: flag('Whether trying again may help.') },
);
export const inputsObject = anyObject('What went in.');
export const outputsObject = anyObject('What came out.');

export const error = (description: string) => ref<typeof errorObject>('#/$defs/_errorObject', description);
export const inputs = () => ref<typeof inputsObject>('#/$defs/_inputsObject');
export const outputs = () => ref<typeof outputsObject>('#/$defs/_outputsObject');

/** Set only when the cause of an event lies on another host. */
export const causationHostId = () => name('The host on which the cause of this event lies.');
