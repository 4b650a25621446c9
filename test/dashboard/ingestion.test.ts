import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTenant } from '../support/file.ts';
import { startJwksServer } from '../support/jwks-server.ts';
import { createTokenSigner } from '../support/token-signer.ts';
import { ask, sendBatch } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { runInShell } from './shell.ts';
import { useVisits } from './use-visits.ts';

const visits = useVisits({
  prepare: async (db) => {
    await createTenant(db, 'shop');
    for (const alias of ['fresh', 'tried']) await createTenant(db, alias);
  },
  furnish: ({ origin }) => sendBatch(origin, 'shop', accessLog(50)),
});

async function sends(headers: Record<string, string> = {}): Promise<number> {
  const { status } = await ask(visits().server.origin, '/v1/events/shop/multi', {
    headers: { 'Content-Type': 'application/json', ...headers },
    body: '[{"eventName":"tried","userId":"ada"}]',
  });
  return status;
}

describe('the page of ingestion', () => {
  it('is Authentication in the settings, generates secrets, and has its old address too', async () => {
    const { page } = await visits().open('#/ingestion/shop');
    await page.getByRole('heading', { name: 'Authentication' }).waitFor();
    const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
    await expect.poll(() => menu.locator('[aria-current]').innerText()).toBe('Authentication');
    await menu.getByText('Settings').waitFor();
    await page.getByRole('button', { name: 'Generate new secret' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('from settings');
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
    await page.getByRole('dialog', { name: 'The secret of from settings' }).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
  });

  it('its command sends the first event, which the page then has seen', async () => {
    const { page } = await visits().open('#/ingestion/fresh');
    await page.getByText('Waiting for the first event').waitFor();
    runInShell(await page.getByRole('region', { name: 'curl' }).innerText());
    await page.getByText(/^1 event received/).waitFor();
    await page.getByRole('link', { name: 'See them' }).click();
    await page.getByText('1 event in total').waitFor();
  });

  it('switches strategies: what it says holds from the next request on', async () => {
    const { page } = await visits().open('#/ingestion/shop');
    const save = async () => {
      await page.getByRole('button', { name: 'Save strategy' }).click();
      await page.getByText('It applies from the next request on').waitFor();
    };
    expect(await sends()).toBe(200);
    // There is nothing to save yet.
    const button = page.getByRole('button', { name: 'Save strategy' });
    await page.getByRole('radio', { name: /SERVER_SIDE/ }).waitFor();
    expect(await button.count()).toBe(0);
    await page.getByRole('radio', { name: /SERVER_SIDE/ }).check();
    await button.waitFor();
    const refusing = page.getByText('events that are sent in another way are refused');
    await refusing.waitFor();
    await save();
    expect(await sends()).toBe(401);
    await page.getByRole('main').getByText('Authorization: Chase <SECRET_KEY>').waitFor();
    // What is chosen and not saved is not said to hold.
    await page.getByRole('radio', { name: /NONE/ }).check();
    await page.getByText('It applies from the next request on').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('radio', { name: /NONE/ }).check();
    expect(await refusing.count()).toBe(0);
    // What lets anyone in is asked about once more.
    await page.getByRole('button', { name: 'Save strategy' }).click();
    const sure = page.getByRole('dialog', { name: 'Let anyone send to shop?' });
    await sure.waitFor();
    expect(await sends()).toBe(401);
    await sure.getByRole('button', { name: 'Let anyone send' }).click();
    await page.getByText('It applies from the next request on').waitFor();
    expect(await sends()).toBe(200);
  });

  it('checks a token by settings that are not saved yet, then takes it', async () => {
    const signer = createTokenSigner();
    const jwks = await startJwksServer();
    jwks.publish(signer.jwk({ kid: 'one' }));
    try {
      const { page } = await visits().open('#/ingestion/shop');
      await page.getByRole('radio', { name: /JWT/ }).check();
      await page.getByLabel('Issuer').fill('https://login.example');
      await page.getByLabel('Audience').fill('shop');
      await page.getByRole('textbox', { name: 'JWKS URL' }).fill(jwks.url);
      const claims = { iss: 'https://login.example', aud: 'shop', sub: 'ada', exp: 4_000_000_000 };
      const token = await signer.sign(claims, { kid: 'one' });
      const check = async (pasted: string) => {
        await page.getByRole('textbox', { name: 'Access token' }).fill(pasted);
        await page.getByRole('button', { name: 'Check', exact: true }).click();
      };
      await check(await signer.sign({ ...claims, aud: 'other' }, { kid: 'one' }));
      await page.getByText('Invalid: unexpected "aud" claim value').waitFor();
      // As it is copied from a header.
      await check(`Bearer ${token}`);
      const valid = page.getByText('Valid. It may send events of the user ada');
      await valid.waitFor();
      // What was said is of the token that stands there.
      await page.getByRole('textbox', { name: 'Access token' }).fill(`${token}x`);
      await valid.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save strategy' }).click();
      await page.getByText('It applies from the next request on').waitFor();
      expect([await sends(), await sends({ Authorization: `Bearer ${token}` })]).toEqual([401, 200]);
      await page.getByRole('link', { name: 'Audit' }).click();
      await page.getByText('issuer https://login.example, audience shop, ').waitFor();
    } finally {
      await jwks.close();
    }
  });

  it('an address without keys is told of at its field, by a button and once it is saved', async () => {
    const jwks = await startJwksServer();
    try {
      const { page } = await visits().open('#/authentication/tried');
      await page.getByRole('radio', { name: /JWT/ }).check();
      await page.getByRole('textbox', { name: 'JWKS URL' }).fill(jwks.url);
      const field = page.locator('.field', { hasText: 'JWKS URL' });
      await field.getByRole('button', { name: 'Try' }).click();
      await field.getByText('could not be read: the JWKS endpoint answered 404').waitFor();
      await page.getByLabel('Issuer').fill('https://login.example');
      await page.getByLabel('Audience').fill('shop');
      await page.getByRole('button', { name: 'Save strategy' }).click();
      await page.getByText('It applies from the next request on').waitFor();
      await field.getByText('could not be read').waitFor();
      jwks.publish(createTokenSigner().jwk({ kid: 'one' }));
      // A failure is not asked again for a second.
      await expect
        .poll(
          async () => {
            await field.getByRole('button', { name: 'Try' }).click();
            return field.getByText('The keys at this address can be read').count();
          },
          { timeout: 15_000 },
        )
        .toBe(1);
      // What was said is of the address that stood there.
      await page.getByRole('textbox', { name: 'JWKS URL' }).fill(`${jwks.url}/other`);
      await field.getByText('can be read').waitFor({ state: 'detached' });
    } finally {
      await jwks.close();
    }
  });

  it('a wrong token and a right one take four clicks', async () => {
    const signer = createTokenSigner();
    const jwks = await startJwksServer();
    jwks.publish(signer.jwk({ kid: 'one' }));
    try {
      const { page } = await visits().open('#/keys/fresh');
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      await page.evaluate(`globalThis.clicks = 0; addEventListener('click', () => (clicks += 1), true)`);
      const type = async (label: string, text: string) => {
        const at = `document.activeElement.labels?.[0]?.textContent`;
        while ((await page.evaluate(at)) !== label) await page.keyboard.press('Tab');
        await page.keyboard.type(text);
      };
      const claims = { iss: 'https://login.example', aud: 'shop', sub: 'ada', exp: 4_000_000_000 };
      const paste = async (token: string) => {
        await page.getByRole('textbox', { name: 'Access token' }).fill(token);
        await page.getByRole('button', { name: 'Check', exact: true }).click();
      };
      await page.getByRole('link', { name: 'Authentication' }).click();
      await page.getByRole('radio', { name: /JWT/ }).click();
      await type('Issuer', claims.iss);
      await type('Audience', claims.aud);
      await type('JWKS URL', jwks.url);
      await type('Access token', '');
      await paste(await signer.sign({ ...claims, aud: 'other' }, { kid: 'one' }));
      await page.getByText('Invalid: unexpected "aud" claim value').waitFor();
      await paste(await signer.sign(claims, { kid: 'one' }));
      await page.getByText('Valid. It may send events of the user ada').waitFor();
      expect(await page.evaluate<number>('clicks')).toBe(4);
    } finally {
      await jwks.close();
    }
  });

  it('says in words what of the settings cannot be', async () => {
    const { page, expects } = await visits().open('#/ingestion/fresh');
    expects(/status of 400/);
    await page.getByRole('radio', { name: /JWT/ }).check();
    await page.getByLabel('Issuer').fill('https://login.example');
    await page.getByLabel('Audience').fill('shop');
    await page.getByRole('textbox', { name: 'JWKS URL' }).fill('http://elsewhere.example/keys');
    await page.getByRole('button', { name: 'Save strategy' }).click();
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/https/);
  });
});

describe('a key that tokens are checked by', () => {
  it.each([
    ['a private key', privateKey(), 'This is a private key'],
    ['no key', 'hello', 'This is not a public key'],
  ])('is not sent where it is %s', async (_, text, said) => {
    const { page, context } = await visits().open('#/ingestion/shop');
    await page.getByRole('radio', { name: /JWT/ }).check();
    await page.getByLabel('Issuer').fill('https://login.example');
    await page.getByLabel('Audience').fill('shop');
    await page.getByRole('radio', { name: 'Public key' }).check();
    const sent: string[] = [];
    context.on('request', (request) => sent.push(request.postData() ?? ''));
    await page.getByLabel('Public key or certificate').fill(text);
    await page.getByRole('alert').getByText(said).waitFor();
    await page.getByRole('textbox', { name: 'Access token' }).fill('a.b.c');
    await expect.poll(() => page.getByRole('button', { name: 'Check', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Save strategy' }).click();
    const refused = `document.querySelector('.fields textarea').validationMessage`;
    expect(await page.evaluate<string>(refused)).toContain(said);
    await page.getByLabel('Public key or certificate').fill(createTokenSigner().publicKeyPem);
    await page.getByRole('button', { name: 'Save strategy' }).click();
    await page.getByText('It applies from the next request on').waitFor();
    // It was saved, and so is no draft any more.
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    expect(sent.filter((body) => body.includes(text.slice(0, 60)))).toEqual([]);
  });
});

describe('settings that are not saved', () => {
  it('are there again after a look at another page, and go when they are discarded', async () => {
    const { page } = await visits().open('#/ingestion/fresh');
    await page.getByRole('radio', { name: /JWT/ }).check();
    await page.getByLabel('Issuer').fill('https://typed.example');
    await page.getByText('Unsaved changes').waitFor();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.getByRole('link', { name: 'Authentication' }).click();
    await expect.poll(() => page.getByLabel('Issuer').inputValue()).toBe('https://typed.example');
    const asked = new Promise<string>((resolve) =>
      page.on('dialog', (dialog) => void dialog.dismiss().then(() => resolve(dialog.type()))),
    );
    await page.evaluate('void setTimeout(() => location.reload(), 0)');
    expect(await asked).toBe('beforeunload');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByLabel('Issuer').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByText('Unsaved changes').count()).toBe(0);
  });
});

function privateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

describe('the page of usage', () => {
  it('shows what is left of each limit, and takes nothing by looking', async () => {
    const { page } = await visits().open('#/tenants');
    await page.getByRole('button', { name: 'New tenant' }).click();
    await page.getByRole('dialog').getByLabel('Alias').fill('limited');
    await page.getByRole('dialog').getByRole('button', { name: 'Create tenant' }).click();
    await page.getByText('No events yet').waitFor();
    await page.goto(`${visits().server.origin}/dashboard#/keys/limited`);
    await page.getByRole('button', { name: 'Generate new secret' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('one');
    await page.getByRole('dialog').getByRole('button', { name: 'Generate', exact: true }).click();
    runInShell(await page.getByRole('dialog').getByRole('region', { name: 'curl' }).innerText());
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('link', { name: 'Usage' }).click();
    const day = page.locator('.meter', { hasText: 'Requests a day' });
    await day.getByText('19 of 20 left').waitFor();
    for (let i = 0; i < 3; i++) await page.getByRole('button', { name: 'Refresh' }).click();
    await day.getByText('19 of 20 left').waitFor();
    // What was never used is full, whatever of it is kept back for other processes.
    await page
      .locator('.meter', { hasText: 'Events a minute' })
      .getByText(/^([\d,]+) of \1 left/)
      .waitFor();
  });

  it('a limit that is used up is a wide bar with nothing in it, and a full one is full', async () => {
    const { secret } = await createTenant(visits().db, 'spent', { perMinute: 2, perDay: 100_000 });
    const asks = () =>
      ask(visits().server.origin, '/v1/api/query/events/spent', {
        method: 'GET',
        headers: { 'X-API-Key': secret },
      });
    expect([(await asks()).status, (await asks()).status]).toEqual([200, 200]);
    const { page } = await visits().open('#/usage/spent');
    const bar = page.locator('.meter', { hasText: 'Requests a minute' }).locator('progress');
    const full = page.locator('.meter', { hasText: 'Events a minute' }).locator('progress');
    const [box, beside] = [(await bar.boundingBox())!, (await full.boundingBox())!];
    expect([box.height, box.width]).toEqual([beside.height, beside.width]);
    await expect.poll(() => bar.getAttribute('aria-label')).toBe('Requests a minute: left');
    // The bar shows what the text says: what is left.
    expect(Number(await bar.getAttribute('value'))).toBeLessThan(1);
    await expect.poll(() => full.getAttribute('value')).toBe(await full.getAttribute('max'));
    await page.locator('.meter', { hasText: 'Events a minute' }).getByText('Nothing used.').waitFor();
  });

  it('resets limits for who is sure of it', async () => {
    const { secret } = await createTenant(visits().db, 'locked', { perMinute: 1, perDay: 1 });
    const asks = async () => {
      const headers = { 'X-API-Key': secret };
      const question = { method: 'GET', headers };
      return (await ask(visits().server.origin, '/v1/api/query/events/locked', question)).status;
    };
    expect([await asks(), await asks()]).toEqual([200, 429]);
    const { page } = await visits().open('#/usage/locked');
    const day = page.locator('.meter', { hasText: 'Requests a day' });
    await day.getByText('0 of 1 left').waitFor();
    await page.getByRole('button', { name: 'Reset limits' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reset the limits of locked?' });
    await dialog.getByText('Cancel').click();
    await dialog.waitFor({ state: 'detached' });
    expect(await asks()).toBe(429);
    await page.getByRole('button', { name: 'Reset limits' }).click();
    await dialog.getByRole('button', { name: 'Reset', exact: true }).click();
    await day.getByText('1 of 1 left').waitFor();
    expect([await asks(), await asks()]).toEqual([200, 429]);
    await page.getByRole('link', { name: 'Audit' }).click();
    await page
      .getByRole('row', { name: /locked/ })
      .getByText('reset limits')
      .waitFor();
  });
});
