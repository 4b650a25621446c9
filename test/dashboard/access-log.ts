import { createRandom } from '../support/random.ts';
import type { SentEvent } from '../support/traffic.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 4, 17);
const HOSTS = ['example.org', 'search.example', 'news.example'];
const BROWSERS = ['Chrome', 'Firefox', 'Safari', 'Googlebot'];
const STATUSES = [200, 200, 200, 200, 200, 200, 200, 301, 304, 304, 404, 404, 500];

/** Events as a web server's log has them: four days, visitors, pages, statuses, browsers. */
export function accessLog(size: number, seed = 12): SentEvent[] {
  const random = createRandom(seed);
  return Array.from({ length: size }, (_, i) => {
    const section = random.pick(['blog', 'projects', 'presentations', 'images']);
    const isAsset = section === 'images';
    const browser = random.pick(BROWSERS);
    return {
      eventName: isAsset ? 'asset_loaded' : 'page_viewed',
      userId: `visitor-${random.between(1, 300)}`,
      eventTs: new Date(START_MS + random.between(0, 4 * DAY_MS - 1)).toISOString(),
      insertId: `log-${String(i).padStart(5, '0')}`,
      properties: {
        page: `/${section}/${random.between(1, 40)}`,
        method: random.between(1, 40) === 1 ? 'HEAD' : 'GET',
        status: random.pick(STATUSES),
        bytes: random.between(120, 90_000),
        bot: browser === 'Googlebot',
        agent: { browser: { name: browser, major: random.between(20, 60) } },
        sections: [section, 'all'],
        ...(random.between(1, 3) === 1 ? { referrer: { host: random.pick(HOSTS) } } : {}),
      },
    };
  });
}

/** The status that an event of the log has. */
export function statusOf({ properties }: SentEvent): number {
  return properties.status as number;
}
