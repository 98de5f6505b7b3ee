/** What SARIF 2.1.0 asks of the parts that aieval writes; closed, so that a misspelt property fails. */
const text = { type: 'string', minLength: 1 };
const message = closed({ text }, ['text']);
const level = { enum: ['none', 'note', 'warning', 'error'] };
const time = { type: 'string', format: 'date-time' };

const location = closed(
  {
    physicalLocation: closed(
      {
        artifactLocation: closed({ uri: { type: 'string', format: 'uri-reference' } }, ['uri']),
        region: closed({ startLine: { type: 'integer', minimum: 1 }, snippet: closed({ text: { type: 'string' } }, ['text']) }, [
          'startLine',
        ]),
      },
      ['artifactLocation'],
    ),
  },
  ['physicalLocation'],
);

const rule = closed(
  {
    id: text,
    shortDescription: message,
    fullDescription: message,
    help: message,
    defaultConfiguration: closed({ level }, ['level']),
    properties: closed({ tags: { type: 'array', uniqueItems: true, items: text } }, ['tags']),
  },
  ['id'],
);

const result = closed(
  {
    ruleId: text,
    level,
    message,
    locations: { type: 'array', items: location },
    relatedLocations: { type: 'array', uniqueItems: true, items: location },
    occurrenceCount: { type: 'integer', minimum: 1 },
    partialFingerprints: { type: 'object', additionalProperties: { type: 'string' } },
  },
  ['message', 'ruleId', 'locations'],
);

const invocation = closed(
  {
    executionSuccessful: { type: 'boolean' },
    startTimeUtc: time,
    endTimeUtc: time,
    toolExecutionNotifications: { type: 'array', items: closed({ level, message }, ['message']) },
  },
  ['executionSuccessful'],
);

const run = closed(
  {
    tool: closed({ driver: closed({ name: text, version: text, rules: { type: 'array', uniqueItems: true, items: rule } }, ['name']) }, [
      'driver',
    ]),
    automationDetails: closed({ id: text }, []),
    invocations: { type: 'array', items: invocation },
    properties: { type: 'object' },
    results: { type: 'array', items: result },
  },
  ['tool', 'results'],
);

export const SARIF_SCHEMA = closed(
  { $schema: { type: 'string', format: 'uri' }, version: { const: '2.1.0' }, runs: { type: 'array', minItems: 1, items: run } },
  ['version', 'runs'],
);

function closed(properties: object, required: readonly string[]): object {
  return { type: 'object', additionalProperties: false, properties, required };
}
