import { closed, plain, text, type Wire } from '../schema/build.js';

/** Body of `POST …/runs/{runId}/tasks:search`. A body, so that no proxy writes down what people look for. */
export const searchTasks = closed(
  {
    /** What is looked for in inputs, answers and expected values; upper and lower case are the same. */
    text: text('What is looked for in inputs, answers and expected values.', {
      minLength: 1,
      maxLength: 512,
    }),
  },
  {
    /** The parameters of `GET …/runs/{runId}/tasks`, by name. */
    filters: plain<{ readonly [name: string]: string | number }>({
      type: 'object',
      description: 'The parameters of listTasks, by name.',
      additionalProperties: { type: ['string', 'number'] },
    }),
  },
);
/** A search through the content of a run's tasks. */
export type SearchTasks = Wire<typeof searchTasks>;
