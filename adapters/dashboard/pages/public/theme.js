// This sets the stored theme before the first paint, because the pages load later.
try {
  document.documentElement.dataset.theme = localStorage.getItem('event-query-theme') ?? 'system';
} catch {
  // The browser may allow no storage.
}
