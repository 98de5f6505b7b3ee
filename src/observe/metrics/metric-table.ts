/** One metric as it is documented and served. `kind` decides where its numbers come from: `gauge` from the store, the others from this process. */
type MetricSpec = {
  readonly name: string;
  readonly kind: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly labels: readonly Label[];
};

/** Closed or bounded lists. A job or a document is never one: their number has no bound. */
type Label = 'state' | 'task' | 'model' | 'provider' | 'outcome' | 'reason' | 'verdict' | 'kind' | 'version';

const MODEL = ['provider', 'model'] as const;
const QUESTION = ['provider', 'model', 'task'] as const;

/** Every metric that the program has, in the order in which they are served. */
export const METRICS = [
  { name: 'aieval_build_info', kind: 'gauge', labels: ['version'], help: 'Always 1; the version of aieval.' },
  {
    name: 'aieval_store_up',
    kind: 'gauge',
    labels: [],
    help: 'Whether the store answered the last look; the numbers from it are missing when not.',
  },
  {
    name: 'aieval_jobs',
    kind: 'gauge',
    labels: ['state'],
    help: 'Jobs of the unfinished runs that this process works on, as status counts them.',
  },
  {
    name: 'aieval_oldest_step_seconds',
    kind: 'gauge',
    labels: ['state'],
    help: 'How long the oldest step that could start waits, or the oldest running one runs.',
  },
  { name: 'aieval_cached_jobs', kind: 'gauge', labels: [], help: 'Jobs of these runs that were served from known answers.' },
  { name: 'aieval_lost_leases', kind: 'gauge', labels: [], help: 'Leases in these runs that ran out, or whose worker died.' },
  { name: 'aieval_spent_usd', kind: 'gauge', labels: [], help: 'Spent by these runs, where the price is known.' },
  {
    name: 'aieval_budget_left_usd',
    kind: 'gauge',
    labels: [],
    help: 'What is left of the least budget in USD of these runs, reservations of running calls taken off; missing without one.',
  },
  { name: 'aieval_budget_left_ratio', kind: 'gauge', labels: [], help: 'The same as a share of that budget, 1 to 0.' },
  { name: 'aieval_workers_alive', kind: 'gauge', labels: [], help: 'Worker processes on this store that exist.' },
  { name: 'aieval_desired_workers', kind: 'gauge', labels: [], help: 'How many there should be, as aieval scale says without options.' },
  { name: 'aieval_steps_in_flight', kind: 'gauge', labels: [], help: 'Steps that this process works on now.' },
  { name: 'aieval_jobs_ended_total', kind: 'counter', labels: [...QUESTION, 'verdict'], help: 'Jobs that ended in this process.' },
  { name: 'aieval_cache_hits_total', kind: 'counter', labels: QUESTION, help: 'Jobs that ended here and were served from known answers.' },
  { name: 'aieval_cache_misses_total', kind: 'counter', labels: QUESTION, help: 'Jobs that ended here and had to be asked.' },
  {
    name: 'aieval_calls_total',
    kind: 'counter',
    labels: [...QUESTION, 'outcome'],
    help: 'Requests to providers, by what came of them: answered, or why not.',
  },
  { name: 'aieval_call_duration_seconds', kind: 'histogram', labels: MODEL, help: 'How long answered requests took, whole.' },
  { name: 'aieval_first_token_seconds', kind: 'histogram', labels: MODEL, help: 'Until the first piece of streamed answers came.' },
  {
    name: 'aieval_between_tokens_seconds',
    kind: 'histogram',
    labels: MODEL,
    help: 'From one token of a streamed answer to the next, as the mean of each answer.',
  },
  { name: 'aieval_rate_limited_total', kind: 'counter', labels: MODEL, help: 'Requests that a provider refused for their rate (429).' },
  { name: 'aieval_retries_total', kind: 'counter', labels: [...MODEL, 'reason'], help: 'Tries that failed and are tried again.' },
  { name: 'aieval_lease_losses_total', kind: 'counter', labels: [], help: 'Leases that this process lost to another.' },
  {
    name: 'aieval_lock_retries_total',
    kind: 'counter',
    labels: [],
    help: 'Times that the lock of the database was held elsewhere and tried again.',
  },
  { name: 'aieval_cost_usd_total', kind: 'counter', labels: QUESTION, help: 'Spent by this process, where the price is known.' },
  {
    name: 'aieval_tokens_total',
    kind: 'counter',
    labels: [...MODEL, 'kind'],
    help: 'Tokens of answered requests: input, cached_input, output.',
  },
] as const satisfies readonly MetricSpec[];

type Metric = (typeof METRICS)[number];
export type MetricName<Kind extends Metric['kind']> = Extract<Metric, { kind: Kind }>['name'];

/** Seconds. A model answers within some of them, or takes minutes. */
const CALL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 45, 60, 90, 120, 180, 300, 600];
const FIRST_TOKEN_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];
const BETWEEN_TOKENS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

export const BUCKETS: { readonly [Name in MetricName<'histogram'>]: readonly number[] } = {
  aieval_call_duration_seconds: CALL_SECONDS,
  aieval_first_token_seconds: FIRST_TOKEN_SECONDS,
  aieval_between_tokens_seconds: BETWEEN_TOKENS_SECONDS,
};
