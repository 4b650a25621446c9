import { describe, expect, it } from 'vitest';
import { askOnce } from '../../../../adapters/dashboard/pages/server/asking.ts';
import { heldQuestion, settled } from './late.ts';

/** Asks one question after the other, as a page does whose address changes, and notes what it shows. */
function page() {
  const shown: unknown[] = [];
  let ended = 0;
  let giveUp = (): void => undefined;
  const ask = (load: (signal: AbortSignal) => Promise<unknown>) => {
    giveUp();
    giveUp = askOnce(load, {
      onAnswer: (value) => shown.push(value),
      onError: (error) => shown.push(error),
      onEnd: () => (ended += 1),
    });
  };
  return { ask, shown, leave: () => giveUp(), ended: () => ended };
}

describe('a late answer', () => {
  it('never replaces a newer one, though its body has arrived already', async () => {
    const [one, other] = [heldQuestion<string>(), heldQuestion<string>()];
    const { ask, shown, ended } = page();
    ask(one.load);
    ask(other.load);
    await other.answer('newer');
    await one.answer('late');
    expect(shown).toEqual(['newer']);
    expect(ended()).toBe(2);
  });

  it('is not shown before the newer one either', async () => {
    const [one, other] = [heldQuestion<string>(), heldQuestion<string>()];
    const { ask, shown } = page();
    ask(one.load);
    ask(other.load);
    await one.answer('late');
    expect(shown).toEqual([]);
    await other.answer('newer');
    expect(shown).toEqual(['newer']);
  });

  it('that is an error tells nothing, and neither does one to a page that was left', async () => {
    const [one, other] = [heldQuestion<string>(), heldQuestion<string>()];
    const { ask, shown, leave } = page();
    ask(one.load);
    ask(other.load);
    await one.fail(new Error('late'));
    leave();
    await other.answer('left');
    expect(shown).toEqual([]);
  });

  it('to the present question is shown, and so is its error, but not that it was aborted', async () => {
    const { ask, shown } = page();
    const error = new Error('refused');
    ask(() => Promise.resolve('a'));
    await settled();
    ask(() => Promise.reject(error));
    await settled();
    ask(() => Promise.reject(new DOMException('gone', 'AbortError')));
    await settled();
    expect(shown).toEqual(['a', error]);
  });
});
