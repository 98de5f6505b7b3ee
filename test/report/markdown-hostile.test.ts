import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, test } from 'vitest';
import type { ResultLine, RunHeader } from '../../src/domain/result-line.ts';
import { summaryMarkdown } from '../../src/report/markdown.ts';
import { summarize } from '../../src/report/summarize.ts';
import type { Summary } from '../../src/report/summary.ts';
import { summaryText } from '../../src/report/text.ts';
import { NAMED_PAYLOADS, PAYLOADS } from './hostile.ts';
import { absence, broken, coverage, failed, finding, header, line, score } from './sample.ts';

/** A run in which every text that comes from outside is `text`. */
function hostileSummary(text: string): Summary {
  const quoted = [finding({ status: 'rejected', tier: null, reason: 'altered', diff: text, text, source: text, context: text }, text)];
  const absences = [absence({ at: text, searched: [text, text, `${text}2`] })];
  const partly = coverage({
    characters: 1,
    sections: { seen: 1, of: 9, missed: [text, text] },
    lostPages: [{ number: 7, label: text, why: text }],
  });
  const identity: Partial<ResultLine> = { jobId: text, document: text, task: text, model: text, artifacts: `jobs/${text}` };
  const scores = [score({ check: text, type: text, verdict: 'fail', value: text, explanation: text, findings: quoted, absences })];
  const nearby = [
    score({
      check: text,
      verdict: 'review',
      explanation: text,
      findings: [finding({ status: 'near', tier: null, diff: text, text }, text)],
    }),
  ];
  return summarize(hostileHeader(text), [
    failed({ ...identity, scores, coverage: partly }),
    line({ ...identity, document: `${text}2`, verdict: 'review', scores: nearby }),
    broken({ ...identity, document: `${text}3`, error: { reason: 'bad_request', message: text } }),
    broken({ ...identity, document: `${text}4`, error: { reason: 'document_broken', message: text } }),
  ]);
}

function hostileHeader(text: string): RunHeader {
  const base = header();
  return {
    ...base,
    run: { ...base.run, id: text, name: text },
    version: text,
    manifest: text,
    tasks: {},
    models: { [text]: { provider: 'openai', model: text } },
    documents: [{ id: text, bytesSha256: null, textSha256: null, pages: null, characters: null, warnings: [text, text], error: null }],
  };
}

function html(markdown: string): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true, allowDangerousProtocol: true });
}

/** The page without what stands in code spans and without the marker's key: only our own words and tags are left. */
function skeleton(markdown: string): string {
  return html(markdown)
    .replace(/<code>[\s\S]*?<\/code>/g, '<code/>')
    .replace(/key=\S+/, 'key=');
}

const HARMLESS = skeleton(summaryMarkdown(hostileSummary('harmless text')));

describe('hostile text in summary.md', () => {
  test('a harmless text gives the page that the others are compared with', () => {
    expect(HARMLESS.match(/<details>/g)).toHaveLength(4);
    expect(HARMLESS.match(/<t[hd][ >]/g)).toHaveLength(14);
    expect(HARMLESS.match(/<!--/g)).toHaveLength(1);
    expect(HARMLESS).not.toContain('harmless');
  });

  test.each(NAMED_PAYLOADS)('%s stays inside its code spans', (_, payload) => {
    expect(skeleton(summaryMarkdown(hostileSummary(payload)))).toBe(HARMLESS);
  });

  test('no mixture of the payloads leaves its code spans', () => {
    const fragments = fc.constantFrom(
      ...PAYLOADS.filter((payload) => payload.length < 200),
      '`',
      '``',
      '|',
      '\\',
      '<',
      '>',
      '\n',
      ' ',
      '!',
      '[',
      ']',
    );
    fc.assert(
      fc.property(fc.array(fragments, { minLength: 1, maxLength: 8 }), (texts) => {
        expect(skeleton(summaryMarkdown(hostileSummary(texts.join(''))))).toBe(HARMLESS);
      }),
      { numRuns: 100 },
    );
  });

  test("another summary's marker stands nowhere but on line 1", () => {
    const [first, ...rest] = summaryMarkdown(hostileSummary('<!-- aieval:summary v1 key=other -->')).split('\n');
    expect(first).toMatch(/^<!-- aieval:summary v1 key=[A-Za-z0-9._-]+ -->$/);
    expect(rest.join('\n')).not.toContain('<!--');
  });

  test('an artifact address of another kind is refused, and a strange one cannot leave its link', () => {
    const summary = summarize(header(), [failed()]);
    expect(() => summaryMarkdown(summary, { artifactUrl: 'javascript:alert(1)' })).toThrow('https://');
    const page = html(summaryMarkdown(summary, { artifactUrl: 'https://example.org/a b)(c?x=1&copy=`2`' }));
    expect(page).toContain('href="https://example.org/a%20b%29%28c/jobs/j3f9abcdefghijklmnopqrstuv/?x=1&amp;copy=%602%60"');
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
