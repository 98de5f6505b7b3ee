/** The worker whose operation is disturbed. */
export const VICTIM = 'victim';

const RUN_ID = 'r1';

const register = ({ store, rows }) => store.registerWorker(rows.worker);

async function claim({ store }) {
  const reply = await store.claim({ runId: RUN_ID, workerId: VICTIM });
  if (reply.kind !== 'claimed') throw new Error(`Expected a claim, got ${JSON.stringify(reply)}`);
  return reply.claim;
}

async function claimed(place) {
  await register(place);
  return claim(place);
}

async function send(place, held) {
  if (!(await place.store.markSent(held.token))) throw new Error('The lease was lost before sending');
  place.onCall(held.work.stepKind, held.work.key);
  return held;
}

const sent = async (place) => send(place, await claimed(place));

async function record({ store, rows }, held) {
  await store.recordResponse(held.token, rows.completion);
  return held;
}

const recorded = async (place) => record(place, await sent(place));

function answer({ store, rows }, { token }) {
  return store.settle(token, { kind: 'answered', callToken: token, answer: rows.answer, repaired: false, call: rows.paid });
}

const answered = async (place) => (await answer(place, await recorded(place))).finish;

function finish({ store, rows }, { token, work }) {
  const result = { ...rows.result, callToken: work.answers.at(-1).callToken };
  return store.settle(token, { kind: 'finished', result });
}

function supersede({ store, rows }, { token }) {
  const reask = { answer: '{"findings":1}', errors: ['/findings must be an array'] };
  return store.settle(token, { kind: 'superseded', callToken: token, reask, failure: rows.failures.quality, call: rows.paid });
}

const fail =
  (why, paid) =>
  (place, { token }) => {
    const { store, rows } = place;
    return store.settle(token, { kind: 'failed', callToken: token, failure: rows.failures[why], call: paid ? rows.paid : rows.free });
  };

async function plan({ store, rows }) {
  const { run } = await store.openRun(rows.run);
  await store.addDocuments(run.runId, rows.documents);
  await store.addJobs(run.runId, rows.jobs);
  await store.markPlanned(run.runId);
}

async function written({ store }) {
  const run = await store.getRun(RUN_ID);
  const rows = await store.jobRows(RUN_ID, { after: -1, limit: 100 });
  return { run, rows };
}

/** Leases that ran out are taken when they were seen unchanged for their whole time. */
async function watchLeases(place) {
  await register(place);
  const { kind } = await place.store.claim({ runId: RUN_ID, workerId: VICTIM });
  if (kind === 'claimed') throw new Error('Expected all leases to be held');
  place.pass(place.rows.run.settings.lease.ttlMs);
}

const nothing = async () => null;

/**
 * One change of state each: `before` brings the store to the point, `act` makes the change. Shared by the processes that die
 * in it, on the built store, and by the tests that break its database.
 */
export const OPERATIONS = {
  register: { before: nothing, act: register },
  claim: { before: register, act: claim },
  hit: { before: async (place) => finish(place, await answered(place)), act: claim },
  reap: { before: watchLeases, act: claim },
  bury: { before: register, act: claim },
  sent: { before: claimed, act: ({ store }, { token }) => store.markSent(token) },
  record: { before: sent, act: record },
  answered: { before: recorded, act: answer },
  superseded: { before: recorded, act: supersede },
  retried: { before: sent, act: fail('transient', false) },
  failed: { before: recorded, act: fail('quality', true) },
  downgraded: {
    before: sent,
    act: ({ store, rows }, { token }) =>
      store.settle(token, { kind: 'downgraded', mode: 'json_object', failure: rows.failures.capability, call: rows.free }),
  },
  handedBack: { before: claimed, act: ({ store }, { token }) => store.settle(token, { kind: 'handed_back' }) },
  finished: { before: answered, act: finish },
  reduced: {
    before: answered,
    act: ({ store, rows }, { token }) => store.settle(token, { kind: 'reduce', step: rows.reduce }),
  },
  unjudged: {
    before: answered,
    act: ({ store, rows }, { token }) => store.settle(token, { kind: 'unjudged', failure: rows.failures.check }),
  },
  leave: {
    before: async (place) => {
      await sent(place);
      await claim(place);
    },
    act: ({ store }) => store.removeWorker(VICTIM),
  },
  plan: { before: nothing, act: plan },
  join: { before: nothing, act: ({ store, rows }) => store.openRun({ ...rows.run, runId: 'r2', outDir: '/elsewhere/r2', moveOut: true }) },
  cancel: { before: recorded, act: ({ store }) => store.cancelRun(RUN_ID) },
  retryJobs: { before: nothing, act: ({ store }) => store.retryJobs(RUN_ID, { of: 'dlq', jobIds: null, reasons: null }) },
  finishRun: { before: nothing, act: ({ store }) => store.finishRun(RUN_ID) },
  markArtifacts: { before: written, act: ({ store }, { run, rows }) => store.markArtifacts(RUN_ID, run.outDir, rows) },
  markSummary: { before: written, act: ({ store }, { run }) => store.markSummary(RUN_ID, run.revision) },
  clearArtifacts: {
    before: async (place) => {
      const { run, rows } = await written(place);
      await place.store.markArtifacts(RUN_ID, run.outDir, rows);
    },
    act: ({ store }) => store.clearArtifacts(RUN_ID),
  },
};
