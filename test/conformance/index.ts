export { testAdminStore, type Noting } from './admin-store.ts';
export { testEventStore } from './event-store.ts';
export { testKeyStore } from './key-store.ts';
export { testRateLimiter, type SteerableClock } from './rate-limiter.ts';
export { testRefusalStore, type RefusalsWithAudit } from './refusal-store.ts';
export type { CreateFixture, Fixture, SuiteOptions, TestRunner } from './runner.ts';
export { testTenantStore } from './tenant-store.ts';
export { testUsageStore } from './usage-store.ts';
export { testViewStore, type ViewsWithAudit } from './view-store.ts';
