import { describe, expect, test } from 'vitest';
import type { RunHeader } from '../../src/domain/result-line.ts';
import { summaryJson } from '../../src/report/json.ts';
import { summaryMarkdown } from '../../src/report/markdown.ts';
import { summarize } from '../../src/report/summarize.ts';
import { summaryText } from '../../src/report/text.ts';
import { PAYLOADS } from './hostile.ts';
import { header, line } from './sample.ts';

const OPEN = { run: { ...header().run, state: 'open' as const, finishedAt: null } };
const NOTHING = { uncachedInput: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
const LINES = [
  line({ usage: { uncachedInput: 550, cacheRead: 450, cacheWrite: 0, output: 100, reasoning: 0 } }),
  line({ document: 'b.md', state: 'queued', verdict: null, calls: 0, usage: NOTHING }),
];
const SPEEDS = { fast: { firstTokenMs: 840, tokensPerSecond: 63.4 }, local: { firstTokenMs: null, tokensPerSecond: null } };
const BUDGET = { usd: { limit: 3, used: 2.99 }, tokens: { limit: 5_000_000, used: 2_225_000 } };

function summary(over: Partial<RunHeader> = {}) {
  return summarize(header({ jobs: LINES.length, speeds: SPEEDS, budget: BUDGET, ...OPEN, ...over }), LINES);
}

const stop = (change: object = {}) => ({ why: 'lane_paused', lane: 'lab', count: 1, until: null, message: null, ...change });

describe('a summary says, beside the verdict', () => {
  test('per model how much of its input came from the cache of its provider, and how fast it answers', () => {
    expect(summaryMarkdown(summary())).toContain('- model `fast`: 45 % of input from its cache, first token after 840 ms, 63 tokens/s\n');
    expect(summaryMarkdown(summary())).toContain('- model `local`: `qwen3-32b` (`openai`)\n');
    expect(summaryText(summary())).toContain('\nModels\n  - fast: 45 % of input from its cache, first token after 840 ms, 63 tokens/s\n\n');
    expect(JSON.parse(summaryJson(summary()))).toMatchObject({
      models: [
        { id: 'fast', inputTokens: 1000, cachedInputTokens: 450, firstTokenMs: 840, tokensPerSecond: 63.4 },
        { id: 'local', inputTokens: 0, cachedInputTokens: 0, firstTokenMs: null, tokensPerSecond: null },
      ],
      budget: BUDGET,
      stoppedBy: [],
    });
  });

  test('how much of the budget is used', () => {
    for (const text of [summaryMarkdown(summary()), summaryText(summary())]) {
      expect(text).toContain('cost $0.002 (budget: $2.99 of $3.00, 2.23M of 5.00M tokens)');
    }
    expect(summaryMarkdown(summary({ budget: undefined }))).toContain('cost $0.002 ·');
  });

  test.each([
    ['budget.usd is reached', stop({ why: 'budget_usd', lane: null })],
    ['the budget of the group is reached', stop({ why: 'budget_group', lane: null })],
    ['failFast (4 jobs could not be evaluated)', stop({ why: 'fail_fast', lane: null, message: '4 jobs could not be evaluated' })],
    ['lab is paused until 2026-12-01 14:05 UTC', stop({ until: '2026-12-01T14:05:30.000Z' })],
    ['lab is paused (401 invalid key)', stop({ message: '401 invalid key' })],
    ['a provider is paused', stop({ why: 'model_paused', lane: null })],
    ['no worker has the tags gpu, large', stop({ why: 'tags', lane: null, tags: ['gpu', 'large'] })],
  ])('what stopped it: %s', (text, stoppedBy) => {
    expect(summaryText(summary({ stoppedBy: [stoppedBy, stoppedBy] }))).toContain(`\nStopped: ${text}.\n`);
    expect(summaryMarkdown(summary({ stoppedBy: [stoppedBy] })).replaceAll('`', '')).toContain(`\nStopped: ${text}.\n`);
  });

  test('that a worker with its tags goes on with what waits for one', () => {
    const [gpu, large] = [stop({ why: 'tags', lane: null, tags: ['gpu'] }), stop({ why: 'tags', lane: null, tags: ['large', 'gpu'] })];
    const goesOn = (...stoppedBy: ReturnType<typeof stop>[]) =>
      /`([^`]*)` goes on with them/.exec(summaryMarkdown(summary({ stoppedBy })))?.[1];
    expect(goesOn(gpu, large)).toBe('aieval worker --tags gpu,large');
    expect(goesOn(gpu, stop())).toBe('aieval run manifest.json');
  });

  test('nothing of it for a file that an older version wrote', () => {
    const old = summary({ speeds: undefined, budget: undefined, stoppedBy: undefined });
    expect(summaryText(old)).not.toMatch(/Stopped|first token|budget/);
  });

  test('nothing that a server said as anything but quoted text', () => {
    for (const text of PAYLOADS) {
      const page = summaryMarkdown(summary({ stoppedBy: [stop({ lane: text, message: text })] }));
      const sentence = page.split('\n').filter((each) => each.startsWith('Stopped: '));
      expect(sentence).toHaveLength(1);
    }
  });
});
