// The look that was kept is there before the first paint: the pages themselves come later.
try {
  document.documentElement.dataset.theme = localStorage.getItem('event-query-theme') ?? 'system';
} catch {
  // A browser may keep nothing.
}
