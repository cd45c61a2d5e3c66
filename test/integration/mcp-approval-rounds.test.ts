import { randomBytes } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { type RawAnswer, rawCall } from '../support/raw-rpc.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

/** A client of 2026-07-28 that can ask a person, and knows no tasks. */
const ELICITS = { elicitation: { form: {} } };
const YES = { action: 'accept', content: { approve: true } };
const NO = { action: 'decline' };

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startGateway({ specs: [withApproval(DEMO_AC), DEMO_FAN], inlineWaitMs: 1 });
});

afterEach(async () => {
  await gateway.close();
});

type Round = { readonly requestState?: string; readonly inputResponses?: object };

/** The call, or the call made again with what a round brings. */
const call = (round: Round = {}, args: object = { target_temperature: 30 }): Promise<RawAnswer> =>
  rawCall(gateway.url, 'set_climate', { ...args }, { capabilities: ELICITS, params: round });

const ask = async (args?: object): Promise<string> => (await call({}, args)).body.result.requestState;

const answered = (requestState: string, approval: unknown = YES, args?: object) =>
  call({ requestState, inputResponses: { approval } }, args);

const waitingIds = async () => (await gateway.commands.waiting()).map(({ taskId }) => taskId);

/** The device does as it is told as soon as it is told anything. */
function obey({ commands }: TestGateway, values: Readonly<Record<string, string | number>>): void {
  const stop = commands.subscribe(({ taskId, phase }) => {
    if (phase !== 'queued') return;
    stop();
    setImmediate(() => {
      commands.send(taskId);
      commands.read(taskId, values);
    });
  });
}

describe('a call that needs a person', () => {
  it('is answered with the question, which is on record before it leaves', async () => {
    const { body } = await call();
    expect(body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        approval: {
          method: 'elicitation/create',
          params: { message: 'Set Living-room AC: target_temperature to 30 °C?' },
        },
      },
    });
    expect(await gateway.commands.waiting()).toHaveLength(1);
  });

  it('goes on with the yes that it brings when it is made again, under the same record', async () => {
    const requestState = await ask();
    const [taskId] = await waitingIds();
    const { body } = await answered(requestState);
    expect(body.result.structuredContent).toMatchObject({ task_id: taskId, status: 'working' });
    expect(gateway.commands.wishes).toHaveLength(1);
    expect((await gateway.commands.get(String(taskId), 'local'))?.approval?.answer).toMatchObject({
      approved: true,
      by: 'local',
      through: 'mcp',
    });
  });

  it.each([
    ['no', NO],
    ['a form that is accepted with no in it', { action: 'accept', content: { approve: false } }],
    ['a form that is accepted empty', { action: 'accept' }],
  ])('ends as declined with %s', async (_, approval) => {
    const { body } = await answered(await ask(), approval);
    expect(body.result).toMatchObject({
      isError: true,
      structuredContent: {
        verdict: 'declined',
        reason: 'approval_denied',
        approval: { approved: false, by: 'local', through: 'mcp', at: expect.stringMatching(/Z$/) },
      },
    });
  });

  it('is asked again where the call brings no answer, and every question can be answered once', async () => {
    const first = await ask();
    const again = await call({ requestState: first });
    expect(again.body.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    expect((await answered(first)).body.error.code).toBe(-32602);
    expect((await answered(again.body.result.requestState)).body.result.structuredContent.status).toBe('working');
    expect(gateway.commands.wishes).toHaveLength(1);
  });

  it('is left waiting by a form that is put away, and says where else it can be answered', async () => {
    const { body } = await answered(await ask(), { action: 'cancel' });
    const [taskId] = await waitingIds();
    expect(body.result.structuredContent).toMatchObject({ task_id: taskId, status: 'input_required' });
    expect(body.result.content[0].text).toContain(`readback approve ${taskId}`);
  });

  it('takes no answer that comes without a question', async () => {
    const { body } = await call({ inputResponses: { approval: YES } });
    expect(body.result.resultType).toBe('input_required');
    expect(await gateway.commands.waiting()).toHaveLength(1);
  });

  it('answers several questions in any order', async () => {
    const states = [await ask(), await ask({ target_temperature: 18 }), await ask({ target_temperature: 29 })];
    const ids = await waitingIds();
    await answered(String(states[2]), NO, { target_temperature: 29 });
    await answered(String(states[0]));
    expect(await waitingIds()).toEqual([ids[1]]);
    await answered(String(states[1]), YES, { target_temperature: 18 });
    const verdicts = await Promise.all(ids.map((id) => gateway.commands.get(id, 'local')));
    expect(verdicts.map((each) => each?.approval?.answer?.approved)).toEqual([true, true, false]);
  });
});

describe('an answer that counts for nothing', () => {
  const refused = async (attempt: Promise<RawAnswer>) => {
    const { body } = await attempt;
    expect(body.error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } });
    expect(gateway.commands.wishes).toHaveLength(1);
    expect(gateway.errors).toEqual([]);
    return body.error.message as string;
  };

  it('is one whose state was changed, or made by somebody else', async () => {
    const state = await ask();
    const [version, body, mac] = state.split('.');
    const payload = Buffer.from(String(body), 'base64url').toString();
    const other = Buffer.from(payload.replace('"taskId":"', '"taskId":"x')).toString('base64url');
    for (const forged of [`${state}x`, `${version}.${other}.${mac}`, `${version}.${body}.AAAA`, 'yes', '']) {
      await refused(answered(forged));
    }
    expect(await gateway.commands.waiting()).toHaveLength(1);
  });

  it('is one for a call with other arguments', async () => {
    const state = await ask();
    expect(await refused(answered(state, YES, { target_temperature: 16 }))).toContain('other arguments');
    expect(await gateway.commands.waiting()).toHaveLength(1);
  });

  it('is a second one', async () => {
    const state = await ask();
    await answered(state, NO);
    expect(await refused(answered(state, YES))).toContain('used before');
    expect(await gateway.commands.waiting()).toEqual([]);
  });

  it('is one that comes when the time is over', async () => {
    const state = await ask();
    const [taskId] = await waitingIds();
    gateway.commands.advance(300_000);
    gateway.commands.apply(String(taskId), { type: 'tick' });
    expect(await refused(answered(state))).toContain('time is over');
    expect((await gateway.commands.get(String(taskId), 'local'))?.outcome).toMatchObject({
      reason: 'approval_expired',
    });
  });

  it('is one of another principal', async () => {
    const tokens = [tokenRecord('anna', 'control'), tokenRecord('ben', 'control')];
    const guarded = await startGateway({ specs: [withApproval(DEMO_AC)], inlineWaitMs: 1, tokens });
    const as = (name: string, params: object = {}) =>
      rawCall(
        guarded.url,
        'set_climate',
        { target_temperature: 30 },
        { capabilities: ELICITS, token: tokenOf(name), params },
      );
    const { requestState } = (await as('anna')).body.result;
    const answer = { requestState, inputResponses: { approval: YES } };
    expect((await as('ben', answer)).body.error.code).toBe(-32602);
    expect(await guarded.commands.waiting()).toHaveLength(1);
    expect((await as('anna', answer)).body.result.structuredContent.status).toBe('working');
    await guarded.close();
  });

  it('is one to a question from before a restart, where an answer was taken then', async () => {
    await gateway.close();
    const stateKey = randomBytes(32);
    gateway = await startGateway({ specs: [withApproval(DEMO_AC)], inlineWaitMs: 1, stateKey });
    const state = await ask();
    const [taskId] = await waitingIds();
    const before = gateway;
    gateway = await startGateway({ specs: [withApproval(DEMO_AC)], inlineWaitMs: 1, stateKey });
    gateway.commands.takeOver(before.commands);
    await before.close();
    expect((await answered(state)).body.result.structuredContent).toMatchObject({ task_id: taskId, status: 'working' });
    const third = await startGateway({ specs: [withApproval(DEMO_AC)], inlineWaitMs: 1, stateKey });
    third.commands.takeOver(gateway.commands);
    const params = { requestState: state, inputResponses: { approval: NO } };
    const late = await rawCall(third.url, 'set_climate', { target_temperature: 30 }, { capabilities: ELICITS, params });
    expect(late.body.error.code).toBe(-32602);
    await third.close();
  });

  it('is one to a question of another gateway', async () => {
    const state = await ask();
    const other = await startGateway({ specs: [withApproval(DEMO_AC)] });
    const params = { requestState: state, inputResponses: { approval: YES } };
    const { body } = await rawCall(
      other.url,
      'set_climate',
      { target_temperature: 30 },
      { capabilities: ELICITS, params },
    );
    expect(body.error.code).toBe(-32602);
    expect(other.commands.wishes).toEqual([]);
    await other.close();
  });
});

describe('an answer through another door', () => {
  it('wins: the call that comes with its own is told what became of the command', async () => {
    const state = await ask();
    const [taskId] = await waitingIds();
    await gateway.commands.answer(String(taskId), 'local', { approved: false, by: 'anna', through: 'cli' });
    const { body } = await answered(state, YES);
    expect(body.result).toMatchObject({ isError: true, structuredContent: { verdict: 'declined' } });
    expect(body.result.content[0].text).toContain('anna said no');
  });
});

describe("MCP's own client", () => {
  it.each([
    ['yes', YES, { verdict: 'verified' }],
    ['no', NO, { verdict: 'declined' }],
  ])('asks its person and makes the call again by itself: %s', async (_, answer, expected) => {
    const patient = await startGateway({ specs: [withApproval(DEMO_AC)] });
    obey(patient, { target_temperature: 30 });
    const client = new Client(
      { name: 'test', version: '0' },
      { capabilities: ELICITS, versionNegotiation: { mode: 'auto' } },
    );
    const questions: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message);
      return answer as { action: 'accept' };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(patient.url)));
    const result = await client.callTool({ name: 'set_climate', arguments: { target_temperature: 30 } });
    expect(result.structuredContent).toMatchObject(expected);
    expect(questions).toEqual(['Set Living-room AC: target_temperature to 30 °C?']);
    expect(patient.commands.wishes).toHaveLength(1);
    await client.close();
    await patient.close();
  });
});
