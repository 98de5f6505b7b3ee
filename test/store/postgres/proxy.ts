import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** The whole of a statement, as the protocol ends it: a BEGIN that says READ COMMITTED is none. */
const COMMIT = 'COMMIT\0';

/** What becomes of a COMMIT on its way to the server. */
export type Fate = 'goes through' | 'is lost' | 'arrives, and its answer is lost';

/**
 * What becomes of everything else: passed on; ended, and refused; or taken and never answered, as behind a
 * network that broke without a word.
 */
export type Way = 'open' | 'cut' | 'stalled';

/** A way to the server that breaks when it is told to. */
export class BreakingProxy {
  readonly #server = createServer((client) => this.#accept(client));
  readonly #target: NetConnectOpts;
  readonly #sockets = new Set<Socket>();
  /** Those of them that lead to the server. */
  readonly #servers = new Set<Socket>();
  /** Of the next COMMIT; after it all goes through again. */
  fate: Fate = 'goes through';
  broken = 0;
  /** Connections that were tried. */
  tried = 0;
  #way: Way = 'open';

  /** `url`: of the server. */
  constructor(url: URL) {
    const folder = url.searchParams.get('host');
    const port = url.port === '' ? 5432 : Number(url.port);
    this.#target = folder === null ? { host: url.hostname, port } : { path: `${folder}/.s.PGSQL.${port}` };
  }

  /** The same database, through here. */
  async location(url: URL): Promise<string> {
    const through = new URL(url);
    through.searchParams.delete('host');
    through.host = `127.0.0.1:${await this.#listen()}`;
    return through.href;
  }

  /** Connections that were stalled stay so for ever, as those do that lead through a machine that is gone; in the end the server gives them up. */
  become(way: Way): void {
    this.#way = way;
    if (way === 'cut') for (const socket of this.#sockets) socket.destroy();
    if (way === 'stalled') for (const socket of this.#sockets) this.#stall(socket);
    if (way === 'open') for (const server of this.#servers) if (!isLed(server)) server.destroy();
  }

  #stall(socket: Socket): void {
    socket.removeAllListeners('data');
    socket.resume();
  }

  async #listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client: Socket): void {
    this.tried += 1;
    this.#keep(client);
    if (this.#way === 'open') this.#lead(client);
    if (this.#way === 'cut') client.destroy();
  }

  #lead(client: Socket): void {
    const server = connect(this.#target);
    this.#keep(server);
    this.#servers.add(server);
    server.on('close', () => this.#servers.delete(server));
    let answersAreLost = false;
    client.on('data', (bytes) => {
      if (this.fate === 'goes through' || !bytes.includes(COMMIT)) {
        server.write(bytes);
        return;
      }
      this.broken += 1;
      if (this.fate === 'is lost') client.destroy();
      else {
        answersAreLost = true;
        server.write(bytes);
      }
      this.fate = 'goes through';
    });
    server.on('data', (bytes) => {
      if (answersAreLost) client.destroy();
      else client.write(bytes);
    });
    // Of one whose other end is stalled the server learns nothing.
    client.on('close', () => isLed(client) && server.end());
    server.on('close', () => isLed(server) && client.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.resume();
  }
}

function isLed(socket: Socket): boolean {
  return socket.listenerCount('data') > 0;
}
