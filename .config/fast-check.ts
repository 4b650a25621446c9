import * as fc from 'fast-check';

// Whether a change passes must not be a matter of luck: tests that name no seed have that of the environment.
fc.configureGlobal({ seed: Number(process.env.EVENT_QUERY_SEED) });
