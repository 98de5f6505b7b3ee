import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type Project, project } from '../e2e/project.ts';
import { answerJson, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');
const [, FIRST_TRY = '', MEND = '', LOOK = ''] = read('docs/writing-tasks.md').split(
  /^## (?:A first try|The mend|Look before|The form of)/m,
);

const JOB = 'specs/uart-registers.md:review:fast';
const NO_ACTION = 'Nothing says what the device does when it is written all the same.';

/** What a model says to the page's first prompt, and to the mended one. */
const HASTY = [
  { quote: 'A divisor below 1.0 must not be written.', problem: NO_ACTION },
  {
    quote: 'BAUD has the reset value 0x00000010, and after reset it holds 0x00000001.',
    problem: 'The register map and section 4.4 disagree.',
  },
  {
    quote: 'After writing 1 to SWRST, software should wait ... before it accesses any other register.',
    problem: 'The time has no measure.',
  },
  { quote: 'Number of entries in the receive FIFO, 0 to 32', problem: 'The FIFO has 16 entries.' },
];
const CAREFUL = [
  { quotes: ['A divisor below 1.0 shall not be written.'], problem: NO_ACTION },
  {
    quotes: ['| 0x0C | BAUD | RW | 0x00000010 |', 'After reset the register holds 0x00000001.'],
    problem: 'The register map and section 4.4 disagree.',
  },
  { quotes: ['software should wait a short time before it accesses any other register'], problem: 'The time has no measure.' },
];

let place: Project;
let server: ScriptedServer;
afterEach(async () => {
  place.remove();
  await server.close();
});

/** The block of code below a line that ends with the file's name. */
function fileIn(section: string, path: string): string {
  const [, block = ''] = new RegExp(`\`${path}\`:\\n\\n\`\`\`\\w+\\n(.*?)^\`\`\``, 'ms').exec(section) ?? [];
  expect(block, path).not.toBe('');
  return block;
}

function lastBlock(section: string): string[] {
  const blocks = [...section.matchAll(/^```text\n(.*?)^```/gms)].map(([, block = '']) => block);
  return wordsOf(blocks.at(-1) ?? '');
}

/** Its lines without the indentation, which is that of a screen with more on it. */
const wordsOf = (text: string): string[] => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));

function writeFiles(section: string): void {
  for (const path of ['prompts/review.md', 'schemas/findings.json']) place.write(path, fileIn(section, path));
}

test("the page's example ends as the page says: two quotes rejected, and after the mend none", { timeout: 60_000 }, async () => {
  server = await startScriptedServer({
    respond: ({ prompt }) => answerJson({ findings: prompt.includes('letter for letter') ? CAREFUL : HASTY }, { usage: null }),
  });
  place = project({ files: { 'specs/uart-registers.md': read('fixtures/quickstart/documents/uart-registers.md') } });
  const manifest = JSON.parse(fileIn(FIRST_TRY, 'manifest.json'));
  const local = { ...manifest, providers: { openai: { type: 'openai', baseUrl: server.baseUrl } } };

  place.write('manifest.json', JSON.stringify(local));
  writeFiles(FIRST_TRY);
  const first = await place.aieval('run', 'manifest.json');
  expect(first.exitCode, first.stderr).toBe(1);
  expect(wordsOf((await place.aieval('show', JOB)).stdout)).toEqual(expect.arrayContaining(lastBlock(FIRST_TRY)));

  const [, mended = ''] = /`"at": "([^"]+)"`/.exec(MEND) ?? [];
  local.tasks.review.checks[0].at = mended;
  place.write('manifest.json', JSON.stringify(local));
  writeFiles(MEND);
  expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(0);
  expect(wordsOf((await place.aieval('show', JOB)).stdout)).toEqual(expect.arrayContaining(lastBlock(MEND)));
  expect(server.requests).toHaveLength(2);

  const [, quoted = ''] = /^aieval quote \S+ "(.+)"/m.exec(LOOK) ?? [];
  const { stdout } = await place.aieval('quote', 'specs/uart-registers.md', quoted);
  expect(wordsOf(stdout)).toEqual(expect.arrayContaining(lastBlock(LOOK)));
});
