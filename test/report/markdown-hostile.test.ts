import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { summaryCommands } from '../../src/report/github.ts';
import { summaryJson } from '../../src/report/json.ts';
import { summaryMarkdown } from '../../src/report/markdown.ts';
import { summarize } from '../../src/report/summarize.ts';
import type { Summary } from '../../src/report/summary.ts';
import { summaryText } from '../../src/report/text.ts';
import { NAMED_PAYLOADS, PAYLOADS } from './hostile.ts';
import { hostileRun } from './hostile-run.ts';
import { html, parsedPage } from './rendered.ts';
import { failed, header } from './sample.ts';

function hostileSummary(text: string): Summary {
  const { header: told, lines } = hostileRun(text);
  return summarize(told, lines);
}

/** The page without what stands in code spans and without the marker's key: only our own words and tags are left. */
function skeleton(markdown: string): string {
  return html(markdown)
    .replace(/<code>[\s\S]*?<\/code>/g, '<code/>')
    .replace(/key=\S+/, 'key=');
}

const HARMLESS = skeleton(summaryMarkdown(hostileSummary('harmless text')));
const HARMLESS_PAGE = parsedPage(summaryMarkdown(hostileSummary('harmless text')));

const ELEMENTS = new Set([
  ...['h3', 'h4', 'p', 'code', 'ul', 'ol', 'li', 'details', 'summary', 'sub', 'a href'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'th align=right', 'td', 'td align=right'],
]);

/** Random mixes of the payloads, and of what Markdown and HTML are made of. */
const MIXES = fc
  .array(
    fc.constantFrom(
      ...PAYLOADS.filter((payload) => payload.length < 200),
      ...[
        '`',
        '``',
        '|',
        '\\',
        '<',
        '>',
        '\n',
        '\r',
        ' ',
        '!',
        '[',
        ']',
        '(',
        ')',
        '&',
        ';',
        '@a',
        '#1',
        '<!--',
        '-->',
        '</details>',
        '~',
        '*',
      ],
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((texts) => texts.join(''));

function expectHarmless(text: string): void {
  const page = parsedPage(summaryMarkdown(hostileSummary(text)));
  expect(page.elements.filter((element) => !ELEMENTS.has(element))).toEqual([]);
  expect(page.comments).toEqual([expect.stringMatching(/^aieval:summary v1 key=[A-Za-z0-9._-]*$/)]);
  expect(page.links).toEqual(expect.arrayContaining(['results.jsonl', 'manifest.resolved.json']));
  expect(page.links.filter((link) => !/^(?:results\.jsonl|manifest\.resolved\.json|jobs\/[A-Za-z0-9_/-]+\/)$/.test(link))).toEqual([]);
  expect(page.prose).not.toMatch(/@\w|#\d|https?:|www\./);
  expect(page.cells).toEqual([7, 7]);
}

describe('hostile text in summary.md', () => {
  test('a harmless text gives the page that the others are compared with', () => {
    expect(HARMLESS.match(/<details>/g)).toHaveLength(5);
    expect(HARMLESS.match(/<t[hd][ >]/g)).toHaveLength(14);
    expect(HARMLESS.match(/<!--/g)).toHaveLength(1);
    expect(HARMLESS).not.toContain('harmless');
    expect(HARMLESS_PAGE.prose).not.toContain('harmless');
  });

  test.each(NAMED_PAYLOADS)('%s stays inside its code spans', (_, payload) => {
    expect(skeleton(summaryMarkdown(hostileSummary(payload)))).toBe(HARMLESS);
    expectHarmless(payload);
  });

  test('no mixture of the payloads leaves its code spans', () => {
    fc.assert(
      fc.property(MIXES, (text) => {
        expect(skeleton(summaryMarkdown(hostileSummary(text)))).toBe(HARMLESS);
        expectHarmless(text);
      }),
      { numRuns: 60 },
    );
  });

  test("another summary's marker stands nowhere but on line 1", () => {
    const [first, ...rest] = summaryMarkdown(hostileSummary('<!-- aieval:summary v1 key=other -->')).split('\n');
    expect(first).toMatch(/^<!-- aieval:summary v1 key=[A-Za-z0-9._-]+ -->$/);
    expect(rest.join('\n')).not.toContain('<!--');
  });

  test.each([1000, 2000, 5000, 10_000])('a page of at most %i characters is a whole one, whatever it quotes', (maxLength) => {
    for (const payload of PAYLOADS) {
      const text = summaryMarkdown(hostileSummary(payload), { maxLength });
      expect(text.length).toBeLessThanOrEqual(maxLength);
      expect(text).not.toMatch(/\p{Cs}/u);
      const { elements, comments } = parsedPage(text);
      expect(elements.filter((element) => !ELEMENTS.has(element))).toEqual([]);
      expect(comments).toHaveLength(1);
      const ours = skeleton(text);
      expect(ours.match(/<details>/g)?.length).toBe(ours.match(/<\/details>/g)?.length);
    }
  });
});

describe('hostile text in the plain summary', () => {
  const lines = (text: string) => summaryText(hostileSummary(text)).split('\n');

  test.each(NAMED_PAYLOADS)('%s adds no line and commands no terminal or build log', (_, payload) => {
    const shown = lines(payload);
    expect(shown).toHaveLength(lines('harmless text').length);
    expect(shown.join('')).not.toMatch(/\p{Cc}|\p{Default_Ignorable_Code_Point}/u);
    expect(shown.filter((text) => /^\s*::|##\w*\[/.test(text))).toEqual([]);
  });
});

describe('hostile text in annotations', () => {
  const lines = (text: string) => summaryCommands(hostileSummary(text)).split('\n');

  test.each(NAMED_PAYLOADS)('%s adds no command and no property', (_, payload) => {
    const shown = lines(payload);
    expect(shown).toHaveLength(lines('harmless text').length);
    expect(shown.at(-1)).toBe('');
    for (const text of shown.slice(0, -1)) {
      expect(text).toMatch(/^::(?:error|warning|notice) (?:file=[^:,]*,)?(?:line=\d+,)?title=[^:,]*::/);
      expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]|\p{Default_Ignorable_Code_Point}|##\w*\[/u);
    }
  });
});

describe('hostile text in the JSON of a summary', () => {
  test.each(NAMED_PAYLOADS)('%s comes back as it is from any parser and commands nothing', (_, payload) => {
    const text = summaryJson(hostileSummary(payload));
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|##\w*\[/u);
    expect(text).not.toMatch(/[\u2028-\u202e\u2066-\u2069]/);
    expect(JSON.parse(text)).toMatchObject({ v: 1, run: { name: payload }, failures: { kept: [{ document: payload }] } });
  });
});

describe('a link', () => {
  const summary = summarize(header(), [failed()]);

  test.each([['http://example.org'], ['javascript:alert(1)'], ['data:text/html,x'], ['runs/42'], ['']])('to %j is refused', (address) => {
    expect(() => summaryMarkdown(summary, { artifactUrl: address })).toThrow(
      '--artifact-url: Expected an address that starts with https://',
    );
    expect(() => summaryMarkdown(summary, { reportUrl: address })).toThrow('--report-url: Expected an address that starts with https://');
  });

  test('of a strange address cannot be left', () => {
    const strange = 'https://example.org/a b)(c?x=1&copy=`2`"><b>\n|';
    const page = html(summaryMarkdown(summary, { artifactUrl: strange, reportUrl: strange }));
    expect(page).toContain('href="https://example.org/a%20b%29%28c/jobs/j3f9abcdefghijklmnopqrstuv/?x=1&amp;copy=%602%60%22%3E%3Cb%3E%7C"');
    expect(page).toContain('<a href="https://example.org/a%20b%29%28c?x=1&amp;copy=%602%60%22%3E%3Cb%3E%7C">full report</a>');
  });

  test('to an artifact of GitHub Actions goes to the archive, because nothing is below it', () => {
    const archive = 'https://github.com/octo/specs/actions/runs/42/artifacts/7';
    const page = summaryMarkdown(summary, { artifactUrl: archive });
    expect(page).toContain(`[\`aieval show j3f9abcd\`](${archive})`);
    expect(page).toContain(`[\`results.jsonl\`](${archive})`);
  });
});
