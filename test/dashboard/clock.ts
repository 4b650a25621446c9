import type { Visitor, Visits } from './visits.ts';

/** A visitor whose browser has a clock that only the test moves. */
export interface ClockedVisitor extends Visitor {
  /** Sets the clock of the open page. */
  readonly setClock: (iso: string) => Promise<void>;
  /** Opens a place, with the clock as it began. */
  readonly go: (place: string) => Promise<void>;
}

/** Opens a place in a browser whose clock stands still. */
export async function openAt(visits: Visits, iso: string, place: string): Promise<ClockedVisitor> {
  const visitor = await visits.open('#/tenants');
  const { page, context } = visitor;
  await context.addInitScript(`globalThis.clock = Date.parse('${iso}'); Date.now = () => globalThis.clock;`);
  const go = async (to: string) => {
    await page.goto('about:blank');
    await page.goto(`${visits.server.origin}/dashboard${to}`);
  };
  await go(place);
  return {
    ...visitor,
    go,
    setClock: (next) => page.evaluate<undefined>(`void (globalThis.clock = Date.parse('${next}'))`),
  };
}
