import { expect, test } from 'vitest';
import { allowedHost, allowedHosts } from '../../../src/cli/config/allow-hosts.ts';
import { UserError } from '../../../src/domain/errors.ts';

test.each(['lab.example', 'LAB.example:8000', '*.lab.example', 'localhost', '10.0.0.5:11434', '[fe80::1]:8000', 'my_box'])(
  '%s is a host to allow',
  (host) => {
    expect(allowedHost(` ${host} `)).toBe(host.toLowerCase());
  },
);

test.each(['', '*', '*.', 'https://lab.example', 'lab.example/v1', 'user@lab.example', 'lab.example:port', 'a b', 'a,b', '*lab.example'])(
  '%j is none',
  (text) => {
    expect(allowedHost(text)).toBeNull();
  },
);

test('hosts come from the option and from the variable, which separates them by commas', () => {
  expect(allowedHosts({})).toEqual([]);
  expect(allowedHosts({ AIEVAL_ALLOW_HOSTS: '' }, ['a.example'])).toEqual(['a.example']);
  expect(allowedHosts({ AIEVAL_ALLOW_HOSTS: 'B.example, c.example:8000,' }, ['a.example'])).toEqual([
    'a.example',
    'b.example',
    'c.example:8000',
  ]);
});

test('an entry of the variable that is no host is a message, not a hole', () => {
  expect(() => allowedHosts({ AIEVAL_ALLOW_HOSTS: 'a.example,https://b.example' })).toThrow(
    expect.objectContaining({ code: 'E00', exitCode: 2, message: expect.stringContaining('"https://b.example" is not a host') }),
  );
  expect(() => allowedHosts({ AIEVAL_ALLOW_HOSTS: '*' })).toThrow(UserError);
});
