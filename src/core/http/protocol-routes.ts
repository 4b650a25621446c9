import { quoteAny } from '../event/text.ts';
import { ROUTES, type Route } from './route.ts';
import { ownSchemas } from './schemas/own-schemas.ts';
import type { Protocol, ProtocolRoute } from './protocol.ts';

/** A route of a protocol at its whole path. */
export interface ServedRoute extends Route, Pick<ProtocolRoute, 'takes' | 'described'> {}

const NAME_PATTERN = /^[a-z0-9-]{1,64}$/;
const PATH_PATTERN = /^(?:\/(?:[\w.-]{1,64}|\{(?!tenantId\})\w{1,32}\})){1,16}$/;

/**
 * The routes of protocols, as they are served beside those of this API. Throws TypeError for a protocol that
 * takes what is not its own: a part of the addresses, or a name that another one has.
 */
export function routesOf(protocols: readonly Protocol[]): readonly ServedRoute[] {
  const addresses = new Set<unknown>(['admin', ...ROUTES.map(({ path }) => path.split('/')[2])]);
  const names = new Set<string>(ROUTES.map(({ name }) => name));
  const schemas = new Set(Object.keys(ownSchemas()));
  return protocols.flatMap(({ name, routes, schemas: more = {} }) => {
    if (typeof name !== 'string' || !NAME_PATTERN.test(name))
      throw wrong(`its name has 1 to 64 of a-z, 0-9 and dashes, got ${quoteAny(name)}`);
    takeOnce(addresses, name, `another one lies at /v1/${name}`);
    for (const each of Object.keys(more))
      takeOnce(schemas, each, `of ${name}: another schema is called ${each}`);
    return routes.map(({ path, ...route }) => {
      takeOnce(names, route.name, `of ${name}: another route is called ${route.name}`);
      if (!PATH_PATTERN.test(path) || path.split('{').length > 2)
        throw wrong(
          `of ${name}: a path is like /v1/{call}, with at most one parameter, got ${quoteAny(path)}`,
        );
      return { ...route, path: `/v1/${name}/{tenantId}${path}`, caller: 'strategy' };
    });
  });
}

function takeOnce(taken: Set<unknown>, name: string, refusal: string): void {
  if (taken.has(name)) throw wrong(refusal);
  taken.add(name);
}

function wrong(what: string): TypeError {
  return new TypeError(`createApi: a protocol ${what}`);
}
