/**
 * What a column holds. `json` keeps its spelling, `value` is JSON of which only the meaning counts; `bytes` is a long text in UTF-8.
 * `order` says where a row stands among its like, and `origin` from where a path was written: both are kept, and may differ in a copy.
 */
export type ColumnKind = 'text' | 'integer' | 'number' | 'boolean' | 'json' | 'value' | 'bytes' | 'order' | 'origin';

/** A table as every kind of store can give and take it, whatever tables of its own hold it. */
export type CopiedTable = {
  readonly name: string;
  /** Columns, of texts or integers, by whose values the rows are read in order; together they are unique. */
  readonly key: readonly string[];
  readonly columns: { readonly [column: string]: ColumnKind };
  /** A row may be long, up to megabytes. */
  readonly wide?: true;
};

const RUN_JOB = { run_id: 'text', job_id: 'text' } as const;

const JOB_COUNTS = ['total', 'queued', 'running', 'succeeded', 'failed', 'cancelled', 'pass', 'fail', 'review', 'cached'];
const CALL_COUNTS = [
  ...['attempts', 'lost_leases', 'rate_limited', 'calls', 'priced_calls', 'unpriced_calls', 'uncertain_calls', 'uncertain_unpriced_calls'],
  ...['spent_nano_usd', 'reserved_nano_usd', 'uncertain_nano_usd', 'assumed_nano_usd'],
  ...['input_tokens', 'cached_input_tokens', 'output_tokens', 'reserved_tokens'],
  ...['streamed_calls', 'first_token_ms', 'streamed_output_tokens', 'generating_ms', 'parts', 'open_parts', 'happened_at_ms'],
];

/** All of a store that counts, what is referred to before what refers to it. Who works on a store, and holds its files, is its own. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: 'settings', key: ['name'], columns: { name: 'text', value: 'integer' } },
  { name: 'model_modes', key: ['endpoint', 'model'], columns: { endpoint: 'text', model: 'text', mode: 'text' } },
  {
    name: 'group_totals',
    key: ['group_name', 'month'],
    columns: {
      ...{ group_name: 'text', month: 'text' },
      ...{ spent_nano_usd: 'integer', reserved_nano_usd: 'integer', uncertain_nano_usd: 'integer' },
    },
  },
  {
    name: 'runs',
    key: ['run_id'],
    wide: true,
    columns: {
      ...{ run_id: 'text', position: 'order', identity: 'text', holds_identity: 'boolean', name: 'text', state: 'text' },
      ...{ manifest_path: 'text', manifest: 'json', settings: 'value', aggregates: 'json', out_dir: 'text', written_from: 'origin' },
      ...{ created_at_ms: 'integer', planned_at_ms: 'integer', finished_at_ms: 'integer', summary_at_ms: 'integer' },
      ...{ fresh_after_ms: 'integer', pruned_at_ms: 'integer' },
    },
  },
  { name: 'revisions', key: ['run_id'], columns: { run_id: 'text', revision: 'integer' } },
  {
    name: 'run_progress',
    key: ['run_id'],
    columns: { run_id: 'text', active_ms: 'integer', seen_at_ms: 'integer', failures: 'integer', failures_before: 'integer' },
  },
  { name: 'texts', key: ['text_sha256'], wide: true, columns: { text_sha256: 'text', text: 'bytes' } },
  { name: 'structures', key: ['structure_sha256'], wide: true, columns: { structure_sha256: 'text', structure: 'json' } },
  {
    name: 'extractions',
    key: ['extraction_key'],
    wide: true,
    columns: {
      ...{ extraction_key: 'text', text_sha256: 'text', structure_sha256: 'text', tokens: 'integer', max_tokens: 'integer' },
      stretches: 'json',
    },
  },
  {
    name: 'documents',
    key: ['position'],
    columns: {
      ...{ position: 'integer', run_id: 'text', document_id: 'text', path: 'text', bytes_sha256: 'text', tags: 'json' },
      ...{ size_bytes: 'integer', text_sha256: 'text', structure_sha256: 'text', error_reason: 'text', error_message: 'text' },
    },
  },
  {
    name: 'jobs',
    key: ['run_id', 'job_id'],
    wide: true,
    columns: {
      ...RUN_JOB,
      ...{ seq: 'integer', document_id: 'text', text_sha256: 'text', task: 'text', model: 'text', repeat: 'integer' },
      ...{ state: 'text', verdict: 'text', result: 'json', error_reason: 'text', error_message: 'text', cached: 'boolean' },
      ...{ answer_call_token: 'text', cancel_asked: 'text', ended_at_ms: 'integer', artifacts_at_ms: 'integer', later: 'json' },
    },
  },
  {
    name: 'lanes',
    key: ['lane_id'],
    columns: {
      ...{ lane_id: 'text', account_id: 'text', label: 'text', pace: 'value' },
      ...{ paused_reason: 'text', paused_message: 'text', paused_until_ms: 'integer' },
    },
  },
  {
    name: 'run_lanes',
    key: ['run_id', 'lane_id'],
    columns: {
      ...{ run_id: 'text', lane_id: 'text', concurrency: 'integer', requests_per_minute: 'number', tokens_per_minute: 'number' },
      ...{ token_accounting: 'text', adaptive: 'boolean' },
    },
  },
  { name: 'paused_models', key: ['run_id', 'model'], columns: { run_id: 'text', model: 'text', reason: 'text', message: 'text' } },
  {
    name: 'prefixes',
    key: ['lane_id', 'prefix'],
    columns: { lane_id: 'text', prefix: 'text', warming_token: 'text', warmed_at_ms: 'integer' },
  },
  { name: 'key_records', key: ['key'], wide: true, columns: { key: 'text', record: 'json' } },
  {
    name: 'steps',
    key: ['step_id'],
    wide: true,
    columns: {
      ...{ step_id: 'integer', ...RUN_JOB, kind: 'text', step_index: 'integer', key: 'text', flight_key: 'text', lane_id: 'text' },
      ...{ input_tokens: 'integer', max_input_tokens: 'integer', prefix: 'text', input: 'json', reask: 'json' },
      ...{ state: 'text', gate: 'text', order_ms: 'integer', seq: 'integer', run_at_ms: 'integer', parked: 'boolean' },
      ...{ fresh_after_ms: 'integer', outcome: 'text', call_token: 'text', lease_token: 'text', lease_owner: 'text' },
      ...{ leased_at_ms: 'integer', lease_expires_at_ms: 'integer', deadline_at_ms: 'integer', counted: 'boolean' },
    },
  },
  {
    name: 'keys',
    key: ['run_id', 'key'],
    columns: {
      ...{ run_id: 'text', key: 'text', attempts: 'integer', losses: 'integer', waits: 'integer', not_before_ms: 'integer' },
      ...{ suspect: 'boolean', failed: 'boolean', reason: 'text', message: 'text' },
    },
  },
  {
    name: 'calls',
    key: ['call_token'],
    columns: {
      ...{ call_token: 'text', position: 'order', ...RUN_JOB, step_id: 'integer', state: 'text' },
      ...{ uncached_input: 'integer', cache_read: 'integer', cache_write: 'integer', output: 'integer', reasoning: 'integer' },
      ...{ cost_nano_usd: 'integer', worst_nano_usd: 'integer', estimated: 'boolean', worst_tokens: 'integer', granted_tokens: 'integer' },
      ...{ latency_ms: 'integer', first_token_ms: 'integer', budget_group: 'text', budget_month: 'text' },
      ...{ reserved_at_ms: 'integer', sent_at_ms: 'integer', settled_at_ms: 'integer' },
    },
  },
  {
    name: 'responses',
    key: ['call_token'],
    wide: true,
    columns: {
      ...{ call_token: 'text', position: 'order', ...RUN_JOB, key: 'text', step_kind: 'text', completion: 'json', latency_ms: 'number' },
      ...{ mode: 'text', recorded_at_ms: 'integer', judgement: 'text', judged_at_ms: 'integer', answer: 'json', repaired: 'boolean' },
      ...{ cost_nano_usd: 'integer', imported: 'boolean' },
    },
  },
  { name: 'cache', key: ['key'], columns: { key: 'text', call_token: 'text', stored_at_ms: 'integer' } },
  { name: 'known_bad', key: ['key'], columns: { key: 'text', reason: 'text', message: 'text', call_token: 'text' } },
  {
    name: 'attempts',
    key: ['attempt_id'],
    wide: true,
    columns: {
      ...{ attempt_id: 'integer', ...RUN_JOB, step_id: 'integer', number: 'integer', call_token: 'text', outcome: 'text' },
      ...{ failure: 'json', reason: 'text', counted: 'boolean', final: 'boolean', started_at_ms: 'integer', ended_at_ms: 'integer' },
    },
  },
  {
    name: 'run_totals',
    key: ['run_id', 'task', 'model'],
    columns: {
      ...{ run_id: 'text', task: 'text', model: 'text' },
      ...Object.fromEntries([...JOB_COUNTS, ...CALL_COUNTS].map((column) => [column, 'integer' as const])),
    },
  },
  {
    name: 'run_latencies',
    key: ['run_id', 'model', 'bucket'],
    columns: { run_id: 'text', model: 'text', bucket: 'integer', calls: 'integer' },
  },
];
