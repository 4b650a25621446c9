/** Zones with whole, half and quarter hours, days that clocks skip, and summer time of half an hour. */
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

export const at = (iso: string): number => Date.parse(iso);
