/**
 * Why files cannot be imported that hold totals and no events: Plausible's export, and that of Umami on a
 * server of one's own. Takes the names of a zip's files, or the first line of a table; undefined for others.
 */
export function describeTotals(names: readonly string[], header: string): string | undefined {
  const files = names.map((name) => name.split('/').at(-1) ?? '');
  const isPlausible =
    files.some((name) => /^imported_\w+\.csv$/.test(name)) || /^"?date"?,"?visitors"?(,|$)/.test(header);
  if (isPlausible)
    return 'this is an export of Plausible: totals of each day, and no events; it cannot be imported';
  const isUmami =
    files.includes('pages.csv') && files.includes('referrers.csv') && !files.includes('website_event.csv');
  if (isUmami)
    return (
      'this is an export of totals of a self-hosted Umami, and no events; Umami Cloud, or its tables ' +
      'website_event and event_data as CSV in a zip, can be imported'
    );
  return undefined;
}
