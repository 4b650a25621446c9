import { useEffect } from 'preact/hooks';
import { now, place, refresh } from '../address/place.ts';
import { Icon } from '../parts/icon.tsx';
import { lazy, Loaded } from '../parts/lazy.tsx';
import { Popover } from '../parts/popover.tsx';
import { isQuiet } from '../server/loading.ts';
import { endsNow, PRESET_WORDS, saysTime } from '../time/asked.ts';
import { textIn } from '../time/zone.ts';
import type { AskedQuestion } from './asked-question.ts';
import { PRESET_TEXTS } from './preset-texts.ts';
import { isReadingRow } from './reading.ts';

const CHOICES = lazy(async () => (await import('./time-choices.tsx')).TimeChoices);

/** The range of time, its zone, and how often it is asked for again: a button that opens the choices. */
export function TimeControl({ asked }: { readonly asked: AskedQuestion }) {
  const text = asked.preset === undefined ? 'Custom' : PRESET_TEXTS[asked.preset];
  return (
    <section class="time-control" aria-label="Time">
      <Popover text={text} label={`Time range: ${text}`}>
        {(close) => <Loaded of={CHOICES} props={{ asked, close }} isDialog />}
      </Popover>
      <Refresh />
    </section>
  );
}

/** What is shown, and as of when, in words. */
export function ShownTime({ asked }: { readonly asked: AskedQuestion }) {
  return (
    <span class="hint shown-time">
      <span aria-live="polite">{shownText(asked, saysTime(place.value.parameters))}</span> As of{' '}
      <span class="as-of">{textIn(asked.zone, asked.since, 19).slice(11)}</span>
    </span>
  );
}

/** What is shown, in words. */
function shownText({ preset, range, zone, since }: AskedQuestion, isSaid: boolean): string {
  const first = (latest: string) => (isSaid ? '' : latest);
  if (preset === 'all') {
    return `Showing all time${first(', because the last 30 days have no events')}.`;
  }
  const from = endText(zone, range.from, 'the first event');
  const until = endText(zone, range.until, 'the last event');
  if (preset === undefined) return `Showing ${from} to ${until} (${zone}).`;
  const latest = first(', the latest with events');
  const end = endsNow(preset) ? textIn(zone, since) : until;
  return `Showing ${PRESET_WORDS[preset]}${latest}: ${from} to ${end} (${zone}).`;
}

const endText = (zone: string, ms: number, open: string) => (Number.isFinite(ms) ? textIn(zone, ms) : open);

/** Asks again now, or by itself every few seconds. */
function Refresh() {
  const { parameters } = place.value;
  const every = parameters.get('every') ?? '';
  const isPaging = parameters.has('cursor');
  const isReading = isReadingRow.value;
  useEffect(() => {
    if (every === '' || isPaging || isReading) return;
    // A hidden window asks nothing, and catches up when it is seen again.
    // An answer that takes longer than the pause is not asked for again before it has arrived.
    const isDue = () => !document.hidden && isQuiet.peek() && Date.now() - now.peek() >= Number(every) * 1000;
    const look = () => {
      if (isDue()) refresh();
    };
    const timer = setInterval(look, 1000);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [every, isPaging, isReading]);
  const pause = isPaging ? 'Paused until you are on the first page.' : 'Paused while a row is open.';
  return (
    <span class="refresh">
      <button type="button" aria-label="Refresh" title="Refresh" onClick={refresh}>
        <Icon name="refresh" /> {every !== '' && `${every} s`}
      </button>
      {every !== '' && (isPaging || isReading) && <span class="hint">{pause}</span>}
    </span>
  );
}
