export { duration, plural, whole } from '@touchstone/sdk/view';
