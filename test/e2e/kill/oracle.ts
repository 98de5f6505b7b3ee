import { setTimeout as delay } from 'node:timers/promises';
import { apiError, cut, delta, event, type Scenario, type ScriptedServer, startScriptedServer } from '../../providers/scripted-server.ts';
import { type Outcome, outcomeOf, type Question, questionIn, rightAnswer } from './questions.ts';
import { seeded } from './random.ts';

/** Header by which a process says who it is; its value comes from the process's environment. */
export const WORKER_HEADER = 'x-worker';

/** Every answer that comes whole costs the same. */
const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, prompt_tokens_details: { cached_tokens: 0 } };

/** One call that a provider would bill: its request came in whole. */
export type BilledCall = {
  /** The ledger's name of it. */
  readonly token: string;
  readonly worker: string;
  readonly question: Question;
  readonly reask: boolean;
  readonly outcome: Outcome;
  readonly arrivedAtMs: number;
  /** `null` while it is open, and for good when the client went before. */
  lastByteAtMs: number | null;
  /** Set once the connection is gone or the last byte is written. */
  over: boolean;
};

export type Oracle = {
  readonly baseUrl: string;
  readonly calls: readonly BilledCall[];
  /** Calls of a process whose last byte is not written. */
  readonly openOf: (worker: string) => number;
  readonly close: () => Promise<void>;
};

const LATENCY_MS = { least: 100, most: 600 };

/** An OpenAI-like server that knows each question, answers as it must be answered, and writes down every call. */
export async function startOracle(seed: number): Promise<Oracle> {
  const calls: BilledCall[] = [];
  const server: ScriptedServer = await startScriptedServer({
    models: ['small'],
    respond: (request) => {
      const question = questionIn(request.prompt);
      const before = calls.filter((call) => call.question.name === question.name);
      const nth = before.length + 1;
      const reask = Array.isArray(request.body.messages) && request.body.messages.length > 1;
      const answered = before.filter(({ outcome }) => !isFault(outcome)).length;
      const call: BilledCall = {
        token: String(request.headers['x-client-request-id']),
        worker: String(request.headers[WORKER_HEADER]),
        question,
        reask,
        outcome: outcomeOf(question, { seed, nth, answered, reask }),
        arrivedAtMs: Date.now(),
        lastByteAtMs: null,
        over: false,
      };
      calls.push(call);
      return serve(call, seeded(seed, 'latency', question.name, nth).between(LATENCY_MS.least, LATENCY_MS.most));
    },
  });
  return {
    baseUrl: server.baseUrl,
    calls,
    openOf: (worker) => calls.filter((call) => call.worker === worker && !call.over).length,
    close: server.close,
  };
}

function isFault(outcome: Outcome): boolean {
  return outcome === 'server_error' || outcome === 'rate_limited' || outcome === 'cut';
}

/** Half of the time before the first byte, half of it in the midst of the answer. */
function serve(call: BilledCall, latencyMs: number): Scenario {
  return async (reply, request) => {
    const gone = request.gone.then(() => {
      call.over = true;
    });
    await Promise.race([delay(latencyMs / 2), gone]);
    if (call.over) return;
    await scenarioOf(call, latencyMs / 2)(reply, request);
    if (reply.writableEnded) call.lastByteAtMs = Date.now();
    call.over = true;
  };
}

function scenarioOf({ outcome, question }: BilledCall, pauseMs: number): Scenario {
  switch (outcome) {
    case 'good':
      return streamed(JSON.stringify(rightAnswer(question)), pauseMs);
    case 'invalid':
      return streamed('{"findings":"none that I know of"}', pauseMs);
    case 'refused':
      return apiError(400, { message: 'this document is not to my taste', type: 'invalid_request_error', code: 'bad_request' });
    case 'server_error':
      return apiError(500, { message: 'out of order', type: 'server_error' });
    case 'rate_limited':
      return apiError(429, { message: 'slow down', type: 'rate_limit_error' }, { 'retry-after': '1' });
    case 'cut':
      return cut('{"findings":[', 'fin');
  }
}

function streamed(content: string, pauseMs: number): Scenario {
  return async (reply) => {
    const half = Math.ceil(content.length / 2);
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.write(delta({ role: 'assistant', content: content.slice(0, half) }));
    await delay(pauseMs);
    if (reply.destroyed) return;
    reply.write(delta({ content: content.slice(half) }));
    reply.write(delta({}, 'stop'));
    reply.write(event({ id: 'chatcmpl-1', model: 'scripted', choices: [], usage: USAGE }));
    reply.end('data: [DONE]\n\n');
  };
}
