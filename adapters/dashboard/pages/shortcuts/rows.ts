/** The rows of events and of lists. The second row of an open event is a part of it. */
const ROWS = 'main .events tbody > tr:not(.whole), main .stack tbody > tr';
/** What opens a row, or the first thing that one can do in it. */
const STOPS = '.opener, a[href], summary, button:enabled';

/** Moves the focus to the next row, or to the one before. Returns whether the page has rows. */
export function moveToRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
  const focused = document.activeElement?.closest('tr');
  const current = focused?.matches('.whole') === true ? focused.previousElementSibling : focused;
  const at = rows.findIndex((row) => row === current);
  // Without a current row, both keys begin at the first one.
  const following = at === -1 ? rows : step === 1 ? rows.slice(at + 1) : rows.slice(0, at).toReversed();
  for (const row of following) {
    const stop = row.querySelector<HTMLElement>(STOPS);
    if (stop === null) continue;
    stop.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
    break;
  }
  return rows.length > 0;
}
