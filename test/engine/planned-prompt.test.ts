import { describe, expect, test } from 'vitest';
import { countTokens } from '../../src/documents/token-count.ts';
import { maxTokensOf } from '../../src/documents/tokens.ts';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import type { ResolvedTask } from '../../src/domain/manifest/resolved.ts';
import { formTokens, type PlannedPrompt, planPrompt } from '../../src/engine/planned-prompt.ts';
import { renderMessages } from '../../src/engine/prompt.ts';
import { MANIFEST } from '../cli/sample-run.ts';
import { TEXTS } from '../documents/texts.ts';

const LONG = 'The device shall answer every request within 100 ms.\n'.repeat(120);
const SHORT = 'The device shall answer.\n';
const SCHEMA = { type: 'object', properties: { findings: { type: 'array', items: { type: 'string' } } }, required: ['findings'] };

function taskOf(prompt: string, more: Partial<ResolvedTask> = {}): ResolvedTask {
  return { ...MANIFEST.tasks.claims, prompt, ...more } as ResolvedTask;
}

async function documentOf(text: string) {
  const lines = { start: [0], number: [1] };
  const head = { format: 'text', extractor: 'text@1', title: null, text, textSha256: sha256Hex(text) } as const;
  const tokens = await countTokens(text);
  const content = { ...head, pages: [], sections: [], lines, blocks: [], lostPages: [], warnings: [] };
  return { documentId: 'a.txt', content, tokens: { tokens, maxTokens: maxTokensOf(text, tokens) } };
}

async function planned(prompt: string, text: string, more: Partial<ResolvedTask> = {}): Promise<PlannedPrompt> {
  return planPrompt(taskOf(prompt, more), await documentOf(text));
}

async function beginning(prompt: string, text: string, more: Partial<ResolvedTask> = {}): Promise<string | null> {
  return (await planned(prompt, text, more)).beginningSha256;
}

describe('the tokens of a prompt', () => {
  test.each(Object.entries(TEXTS))('with %s are near o200k and below the upper bound', async (_, text) => {
    const long = text.repeat(Math.ceil(8000 / text.length));
    const output = { format: 'json' as const, schema: SCHEMA, strict: true, reask: 1 };
    const task = taskOf('{{document}}\n\nList what {{document.path}} leaves open: {{vars.rules}}', {
      system: 'You are a careful reviewer of specifications.',
      vars: { rules: ['say what', 'say where'] },
      output,
    });
    const document = await documentOf(long);
    const { inputTokens, maxInputTokens } = planPrompt(task, document);
    const tokensOf = async (mode: 'json_schema' | 'prompt') =>
      countTokens(
        renderMessages({ task, document, mode, reask: null, input: null })
          .map(({ content }) => content)
          .join('\n'),
      );
    const [bare, worded] = [await tokensOf('json_schema'), await tokensOf('prompt')];
    expect(Math.abs(inputTokens - bare)).toBeLessThan(30);
    expect(Math.abs(inputTokens + formTokens(task, 'prompt') - worded)).toBeLessThan(40);
    expect(maxInputTokens).toBeGreaterThan(Math.max(worded, long.length / 4) + 80);
  });

  test('count a document as often as it stands there', async () => {
    const [once, twice] = [await planned('{{document}}', LONG), await planned('{{document}}\n{{document}}', LONG)];
    expect(twice.inputTokens).toBeGreaterThan(once.inputTokens * 1.99);
    expect(twice.maxInputTokens).toBeGreaterThan(once.maxInputTokens * 1.9);
  });
});

describe('the shared beginning', () => {
  test('ends with the document, so that other questions have it too', async () => {
    const one = await planned('{{document}}\n\nList the claims.', LONG);
    const other = await planned('{{document}}\n\nList the ambiguities, and say why.', LONG, { repeats: 3 });
    expect(one.beginningSha256).toBe(sha256Hex(one.prompt.slice(0, -'\n\nList the claims.'.length)));
    expect(other.beginningSha256).toBe(one.beginningSha256);
  });

  test('has a short heading before the document', async () => {
    const [one, other] = ['Summarise it.', 'Find its faults.'].map((question) => beginning(`Document:\n{{document}}\n${question}`, LONG));
    expect(await one).toBe(await other);
    expect(await one).not.toBe(await beginning('{{document}}\nSummarise it.', LONG));
  });

  test('differs for other documents', async () => {
    expect(await beginning('{{document}}\nGo.', LONG)).not.toBe(await beginning('{{document}}\nGo.', `${LONG}More.\n`));
  });

  test('is not there when the question comes first, but for repeats, which share all of it', async () => {
    const question = 'List all claims of this document:\n{{document}}\nGo.';
    expect(await beginning(question, LONG)).toBeNull();
    const { prompt, beginningSha256 } = await planned(question, LONG, { repeats: 2 });
    expect(beginningSha256).toBe(sha256Hex(prompt));
  });

  test('is not there below 1,024 tokens', async () => {
    expect(await beginning('{{document}}\nList the claims.', SHORT, { repeats: 2 })).toBeNull();
    const manyWords = 'Think about every sentence of it. '.repeat(300);
    expect(await beginning(`{{document}}\n${manyWords}`, SHORT)).toBeNull();
    expect(await beginning(`{{document}}\n${manyWords}`, SHORT, { repeats: 2 })).not.toBeNull();
  });

  test('counts the system message, which stands before it', async () => {
    const system = 'You review specifications with great care. '.repeat(200);
    expect(await beginning('{{document}}\nList the claims.', SHORT, { system })).not.toBeNull();
  });
});
