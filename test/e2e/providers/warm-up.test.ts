import { expect, test } from 'vitest';
import { answer, delta, event, type Scenario } from '../../providers/scripted-server.ts';
import { goodAnswer, manifest } from '../project.ts';
import { atWork, runIn } from './at-work.ts';
import { expectBooksToAgree } from './ledger.ts';
import { type Asked, type Reply, wireUsage } from './scriptable-provider.ts';

const FILLER = 'The link shall train within the limits of table seven, and the host shall wait for it. ';
const document = (name: string): string => `# Part ${name}\n\nDevice ${name} shall answer within 5 ms.\n\n${FILLER.repeat(120)}\n`;
const DOCUMENTS = { 'docs/01.md': document('01'), 'docs/02.md': document('02'), 'docs/03.md': document('03') };
const QUESTIONS = 6;

test('where prompts are cached the first of a document is alone until its first token; others of its lane go on', async () => {
  const warm = new Map<string, 'warming' | 'warm'>();
  const early: string[] = [];
  const respond = (asked: Asked): Reply => {
    const name = /Device (\d+)/.exec(asked.prompt)?.[1] ?? '';
    const state = warm.get(name);
    const billed = { input: asked.inputTokens, cached: state === 'warm' ? asked.inputTokens - 60 : 0, output: 10 };
    if (state === undefined) warm.set(name, 'warming');
    else if (state === 'warming') early.push(name);
    return { scenario: state === undefined ? first(asked, () => warm.set(name, 'warm')) : whole(asked), billed };
    function whole({ prompt }: Asked): Scenario {
      return answer(JSON.stringify(goodAnswer(prompt)), { usage: wireUsage(billed), delayMs: 30 });
    }
    function first({ prompt }: Asked, onToken: () => void): Scenario {
      return async (reply) => {
        reply.writeHead(200, { 'content-type': 'text/event-stream' });
        reply.write(': wait\n\n');
        await new Promise((resolve) => setTimeout(resolve, 250));
        onToken();
        reply.write(delta({ content: JSON.stringify(goodAnswer(prompt)) }));
        await new Promise((resolve) => setTimeout(resolve, 250));
        reply.write(delta({}, 'stop'));
        reply.write(event({ id: 'chatcmpl-1', choices: [], usage: wireUsage(billed) }));
        reply.end('data: [DONE]\n\n');
      };
    }
  };
  const price = { inputPerMTok: 1, cachedInputPerMTok: 0.1, outputPerMTok: 2 };
  const { place, provider } = await atWork(
    { respond, price: { input: 1000, cached: 100, output: 2000 } },
    { documents: DOCUMENTS, limits: { concurrency: 4 }, model: { price } },
  );
  const task = JSON.parse(manifest('')).tasks.quotes;
  const tasks = Object.fromEntries(
    Array.from({ length: QUESTIONS }, (_, index) => [
      `q${index}`,
      { ...task, prompt: `{{document}}\n\nQuestion ${index}: quote one sentence.` },
    ]),
  );
  place.write('manifest.json', JSON.stringify({ ...JSON.parse(place.read('manifest.json')), tasks }));
  expect(await runIn(place)).toMatchObject({ exitCode: 0, record: { calls: 3 * QUESTIONS } });
  expect(early).toEqual([]);
  expect(provider.requests).toHaveLength(3 * QUESTIONS);
  // Nobody waits beside a warming document: the first of each go together.
  const order = provider.served.map(({ prompt }) => /Device (\d+)/.exec(prompt)?.[1]);
  expect(order.slice(0, 3)).toEqual(['01', '02', '03']);
  // From then on the questions of one document come next to each other.
  expect(order.slice(3)).toEqual(['01', '02', '03'].flatMap((name) => Array.from({ length: QUESTIONS - 1 }, () => name)));
  await expectBooksToAgree(place, provider);
});
