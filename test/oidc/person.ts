/** Cookies as a browser keeps them, by host; all of a host are sent to it, whatever their path. */
type Jar = Map<string, Map<string, string>>;

/** What a page was answered. */
export interface PageAnswer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
  /** A line for each; null for none. */
  readonly setCookie: string | null;
  readonly retryAfter: string | null;
}

/** Somebody with a browser. */
export interface Person {
  /** Asks a server as a page of it does: a GET without a body, else a POST. */
  ask(host: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<PageAnswer>;
  /** Begins to sign in: where the page is sent. */
  begin(host: string, returnTo?: unknown): Promise<string>;
  /** Goes there; the query string that the provider sends the page back with. */
  visit(url: string): Promise<string>;
  /** The whole way; the answer of the last step. */
  signIn(host: string, returnTo?: unknown): Promise<PageAnswer>;
  /** Asks anything with the cookies of its host, without following where it leads. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  readonly cookies: Jar;
}

/** What every page sends with what it asks. */
const PAGE = {
  'sec-fetch-site': 'same-origin',
  'x-event-query': 'dashboard',
  'content-type': 'application/json',
};
const HOPS_MAX = 12;

/** A browser without cookies. */
export function newPerson(): Person {
  const cookies: Jar = new Map();
  const jarOf = (host: string) => cookies.get(host) ?? cookies.set(host, new Map()).get(host)!;

  async function request(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const jar = jarOf(host);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  const ask: Person['ask'] = async (host, path, body, headers = {}) => {
    const answer = await request(`http://${host}/v1/admin/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...PAGE, origin: `http://${host}`, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      json: (await answer.json()) as PageAnswer['json'],
      setCookie: answer.headers.getSetCookie().join('\n') || null,
      retryAfter: answer.headers.get('retry-after'),
    };
  };

  const begin: Person['begin'] = async (host, returnTo = '/dashboard') => {
    const { status, json } = await ask(host, 'sign-in/begin', { returnTo });
    if (status !== 200) throw new Error(JSON.stringify(json));
    return json.url as string;
  };

  const visit: Person['visit'] = async (url) => {
    let next = url;
    for (let hops = 0; hops < HOPS_MAX; hops += 1) {
      const answer = await request(next);
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${next}: ${answer.status} ${await answer.text()}`);
      const to = new URL(location, next);
      if (to.pathname === '/sign-in') return to.search;
      next = to.href;
    }
    throw new Error(`${url} leads nowhere`);
  };

  return {
    ask,
    begin,
    visit,
    cookies,
    fetch: request,
    signIn: async (host, returnTo) => {
      const callback = await visit(await begin(host, returnTo));
      return ask(host, 'sign-in', { callback });
    },
  };
}
