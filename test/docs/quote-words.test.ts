import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MARK_WORDS, REJECTION_WORDS, STATUS_WORDS } from '../../src/domain/quote-words.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/documents.md', import.meta.url)), 'utf8');

test('documents.md has every status, reason and mark of a quote in the words of the screens, with cause and remedy', () => {
  const [, section = ''] = PAGE.split(/^### What a screen says of a quote.*$/m);
  const rows = [...section.matchAll(/^\| `(\w+)` \| ([^|]+) \| [^|]+ \| [^|]+ \|$/gm)].map(([, code, words]) => [code, words]);
  expect(rows).toEqual(Object.entries({ ...STATUS_WORDS, ...REJECTION_WORDS, ...MARK_WORDS }));
});
