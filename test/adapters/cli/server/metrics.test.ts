import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, type Place } from '../command.ts';

const METRICS_URL = /metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)\n/;

let place: Place;
beforeAll(() => {
  place = createPlace();
});
afterAll(() => place.remove());

describe('serve --admin-port', () => {
  it('serves metrics on this machine only, with or without a dashboard', async () => {
    for (const flags of [[], ['--dashboard']]) {
      const server = await place.serve(['serve', '--admin-port', '0', ...flags], METRICS_URL);
      const [, url = ''] = METRICS_URL.exec(server.printed) ?? [];
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toMatch(
        /^event_query_build_info\{version="\d[^"]+",node="v\d[^"]+",store="sqlite"\} 1$/m,
      );
      expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
      expect((await fetch(new URL('/healthz', url))).status).toBe(404);
      await server.stop();
    }
  });

  it('is what metrics need', async () => {
    const server = await place.serve(['serve']);
    expect(server.printed).not.toContain('metrics');
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
    await server.stop();
  });
});
