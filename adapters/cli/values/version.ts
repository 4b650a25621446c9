import packageJson from '../../../package.json' with { type: 'json' };

/** The id of the build. The bundler defines it; it is undefined when the sources run directly. */
declare const EVENT_QUERY_BUILD: string | undefined;

/** The version of the package, with the id of its build. */
export const VERSION = `${packageJson.version}+${
  typeof EVENT_QUERY_BUILD === 'string' ? EVENT_QUERY_BUILD : 'source'
}`;
