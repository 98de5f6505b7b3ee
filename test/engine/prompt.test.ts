import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import { type MessagesInput, type PromptTask, renderMessages, renderPrompt } from '../../src/engine/prompt.ts';

function documentOf(text: string, title: string | null = 'A title'): { documentId: string; content: CanonicalText } {
  return {
    documentId: 'specs/link.md',
    content: {
      format: 'markdown',
      extractor: 'test',
      title,
      text,
      textSha256: sha256Hex(text),
      pages: [],
      sections: [],
      lines: { start: [0], number: [1] },
      warnings: [],
    },
  };
}

const SCHEMA = { type: 'object', properties: { b: {}, a: {} } } as const;

function taskOf(prompt: string, more: Partial<PromptTask> = {}): PromptTask {
  return { prompt, system: null, vars: {}, output: { format: 'json', schema: SCHEMA, strict: true, reask: 1 }, ...more };
}

function messagesOf(input: Partial<MessagesInput>): string[] {
  const full: MessagesInput = { task: taskOf('Q {{document}}'), document: documentOf('text'), mode: 'json_schema', reask: null, ...input };
  return renderMessages(full).map(({ role, content }) => `${role}: ${content}`);
}

const FENCE = `document-${sha256Hex('text').slice(0, 12)}`;
const ASKED = `user: Q <${FENCE}>\ntext\n</${FENCE}>`;

describe('the prompt', () => {
  test('holds the document between a fence, and the other values', () => {
    const task = taskOf('{{document}}\n{{document.path}} {{document.title}} {{vars.style}} {{vars.list}} {{schema}}', {
      system: 'Follow {{vars.style}}.',
      vars: { style: 'RFC 2119', list: [{ b: 1, a: 2 }] },
    });
    expect(renderPrompt(task, documentOf('text', 'A  title\nof two lines'))).toEqual({
      system: 'Follow RFC 2119.',
      prompt: `<${FENCE}>\ntext\n</${FENCE}>\nspecs/link.md A title of two lines RFC 2119 [{"a":2,"b":1}] ${JSON.stringify(SCHEMA, null, 2)}`,
    });
  });

  test('names the file where the document has no title', () => {
    expect(renderPrompt(taskOf('{{document.title}}'), documentOf('text', null)).prompt).toBe('specs/link.md');
  });

  test('is not changed by braces in the document', () => {
    const { prompt } = renderPrompt(taskOf('{{document}}', { vars: { x: 'secret' } }), documentOf("{{vars.x}} {{schema}} $& $'\n"));
    expect(prompt).toContain("\n{{vars.x}} {{schema}} $& $'\n</document-");
  });

  test('has a longer fence where the text contains the short one', () => {
    const content = { ...documentOf('').content, text: 'see abcdefabcdef01 here', textSha256: `abcdefabcdef01${'0'.repeat(50)}` };
    expect(renderPrompt(taskOf('{{document}}'), { documentId: 'x', content }).prompt).toMatch(/^<document-abcdefabcdef010>\n/);
  });

  test('has a fence that the text does not contain, even if the text contains the whole hash', () => {
    const hash = 'ab'.repeat(32);
    const content = { ...documentOf('').content, text: `${hash}${sha256Hex(hash)}`, textSha256: hash };
    const fence = /^<(document-[0-9a-f]+)>/.exec(renderPrompt(taskOf('{{document}}'), { documentId: 'x', content }).prompt)?.[1] ?? '';
    expect([fence.length > 'document-'.length + 128, content.text.includes(fence.slice('document-'.length))]).toEqual([true, false]);
  });

  test('is the same bytes every time, and closes the fence exactly once, whatever the document holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const { prompt } = renderPrompt(taskOf('{{document}}'), documentOf(text));
        const close = `</${prompt.slice(1, prompt.indexOf('>'))}>`;
        expect(prompt).toBe(renderPrompt(taskOf('{{document}}'), documentOf(text)).prompt);
        expect(prompt.indexOf(close)).toBe(prompt.length - close.length);
        expect(prompt).toContain(text);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the messages', () => {
  test('a schema that the API is given is not told again', () => {
    expect(messagesOf({})).toEqual([ASKED]);
  });

  test.each(['json_object', 'prompt'] as const)('a schema that the API is not given is told at the end (%s)', (mode) => {
    expect(messagesOf({ mode })).toEqual([
      `${ASKED}\n\nAnswer with one JSON value that is valid against this JSON Schema, and nothing else:\n\n${JSON.stringify(SCHEMA, null, 2)}`,
    ]);
  });

  test('a schema that the prompt shows is not shown again', () => {
    const task = taskOf('Q {{document}} {{schema}}');
    expect(messagesOf({ task, mode: 'prompt' })).toEqual([
      `${ASKED} ${JSON.stringify(SCHEMA, null, 2)}\n\nAnswer with one JSON value that is valid against the schema above, and nothing else.`,
    ]);
  });

  test.each(['json_schema', 'json_object', 'prompt'] as const)('JSON without a schema is asked for in words (%s)', (mode) => {
    const task = taskOf('Q {{document}}', { output: { format: 'json', schema: null, strict: true, reask: 1 } });
    expect(messagesOf({ task, mode })).toEqual([`${ASKED}\n\nAnswer with one JSON value and nothing else.`]);
  });

  test('text is asked for as the prompt says', () => {
    const task = taskOf('Q {{document}}', { system: 'S', output: { format: 'text', schema: null, strict: true, reask: 1 } });
    expect(messagesOf({ task, mode: 'prompt' })).toEqual(['system: S', ASKED]);
  });

  test('a re-ask follows the question with the answer and its errors', () => {
    const reask = { answer: '{"a":', errors: ['/a: must be a text, got 3', '/b: is missing'] };
    expect(messagesOf({ reask })).toEqual([
      ASKED,
      'assistant: {"a":',
      'user: Your answer is not valid:\n- /a: must be a text, got 3\n- /b: is missing\n\nGive the corrected JSON only, complete and with nothing around it.',
    ]);
  });

  test('a re-ask lists at most twenty errors and never sends an empty message', () => {
    const errors = Array.from({ length: 30 }, (_, index) => `error ${index}`);
    const [, answer, complaint] = messagesOf({ reask: { answer: ' \n', errors } });
    expect([answer, complaint?.includes('error 19\n- and 10 more\n'), complaint?.includes('error 20')]).toEqual([
      'assistant: (empty answer)',
      true,
      false,
    ]);
  });
});
