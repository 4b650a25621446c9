export { testControlStore } from './control-store.ts';
export { testEventStore } from './event-store.ts';
export { testRateLimiter, type SteerableClock } from './rate-limiter.ts';
export type { CreateFixture, Fixture, SuiteOptions, TestRunner } from './runner.ts';
