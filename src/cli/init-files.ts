/** A file that `aieval init` writes: path relative to the folder, with `/`. */
export type InitFile = { readonly path: string; readonly content: string };

/**
 * A small evaluation that validates and plans as it is: one specification, one task, one model. The manifest comes first; `schemaPath`
 * is where its editor finds the published schema.
 */
export function initFiles(schemaPath: string): readonly InitFile[] {
  return [
    { path: 'manifest.json', content: json({ $schema: schemaPath, ...MANIFEST }) },
    { path: 'specs/sensor-link.md', content: DOCUMENT },
    { path: 'prompts/ambiguity.md', content: PROMPT },
    { path: 'schemas/findings.json', content: json(SCHEMA) },
  ];
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What the example asks; OpenAI's name for it. */
export const INIT_MODEL = 'gpt-5-mini';

/** What to put into the example's manifest for a model on a server of one's own, which wants no key. */
export const LOCAL_SERVER_LINE = '"providers": { "openai": { "type": "openai", "baseUrl": "http://127.0.0.1:8000/v1" } },';

const MANIFEST = {
  version: 1,
  documents: ['specs/**/*.md'],
  models: {
    fast: {
      model: INIT_MODEL,
      params: { maxOutputTokens: 4000 },
    },
  },
  tasks: {
    ambiguity: {
      prompt: 'prompts/ambiguity.md',
      output: { schema: 'schemas/findings.json' },
      checks: [
        { type: 'evidence', at: '/findings/*/quote', minChars: 12 },
        { type: 'count', at: '/findings', max: 5 },
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
          quote: { type: 'string', description: 'The sentence, copied word for word from the document' },
          problem: { type: 'string', description: 'Two readings of it that lead to different implementations' },
        },
        required: ['quote', 'problem'],
        additionalProperties: false,
      },
    },
  },
  required: ['findings'],
  additionalProperties: false,
} as const;

const PROMPT = `{{document}}

You review the specification {{document.path}} above.

List the requirements that two careful engineers could implement differently. For each, copy the sentence word for word from the
document, and name the two readings. Leave out what is only unusual or badly styled. If there is none, give an empty list.
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
