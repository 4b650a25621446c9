/**
 * The environment without what the commands read, so that no machine's own settings decide a test. A server
 * that is told to end does not wait for others to notice: no test has a balancer before it.
 */
export function cleanEnv(): NodeJS.ProcessEnv {
  const own = ['PORT', 'LOG_LEVEL'];
  const others = Object.entries(process.env).filter(
    ([name]) => !own.includes(name) && !name.startsWith('EVENT_QUERY_'),
  );
  return { ...Object.fromEntries(others), EVENT_QUERY_DRAIN: '0' };
}
