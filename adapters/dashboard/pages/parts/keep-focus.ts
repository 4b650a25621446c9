const FOCUSABLE = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary';
/** What belongs together: within it, the focus moves to what is next. */
const GROUPS = 'section, form, table, ul, dialog, aside, nav';

/**
 * Keeps the keyboard where it was if the focused element leaves the page: what comes next gets the focus, and
 * on another page its heading. An element that was disabled for a while gets the focus back. Without this, a
 * browser would start again at the top of the page. Returns a function that stops this.
 */
export function keepFocus(): () => void {
  /** The element that has the focus, or had it when it was removed or disabled. */
  let last: Element | undefined;
  const enter = ({ target }: FocusEvent) => (last = target as Element);
  const leave = () => {
    const left = last;
    queueMicrotask(() => {
      // The user may leave an element on purpose, by a click on the page.
      const isOwn = left?.isConnected === true && document.activeElement !== left;
      if (isOwn && last === left && !left.matches(':disabled')) last = undefined;
    });
  };
  const observer = new MutationObserver((records) => {
    if (last === undefined || document.activeElement !== document.body) return;
    // It was moved, or is enabled again.
    const next = last.isConnected ? last : followerOf(last, records);
    (next as HTMLElement | null)?.focus({ preventScroll: true });
  });
  document.addEventListener('focusin', enter);
  document.addEventListener('focusout', leave);
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
  return () => {
    document.removeEventListener('focusin', enter);
    document.removeEventListener('focusout', leave);
    observer.disconnect();
  };
}

/** What gets the focus after an element that was removed. */
function followerOf(gone: Element, records: readonly MutationRecord[]): Element | null {
  const removal = records.findLast(
    ({ removedNodes, target }) =>
      target.isConnected && [...removedNodes].some((removed) => removed.contains(gone)),
  );
  const group = removal === undefined ? null : (removal.target as Element).closest(GROUPS);
  const main = document.querySelector('main');
  if (removal === undefined || group === null || group.contains(main)) return headingOf(main);
  const rest = [...group.querySelectorAll(FOCUSABLE)].filter((each) => each.checkVisibility());
  const { nextSibling, previousSibling } = removal;
  const isAt = (each: Element, place: Node | null, positions: number) =>
    place?.isConnected === true &&
    (each === place || (place.compareDocumentPosition(each) & positions) !== 0);
  return (
    rest.find((each) => isAt(each, nextSibling, AFTER_OR_IN)) ??
    rest.findLast((each) => isAt(each, previousSibling, BEFORE_OR_IN)) ??
    rest[0] ??
    headingOf(main)
  );
}

const { DOCUMENT_POSITION_FOLLOWING, DOCUMENT_POSITION_PRECEDING, DOCUMENT_POSITION_CONTAINED_BY } = Node;
const AFTER_OR_IN = DOCUMENT_POSITION_FOLLOWING | DOCUMENT_POSITION_CONTAINED_BY;
const BEFORE_OR_IN = DOCUMENT_POSITION_PRECEDING | DOCUMENT_POSITION_CONTAINED_BY;

/** The heading of the page if it can have the focus, or else the page. */
const headingOf = (main: Element | null): Element | null => main?.querySelector('h1[tabindex]') ?? main;
