const MAPPED_PATTERN = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;

/**
 * The network of a client, which is charged for its requests while their tenant is unknown: its address, or
 * the first 64 bits of an IPv6 address, because a client usually owns a whole /64.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = MAPPED_PATTERN.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('%', 1)[0]!.split('::');
  const groups = toGroups(head);
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - groups.length - toGroups(tail).length);
  const whole = [...groups, ...Array<string>(zeros).fill('0'), ...toGroups(tail ?? '')];
  return `${whole.slice(0, GROUPS / 2).join(':')}::/64`;
}

/** The groups without leading zeros. Four decimal numbers at the end become two groups. */
function toGroups(part: string): string[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (group.includes('.')) return [group, ''];
    return [group.toLowerCase().replace(/^0+(?=.)/, '')];
  });
}
