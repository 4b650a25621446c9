import { useState } from 'preact/hooks';
import { Check, Field, TextField } from '../parts/field.tsx';
import { Notice } from '../parts/text.tsx';
import type { JwtSettings } from '../../../../src/store-kit.ts';
import type { AdminAnswer } from '../../../../src/admin-api.ts';
import { ask, messageOf } from '../server/api.ts';
import { useSaid, type Said } from './said.ts';

/** Why a text cannot be sent as a public key; empty if it can. */
function problemOfKey(text: string): string {
  if (text.includes('PRIVATE KEY'))
    return 'This is a private key. It was not sent. Paste the public key, and keep this one secret.';
  const isPem = /^\s*-----BEGIN ([A-Z0-9 ]*(?:PUBLIC KEY|CERTIFICATE))-----[A-Za-z0-9+/=\s]+-----END \1-----/;
  return isPem.test(text)
    ? ''
    : 'This is not a public key or certificate in PEM format: -----BEGIN PUBLIC KEY-----';
}

/** A token with an invalid signature. The server reads the keys before it refuses the token. */
const PROBE = `${btoa('{"alg":"RS256"}').replaceAll('=', '')}.e30.AA`;

/** The outcome of reading the keys at the address of some settings, and the function that reads them. */
export function useTriedKeys(alias: string, { jwksUrl }: JwtSettings) {
  const [said, say] = useSaid(alias, jwksUrl);
  const read = (jwt: JwtSettings) => {
    // Keys are read whatever the issuer is called.
    const settings = { ...jwt, issuer: jwt.issuer || '-', audience: jwt.audience || '-' };
    ask<AdminAnswer<'checkToken'>>(`tokens/check/${alias}`, { token: PROBE, jwt: settings }).then(
      (found) =>
        'keys' in found ? say('error', found.error) : say('good', 'The keys at this address can be read.'),
      (refused: unknown) => say('error', messageOf(refused)),
    );
  };
  return { said, read };
}

interface JwtFieldsProps {
  readonly jwt: JwtSettings;
  readonly setJwt: (jwt: JwtSettings) => void;
  /** The outcome of reading the keys; undefined if that was not tried. */
  readonly tried: Said | undefined;
  readonly onTry: () => void;
}

/** The form for the settings that verify a tenant's tokens. */
export function JwtFields({ jwt, setJwt, tried, onTry }: JwtFieldsProps) {
  const byUrl = jwt.publicKeyPem === undefined;
  const { issuer, audience, publicKeyPem = '' } = jwt;
  const problem = publicKeyPem === '' ? '' : problemOfKey(publicKeyPem);
  return (
    <div class="card fields">
      <div class="pair">
        <TextField
          label="Issuer"
          hint="The iss claim of your tokens."
          required
          value={issuer}
          onValue={(text) => setJwt({ ...jwt, issuer: text })}
        />
        <TextField
          label="Audience"
          hint="The aud claim."
          required
          value={audience}
          onValue={(text) => setJwt({ ...jwt, audience: text })}
        />
      </div>
      <fieldset class="inline">
        <legend>Keys</legend>
        <Check
          type="radio"
          name="by"
          checked={byUrl}
          onChange={() => setJwt({ issuer, audience, jwksUrl: '' })}
        >
          JWKS URL
        </Check>
        <Check
          type="radio"
          name="by"
          checked={!byUrl}
          onChange={() => setJwt({ issuer, audience, publicKeyPem: '' })}
        >
          Public key
        </Check>
      </fieldset>
      {byUrl ? (
        <Field label="JWKS URL" hint="https, or http on a loopback host.">
          {(ids) => (
            <>
              <div class="row">
                <input
                  {...ids}
                  required
                  inputMode="url"
                  value={jwt.jwksUrl ?? ''}
                  aria-invalid={tried?.kind === 'error'}
                  onInput={(e) => setJwt({ issuer, audience, jwksUrl: e.currentTarget.value })}
                />
                <button type="button" disabled={(jwt.jwksUrl ?? '') === ''} onClick={onTry}>
                  Try
                </button>
              </div>
              {tried !== undefined && <Notice kind={tried.kind}>{tried.text}</Notice>}
            </>
          )}
        </Field>
      ) : (
        <Field label="Public key or certificate" hint="In PEM format. Never a private key.">
          {(ids) => (
            <>
              <textarea
                {...ids}
                required
                rows={5}
                spellcheck={false}
                value={publicKeyPem}
                aria-invalid={problem !== ''}
                ref={(field) => field?.setCustomValidity(problem)}
                onInput={(e) => setJwt({ issuer, audience, publicKeyPem: e.currentTarget.value })}
              />
              {problem !== '' && <Notice kind="error">{problem}</Notice>}
            </>
          )}
        </Field>
      )}
    </div>
  );
}

/** Checks whether the server would accept a token, and for which user it may send events. */
export function CheckToken({ alias, jwt }: { readonly alias: string; readonly jwt: JwtSettings }) {
  const [token, setToken] = useState('');
  const [said, say] = useSaid(token, JSON.stringify(jwt));
  const { publicKeyPem } = jwt;
  const isSendable = publicKeyPem === undefined || problemOfKey(publicKeyPem) === '';
  const check = () => {
    ask<AdminAnswer<'checkToken'>>(
      `tokens/check/${alias}`,
      // The user may paste the token with the header's `Bearer` prefix.
      { token: token.trim().replace(/^Bearer\s+/i, ''), jwt },
    ).then(
      (found) =>
        found.valid
          ? say('good', `Valid. It may send events of the user ${found.userId}.`)
          : say('error', `Invalid: ${found.error}.`),
      (refused: unknown) => say('error', messageOf(refused)),
    );
  };
  return (
    <section aria-labelledby="check">
      <h2 id="check">Check a token</h2>
      <Field label="Access token" hint="Checked against these settings, saved or not. It is not stored.">
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            spellcheck={false}
            value={token}
            onInput={(e) => setToken(e.currentTarget.value)}
          />
        )}
      </Field>
      {said !== undefined && <Notice kind={said.kind}>{said.text}</Notice>}
      <p>
        <button type="button" disabled={token.trim() === '' || !isSendable} onClick={check}>
          Check
        </button>
      </p>
    </section>
  );
}
