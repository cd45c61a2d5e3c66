import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { UserError } from '../domain/errors.ts';
import { LOCAL_PRINCIPAL, nameFlaw, type Scope, type TokenRecord } from '../domain/principal.ts';

/** Which tokens there are, and where those go that are added. */
export interface TokensOptions {
  /** Those of the configuration: they are changed there and nowhere else. */
  readonly configured: readonly TokenRecord[];
  /** Those that were added beside it; none by default. */
  readonly added?: readonly TokenRecord[];
  /** Keeps the added ones, so that they are there at the next start; without it they last as long as this process. */
  readonly keep?: (added: readonly TokenRecord[]) => Promise<void>;
  /** Others than this machine reach the gateway, so that it may not be left without a token. */
  readonly exposed?: boolean;
}

/** A token as it is listed: never the token itself, nor its hash. */
export interface ListedToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly from: 'configuration' | 'added';
}

/** A record with its hash as bytes, so that nothing is decoded while somebody waits. */
interface Known {
  readonly record: TokenRecord;
  readonly digest: Buffer;
}

/**
 * The tokens that open this gateway: of the configuration, added at run time, and one of this run for the command line of
 * this machine's own user. Where there are none of the first two, nobody has to show any.
 */
export class Tokens {
  /** Opens every door; it is written where only the daemon's own user can read it. */
  readonly localToken = randomBytes(32).toString('base64url');
  readonly #keep: (added: readonly TokenRecord[]) => Promise<void>;
  readonly #exposed: boolean;
  readonly #listeners = new Set<(principal: string) => void>();
  #configured: readonly TokenRecord[];
  #added: readonly TokenRecord[];
  #known: readonly Known[] = [];
  #changing: Promise<unknown> = Promise.resolve();

  constructor({ configured, added = [], keep = async () => {}, exposed = false }: TokensOptions) {
    this.#configured = configured;
    this.#added = added;
    this.#keep = keep;
    this.#exposed = exposed;
    this.#learn();
  }

  /** Whether a token has to be shown: always where others than this machine come in, even if none were left. */
  get needed(): boolean {
    return this.#exposed || this.#configured.length + this.#added.length > 0;
  }

  list(): readonly ListedToken[] {
    const listed = (from: ListedToken['from']) => (record: TokenRecord) => {
      const { name, scopes } = record;
      return { name, scopes, from };
    };
    return [...this.#configured.map(listed('configuration')), ...this.#added.map(listed('added'))];
  }

  /** The record of a token. Every one is compared, in constant time, so that the time of an answer says nothing. */
  find(token: string): TokenRecord | undefined {
    const digest = sha256(token);
    const [found] = this.#known.filter((known) => timingSafeEqual(known.digest, digest));
    return found?.record;
  }

  /**
   * Makes a token. It counts once it has been kept.
   * @returns the token itself, which nobody can ask for again
   * @throws UserError `bad_value` for a name that cannot be one, `token_conflict` for one that is taken
   */
  add(name: string, scopes: readonly Scope[]): Promise<string> {
    return this.#inTurn(async () => {
      const flaw = nameFlaw(name);
      if (flaw !== undefined) throw new UserError('bad_value', flaw);
      if (this.#named(name)) throw new UserError('token_conflict', `there is a token named "${name}" already`);
      const token = randomBytes(24).toString('base64url');
      const opened = !this.needed;
      await this.#store([...this.#added, { name, sha256: sha256(token).toString('hex'), scopes }]);
      if (opened) this.#shutOut(LOCAL_PRINCIPAL);
      return token;
    });
  }

  /**
   * Makes an added token worthless.
   * @throws UserError `unknown_token`, or `token_conflict` where it may not go
   */
  revoke(name: string): Promise<void> {
    return this.#inTurn(async () => {
      const left = this.#added.filter((record) => record.name !== name);
      if (left.length === this.#added.length) throw notAdded(name, this.#named(name));
      if (this.#exposed && left.length + this.#configured.length === 0) {
        const message = `"${name}" is the last token, and without one every machine that reaches this gateway could command it: add another first`;
        throw new UserError('token_conflict', message);
      }
      await this.#store(left);
      this.#shutOut(name);
    });
  }

  /**
   * Takes over the tokens of a configuration that was read again.
   * @throws UserError `token_conflict` where a name or a token is in both places, or none is left where one is needed;
   *   then nothing changes
   */
  configure(configured: readonly TokenRecord[]): Promise<void> {
    return this.#inTurn(async () => {
      const flaw = tokensFlaw(configured, this.#added);
      if (flaw !== undefined) throw new UserError('token_conflict', flaw);
      if (this.#exposed && configured.length + this.#added.length === 0) {
        throw new UserError('token_conflict', 'no token is left, and other machines reach this gateway: keep one');
      }
      const before = this.#configured;
      const wasOpen = !this.needed;
      this.#configured = configured;
      this.#learn();
      for (const record of before) {
        const now = configured.find(({ name }) => name === record.name);
        if (!now || JSON.stringify(now) !== JSON.stringify(record)) this.#shutOut(record.name);
      }
      if (wasOpen && this.needed) this.#shutOut(LOCAL_PRINCIPAL);
    });
  }

  /** Hears whose access has ended or changed: what they have open is to be closed. @returns a function that ends it */
  onShutOut(listener: (principal: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #store(added: readonly TokenRecord[]): Promise<void> {
    await this.#keep(added);
    this.#added = added;
    this.#learn();
  }

  #learn(): void {
    const local = {
      name: LOCAL_PRINCIPAL,
      sha256: sha256(this.localToken).toString('hex'),
      scopes: ['admin'] as const,
    };
    const records: readonly TokenRecord[] = [...this.#configured, ...this.#added, local];
    this.#known = records.map((record) => ({ record, digest: Buffer.from(record.sha256, 'hex') }));
  }

  #named(name: string): boolean {
    return [...this.#configured, ...this.#added].some((record) => record.name === name);
  }

  #shutOut(principal: string): void {
    for (const listener of this.#listeners) listener(principal);
  }

  /** One change after another: each is decided by what the one before left. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#changing.then(change);
    this.#changing = turn.catch(() => undefined);
    return turn;
  }
}

/** Why these two lists cannot stand beside each other, or undefined where they can. */
export function tokensFlaw(configured: readonly TokenRecord[], added: readonly TokenRecord[]): string | undefined {
  for (const { name, sha256 } of added) {
    const twin = configured.find((record) => record.name === name || record.sha256 === sha256);
    if (!twin) continue;
    const what = twin.name === name ? `is called "${name}"` : `is the one of "${name}"`;
    return `a token of the configuration ${what}, as one that was added: rename it there, or stop the gateway and revoke the other (readback token revoke ${name})`;
  }
  return undefined;
}

function notAdded(name: string, configured: boolean): UserError {
  if (configured) {
    return new UserError('token_conflict', `"${name}" is a token of the configuration: take it out there`);
  }
  return new UserError('unknown_token', `there is no token named "${name}"; \`readback token list\` shows all`);
}

function sha256(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
