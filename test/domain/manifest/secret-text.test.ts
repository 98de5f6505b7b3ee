import { expect, test } from 'vitest';
import { looksLikeSecret, maskAddresses, maskSecrets, namesSecret } from '../../../src/domain/manifest/secret-text.ts';

test.each([
  'sk-proj-AbCdEf0123456789AbCdEf',
  'sk-ant-api03-AbCdEf0123456789',
  'ghp_AbCdEf0123456789AbCdEf0123456789',
  'AKIAIOSFODNN7EXAMPLE',
  `AIza${'x'.repeat(35)}`,
  'hf_AbCdEfGhIjKlMnOpQrSt',
  'Bearer AbCdEf0123456789',
  'https://ann:hunter2@example.org/v1',
  '-----BEGIN RSA PRIVATE KEY-----',
])('%s looks like a secret', (text) => {
  expect(looksLikeSecret(text)).toBe(true);
});

test.each([
  'risk-assessment-of-2024-systems',
  'sk-learn-models-and-papers',
  'gpt-5-mini',
  'OPENAI_API_KEY',
  'https://example.org/v1',
  'bearer of news',
])('%s does not', (text) => {
  expect(looksLikeSecret(text)).toBe(false);
});

test('names of secrets are known in their spellings', () => {
  const names = [
    'apiKey',
    'api_key',
    'API-Key',
    'x-api-key',
    'token',
    'accessToken',
    'password',
    'Authorization',
    'apiKeyEnv',
    'maxOutputTokens',
    'model',
  ];
  expect(names.filter(namesSecret)).toEqual([
    'apiKey',
    'api_key',
    'API-Key',
    'x-api-key',
    'token',
    'accessToken',
    'password',
    'Authorization',
  ]);
});

test('masking keeps the length', () => {
  const text = `{"apiKey": "hunter2", "model": "m", 'token': plain, "x": "sk-AbCdEf0123456789"}`;
  expect(maskSecrets(text)).toBe(`{"apiKey": *********, "model": "m", 'token': *****, "x": "*******************"}`);
});

test.each([
  ['{"store":"postgres://ae:HUNTER2@127.0.0.1:9173/leak" "display":"plain"}', '@127.0.0.1:9173/leak" "display":"plain"}'],
  ['"baseUrl": "https://ann:HUN/TER@2@lab.example/v1", "x": 1', '@lab.example/v1", "x": 1'],
  [String.raw`{"store":"postgres:\/\/ae:HUNTER2@h\/leak" "x"}`, String.raw`@h\/leak" "x"}`],
  ['/tmp/x/postgres:/ae:HUNTER2@h/leak (ENOENT)', '@h/leak (ENOENT)'],
  ['redis+tls://:HUNTER2@h', '@h'],
  ['"postgres:///leak?host=h&password=HUNTER2&port=1"', '&port=1"'],
  ['host=h password=HUNTER2 dbname=leak', ' dbname=leak'],
  ["host=h password='HUN TER2' dbname=leak", ' dbname=leak'],
  ['https://h/v1?api_key=HUNTER2&x=1', '&x=1'],
])('of %s the password is masked, and what stands around it is not', (text, rest) => {
  const shown = maskAddresses(text);
  expect(shown).not.toMatch(/HUN|TER/);
  expect(shown).toHaveLength(text.length);
  expect(shown).toMatch(/\*/);
  expect(shown.endsWith(rest)).toBe(true);
  expect(maskSecrets(text)).toBe(shown);
});

test.each([
  '"postgres://ae:HUN TER2@h/leak"',
  '"postgres://ae:HUN"TER2@h/leak"',
  "postgres://ae:HUN'TER2@h/leak",
  '"postgres://ae:HUNTER2',
  String.raw`"postgres:\/\/ae:HUNTER2`,
])('of %s, whose password may end anywhere, nothing more is shown', (text) => {
  expect(maskAddresses(text)).toMatch(/^"?postgres:(?:\\?\/){2}ae:\*+$/);
});

test.each([
  'http://127.0.0.1:8000/v1 does not answer: ECONNREFUSED',
  'no connection to http://lab.example: ECONNREFUSED',
  'http://lab:8000: refused, then http://[::1]:8000/v1, or http://lab:8000.',
  '{"baseUrl": "http://lab:8000/v1", "name": "a@b.example"}',
  '--store postgres://user@host:5432/database?schema=aieval',
  'check the user of the URL and the password: PGPASSWORD, ~/.pgpass, or in AIEVAL_STORE',
  'export PGPASSWORD=… , or --env file',
  'm.json:3:14: "a:b@c" matches no file',
])('%s holds no password, and stays as it is', (text) => {
  expect(maskAddresses(text)).toBe(text);
});

test.each([
  ['{"apiKey": "HUN"TER2", "model": "m"}', `{"apiKey": ${'*'.repeat(25)}`],
  ['{"apiKey": "HUNTER2', '{"apiKey": ********'],
  ["apiKey: 'HUN' TER2", 'apiKey: **********'],
  ['apiKey: HUN TER2', 'apiKey: ********'],
  ['{token: HUNTER2, model: m}', '{token: *******, model: m}'],
])('of %s the whole broken value is masked', (text, shown) => {
  expect(maskSecrets(text)).toBe(shown);
});
