import { afterEach, beforeEach, expect, test } from 'vitest';
import { keyFault } from '../../../src/cli/config/key-fault.ts';
import { type Project, project } from '../../e2e/project.ts';
import { fakeIo } from '../fake-io.ts';

let folder: Project;
beforeEach(() => {
  folder = project({ files: { '.env': '# keys\nexport OTHER=1\n LAB_KEY = "k…1"\n' } });
});
afterEach(() => folder.remove());

const faultOf = (variable: string, value: string): string | null =>
  keyFault(fakeIo({ env: { [variable]: value } }), variable)?.what ?? null;

test.each([
  ['a\nb', 'holds a line break at character 2, which no request can carry (from the environment)'],
  [
    'k\r',
    'holds a carriage return (the file has the line ends of Windows) at character 2, which no request can carry (from the environment)',
  ],
  ['…', 'holds an ellipsis "…" at character 1, which no request can carry (from the environment)'],
  ['k—1', 'holds "—" (U+2014) at character 2, which no request can carry (from the environment)'],
  ['k\u202e1', 'holds U+202E at character 2, which no request can carry (from the environment)'],
])('a key with a character that no header can carry is told by that character alone: %j', (value, what) => {
  expect(faultOf('LAB_KEY', value)).toBe(what);
});

test('the file and the line of a value are named', () => {
  const io = fakeIo({ cwd: folder.dir, env: { LAB_KEY: 'k…1' } });
  io.notes.envFiles = [{ path: `${folder.dir}/.env`, names: ['OTHER', 'LAB_KEY'] }];
  expect(keyFault(io, 'LAB_KEY')?.what).toBe('holds an ellipsis "…" at character 2, which no request can carry (from .env:3)');
});

test.each([
  'your-key',
  'sk-your-key',
  'YOUR_OPENAI_API_KEY',
  '<your key>',
  '<key>',
  'sk-...',
  'xxxx',
  'changeme',
  'replace-me',
  'put-key-here',
  'my-api-key',
])("%s is a placeholder in a vendor's variable, and may be the key of a server of one's own", (value) => {
  expect(faultOf('OPENAI_API_KEY', value)).toBe(`is "${value}", which stands for a key and is none (from the environment)`);
  expect(faultOf('LAB_KEY', value)).toBeNull();
});

test.each(['sk-proj-4yOur2_keyTESTxxxQ', 'gsk_testYourselfXXXX', 'AIzaSyYOURxkey', ''])('%j is no placeholder', (value) => {
  expect(faultOf('OPENAI_API_KEY', value)).toBeNull();
});
