/** How many tenants have series of their own. */
const TENANTS_MAX = 100;

/** The label of all tenants beyond these. No alias begins with an underscore. */
const OTHERS = '_other';

/** How many values may wait until it is known under which label they count. */
const WAITING_MAX = 10_000;

/** Which tenants have series of their own: the first that were seen, and those of other processes too. */
export interface NamedTenants {
  /** Their aliases, `TENANTS_MAX` at most. None is ever taken back, so that no series loses a value. */
  readonly aliases: ReadonlySet<string>;
  /**
   * Asks for a place. It calls `decided` when all is known that decides: at once, or when another process
   * has answered.
   */
  ask(alias: string, decided: () => void): void;
}

/** Makes the tenants of one process, or of the process that answers for several. */
export function nameTenants(): NamedTenants {
  const aliases = new Set<string>();
  return {
    aliases,
    ask(alias, decided) {
      if (aliases.size < TENANTS_MAX) aliases.add(alias);
      decided();
    },
  };
}

/** Gives each tenant its label. */
export interface TenantLabels {
  /** Takes note of a tenant that exists. */
  meet(id: string, alias: string): void;
  /** Calls `use` with the label of a tenant, once it is known; an empty one for no tenant. */
  with(id: string | undefined, use: (label: string) => void): void;
}

/** Makes the labels of tenants. Its memory has a bound, however many tenants there are. */
export function createTenantLabels(named: NamedTenants): TenantLabels {
  const { aliases } = named;
  /** The labels of those that have their own, by their ids. */
  const labels = new Map<string, string>();
  /** What waits for a label, by the id of the tenant. */
  const waiting = new Map<string, ((label: string) => void)[]>();
  let waits = 0;

  function decide(id: string, alias: string): void {
    const label = aliases.has(alias) ? alias : OTHERS;
    if (label === alias) labels.set(id, alias);
    const uses = waiting.get(id) ?? [];
    waiting.delete(id);
    waits -= uses.length;
    for (const use of uses) use(label);
  }

  return {
    meet(id, alias) {
      if (labels.has(id) || waiting.has(id)) return;
      // Once all places are taken, no other tenant gets one. A deleted tenant keeps its place.
      if (aliases.has(alias) || aliases.size >= TENANTS_MAX) return decide(id, alias);
      if (waits >= WAITING_MAX) return;
      waiting.set(id, []);
      named.ask(alias, () => decide(id, alias));
    },
    with(id, use) {
      if (id === undefined) return use('');
      const uses = waiting.get(id);
      if (uses === undefined || waits >= WAITING_MAX) return use(labels.get(id) ?? OTHERS);
      uses.push(use);
      waits += 1;
    },
  };
}
