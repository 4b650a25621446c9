import { useState } from 'preact/hooks';
import type { AdminAnswer } from '../../../../src/admin-api.ts';
import { seen } from '../address/written.ts';
import { bytesText, figure, shareText } from '../parts/figure.ts';
import { List, type ListColumn } from '../parts/list.tsx';
import { Empty, Refusal } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';

type Sizes = AdminAnswer<'storedSizes'>;
type SizeOfName = Sizes['names'][number];

/** The stored bytes, in all and of each name. Measuring reads every event, so the user has to start it. */
export function Stored({ alias }: { readonly alias: string }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <section aria-labelledby="stored">
      <h2 id="stored">Stored now</h2>
      {isAsked ? (
        <Measured alias={alias} />
      ) : (
        <p>
          <button type="button" class="small" onClick={() => setAsked(true)}>
            Measure
          </button>{' '}
          <span class="muted">Reads every event, imported ones included: seconds for a million.</span>
        </p>
      )}
    </section>
  );
}

function Measured({ alias }: { readonly alias: string }) {
  const { value, error, again } = useAnswer(
    (signal) => ask<Sizes>(`usage/stored/${alias}`, undefined, { signal }),
    [alias],
  );
  if (error !== undefined) return <Refusal error={error} again={again} />;
  if (value === undefined) return <p role="status">Measuring…</p>;
  if (value.events === 0) return <Empty title="No events" />;
  const share = (bytes: number) => shareText(bytes, value.bytes);
  const columns: readonly ListColumn<SizeOfName>[] = [
    { head: 'Name', cell: ({ eventName }) => <bdi>{seen(eventName)}</bdi> },
    { head: 'Events', class: 'number', cell: ({ events }) => figure(events) },
    { head: 'Bytes', class: 'number', cell: ({ bytes }) => figure(bytes) },
    { head: 'Share', class: 'number', cell: ({ bytes }) => share(bytes) },
  ];
  return (
    <>
      <p role="status">
        {figure(value.events)} events, {bytesText(value.bytes)} as an export writes them.
      </p>
      <List label="Stored by name" rows={value.names} columns={columns} keyOf={(row) => row.eventName} />
    </>
  );
}
