import { describe, expect, it } from 'vitest';
import { sentence } from '../../gateway/domain/sentence.ts';
import { at, device, field, History, POLLED } from '../support/histories.ts';

const set = (value: number) => ({ target_temperature: value });
const command = (over = {}, verify = {}, value = 24) =>
  new History(
    device([field('target_temperature', { min: 16, max: 30, step: 1, unit: 'C', ...over })], verify),
    set(20),
    set(value),
  );

describe('approval', () => {
  const delicate = { approval: { type: 'outside', low: 18, high: 22 } } as const;

  it('asks only where the rule says so, and states device, field, old and new value', () => {
    expect(command(delicate, {}, 21).verdict).toBe('queued');
    const asked = command(delicate);
    expect(asked.verdict).toBe('awaiting_approval');
    expect(asked.actuation.approval?.question).toBe('Set AC: target_temperature from 20 °C to 24 °C?');
  });

  it('goes on after yes, ends after no, and the first answer wins', () => {
    const yes = command(delicate).event({ type: 'approved', at: at(50), by: 'anna', through: 'cli' });
    expect(yes.verdict).toBe('queued');
    yes.event({ type: 'declined', at: at(60), by: 'bob', through: 'cli' });
    expect(yes.actuation.approval?.answer).toMatchObject({ approved: true, by: 'anna', through: 'cli' });
    const no = command(delicate).event({ type: 'declined', at: at(50), by: 'anna', through: 'cli' });
    expect(no.verdict).toBe('declined/approval_denied at 50');
    expect(sentence(no.actuation)).toBe('AC: declined, anna said no; nothing was sent.');
  });

  it('runs out by its own lifetime, and then the lifetime of the command begins', () => {
    expect(command(delicate).until(900_000).verdict).toBe('declined/approval_expired at 900000');
    const late = command(delicate).event({ type: 'approved', at: at(800_000), by: 'anna', through: 'cli' });
    expect(late.until(1_000_000).verdict).toBe('queued');
  });
});

describe('ending early', () => {
  it('says of a cancelled command whether the device may have received it', () => {
    const waiting = command().event({ type: 'cancelled', at: at(10) });
    expect(waiting.actuation.outcome).toMatchObject({ type: 'cancelled', sent: false });
    expect(sentence(waiting.actuation)).toContain('the device received nothing');
    const sent = command()
      .sent()
      .event({ type: 'cancelled', at: at(10) })
      .report(500, set(24));
    expect(sent.actuation.outcome).toMatchObject({ type: 'cancelled', sent: true, at: { mono: 10 } });
    expect(sentence(sent.actuation)).toContain('not taken back');
  });

  it('yields to a newer command', () => {
    const older = command()
      .sent()
      .event({ type: 'superseded', at: at(10), by: 'newer' });
    expect(older.verdict).toBe('superseded/newer_command at 10');
    expect(older.actuation.supersededBy).toBe('newer');
  });

  it('fails when its lifetime runs out', () => {
    expect(command().until(300_000).actuation.outcome).toMatchObject({ type: 'failed', fault: 'ttl' });
  });

  it('sends nothing to a device that is offline, or where the plan fails at the last moment', () => {
    const offline = command().event({ type: 'started', at: at(5), before: {}, offline: true, refusal: null });
    expect(offline.verdict).toBe('unreachable/offline at 5');
    const refusal = {
      field: 'target_temperature',
      reason: 'not_applicable_in_mode',
      message: 'not in fan mode',
    } as const;
    const refused = command().event({ type: 'started', at: at(5), before: {}, offline: false, refusal });
    expect(refused.verdict).toBe('rejected/not_applicable_in_mode at 5');
    for (const each of [offline, refused]) expect(each.effects).toEqual([]);
  });
});

describe('restart', () => {
  const polled = { readback: POLLED };
  const sends = (history: History) => history.effects.filter((effect) => effect.type === 'send').length;

  it('goes on reading where the command had been taken', () => {
    const history = command(polled).sent().restarted(3_000).read(4_000, set(24));
    expect(history.verdict).toBe('verified at 4000');
    expect(sends(history)).toBe(1);
  });

  it('gives at least half of the deadline again, because nobody was looking', () => {
    const history = command(polled).sent().restarted(60_000).read(61_000, set(20));
    expect(history.until(80_000).verdict).toBe('ignored/no_reaction at 65000');
  });

  it('lets readings decide when the crash fell into the send, and never sends again', () => {
    const crashed = () => {
      const history = command(polled).event({
        type: 'started',
        at: at(0),
        before: set(20),
        offline: false,
        refusal: null,
      });
      return history.restarted(2_000);
    };
    expect(crashed().read(3_000, set(24)).verdict).toBe('verified at 3000');
    expect(crashed().read(3_000, set(27)).until(60_000).verdict).toMatch(/^mismatch\/settled_elsewhere/);
    const idle = crashed().read(3_000, set(20)).until(60_000);
    expect(idle.verdict).toMatch(/^unconfirmed\/outcome_unknown/);
    expect(sentence(idle.actuation)).toContain('not sent again');
    expect(sends(idle)).toBe(1);
  });

  it('of a backup ends what was open in it: with what was known of each field, and without another word to the device', () => {
    const restore = { type: 'restored', at: { mono: 5, wall: 0 }, boot: 'boot-2' } as const;
    const waiting = command(polled).event(restore);
    expect(waiting.actuation.outcome).toMatchObject({ type: 'cancelled', sent: false, at: restore.at });
    expect(sends(waiting)).toBe(0);
    const sent = command(polled).sent().event(restore);
    expect(sent.actuation.outcome).toMatchObject({ verdict: 'unconfirmed', reason: 'outcome_unknown' });
    expect(sent.actuation).toMatchObject({ restarts: 0, incidents: [{ type: 'restored' }] });
    const settled = command(polled).sent().read(1_000, set(24));
    expect(settled.event(restore).verdict).toBe('verified at 1000');
  });

  it('leaves a command that had not been sent in its queue', () => {
    const history = command(polled).restarted(5_000);
    expect(history.verdict).toBe('queued');
    expect(history.sent(6_000).read(7_000, set(24)).verdict).toBe('verified at 7000');
  });

  it('carries its instants over to the clock of a new boot as if no time had passed', () => {
    const history = command(polled).sent().read(1_000, set(21));
    history.event({ type: 'restarted', at: { mono: 5, wall: 0 }, boot: 'boot-2' });
    const { boot, deadline, sentAt, fields } = history.actuation;
    expect({ boot, deadline, sentAt: sentAt?.mono, read: fields[0]?.runs[0]?.from.mono }).toEqual({
      boot: 'boot-2',
      deadline: 9_005,
      sentAt: -995,
      read: 5,
    });
  });
});
