import { describe, expect, test } from 'vitest';
import { renderTemplate } from '../../../src/domain/manifest/template.ts';
import {
  type TemplateContext,
  type TemplateText,
  templateAdvice,
  templateProblems,
} from '../../../src/domain/manifest/template-problems.ts';
import { textFile } from '../../../src/domain/manifest/text-file.ts';

const TASK = { vars: ['style'], hasSchema: true, hasArrays: true };
const PROMPT: TemplateContext = { ...TASK, kind: 'prompt', field: ['tasks', 'claims', 'prompt'] };
const SYSTEM: TemplateContext = { ...TASK, kind: 'system', field: ['tasks', 'claims', 'system'] };
const REDUCE: TemplateContext = { ...TASK, kind: 'reduce', field: ['tasks', 'claims', 'merge', 'reduce'] };

function textOf(template: string): TemplateText {
  return { template, file: textFile('prompts/claims.md', template), start: 0, exact: true };
}

function messages(template: string, context = PROMPT): string[] {
  return templateProblems(textOf(template), context).map(({ code, message }) => `${code} ${message}`);
}

describe('rendering', () => {
  test('each placeholder is replaced, with or without white space inside', () => {
    expect(renderTemplate('a {{x}} b {{ y.z }}{{x}}', (name) => `<${name}>`)).toBe('a <x> b <y.z><x>');
  });

  test('what is put in is not looked at again', () => {
    expect(renderTemplate('{{x}}', () => "{{x}} $& $1 $'")).toBe("{{x}} $& $1 $'");
  });

  test('braces that are no placeholder stay', () => {
    const text = '{"a": {"b": {}}} {{"a": 1}} {{\\bf x}} {{ 1 }} {{\nname\n}} }} {{';
    expect(renderTemplate(text, () => 'gone')).toBe(text);
  });
});

describe('problems', () => {
  test('an unknown variable is shown with its place in the prompt and the known ones', () => {
    expect(messages('{{document}}\n\nList {{vars.stile}} and {{doc}}.')).toEqual([
      'E10 prompts/claims.md:3:6: unknown variable {{vars.stile}}. Known: document, document.path, document.title, vars.style, schema. Did you mean "vars.style"?',
      'E10 prompts/claims.md:3:25: unknown variable {{doc}}. Known: document, document.path, document.title, vars.style, schema.',
    ]);
  });

  test.each(['{{#if document}}', '{{ document | upper }}', '{{> partial}}', '{{}}', '{{vars}}'])(
    '%s of other template languages is no text',
    (code) => {
      expect(messages(`{{document}} ${code}`)).toHaveLength(1);
    },
  );

  test('a schema that the task does not have', () => {
    expect(messages('{{document}} {{schema}}', { ...PROMPT, hasSchema: false })).toEqual([
      'E10 prompts/claims.md:1:14: {{schema}} needs output.schema, which tasks.claims does not have',
    ]);
  });

  test('a prompt without its document', () => {
    const [problem] = templateProblems(textOf('Find faults in {{document.title}}.'), PROMPT);
    expect(problem).toMatchObject({
      code: 'E10',
      message: 'prompts/claims.md:1:1: tasks.claims.prompt does not contain {{document}}',
      hint: 'put {{document}} where the text of the document belongs',
    });
  });

  test('a prompt that was meant as a path', () => {
    const [problem] = templateProblems(textOf('prompts/claims'), PROMPT);
    expect(problem?.hint).toBe('if it is meant as a path: there is no such file');
  });

  test('a system message knows variables and schema, but no document', () => {
    expect(messages('You follow {{vars.style}}: {{schema}}', SYSTEM)).toEqual([]);
    expect(messages('Read {{document}}', SYSTEM)).toEqual([
      'E10 prompts/claims.md:1:6: {{document}} belongs into the prompt: a document is not to be trusted with the system message',
    ]);
  });
});

describe('problems of a reduce', () => {
  test('it knows the answers, what was joined, and what the document is called', () => {
    expect(messages('{{answers}} {{merged}} {{vars.style}} {{schema}} {{document.title}} {{document.path}}', REDUCE)).toEqual([]);
  });

  test('the document does not fit there, and is refused with the reason', () => {
    expect(messages('{{document}} {{answers}} {{answer}}', REDUCE)).toEqual([
      'E10 prompts/claims.md:1:1: {{document}} cannot stand in merge.reduce: only documents that do not fit the model are read in parts. Use {{answers}}',
      'E10 prompts/claims.md:1:26: unknown variable {{answer}}. Known: answers, merged, document.path, document.title, vars.style, schema. Did you mean "answers"?',
    ]);
  });

  test('one without answers says what is missing, and nothing is joined without arrays', () => {
    const [problem] = templateProblems(textOf('Sum up.'), REDUCE);
    expect(problem).toMatchObject({
      message: 'prompts/claims.md:1:1: tasks.claims.merge.reduce does not contain {{answers}} or {{merged}}',
      hint: 'put {{answers}} where the answers to the parts belong, or {{merged}} for the joined arrays',
    });
    expect(messages('{{merged}}', { ...REDUCE, hasArrays: false })).toEqual([
      'E10 prompts/claims.md:1:1: {{merged}} needs merge.array, which tasks.claims does not have',
    ]);
  });

  test('a prompt knows none of it', () => {
    expect(messages('{{document}} {{answers}}')).toHaveLength(1);
  });
});

describe('advice', () => {
  test('a question before the document', () => {
    expect(templateAdvice(textOf('A long question about this:\n{{document}}\nGo.'), PROMPT)).toEqual([
      'prompts/claims.md:2:1: tasks.claims.prompt: put the document before the question: providers cache the prefix',
    ]);
  });

  test('a short lead-in before the document is fine', () => {
    expect(templateAdvice(textOf('The document:\n{{document}}\nNow list all faults that you find in it.'), PROMPT)).toEqual([]);
  });

  test('a document that is sent twice', () => {
    expect(templateAdvice(textOf('{{document}} and again {{document}} and so on'), PROMPT)).toEqual([
      'prompts/claims.md:1:24: tasks.claims.prompt: {{document}} stands in it 2 times, so it is sent and paid as often',
    ]);
  });
});
