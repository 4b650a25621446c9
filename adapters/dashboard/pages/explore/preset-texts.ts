import type { Preset } from '../time/asked.ts';

/** A preset as a button shows it. */
export const PRESET_TEXTS: Readonly<Record<Preset, string>> = {
  '15m': '15 min',
  '1h': '1 h',
  today: 'Today',
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  all: 'All',
  yesterday: 'Yesterday',
  week: 'This week',
  'last-week': 'Last week',
  month: 'This month',
  'last-month': 'Last month',
};
