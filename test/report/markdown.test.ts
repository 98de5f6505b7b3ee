import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, test } from 'vitest';
import type { ResultLine, RunHeader } from '../../src/domain/result-line.ts';
import { type MarkdownOptions, summaryMarkdown } from '../../src/report/markdown.ts';
import { summarize } from '../../src/report/summarize.ts';
import { altered, broken, failed, finding, header, line, score } from './sample.ts';

function page(lines: readonly ResultLine[], over: Partial<RunHeader> = {}, options: MarkdownOptions = {}): string {
  return summaryMarkdown(summarize(header({ jobs: lines.length, ...over }), lines), options);
}

function headline(lines: readonly ResultLine[], over: Partial<RunHeader> = {}): string {
  return page(lines, over).split('\n')[1] ?? '';
}

const stop = (why: string) => ({ why, lane: null, count: 1, until: null, message: null });
const unfinished = (state: RunHeader['run']['state']) => ({ run: { ...header().run, state, finishedAt: null } });

describe('the headline of summary.md', () => {
  const four = [line(), line({ document: 'b.md' }), line({ document: 'c.pdf' }), failed({ document: 'd.html' })];

  test.each<[string, readonly ResultLine[], Partial<RunHeader>]>([
    ['### ✅ aieval: PASS — 75.0 % pass (gate 70 %)', four, { gate: { minPassRate: 0.7, maxErrorRate: 0 } }],
    ['### ❌ aieval: FAIL — 75.0 % pass (gate 80 %)', four, {}],
    ['### ⚠️ aieval: INCOMPLETE — 1 of 2 results not evaluated · 100.0 % pass (gate 80 %)', [line(), broken({ document: 'b.md' })], {}],
    [
      '### ⚠️ aieval: INCOMPLETE — 1 of 2 results not evaluated, 25 % allowed · 100.0 % pass (gate 80 %)',
      [line(), broken({ document: 'b.md' })],
      { gate: { minPassRate: 0.8, maxErrorRate: 0.25 } },
    ],
    [
      '### ⏹️ aieval: CANCELLED 1/2 — incomplete · 1 of 2 results not evaluated · 100.0 % pass (gate 80 %)',
      [line(), line({ document: 'b.md', state: 'cancelled' })],
      unfinished('cancelled'),
    ],
    ['### ⏳ aieval: UNFINISHED 4/420 — 75.0 % pass so far (gate 80 %)', four, { ...unfinished('open'), jobs: 420 }],
    [
      '### ⏸️ aieval: PAUSED 1/9 — 100.0 % pass so far (gate 80 %)',
      [line(), line({ document: 'b.md', state: 'queued', verdict: null })],
      { ...unfinished('paused'), jobs: 9 },
    ],
    ['### ⚠️ aieval: INCOMPLETE — 1 of 2 jobs missing · 100.0 % pass (gate 80 %)', [line()], { jobs: 2 }],
    ['### ✅ aieval: PASS (simulated) — 100.0 % pass (gate 80 %)', [line()], { models: { fast: { provider: 'simulated', model: 's' } } }],
    ['### ⏸️ aieval: TO REVIEW — no result passed or failed (gate 80 %) · ⏸ 1 to review', [line({ verdict: 'review' })], {}],
    ['### ⚠️ aieval: NOTHING JUDGED — no result passed or failed (gate 80 %)', [], {}],
    ['### ⏳ aieval: UNFINISHED 0/0 — no result passed or failed (gate 80 %)', [], unfinished('open')],
    [
      '### ✅ aieval: PASS — 100.0 % pass (gate 80 %) · 3 not evaluated',
      [line(), broken({ document: 'b.md' }), broken({ document: 'c.pdf' }), broken({ document: 'd.html' })],
      { gate: { minPassRate: 0.8, maxErrorRate: 0.8 } },
    ],
    [
      '### ❌ aieval: FAIL — 0.0 % pass (gate 80 %) · 1 not evaluated',
      [failed(), broken({ document: 'b.md' })],
      { gate: { minPassRate: 0.8, maxErrorRate: 0.8 } },
    ],
    ['### ✅ aieval: PASS — 0.0 % pass (gate 0 %)', [failed()], { gate: { minPassRate: 0, maxErrorRate: 0 } }],
    [
      '### ✅ aieval: PASS of a part — 1 of 5 jobs (`--first 1`) · 100.0 % pass (gate 80 %)',
      [line()],
      { selection: { options: '--first 1', jobs: 1, of: 5 } },
    ],
    [
      '### ❌ aieval: FAIL of a part — 1 selected job (`--document **/a.md`) · 0.0 % pass (gate 80 %)',
      [failed()],
      { selection: { options: '--document **/a.md', jobs: 1, of: null } },
    ],
    ['### ⏳ aieval: PLANNING — 75.0 % pass so far (gate 80 %)', four, { ...unfinished('planning'), jobs: 420 }],
    [
      '### ⏸️ aieval: BUDGET REACHED 4/420 — budget.usd is reached · 75.0 % pass so far (gate 80 %)',
      four,
      { ...unfinished('open'), jobs: 420, stoppedBy: [stop('budget_usd')] },
    ],
    [
      '### ⏹️ aieval: STOPPED 4/420 — failFast · 75.0 % pass so far (gate 80 %)',
      four,
      { ...unfinished('open'), jobs: 420, stoppedBy: [stop('fail_fast')] },
    ],
    [
      '### ⏹️ aieval: STOPPED 4/420 — a provider is paused · 75.0 % pass so far (gate 80 %)',
      four,
      { ...unfinished('open'), jobs: 420, stoppedBy: [stop('lane_paused')] },
    ],
    [
      '### ⏹️ aieval: STOPPED 4/420 — no worker has the tags that it needs · 75.0 % pass so far (gate 80 %)',
      four,
      { ...unfinished('open'), jobs: 420, stoppedBy: [stop('tags')] },
    ],
    [
      '### ✅ aieval: PASS — 75.0 % pass (gate 70 %)',
      four,
      { gate: { minPassRate: 0.7, maxErrorRate: 0 }, stoppedBy: [stop('budget_usd')] },
    ],
  ])('%s', (expected, lines, over) => {
    expect(headline(lines, over)).toBe(expected);
  });

  test('a missed gate never looks met by rounding', () => {
    const lines = Array.from({ length: 2000 }, (_, i) => (i === 0 ? failed({ document: 'x' }) : line({ document: `d${i}` })));
    expect(headline(lines, { gate: { minPassRate: 1, maxErrorRate: 0 } })).toBe('### ❌ aieval: FAIL — 99.9 % pass (gate 100 %)');
  });
});

describe('summary.md', () => {
  test('says all of a small run, verdict first', () => {
    const lines = [
      line({ scores: [score()] }),
      failed({ document: 'b.md', model: 'local', jobId: 'k'.repeat(26) }),
      broken({ document: 'c.pdf', jobId: 'z'.repeat(26) }),
      line({ document: 'd.html', scores: [score({ findings: [] })], cached: true, calls: 0, attempts: 0, costUsd: 0 }),
    ];
    const documents = header().documents.map((document, i) => (i === 4 ? { ...document, warnings: ['page 3 has no text'] } : document));
    expect(page(lines, { documents })).toMatchInlineSnapshot(`
      "<!-- aieval:summary v1 key=spec-review -->
      ### ⚠️ aieval: INCOMPLETE — 1 of 4 results not evaluated · 66.6 % pass (gate 80 %)

      \`spec-review\` · 5 documents, 4 results: 2 pass, 1 fail, 1 not evaluated, 0 to review · run \`r-8kq2\`

      | task | model | pass | fail | not evaluated | to review | pass rate |
      |---|---|---:|---:|---:|---:|---:|
      | \`claims\` | \`local\` | 0 | 1 | 0 | 0 | 0.0 % |
      | \`claims\` | \`fast\` | 2 | 0 | 1 | 0 | 100.0 % |

      Evidence: 4 quotes checked: 2 verified (2 verbatim), 2 rejected (1 altered, 1 not in the document). 1 result passed without a single finding: nothing was claimed there, so nothing was proven.

      #### Failures (1)

      1. \`b.md\` · \`claims\` / \`local\` · [\`aieval show kkkkkkkk\`](jobs/kkkkkkkkkkkkkkkkkkkkkkkkkk/)
          - \`evidence\` — \`2 of 3 quotes are not in the document\`
            - page 3, line 14: altered \`1023 → 1032\`
              - quoted: \`offset of the 1023 byte register\`
              - document: \`offset of the 1032 byte register\`
            - not in the document
              - quoted: \`Clients may skip the checksum\`
          - \`count\` — \`Expected at most 3, got 5\`

      #### Not evaluated (1)

      - \`timeout\` — \`c.pdf\` · \`claims\` / \`fast\` — \`no answer in 120 s\` · [\`aieval show zzzzzzzz\`](jobs/zzzzzzzzzzzzzzzzzzzzzzzzzz/)

      <details><summary>Findings (4)</summary>

      - \`a.md\` · \`claims\` / \`fast\` · pass · line 88: verified
          - \`The server MUST retry\`
      - \`b.md\` · \`claims\` / \`local\` · fail · line 88: verified
          - \`The server MUST retry\`
      - \`b.md\` · \`claims\` / \`local\` · fail · page 3, line 14: altered
          - \`offset of the 1023 byte register\`
      - \`b.md\` · \`claims\` / \`local\` · fail · not in the document
          - \`Clients may skip the checksum\`

      </details>

      <details><summary>Document warnings (1)</summary>

      - \`e.txt\` — \`page 3 has no text\`

      </details>

      <details><summary>Configuration</summary>

      - manifest \`manifest.json\` · aieval \`0.1.0\`
      - gate: pass rate at least 80 %, at most 0 % not evaluated
      - model \`fast\`: \`gpt-5-mini\` (\`openai\`)
      - model \`local\`: \`qwen3-32b\` (\`openai\`)

      </details>

      <details><summary>Artifacts (4)</summary>

      [\`results.jsonl\`](results.jsonl) · [\`manifest.resolved.json\`](manifest.resolved.json) · \`aieval show ID\` prints all that is known of a job

      - ✅ pass — \`a.md\` · \`claims\` / \`fast\` · [\`j3f9abcd\`](jobs/j3f9abcdefghijklmnopqrstuv/)
      - ❌ fail — \`b.md\` · \`claims\` / \`local\` · [\`kkkkkkkk\`](jobs/kkkkkkkkkkkkkkkkkkkkkkkkkk/)
      - ⚠️ error — \`c.pdf\` · \`claims\` / \`fast\` · [\`zzzzzzzz\`](jobs/zzzzzzzzzzzzzzzzzzzzzzzzzz/)
      - ✅ pass — \`d.html\` · \`claims\` / \`fast\` · [\`j3f9abcd\`](jobs/j3f9abcdefghijklmnopqrstuv/)

      </details>

      <details><summary>Speed and slowest calls</summary>

      Slowest calls

      - 1.2 s — \`a.md\` · \`claims\` / \`fast\` · [\`j3f9abcd\`](jobs/j3f9abcdefghijklmnopqrstuv/)
      - 1.2 s — \`b.md\` · \`claims\` / \`local\` · [\`kkkkkkkk\`](jobs/kkkkkkkkkkkkkkkkkkkkkkkkkk/)

      </details>

      4 jobs: 3 succeeded, 1 failed, 0 cancelled · 5 calls, 5 attempts (2 retries) · 0 re-asked, 0 repaired · cost $0.004 + 1 job of unknown price · tokens 4,000 in, 400 out · 1 of 4 jobs from cache · 36 min

      <sub>Text of documents and models is quoted as it came and not to be trusted.</sub>
      "
    `);
  });

  test('a run read again gives the same bytes', () => {
    const lines = [failed(), broken({ document: 'b.md' }), line({ document: 'c.pdf' })];
    expect(page(JSON.parse(JSON.stringify(lines)))).toBe(page(lines));
  });

  test('of the same answers differs, where times and costs do, at its end only', () => {
    const lines = [failed(), broken({ document: 'b.md' }), line({ document: 'c.pdf' })];
    const slower = lines.map((told, i) => ({
      ...told,
      latencyMs: 90_000 + i,
      costUsd: 1,
      calls: 3,
      attempts: 3,
      retries: 2,
      cached: false,
    }));
    const speeds = { fast: { firstTokenMs: 9000, tokensPerSecond: 2 } };
    const [before, after] = [page(lines).split('\n'), page(slower, { speeds }).split('\n')];
    const firstDifference = before.findIndex((text, i) => text !== after[i]);
    expect(before[firstDifference - 2]).toBe('<details><summary>Speed and slowest calls</summary>');
  });

  test('an unfinished run says what is open and how to go on', () => {
    const text = page([line(), line({ document: 'b.md', state: 'running', verdict: null, artifacts: null })], unfinished('open'));
    expect(text).toContain('1 job of 2 still open when this was written. `aieval run manifest.json` goes on with them.');
  });

  test('a run without a single line is a page too', () => {
    expect(page([], { documents: [], models: {}, tasks: {} })).toContain('0 results');
  });

  test('replayed and simulated answers are said to be so', () => {
    const replay = { provider: 'replay', model: 'demo' } as const;
    expect(page([line()], { models: { fast: replay } })).toContain('The answers are replayed from a cassette: no model was asked');
    expect(page([line()], { models: { fast: replay, local: { provider: 'openai', model: 'm' } } })).toContain(
      'The answers of 1 of 2 models are replayed',
    );
  });

  test('links go below the artifact address when there is one', () => {
    const text = page([failed()], {}, { artifactUrl: 'https://example.org/runs/42/' });
    expect(text).toContain('[`j3f9abcd`](https://example.org/runs/42/jobs/j3f9abcdefghijklmnopqrstuv/)');
    expect(text).toContain('[`results.jsonl`](https://example.org/runs/42/results.jsonl)');
  });

  test('a corrected page and the near text of a doubtful quote are shown', () => {
    const moved = { ...altered, pageClaimed: 5, pageCorrected: true };
    const near = finding({ status: 'near', tier: null, diff: 'shall → should', text: 'The server should retry' });
    const text = page([
      failed({ scores: [score({ verdict: 'fail', findings: [moved] })] }),
      line({ document: 'b.md', verdict: 'review', scores: [score({ verdict: 'review', findings: [near] })] }),
    ]);
    expect(text).toContain('page 3, line 14: altered `1023 → 1032` (page corrected: 5 → 3)');
    expect(text).toContain('line 88: near, but not the same `shall → should`');
    expect(text).toContain('document: `The server should retry`');
  });
});

function shapeOf(text: string): string {
  const count = (part: string | undefined, pattern: RegExp) => part?.match(pattern)?.length ?? 0;
  const section = (title: string) => text.split(/^(?:#### |<details>)/m).find((part) => part.replace('<summary>', '').startsWith(title));
  const items = (title: string) => count(section(title), /^\d+\. /gm);
  return [
    `rows ${count(text, /^\| `/gm)}`,
    `failures ${items('Failures')} + ${items('Other failures')}`,
    `reviews ${items('⏸ To review')} + ${items('Others to review')}`,
    `errors ${count(section('Not evaluated'), /^- /gm)}`,
    ...(text.includes('<summary>Findings (') ? ['findings'] : []),
    ...(text.includes('Configuration') && text.includes('Artifacts') ? ['details'] : []),
    ...(text.includes('120 jobs: 90 succeeded') ? ['totals'] : []),
  ].join(', ');
}

describe('the length of summary.md', () => {
  const long = 'word '.repeat(100);
  const wordy = finding({ status: 'rejected', tier: null, reason: 'reworded', diff: long, text: long }, long);
  const lines = [
    ...Array.from({ length: 60 }, (_, i) =>
      failed({
        document: `${i}-${long}`,
        task: `task-${i % 30}`,
        jobId: `${i}`.padStart(26, 'a'),
        scores: [
          score({ verdict: 'fail', explanation: long, findings: [wordy, wordy, wordy] }),
          score({ check: 'b', verdict: 'fail', explanation: long, findings: [wordy, wordy] }),
        ],
      }),
    ),
    ...Array.from({ length: 30 }, (_, i) => broken({ document: `e${i}-${long}`, error: { reason: 'bad_request', message: long } })),
    ...Array.from({ length: 30 }, (_, i) =>
      line({ document: `r${i}-${long}`, verdict: 'review', scores: [score({ verdict: 'review', explanation: long })] }),
    ),
  ];
  const full = page(lines, {}, { maxLength: 1_000_000 });

  test('is at most 60,000 UTF-16 units by default, with a note of what was left out', () => {
    expect(full.length).toBeGreaterThan(60_000);
    const text = page(lines);
    expect(text.length).toBeLessThanOrEqual(60_000);
    expect(text).toContain('Shortened (60,000-character limit), left out: ');
    expect(text).toContain('All results are in results.jsonl.');
  });

  test('gives way in a fixed order and stays a whole page at every length', () => {
    let before = Number.POSITIVE_INFINITY;
    for (const maxLength of [1_000_000, 60_000, 50_000, 30_000, 20_000, 10_000, 6_000, 3_000]) {
      const text = page(lines, {}, { maxLength });
      expect(text.length).toBeLessThanOrEqual(maxLength);
      expect(text.length).toBeLessThanOrEqual(before);
      before = text.length;
      const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
      expect(html.match(/<details>/g)?.length ?? 0).toBe(html.match(/<\/details>/g)?.length ?? 0);
      expect(text).toMatch(/^<!-- aieval:summary v1 key=spec-review -->\n### ⚠️ aieval: INCOMPLETE/);
      expect(text).toContain('120 jobs: 90 succeeded');
    }
  });

  test('says exactly what was left out', () => {
    expect(page(lines, {}, { maxLength: 3000 })).toContain(
      'Shortened (3,000-character limit), left out: 60 of 60 failures; 30 of 30 evaluation errors; 30 of 30 doubtful results; 31 of 31 table rows; what is said of the evidence; 90 of 90 findings; document warnings, configuration, slowest calls and the artifact index. All results are in results.jsonl.',
    );
  });

  test('gives way in this order: findings, details, other failures, failures but three, rows but five, all but the totals, all but the cost', () => {
    const shapes = new Set<string>();
    // Each time one character too few for what was there before.
    for (let text = full; shapes.size < 7; text = page(lines, {}, { maxLength: text.length - 1 })) shapes.add(shapeOf(text));
    expect([...shapes]).toEqual([
      'rows 20, failures 5 + 20, reviews 5 + 20, errors 11, findings, details, totals',
      'rows 20, failures 5 + 20, reviews 5 + 20, errors 11, details, totals',
      'rows 20, failures 5 + 20, reviews 5 + 20, errors 11, totals',
      'rows 20, failures 5 + 0, reviews 5 + 0, errors 11, totals',
      'rows 20, failures 3 + 0, reviews 3 + 0, errors 4, totals',
      'rows 5, failures 3 + 0, reviews 3 + 0, errors 4, totals',
      'rows 0, failures 0 + 0, reviews 0 + 0, errors 0, totals',
    ]);
  });

  test('no page is longer than 1000 units where that is asked, whatever stands in the names and the counts', () => {
    const name = '`a` '.repeat(300);
    const run = { ...header().run, id: name, name };
    const many = { ...summarize(header({ run }), lines), budget: { usd: { limit: 1e9, used: 1e9 }, tokens: { limit: 1e15, used: 1e15 } } };
    const text = summaryMarkdown(many, { maxLength: 1000, reportUrl: `https://example.org/${'r'.repeat(200)}` });
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(text).toMatch(/^<!-- .* -->\n### ⚠️ aieval: INCOMPLETE/);
    expect(text).toContain('cost $0.18 + 30 jobs of unknown price');
    expect(text).toContain('Shortened to the verdict and the cost (1,000-character limit). All results are in results.jsonl.');
  });
});
