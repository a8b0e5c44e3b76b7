import fc from 'fast-check';

// Property tests draw the same values in every run, so that a change is what makes a test fail. `npm run test:random`
// sets another seed; fast-check prints it with each failure.
fc.configureGlobal({ seed: Number(process.env.TOUCHSTONE_TEST_SEED ?? 20_261_113) });
