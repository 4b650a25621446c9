/** The environment without what the commands read, so that no machine's own settings decide a test. */
export function cleanEnv(): NodeJS.ProcessEnv {
  const own = ['HOST', 'PORT', 'LOG_LEVEL'];
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !own.includes(name) && !name.startsWith('EVENT_QUERY_')),
  );
}
