import { TAG, TAG_FORM } from '../tags.ts';
import { choice, dictionary, flag, id, integer, json, list, object, text, textLike, withRule } from './fields.ts';
import { checksSchema, jsonSchemaField } from './schema-checks.ts';
import { chunkSchema, mergeSchema, withParts } from './schema-parts.ts';

const output = withRule(
  object({
    schema: jsonSchemaField().optional().describe('JSON Schema of the answer, inline or the path of a file.'),
    format: choice(['json', 'text']).default('json').describe('What the answer is.'),
    strict: flag().default(true).describe('Whether the provider is asked to enforce the schema.'),
    reask: integer(0, 1).default(1).describe('How often an answer that breaks the schema is sent back for correction.'),
  }),
  ({ schema, format }, report) => {
    if (format === 'text' && schema !== undefined) report(['schema'], 'has no meaning with "format": "text"');
  },
)
  .prefault({})
  .describe('Form of the answer.');

const task = withParts(
  object(
    {
      prompt: text('a prompt or the path of one').describe(
        'The template, or the path of a file with it. Knows {{document}}, {{document.path}}, {{document.title}}, {{vars.x}}, {{schema}}.',
      ),
      system: text('a text or the path of one')
        .optional()
        .describe('System message, or the path of a file with it. Knows {{vars.x}}, {{schema}}.'),
      vars: dictionary(textLike(/^[A-Za-z_][\w-]*$/, 'a name of letters, digits, "_" and "-"'), json(), 'name → value')
        .default({})
        .describe('Values for {{vars.x}}; a value that is no text stands as JSON.'),
      output,
      checks: checksSchema,
      documents: list(text('a glob or "tag:x"'), 'globs or "tag:x"').optional().describe('Which documents; default all.'),
      models: list(text('a name in "models"'), 'names in "models"').optional().describe('Which models; default all.'),
      repeats: integer(1, 20).default(1).describe('How often each question is asked.'),
      aggregate: choice(['majority', 'all', 'any']).default('majority').describe('How repeats become one verdict.'),
      priority: integer(-1000, 1000).default(0).describe('Higher goes first; 1 is worth ten minutes of waiting.'),
      requires: list(textLike(TAG, TAG_FORM), 'tags').optional().describe('Tags that a worker must have (--tags) to ask it; default none.'),
      chunk: chunkSchema,
      merge: mergeSchema,
    },
    'an object with "prompt" and "checks"',
  ),
);

export const tasksSchema = dictionary(id(), task, 'task name → task')
  .refine((tasks) => Object.keys(tasks).length > 0, { error: 'must name at least one task' })
  .describe('What is asked of each document, by names of your choice.');
