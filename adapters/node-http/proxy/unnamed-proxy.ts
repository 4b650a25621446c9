import type { Logger } from '../../../src/index.ts';
import type { Exchange } from '../state/states.ts';
import { toAddress, trustedProxies } from './trusted.ts';

/** The addresses at which a proxy of the operator may be. The headers of clients elsewhere prove nothing. */
const isNear = trustedProxies(['loopback', 'private', 'unix']);

/**
 * Makes the check for a proxy that `trustProxy` does not name. All its clients share one address and its
 * limits. The log gets one line, for the first request that such a proxy has passed on.
 */
export function createProxyHint(log: Logger): (exchange: Exchange) => void {
  let isGiven = false;
  return (exchange) => {
    const { isProxy, address } = exchange.connection;
    if (isGiven || isProxy) return;
    // Few requests have these headers, so the address is read for those alone.
    const isForwarded = ['x-forwarded-for', 'forwarded'].some((name) => exchange.header(name) !== undefined);
    if (!isForwarded || !isNear(toAddress(address) ?? address)) return;
    isGiven = true;
    const fields = { peer: address };
    const text = 'a request came through a proxy that is not trusted: its clients count as one (trustProxy)';
    if (log.warn === undefined) log.info(fields, text);
    else log.warn(fields, text);
  };
}
