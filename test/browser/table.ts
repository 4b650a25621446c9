import type { Exchange } from './recorder.ts';

/**
 * Every request that the pages made, with its answer, as a table of Markdown; those that are alike share a
 * row and add up.
 */
export function toTable(exchanges: ReadonlyMap<string, readonly Exchange[]>): string {
  const rows = new Map<string, { times: number; stored: number }>();
  for (const [page, made] of exchanges) {
    for (const exchange of made) {
      const { method, path, asksFor, contentType, status, answer } = exchange;
      const sent =
        method === 'OPTIONS'
          ? `asks for \`${asksFor}\``
          : contentType === ''
            ? 'nothing'
            : `\`${contentType}\``;
      const allowed = answer['access-control-allow-origin'] === exchange.origin ? 'its origin' : 'nobody';
      const key = [page, `${method} \`${path}\``, sent, status, allowed].join(' | ');
      const { times, stored } = rows.get(key) ?? { times: 0, stored: 0 };
      rows.set(key, { times: times + 1, stored: stored + storedOf(exchange) });
    }
  }
  return [
    '| page | request | with | answer | allows | times | events stored |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...[...rows].map(([key, { times, stored }]) => `| ${key} | ${times} | ${stored} |`),
  ].join('\n');
}

/** How many events an answer says that it stored. */
function storedOf({ status, text }: Exchange): number {
  if (status !== 200 || !text.startsWith('{')) return 0;
  return (JSON.parse(text) as { accepted?: number }).accepted ?? 0;
}
