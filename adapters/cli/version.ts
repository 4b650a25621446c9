import packageJson from '../../package.json' with { type: 'json' };

/** What the build names itself by; the bundler writes it, and nobody where the sources themselves run. */
declare const EVENT_QUERY_BUILD: string | undefined;

/** The version of the package, and of this build of it. */
export const VERSION = `${packageJson.version}+${
  typeof EVENT_QUERY_BUILD === 'string' ? EVENT_QUERY_BUILD : 'source'
}`;
