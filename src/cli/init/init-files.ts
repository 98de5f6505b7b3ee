import { DOCUMENT_EXTENSIONS } from '../../documents/files/document-extensions.ts';

/** A file that `aieval init` writes: path relative to the folder, with `/`. */
export type InitFile = { readonly path: string; readonly content: string | Uint8Array };

/**
 * A review that validates and plans as it is: one specification, one task, one model. The manifest comes first; `schemaPath` is where its
 * editor finds the published schema, `null` where there is none.
 */
export function initFiles(schemaPath: string | null): readonly InitFile[] {
  return [
    { path: 'manifest.json', content: json({ ...(schemaPath === null ? {} : { $schema: schemaPath }), ...MANIFEST }) },
    { path: `${DOCUMENT_FOLDER}/sensor-link.md`, content: DOCUMENT },
    { path: 'prompts/review.md', content: PROMPT },
    { path: 'schemas/findings.json', content: json(SCHEMA) },
  ];
}

/** Where the documents of a review are looked for. */
export const DOCUMENT_FOLDER = 'specs';

/** What never belongs into a repository: answers and runs, and keys. */
export const IGNORED: readonly string[] = ['.aieval/', '.env'];

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What the example asks; OpenAI's name for it. */
export const INIT_MODEL = 'gpt-5-mini';

/** It takes 272,000 tokens of input, whatever the answer; the 400,000 that OpenAI names have an answer of 128,000 in them. */
const INIT_CONTEXT_TOKENS = 272_000;

/** What to put into the example's manifest for a model on a server of one's own, which wants no key. */
export const LOCAL_SERVER_LINE = '"providers": { "openai": { "type": "openai", "baseUrl": "http://127.0.0.1:8000/v1" } },';

const MANIFEST = {
  version: 1,
  documents: [`${DOCUMENT_FOLDER}/**/*.{${DOCUMENT_EXTENSIONS.join(',')}}{,.gz}`],
  models: {
    fast: {
      model: INIT_MODEL,
      contextTokens: INIT_CONTEXT_TOKENS,
      params: { maxOutputTokens: 8000 },
    },
  },
  tasks: {
    review: {
      prompt: 'prompts/review.md',
      output: { schema: 'schemas/findings.json' },
      chunk: { by: 'section' },
      merge: { array: '/findings' },
      checks: [
        { id: 'quotes', type: 'evidence', at: '/findings/*/quote' },
        { id: 'few-serious', type: 'count', at: '/findings', where: { properties: { severity: { const: 'high' } } }, max: 2 },
      ],
    },
  },
  gate: { minPassRate: 0.8 },
} as const;

/** Meets OpenAI's strict mode: every property required, none besides. */
const SCHEMA = {
  type: 'object',
  properties: {
    findings: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          quote: { type: 'string', description: 'The passage, copied word for word from the document' },
          kind: { type: 'string', enum: ['ambiguous', 'contradiction', 'incomplete', 'undefined', 'unsupported', 'wrong'] },
          problem: { type: 'string', description: 'What is wrong with it, in one sentence' },
          severity: { type: 'string', enum: ['low', 'medium', 'high'] },
          suggestion: { type: 'string', description: 'A wording that mends it' },
        },
        required: ['quote', 'kind', 'problem', 'severity', 'suggestion'],
        additionalProperties: false,
      },
    },
  },
  required: ['findings'],
  additionalProperties: false,
} as const;

const PROMPT = `{{document}}

You review {{document.path}} above, as a careful engineer would who has to build, test or rely on what it says. List its defects, the
worst first, ten at most:

- "ambiguous": two readers would understand it differently, and act differently
- "contradiction": it disagrees with another passage
- "incomplete": a case, a limit or a unit is missing without which it cannot be followed
- "undefined": a term, a symbol or a name is used and explained nowhere
- "unsupported": a claim or a number without measurement, argument or source, where one is due
- "wrong": a mistake in arithmetic, logic or reference that the document itself shows

For each, "quote" repeats the passage word for word, as short as it can be understood: not shortened inside, not corrected. A finding
without a true quote is worthless. "severity" is "high" if following the passage leads to a failure or a wrong result, "medium" if it
costs somebody a question, "low" otherwise.

Leave out spelling, style and what is only unusual. If there is no defect, give an empty list: that is a good answer.

Answer with one JSON object of this form and nothing else:

{{schema}}
`;

const DOCUMENT = `# Sensor link, revision 3

## 1. Framing

A frame consists of a start byte (0x7E), a length byte, 1 to 64 payload bytes and a CRC-16. The receiver shall discard a frame
whose CRC does not match.

The length byte gives the size of the frame.

## 2. Timing

The sensor shall answer a request within 20 ms. If no answer arrives in time, the host should repeat the request soon.

The host shall not send more than 50 requests per second, averaged over one second.

## 3. Errors

After three consecutive failures the host shall reset the link and report the error to the application if necessary.
`;
