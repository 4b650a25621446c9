import { describe, expect, it } from 'vitest';
import {
  describeListenError,
  describeSocketError,
  isOnLoopback,
  toLocalHost,
  toUrl,
} from '../../../../adapters/cli/values/urls.ts';

describe('the address of a server', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:80', '127.0.0.1', true],
    ['localhost', 'http://localhost:80', 'localhost', true],
    ['0.0.0.0', 'http://0.0.0.0:80', '127.0.0.1', true],
    ['::', 'http://[::]:80', '::1', true],
    ['0:0:0:0:0:0:0:0', 'http://[0:0:0:0:0:0:0:0]:80', '::1', true],
    ['::1', 'http://[::1]:80', '::1', true],
    ['127.1.2.3', 'http://127.1.2.3:80', '127.1.2.3', true],
    ['127.0.0.1.example', 'http://127.0.0.1.example:80', '127.0.0.1.example', false],
    ['10.0.0.1', 'http://10.0.0.1:80', '10.0.0.1', false],
  ])('%s', (host, url, local, onLoopback) => {
    expect([toUrl(host, 80), toLocalHost(host), isOnLoopback(host)]).toEqual([url, local, onLoopback]);
  });

  it('is explained in words when it cannot be listened on', () => {
    const error = (code: string) => Object.assign(new Error('listen E'), { code });
    expect(describeListenError(error('EACCES'))).toBe('not permitted; choose a port from 1024 on');
    expect(describeListenError(error('EOTHER'))).toBe('listen E');
    expect(describeListenError('no error')).toBe('no error');
    expect(describeSocketError(error('EACCES'))).toBe(
      'its folder does not exist, or this user may not write to it',
    );
  });
});
