/** Zones with whole, half and quarter hours, with days that clocks skip, and with summer time of half an hour. */
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
