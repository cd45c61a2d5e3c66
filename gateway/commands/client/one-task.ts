import { type Connection, connect, type FormAnswer } from '../../client/connection.ts';
import { yesOrNo } from '../../client/questions.ts';
import type { Form } from '../../client/task-state.ts';
import { endingOf, type Wish } from '../../client/wish.ts';
import { messageOf, StartError } from '../../domain/errors.ts';
import { parseValues } from './parse-values.ts';
import { locateServer, serverName } from './server-name.ts';
import { CLIENT_INFO, type ClientOptions, type ClientSession, notice, openClientSession } from './session.ts';
import { matching } from './wish-choice.ts';

/** A question to a server is given up after this long, in ms: a person is waiting. */
const PATIENCE_MS = 10_000;

/** `readback state`: what is known of a device, or of all, as the gateway says it. */
export async function tellState(device: string | undefined, options: ClientOptions): Promise<string> {
  return withServer(await serverName(options), options.token, async (connection) => {
    const args = device === undefined ? {} : { device };
    // A look is no wish: it changes nothing, so that nothing has to be kept of it.
    const call = { name: 'get_state', args, key: crypto.randomUUID(), timeoutMs: PATIENCE_MS, keep: async () => {} };
    const { outcome, text } = endingOf(await connection.call(call));
    if (outcome.type === 'result' && outcome.isError) throw new StartError(text);
    return text;
  });
}

/**
 * `readback cancel`: gives a wish up, or a task.
 * @param beginning of the id of a wish or its task; or the whole id of a task that this client knows nothing of
 * @returns what became of it
 */
export async function cancelTask(beginning: string, options: ClientOptions): Promise<string> {
  return withChosen(beginning, options, async ({ client }, wish, own) => {
    if (own) {
      client.resume([wish]);
      try {
        await client.cancel(wish.id);
        return (await client.ended(wish.id))?.text ?? '';
      } catch (error) {
        throw new StartError(messageOf(error), 1, { cause: error });
      }
    }
    return withTask(wish, options, async (connection, taskId) => {
      await connection.cancel(taskId);
      return (await connection.look(taskId, patience())).message;
    });
  });
}

/**
 * `readback answer`: answers the question of a task.
 * @param beginning of the id of a wish or its task; or the whole id of a task that this client knows nothing of
 * @param words `yes`, `no`, or `field=value` for a question that asks for more
 * @returns how the task stands then
 */
export async function answerTask(beginning: string, words: readonly string[], options: ClientOptions): Promise<string> {
  return withChosen(beginning, options, (_session, wish) =>
    withTask(wish, options, async (connection, taskId) => {
      const { questions } = await connection.look(taskId, patience());
      const [first, ...others] = Object.entries(questions);
      if (!first) throw new StartError('this task does not ask anything (any more)');
      if (others.length > 0) notice(`it asks ${others.length} more after this one`);
      const [key, form] = first;
      await connection.answer(taskId, { [key]: answerOf(form, words) });
      return (await connection.look(taskId, patience())).message;
    }),
  );
}

const patience = () => AbortSignal.timeout(PATIENCE_MS);

/** @throws StartError where the words do not answer the form */
function answerOf(form: Form, words: readonly string[]): FormAnswer {
  const [word] = words;
  if (words.length === 1 && /^(y|yes|n|no)$/i.test(word ?? '')) {
    const plain = yesOrNo(form, /^y/i.test(word ?? ''));
    if (plain) return plain;
  }
  const fields = Object.keys(form.schema?.properties ?? {});
  if (words.length === 0 || !words.every((each) => each.includes('='))) {
    const wanted = fields.map((field) => `${field}=…`).join(' ');
    throw new StartError(`"${form.message}" is answered with yes or no${wanted ? `, or with ${wanted}` : ''}`, 2);
  }
  return { action: 'accept', content: contentOf(parseValues(words)) };
}

/** A form's values are plain: what is no number and no truth value is text. */
function contentOf(values: Readonly<Record<string, unknown>>): Record<string, string | number | boolean> {
  const plain = Object.entries(values).map(([name, value]) => {
    const isPlain = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string';
    return [name, isPlain ? value : JSON.stringify(value)] as const;
  });
  return Object.fromEntries(plain);
}

/** What is known of a task, enough to speak of it to its server. */
type Chosen = Pick<Wish, 'server' | 'task'>;

/** @param use `own`: it is this command's to carry out now; otherwise another command is at work on it */
async function withChosen(
  beginning: string,
  options: ClientOptions,
  use: (session: ClientSession, wish: Wish, own: boolean) => Promise<string>,
): Promise<string> {
  const session = await openClientSession(options);
  try {
    const { client, folder } = session;
    const wish = matching([...client.wishes(), ...(await folder.others())], beginning);
    if (wish.outcome) throw new StartError(`it has ended already: ${wish.text}`);
    const [own] = await folder.adopt([wish]);
    return await use(session, own ?? wish, own !== undefined);
  } finally {
    await session.close();
  }
}

async function withTask<T>(
  { server, task }: Chosen,
  { token }: ClientOptions,
  use: (connection: Connection, taskId: string) => Promise<T>,
): Promise<T> {
  if (!task)
    throw new StartError('its server has not taken it yet: the command that delivers it can be left with Ctrl-C');
  return withServer(server, token, (connection) => use(connection, task.taskId));
}

async function withServer<T>(
  server: string,
  token: string | undefined,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await locateServer(server, token)
    .then((endpoint) =>
      connect({
        endpoint,
        info: CLIENT_INFO,
        ask: async () => ({ action: 'cancel' }),
        onError: (error) => notice(error.message),
      }),
    )
    .catch((error: unknown) => {
      throw new StartError(`no server answers: ${messageOf(error)}`, 1, { cause: error });
    });
  try {
    return await use(connection);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(messageOf(error), 1, { cause: error });
  } finally {
    await connection.close();
  }
}
