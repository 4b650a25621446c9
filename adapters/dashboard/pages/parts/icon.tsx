const PATHS = {
  explore: 'M4 5h16M7 12h10M10 19h4',
  live: 'M3 12h4l3-8 4 16 3-8h4',
  tenants: 'M4 20V8l8-4 8 4v12M9 20v-6h6v6',
  tenant: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3m0 12v3M3 12h3m12 0h3M6 6l2 2m8 8 2 2m0-12-2 2m-8 8-2 2',
  users: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-5 8-5s7 1 8 5',
  funnel: 'M4 5h16l-6 7v6l-4 2v-8z',
  retention: 'M4 4h16v16H4zM4 9.3h16M4 14.6h10.6M9.3 4v16M14.6 4v10.6',
  properties: 'M4 6h4M4 12h4M4 18h4M11 6h9M11 12h9M11 18h9',
  keys: 'M8 12a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 13l9-9M16.5 7.5 19.5 10.5M13.5 10.5 15.5 12.5',
  authentication: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4',
  config: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 4v6M9 14v6',
  usage: 'M4 20V10m5 10V4m6 16v-8m5 8V7',
  refusals: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM6.5 6.5l11 11',
  people:
    'M9 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM3 19a6 6 0 0 1 12 0M16 5.5a3 3 0 0 1 0 5M17.5 14a6 6 0 0 1 3.5 5',
  audit: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  done: 'M5 13l4 4L19 7',
  close: 'M6 6l12 12M18 6 6 18',
  up: 'M12 19V5m-6 6 6-6 6 6',
  down: 'M12 5v14m-6-6 6 6 6-6',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2m0 16v2M2 12h2m16 0h2',
  plus: 'M12 5v14M5 12h14',
  refresh: 'M20 12a8 8 0 1 1-2.3-5.6L20 9M20 4v5h-5',
  menu: 'M4 7h16M4 12h16M4 17h16',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof PATHS;

/** An icon that illustrates the text next to it. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
