import { useState } from 'preact/hooks';
import type { AdminAnswer, BucketAnswer } from '../../../../src/admin-api.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { figure, mebibytes, MIB } from '../parts/figure.ts';
import { seen } from '../address/written.ts';
import { useFirst } from '../parts/first.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { mayOwn } from '../server/roles.ts';
import { UsageHistory, useHistory } from './history.tsx';
import { Stored } from './stored.tsx';
import { Empty, Notice, PageHead, Refusal } from '../parts/text.tsx';
import { linkTo } from '../address/address.ts';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { MINUTE_MS } from '../time/unit.ts';

interface ResetDialogProps {
  readonly alias: string;
  readonly close: () => void;
  readonly again: () => void;
}

/** Asks whether the limits of a tenant are to be refilled, and refills them. */
function ResetDialog({ alias, close, again }: ResetDialogProps) {
  return (
    <FormDialog
      title={`Reset the limits of ${alias}?`}
      act="Reset"
      isQuestion
      send={() => ask(`limits/reset/${alias}`, {})}
      onClose={close}
      onDone={() => {
        close();
        again();
      }}
    >
      <p>
        This refills the limits on incoming events and on the requests of every key. The audit log records it.
      </p>
    </FormDialog>
  );
}

/** The page of a tenant's usage by day, and of its remaining limits. Viewing it consumes none of them. */
export function UsagePage({ tenant: { alias } }: TenantPageProps) {
  const {
    value: usage,
    error,
    loading,
    again,
  } = useAnswer((signal) => ask<AdminAnswer<'usage'>>(`usage/${alias}`, undefined, { signal }), [alias]);
  const [isResetting, setResetting] = useState(false);
  const [since, setSince] = useState(0);
  const history = useHistory(alias, since);
  // What is below the days waits for them, so that it moves nowhere.
  const hasRoom = history.value !== undefined || history.error !== undefined;
  const { shown: keys, more } = useFirst(usage?.keys ?? [], 'keys');
  const refresh = () => {
    again();
    setSince(since + 1);
  };
  return (
    <>
      <PageHead
        title="Usage"
        lead="What was used on each day, and what is left of each limit. This page uses none."
      >
        <button type="button" onClick={refresh} disabled={loading}>
          Refresh
        </button>
        {mayOwn() && (
          <button type="button" onClick={() => setResetting(true)}>
            Reset limits
          </button>
        )}
      </PageHead>
      {isResetting && <ResetDialog alias={alias} close={() => setResetting(false)} again={again} />}
      <UsageHistory alias={alias} history={history} since={since} />
      {error !== undefined && hasRoom && <Refusal error={error} again={again} />}
      {usage !== undefined && hasRoom && (
        <>
          <Stored key={alias} alias={alias} />
          <section aria-labelledby="sent">
            <h2 id="sent">Incoming events: left now</h2>
            {usage.ingestion === null ? (
              <p>No limit.</p>
            ) : (
              <div class="cards">
                {usage.ingestion.map((bucket, i) => (
                  <Meter key={i} bucket={bucket} what={i === 0 ? 'Events a minute' : 'Bytes a minute'} />
                ))}
              </div>
            )}
          </section>
          <section aria-labelledby="asked">
            <h2 id="asked">Requests by key: left now</h2>
            {!usage.queryApi && <Notice>This tenant’s plan does not include the Query API.</Notice>}
            {usage.keys.length === 0 && (
              <Empty title="No keys">
                <a href={linkTo('keys', alias)}>Generate one.</a>
              </Empty>
            )}
            {keys.map(({ id, name, permissions, windows }) => (
              <div class="key-usage" key={id}>
                <h3>
                  <bdi>{seen(name)}</bdi>{' '}
                  {usage.keys.filter((each) => each.name === name).length > 1 && (
                    <code class="muted">{id}</code>
                  )}
                </h3>
                {windows === null ? (
                  <p class="muted">No limit.</p>
                ) : (
                  <div class="cards">
                    {windows.map((bucket) => (
                      <Meter
                        key={bucket.windowMs}
                        bucket={bucket}
                        what={`${permissions.includes('write') ? 'Events' : 'Requests'} a ${unitOf(bucket)}`}
                      />
                    ))}
                  </div>
                )}
              </div>
            ))}
            {more}
          </section>
        </>
      )}
    </>
  );
}

const unitOf = ({ windowMs }: BucketAnswer) => (windowMs === MINUTE_MS ? 'minute' : 'day');

function Meter({
  bucket: { limit, remaining, fullInMs },
  what,
}: {
  readonly bucket: BucketAnswer;
  readonly what: string;
}) {
  // Bytes are shown in millions.
  const toText = (amount: number) => (limit < MIB ? figure(Math.floor(amount)) : mebibytes(amount));
  return (
    <div class="card meter">
      <p class="meter-what">{what}</p>
      <p class="meter-figure">
        {toText(remaining)} <span class="muted">of {toText(limit)} left</span>
      </p>
      <progress
        class={remaining < 1 ? 'spent' : ''}
        max={limit}
        value={remaining}
        aria-label={`${what}: left`}
      />
      <p class="hint">{fullInMs === 0 ? 'Nothing used.' : `Full again in ${toDuration(fullInMs)}.`}</p>
    </div>
  );
}

function toDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
