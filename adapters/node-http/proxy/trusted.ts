import { BlockList, isIP, SocketAddress } from 'node:net';

/** Whether an address, in the form of `toAddress` or `UNIX_PEER`, is that of a trusted proxy. */
export type IsTrusted = (address: string) => boolean;

/** The networks that a name stands for: those of this machine, and those that the internet does not route. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
};

/** What stands for the address of each peer on a Unix socket, which has none. */
export const UNIX_PEER = 'unix';

const MAPPED = '::ffff:';

/**
 * Makes the check for trusted proxies from addresses, networks such as `10.0.0.0/8`, and the names
 * `loopback`, `private` and `unix`, which is whoever connects to a Unix socket.
 *
 * @throws {TypeError} If an entry is none of these.
 */
export function trustedProxies(entries: readonly string[]): (address: string) => boolean {
  const networks = new BlockList();
  const isUnixTrusted = entries.includes(UNIX_PEER);
  for (const entry of entries) {
    if (entry === UNIX_PEER) continue;
    const named = Object.hasOwn(NAMED, entry) ? NAMED[entry]! : [entry];
    for (const network of named) addNetwork(networks, network);
  }
  return (address) => {
    if (address === UNIX_PEER) return isUnixTrusted;
    return isIP(address) !== 0 && networks.check(address, familyOf(address));
  };
}

function addNetwork(networks: BlockList, network: string): void {
  const [address = '', bits, ...more] = network.split('/');
  const family = familyOf(address);
  const bitsMax = family === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? bitsMax : /^\d{1,3}$/.test(bits) ? Number(bits) : NaN;
  // Mapped addresses are compared as IPv4, so a network that is written in that form would match nothing.
  const isReadable = toAddress(address) !== undefined && !address.toLowerCase().startsWith(MAPPED);
  if (!isReadable || more.length > 0 || !(prefix <= bitsMax)) {
    throw new TypeError(
      `A trusted proxy is an address, a network such as 10.0.0.0/8, loopback, private or unix, ` +
        `got ${JSON.stringify(network)}.`,
    );
  }
  networks.addSubnet(address, prefix, family);
}

/**
 * The usual form of an IP address, so that each address has one form only; IPv4 where it is mapped into IPv6.
 * Undefined for anything else, and for an address with a zone, which means something on one machine only.
 */
export function toAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return undefined;
  if (version === 4) return text;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const mapped = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : '';
  return isIP(mapped) === 4 ? mapped : address;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
