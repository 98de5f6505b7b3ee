// Takes the write lock for a while, and is a model's server that streams a word every 100 ms meanwhile: node hold-and-stream.mjs DB MS.
// Prints its port. The lock is taken when the request comes, and the answer ends after it was given back.
import { createServer } from 'node:http';
import BetterSqlite3 from 'better-sqlite3';

const [path, holdMs] = process.argv.slice(2);
const WORD_EVERY_MS = 100;

function event(delta, finishReason = null) {
  return `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;
}

const server = createServer((_, reply) => {
  const db = new BetterSqlite3(path);
  db.exec('BEGIN IMMEDIATE');
  reply.writeHead(200, { 'content-type': 'text/event-stream' });
  const words = setInterval(() => reply.write(event({ content: 'word ' })), WORD_EVERY_MS);
  setTimeout(() => {
    db.exec('COMMIT');
    db.close();
  }, Number(holdMs));
  setTimeout(() => {
    clearInterval(words);
    reply.end(`${event({}, 'stop')}data: [DONE]\n\n`);
  }, Number(holdMs) + WORD_EVERY_MS);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
