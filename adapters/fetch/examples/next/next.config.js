/** The driver is native, so Next leaves it and what opens it where they are installed. */
const config = { serverExternalPackages: ['better-sqlite3', 'event-query'] };

export default config;
