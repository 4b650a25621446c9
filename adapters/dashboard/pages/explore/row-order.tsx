import { useMemo } from 'preact/hooks';
import type { RankingOrder } from '../../../../src/index.ts';
import { PAGE_SIZE, setRanking, type RankedBy } from '../address/question.ts';
import { seen } from '../address/written.ts';
import { figure } from '../parts/figure.ts';
import type { SeenPaths } from './filter/seen-paths.ts';

/** How many paths of numbers are offered. */
const OFFERED_MAX = 100;

/** The choice of the order of rows: newest first, or by the numbers at a path that events have. */
export function RowOrder({
  ranking,
  seenPaths: { properties },
}: {
  readonly ranking: RankedBy | undefined;
  readonly seenPaths: SeenPaths;
}) {
  const asked = ranking?.of;
  const paths = useMemo(() => {
    const numbers = properties.filter(({ types }) => types.number !== undefined).map(({ path }) => path);
    const offered = numbers.slice(0, OFFERED_MAX);
    return asked === undefined || offered.includes(asked) ? offered : [asked, ...offered];
  }, [properties, asked]);
  const groupOf = (order: RankingOrder, label: string) => (
    <optgroup label={label}>
      {paths.map((path) => (
        <option key={path} value={`${order} ${path}`}>
          {seen(shortened(path))}, {order}
        </option>
      ))}
    </optgroup>
  );
  return (
    <label class="inline-label">
      Order
      <select
        value={ranking === undefined ? '' : `${ranking.order ?? 'largest'} ${ranking.of}`}
        onChange={({ currentTarget: { value } }) => {
          const [order, path = ''] = value.split(/ (.*)/s);
          setRanking(path, order as RankingOrder);
        }}
      >
        <option value="">newest first</option>
        {paths.length > 0 && groupOf('largest', 'Largest first')}
        {paths.length > 0 && groupOf('smallest', 'Smallest first')}
      </select>
    </label>
  );
}

/** Says of rows by their numbers which they are. */
export function RankedRows({ ranking, shown }: { readonly ranking: RankedBy; readonly shown: number }) {
  const which = shown < PAGE_SIZE ? 'all with a number' : `the ${ranking.order ?? 'largest'} numbers`;
  return (
    <p class="muted">
      {figure(shown)} shown: {which} at <bdi>{seen(ranking.of)}</bdi>
    </p>
  );
}

/** Almost all paths begin at the properties. */
const shortened = (path: string) => path.replace(/^properties\./, '');
