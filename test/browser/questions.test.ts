import { expect, it } from 'vitest';
import type { Simulator } from '../../simulator/start.ts';
import { settled, submit } from '../support/daemon.ts';
import { describeInBrowser } from './browser.ts';
import { FakeGateway } from './fake-gateway.ts';
import { airConditioner, house, secondsAgo, waiting } from './houses.ts';
import { stageOfFile } from './living-home.ts';

/** Outside of 20 to 28 degrees the quick home asks. */
const DELICATE = 30;

const stage = stageOfFile();
const { browser } = stage;

const commandsReceived = (simulator: Simulator) => simulator.home.truth('ac').counts['ac']?.commands ?? 0;

describeInBrowser('a question', () => {
  it('appears while a client waits, and is approved with one tap', async () => {
    const simulator = await stage.homes.daemons.simulator(200);
    const { gateway, origin } = await stage.homes.quick(simulator);
    const client = await stage.homes.daemons.client(gateway.url);
    const page = await browser.open(origin);
    await page.getByText('24 °C').first().waitFor();

    const taskId = await submit(client, DELICATE);
    const question = page.getByRole('article', { name: 'Question about Quick AC' });
    await question.waitFor();
    expect(await page.title()).toBe('(1) Devices · Readback');
    expect(await question.textContent()).toMatch(
      /24 °C → 30 °C.*local asks for it.*left|left.*24 °C → 30 °C.*local asks/,
    );
    expect(commandsReceived(simulator)).toBe(0);

    await question.getByRole('button', { name: 'Approve' }).click();
    await question.getByText('Approved by you').waitFor();
    expect(await settled(client, taskId)).toMatchObject({
      status: 'completed',
      result: { verdict: 'verified', approval: { approved: true, through: 'dashboard' } },
    });
    expect(browser.faults).toEqual([]);
  });

  it('that is answered elsewhere disappears at once', async () => {
    const simulator = await stage.homes.daemons.simulator(200);
    const { gateway, origin } = await stage.homes.quick(simulator);
    const client = await stage.homes.daemons.client(gateway.url);
    const page = await browser.open(origin);
    const taskId = await submit(client, DELICATE);
    const question = page.getByRole('article', { name: 'Question about Quick AC' });
    await question.waitFor();
    const answer = await fetch(`${origin}/api/approvals/${taskId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ approve: false, through: 'cli' }),
    });
    expect(answer.status).toBe(200);
    await question.waitFor({ state: 'detached' });
    await page.getByRole('article', { name: 'Quick AC', exact: true }).getByText('Declined').first().waitFor();
    expect(commandsReceived(simulator)).toBe(0);
  });

  it('cannot be flipped by a second tap, not even before the gateway has heard of the first', async () => {
    const what = house({ devices: [airConditioner('ac')], commands: [waiting('waiting-1')] });
    const gateway = new FakeGateway(what, (method, path) =>
      path.startsWith('/api/approvals/') ? { status: 200, body: { method } } : undefined,
    );
    const page = await browser.open(await gateway.start());
    const question = page.getByRole('article', { name: 'Question about Air conditioner ac' });
    await question.waitFor();
    // Both taps within one turn of the page, before anything was drawn.
    await page.evaluate(`{
      const [deny, approve] = document.querySelectorAll('.question .button');
      deny.click();
      approve.click();
    }`);
    await question.getByText('Denied by you').waitFor();
    expect(await question.getByRole('button').count()).toBe(0);
    expect(gateway.requests).toEqual([
      { line: 'POST /api/approvals/waiting-1', body: { approve: false, through: 'dashboard' } },
    ]);
    gateway.push({ type: 'tick', now: secondsAgo(0) });
    await gateway.close();
  });
});
