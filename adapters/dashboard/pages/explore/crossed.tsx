import type { ComponentChildren } from 'preact';
import type { Breakdown } from '../../../../src/index.ts';
import type { Group, GroupRow } from '../../../../src/store-kit.ts';
import { addsUp, figureIn, measureWords, type MaybeFigure, type Measure } from '../address/measure.ts';
import { cut, seen, written } from '../address/written.ts';
import { figure, figureOrNone } from '../parts/figure.ts';
import { Table } from '../parts/list.tsx';
import { shadeOf } from '../parts/shade.ts';
import { Refusal } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import type { AskedQuestion } from './asked-question.ts';
import { shortPath } from './event-table.tsx';
import { askFor } from './filter/ask-for.ts';
import { hasValue } from './filter/comparisons.ts';
import { questionOfCrossed } from './shown-questions.ts';

const TEXT_LENGTH = 60;

interface CrossedProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly by: string;
  readonly and: string;
  readonly measure: Measure;
}

/** The matching events by the values of two paths: the ten most frequent of each, and all others. */
export function Crossed({ alias, asked, by, and, measure }: CrossedProps) {
  const { value, error, loading, isOld, again } = useAnswer(
    async (signal) => {
      const question = questionOfCrossed(asked.body, by, and, measure);
      const answer = await ask<Breakdown>(`query/breakdown/${alias}`, question, { signal });
      // The table of the previous paths stays until the next one arrives, so it keeps its own.
      return { answer, by, and, measure };
    },
    [alias, asked.subject, by, and, JSON.stringify(measure)],
    { since: asked.since },
  );
  return (
    <section
      class={isOld ? 'card crossed old' : 'card crossed'}
      aria-labelledby="crossed"
      aria-busy={loading}
    >
      <header>
        <h2 id="crossed">
          <bdi>{shortPath(by)}</bdi> by <bdi>{shortPath(and)}</bdi>
        </h2>
        <span class="hint">{seen(measureWords(measure))}</span>
      </header>
      {error !== undefined ? (
        <Refusal error={error} again={again} />
      ) : value === undefined ? (
        <p class="muted">Counting…</p>
      ) : (
        <CrossTable {...value} />
      )}
    </section>
  );
}

/** A row of the table: a group, or all others. */
interface ShownRow {
  readonly key: string;
  readonly head: ComponentChildren;
  readonly cells: readonly MaybeFigure[];
  readonly others: MaybeFigure;
  readonly all: MaybeFigure;
}

function CrossTable({
  answer,
  by,
  and,
  measure,
}: Pick<CrossedProps, 'by' | 'and' | 'measure'> & { readonly answer: Breakdown }) {
  const { columns = [], columnsTotal = 0, groups, groupsTotal, rest } = answer;
  const figureOf = (told: Omit<GroupRow, 'cells'>) => figureIn(told, measure);
  const toRow = (key: string, head: ComponentChildren, row: GroupRow): ShownRow => ({
    ...{ key, head, all: figureOf(row) },
    cells: (row.cells ?? []).map(figureOf),
    others: row.rest === undefined ? null : figureOf(row.rest),
  });
  const rows = groups.map((group) => toRow(nameOf(group), <Head of={group} path={by} />, group));
  if (rest !== undefined && rest.count > 0) rows.push(toRow('', 'all others', rest));
  const hasOthers = [...groups, ...(rest === undefined ? [] : [rest])].some(
    (row) => (row.rest?.count ?? 0) > 0,
  );
  const most = Math.max(0, ...rows.flatMap(({ cells }) => cells).map((each) => each ?? 0));
  const first = (shown: number, total: number) =>
    shown < total ? `the ${figure(shown)} most frequent of ${figure(total)}` : figure(total);
  if (groups.length === 0 || columns.length === 0) return <p class="muted">No events have both.</p>;
  return (
    <>
      <p class="hint">
        Rows: {first(groups.length, groupsTotal)} values. Columns: {first(columns.length, columnsTotal)}{' '}
        values.
        {!addsUp(measure) && ' These figures do not add up to those of all.'}
      </p>
      <Table label="Two dimensions" class="crossed-cells">
        <thead>
          <tr>
            <th scope="col">
              <bdi>{shortPath(by)}</bdi>
            </th>
            {columns.map((column) => (
              <th key={nameOf(column)} scope="col" class="number">
                <Head of={column} path={and} />
              </th>
            ))}
            {hasOthers && (
              <th scope="col" class="number">
                all others
              </th>
            )}
            <th scope="col" class="number">
              All
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, head, cells, others, all }) => (
            <tr key={key}>
              <th scope="row">{head}</th>
              {cells.map((each, i) => (
                <td key={i} class={`number ${shadeOf(each ?? 0, most)}`}>
                  {figureOrNone(each)}
                </td>
              ))}
              {hasOthers && <td class="number">{figureOrNone(others)}</td>}
              <td class="number">{figureOrNone(all)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

const nameOf = ({ key }: Group) => JSON.stringify(key);

/** The value of a row or a column. A click asks for its events alone. */
function Head({ of: { key }, path }: { readonly of: Group; readonly path: string }) {
  const text = key === '' ? '(empty text)' : cut(written(key), TEXT_LENGTH);
  return (
    <button
      type="button"
      class="small ghost"
      aria-label={`only: ${text}`}
      onClick={() => askFor(hasValue(path, key, false))}
    >
      <bdi>{text}</bdi>
    </button>
  );
}
