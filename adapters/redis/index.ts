export { redisRateLimiter, type RedisLimiterOptions, type SendCommand } from './limits.ts';
