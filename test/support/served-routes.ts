import { sdkProtocols } from '../../adapters/sdks/index.ts';
import { routesOf } from '../../src/core/http/protocol-routes.ts';
import { createFinder, ROUTES, type Route } from '../../src/core/http/route.ts';

/** The routes of a server as it is started by the command: its own, and those of the SDKs. */
export const SERVED_ROUTES: readonly Route[] = [...ROUTES, ...routesOf(sdkProtocols())];

/** Finds the one that a path reaches. */
export const findServedRoute = createFinder(SERVED_ROUTES);
