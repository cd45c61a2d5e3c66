import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerApproval, listApprovals } from '../../gateway/commands/approvals.ts';
import { StartError } from '../../gateway/domain/errors.ts';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startGateway({ specs: [withApproval(DEMO_AC), DEMO_FAN] });
});

afterEach(async () => {
  await gateway.close();
});

async function ask(temperature: number, principal = 'local'): Promise<string> {
  const wish = { deviceId: 'living_room_ac', set: { target_temperature: temperature }, principal };
  return (await gateway.commands.submit(wish)).taskId;
}

const phaseOf = async (id: string, principal = 'local') => (await gateway.commands.get(id, principal))?.phase;

const post = (path: string, body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  fetch(`${gateway.origin}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });

describe('GET /api/approvals', () => {
  it('lists every question that waits, whoever gave the command, and how long it still waits', async () => {
    const first = await ask(30);
    gateway.commands.advance(60_000);
    const second = await ask(18, 'anna');
    await gateway.commands.submit({ deviceId: 'bedroom_fan', set: { power: 'on' }, principal: 'local' });
    const { approvals } = (await (await fetch(`${gateway.origin}/api/approvals`)).json()) as { approvals: object[] };
    expect(approvals).toEqual([
      {
        id: first,
        device: 'Living-room AC',
        question: 'Set Living-room AC: target_temperature to 30 °C?',
        principal: 'local',
        asked_s_ago: 60,
        left_s: 240,
      },
      expect.objectContaining({ id: second, principal: 'anna', asked_s_ago: 0, left_s: 300 }),
    ]);
  });
});

describe('POST /api/approvals/:id', () => {
  it.each([
    ['approves', true, 'queued'],
    ['denies', false, 'settled'],
  ])('%s, and the record says who answered, when and through what', async (_, approve, phase) => {
    const id = await ask(30, 'anna');
    const answer = await post(`/approvals/${id}`, { approve, through: 'dashboard' });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ id, approved: approve, message: expect.stringContaining('AC') });
    expect(await gateway.commands.get(id, 'anna')).toMatchObject({
      phase,
      approval: { answer: { approved: approve, by: 'local', through: 'dashboard', at: { mono: expect.any(Number) } } },
    });
  });

  it.each([
    ['a form of another site', { approve: true, through: 'cli' }, { 'content-type': 'text/plain' }, 400, 'bad_value'],
    ['no answer', { through: 'cli' }, undefined, 400, 'bad_value'],
    ['a yes that is none', { approve: 'yes', through: 'cli' }, undefined, 400, 'bad_value'],
    ['a door that does not exist', { approve: true, through: 'window' }, undefined, 400, 'bad_value'],
  ])('changes nothing for %s', async (_, body, headers, status, error) => {
    const id = await ask(30);
    const answer = await post(`/approvals/${id}`, body, headers);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ ok: false, error });
    expect(await phaseOf(id)).toBe('awaiting_approval');
  });

  it('changes nothing for a page of another site', async () => {
    const id = await ask(30);
    const headers = { 'content-type': 'application/json', origin: 'http://evil.example' };
    expect((await post(`/approvals/${id}`, { approve: true, through: 'cli' }, headers)).status).toBe(403);
    expect(await phaseOf(id)).toBe('awaiting_approval');
  });

  it('lets the first answer win', async () => {
    const id = await ask(30);
    const answers = await Promise.all([
      post(`/approvals/${id}`, { approve: true, through: 'cli' }),
      post(`/approvals/${id}`, { approve: false, through: 'dashboard' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404]);
    expect(await answers[1]?.json()).toMatchObject({ error: 'not_waiting' });
    expect(await phaseOf(id)).toBe('queued');
  });

  it('knows nothing of an id that never was', async () => {
    expect((await post('/approvals/nobody-knows-me', { approve: true, through: 'cli' })).status).toBe(404);
  });

  it('keeps the text of our own faults in the log', async () => {
    gateway.commands.waiting = () => Promise.reject(new Error('cannot open /var/lib/readback'));
    const answer = await fetch(`${gateway.origin}/api/approvals`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('/var/lib');
    expect(gateway.errors).toHaveLength(1);
  });
});

describe('the command line', () => {
  it('lists what waits and answers by the beginning of an id', async () => {
    const id = await ask(30);
    const other = await ask(18);
    const list = await listApprovals({ url: gateway.origin });
    expect(list).toContain(`${id}  Set Living-room AC: target_temperature to 30 °C?  (for local, asked just now`);
    expect(await answerApproval({ url: gateway.origin }, id.slice(0, 8), true)).toMatch(
      /^Approved\. .*waits for its turn/,
    );
    expect(await answerApproval({ url: gateway.origin }, other, false)).toMatch(/^Denied\. .*nothing was sent/);
    expect(await listApprovals({ url: gateway.origin })).toBe('Nothing waits for an answer.');
    expect((await gateway.commands.get(id, 'local'))?.approval?.answer).toMatchObject({ by: 'local', through: 'cli' });
  });

  it('does not guess which of several is meant', async () => {
    const ids = [await ask(30), await ask(18)];
    await expect(answerApproval({ url: gateway.origin }, '', true)).rejects.toThrow(/2 questions.*write more/);
    expect(await Promise.all(ids.map((id) => phaseOf(id)))).toEqual(['awaiting_approval', 'awaiting_approval']);
  });

  it('says that nothing waits, or that nobody is there, in one line', async () => {
    await expect(answerApproval({ url: gateway.origin }, '-late', true)).rejects.toThrow(StartError);
    await expect(answerApproval({ url: gateway.origin }, '-late', true)).rejects.toThrow(/Nothing waits under this id/);
    await expect(listApprovals({ url: 'http://127.0.0.1:9' })).rejects.toThrow(/no gateway answers/);
  });
});
