import type { Logger } from '../../../src/index.ts';
import type { Exchange } from '../state/states.ts';
import { toAddress, trustedProxies } from './trusted.ts';

/** Where a proxy of one's own is. Who comes from elsewhere can write any header, which says nothing. */
const isNear = trustedProxies(['loopback', 'private', 'unix']);

/**
 * Makes the check for a proxy that nobody has named: all its clients then share one address, with its limits.
 * It logs one line for the first request that such a proxy has passed on.
 */
export function createProxyHint(log: Logger): (exchange: Exchange) => void {
  let isGiven = false;
  return (exchange) => {
    const { isProxy, address } = exchange.connection;
    if (isGiven || isProxy || !isNear(toAddress(address) ?? address)) return;
    const isForwarded = ['x-forwarded-for', 'forwarded'].some((name) => exchange.header(name) !== undefined);
    if (!isForwarded) return;
    isGiven = true;
    const fields = { peer: address };
    const text = 'a request came through a proxy that is not trusted: its clients count as one (trustProxy)';
    if (log.warn === undefined) log.info(fields, text);
    else log.warn(fields, text);
  };
}
