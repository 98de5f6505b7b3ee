import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { contentPolicy, embeddable } from '../../../src/report/html/page-assets.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

test('the policy allows the very script and the very style, and nothing else', () => {
  const assets = { script: 'let a = "ä";', style: 'p{}' };
  expect(contentPolicy(assets)).toBe(
    `default-src 'none'; style-src 'sha256-${sha256('p{}')}'; script-src 'sha256-${sha256('let a = "ä";')}'; img-src data:; base-uri 'none'; form-action 'none'`,
  );
});

test('a script that names its own end still says the same, and cannot end its element', () => {
  const { script } = embeddable({ script: 'out = ["</script>", "<!--", "</SCRIPT>"];\r\n', style: '' });
  expect(script).not.toMatch(/<\/script|<!--|\r/i);
  expect(runInNewContext(`let out; ${script}; out`)).toEqual(['</script>', '<!--', '</SCRIPT>']);
});

test('line ends are those that a browser hashes', () => {
  expect(embeddable({ script: '\ufeffa\r\nb\rc', style: 'a\r\n</style>' })).toEqual({ script: 'a\nb\nc', style: 'a\n\\3c /style>' });
});
