import { expect, test } from 'vitest';
import { looksLikeSecret, maskSecrets, namesSecret } from '../../../src/domain/manifest/secret-text.ts';

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
