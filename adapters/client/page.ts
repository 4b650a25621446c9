/** Browsers let 64 KiB of requests outlive a page; some of it is for headers and for others. */
export const LEAVING_BYTES_MAX = 60 * 1024;

/** What this code needs of a page in a browser. */
interface PageGlobals {
  readonly document: EventTarget & { readonly visibilityState: string };
  addEventListener: EventTarget['addEventListener'];
  removeEventListener: EventTarget['removeEventListener'];
}

/** Whether the code runs in a page of a browser: neither in a worker nor on a server. */
export function isPage(): boolean {
  return 'document' in globalThis && 'window' in globalThis;
}

/** Whether the code runs in a page that nobody sees, and that the browser may end without a word. */
export function isHiddenPage(): boolean {
  return isPage() && (globalThis as unknown as PageGlobals).document.visibilityState === 'hidden';
}

/** Warns in a browser: anyone who opens a page can read its script, and the secret in it. */
export function warnInPages(secret: string): void {
  if (isPage()) {
    console.warn(`event-query/client runs in a page: everybody who opens it can read the ${secret}.`);
  }
}

/**
 * Calls `leave` each time that the page is hidden or left, after which the browser may end it without a word.
 * Returns a function that ends this.
 */
export function onLeave(leave: () => void): () => void {
  if (!isPage()) return () => undefined;
  const page = globalThis as unknown as PageGlobals;
  const onHidden = () => {
    if (isHiddenPage()) leave();
  };
  page.document.addEventListener('visibilitychange', onHidden);
  // Older browsers send no `visibilitychange` when a link is followed.
  page.addEventListener('pagehide', leave);
  return () => {
    page.document.removeEventListener('visibilitychange', onHidden);
    page.removeEventListener('pagehide', leave);
  };
}
