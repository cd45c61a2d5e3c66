import { describe, expect, it } from 'vitest';
import { at, device, field, History, option, POLLED } from '../support/histories.ts';

const temperature = (over = {}) => field('target_temperature', { min: 16, max: 30, step: 0.5, ...over });
const set = (value: number) => ({ target_temperature: value });
const MODES = ['off', 'cool', 'heat', 'fan_only'];

/** One setpoint, 20 before, 24 wanted, sent at zero. */
function setpoint(verify = {}, over = {}): History {
  return new History(device([temperature(over)], verify), set(20), set(24)).sent();
}

describe('what counts', () => {
  it('takes the wanted value from a live report as verified', () => {
    expect(setpoint().report(700, set(24)).verdict).toBe('verified at 700');
  });

  it('never counts a retained message, nor takes it for a sign of life', () => {
    expect(setpoint().report(700, set(24), { retained: true }).until(10_000).verdict).toBe(
      'unreachable/timeout at 10000',
    );
  });

  it('never counts a read that began before the send', () => {
    const history = new History(device([temperature({ readback: POLLED })]), set(20), set(24)).sent(1_000);
    history.read(1_200, set(24), 400);
    expect(history.verdict).toBe('verifying');
    expect(history.actuation.fields[0]?.setAside).toEqual([
      { why: 'before_send', value: 24, from: at(1_200), to: at(1_200), count: 1, source: 'read' },
    ]);
    expect(history.read(1_500, set(24), 100).verdict).toBe('verified at 1500');
  });

  it('takes the wanted value inside the echo window for an echo, and another value not', () => {
    const history = setpoint({ echoMs: 1_000 }).report(30, set(24)).report(40, set(23));
    expect(history.observed('target_temperature')).toBe(23);
    expect(history.report(1_000, set(24)).verdict).toBe('verified at 1000');
  });

  it('calls nothing but an echo no evidence', () => {
    const history = setpoint({ echoMs: 1_000 }).report(30, set(24)).until(10_000);
    expect(history.verdict).toBe('ignored/no_evidence at 10000');
    expect(history.observed('target_temperature')).toBeNull();
  });

  it('counts the window of an echo from the moment at which the broker took the command', () => {
    // A machine that was held up reads both late: the acknowledgement, and what a bridge repeated at once.
    const left = (over = {}) => new History(device([temperature(over)], { echoMs: 1_000 }), set(20), set(24)).left();
    const late = () => left().accepted(2_400).report(2_410, set(24));
    expect(late().until(10_000).verdict).toBe('ignored/no_evidence at 10000');
    expect(late().report(3_500, set(24)).verdict).toBe('verified at 3500');
    expect(left().report(2_410, set(24)).accepted(2_420).until(3_000).verdict).toBe('verifying');
    // A device that is asked answers for itself, however long its answer to the command takes.
    expect(left({ readback: POLLED }).accepted(2_400).read(2_500, set(24)).verdict).toBe('verified at 2500');
  });

  it('takes a null word and a missing key for no opinion, but for a sign of life', () => {
    expect(setpoint().report(500, { target_temperature: null }).until(10_000).verdict).toBe(
      'ignored/no_evidence at 10000',
    );
    expect(setpoint().report(500, {}).until(10_000).verdict).toBe('ignored/no_evidence at 10000');
  });

  it('compares numbers within the tolerance and options without case', () => {
    expect(setpoint().report(500, set(24.2)).verdict).toBe('verified at 500');
    const mode = new History(device([option('hvac_mode', MODES)]), { hvac_mode: 'off' }, { hvac_mode: 'COOL' }).sent();
    expect(mode.report(500, { hvac_mode: 'Cool' }).verdict).toBe('verified at 500');
  });
});

describe('settle', () => {
  it('waits until the value has stayed', () => {
    const history = setpoint({ settleMs: 2_000 }).report(700, set(24)).until(2_699);
    expect(history.verdict).toBe('verifying');
    expect(history.until(2_700).verdict).toBe('verified at 2700');
  });

  it('lets a settle time that runs at the deadline finish', () => {
    expect(setpoint({ settleMs: 2_000 }).report(9_000, set(24)).until(20_000).verdict).toBe('verified at 11000');
  });

  it('asks once on a contradiction, and starts again when the answer confirms', () => {
    const asked = { readback: { readable: true, push: true, askable: true, ackable: true } };
    const history = setpoint({ settleMs: 4_000, deadlineMs: 15_000 }, asked)
      .report(220, set(24))
      .report(2_100, set(20));
    expect(history.effects).toContainEqual({ type: 'ask', fields: ['target_temperature'] });
    expect(history.read(2_600, set(24)).until(20_000).verdict).toBe('verified at 6600');
  });

  it('lets a contradiction stand where nobody can be asked', () => {
    const history = setpoint({ settleMs: 4_000 }).report(220, set(24)).report(2_100, set(20)).until(10_000);
    expect(history.verdict).toBe('mismatch/reverted at 10000');
    expect(history.effects.filter((effect) => effect.type === 'ask')).toEqual([]);
  });

  it('wants a polled value confirmed by a read at the end', () => {
    const history = setpoint({ settleMs: 2_000 }, { readback: POLLED }).read(1_000, set(24)).until(3_500);
    expect(history.verdict).toBe('verifying');
    expect(history.read(3_600, set(24)).verdict).toBe('verified at 3600');
  });
});

describe('a bridge that speaks from memory (confirm)', () => {
  const askable = { readback: { readable: true, push: true, askable: true, ackable: true } };
  const bridged = () => setpoint({ confirm: true, echoMs: 1_000, settleMs: 2_000 }, askable).report(100, set(24));
  const questions = (history: History) => history.effects.filter((effect) => effect.type === 'ask').length;

  it('is believed once the device itself has shown the value, and asked only once', () => {
    const history = bridged().report(3_000, set(24)).report(3_100, set(24));
    expect(history.until(4_900).verdict).toBe('verifying');
    expect(questions(history)).toBe(1);
    const confirmed = bridged().report(3_000, set(24)).read(3_200, set(24)).report(4_000, set(24));
    expect(confirmed.until(9_000).verdict).toBe('verified at 5000');
    expect(questions(confirmed)).toBe(1);
  });

  it('is not believed against the device', () => {
    const history = bridged().report(3_000, set(24)).read(3_200, set(20)).until(10_000);
    expect(history.verdict).toBe('mismatch/reverted at 10000');
  });

  it('is not believed with an old value either: the device is asked before it counts as unmoved', () => {
    const rules = { confirm: true, echoMs: 1_000 };
    const history = setpoint(rules, askable).report(2_000, set(20)).until(6_000);
    expect(questions(history)).toBe(1);
    expect(history.read(6_100, set(24)).verdict).toBe('verified at 6100');
    const unanswered = setpoint(rules, askable).report(2_000, set(20)).readFailed(6_500).until(10_000);
    expect(unanswered.verdict).toBe('ignored/no_evidence at 10000');
  });

  it('proves nothing where the device does not answer', () => {
    expect(bridged().report(3_000, set(24)).until(20_000).verdict).toBe('unconfirmed/no_evidence at 10000');
  });

  it('is believed at once where it echoed nothing, or where nobody can be asked', () => {
    const rules = { confirm: true, echoMs: 1_000 };
    expect(setpoint(rules, askable).report(3_000, set(24)).verdict).toBe('verified at 3000');
    expect(setpoint(rules).report(100, set(24)).report(3_000, set(24)).verdict).toBe('verified at 3000');
  });
});

describe('negative verdicts', () => {
  it('wait for the deadline: an old value is not a failure', () => {
    expect(setpoint().report(500, set(20)).until(9_999).verdict).toBe('verifying');
    expect(setpoint().report(500, set(20)).until(10_000).verdict).toBe('ignored/no_reaction at 10000');
  });

  it('tell clamped, settled elsewhere and reverted apart', () => {
    expect(setpoint().report(500, set(22)).until(10_000).verdict).toBe('mismatch/clamped at 10000');
    expect(setpoint().report(500, set(27)).until(10_000).verdict).toBe('mismatch/settled_elsewhere at 10000');
    const reverted = setpoint({ settleMs: 1_000 }).report(500, set(24)).report(900, set(20)).until(10_000);
    expect(reverted.verdict).toBe('mismatch/reverted at 10000');
  });

  it('let the first counted reading stand in for an unknown before', () => {
    const history = new History(device([temperature()]), {}, set(24)).sent().report(500, set(21)).until(10_000);
    expect(history.verdict).toBe('ignored/no_reaction at 10000');
  });

  it('tell silence from a device that answers', () => {
    expect(setpoint().until(10_000).verdict).toBe('unreachable/timeout at 10000');
    const polled = setpoint({}, { readback: POLLED });
    expect(polled.read(500, set(20)).readFailed(5_000).readFailed(9_000).until(10_000).verdict).toBe(
      'unreachable/timeout at 10000',
    );
  });

  it('ask a silent device once, at half the deadline', () => {
    const asked = { readback: { readable: true, push: true, askable: true, ackable: true } };
    const history = setpoint({}, asked).until(9_000);
    expect(history.effects.filter((effect) => effect.type === 'ask')).toEqual([
      { type: 'ask', fields: ['target_temperature'] },
    ]);
  });
});

describe('motion and ramps', () => {
  it('call it still moving when readings come nearer, and only while they are fresh', () => {
    const ramp = () => setpoint().report(2_000, set(21)).report(4_500, set(22)).report(7_500, set(23));
    expect(ramp().until(10_000).verdict).toBe('still_moving/ramping at 10000');
    const stuck = setpoint().report(1_000, set(21)).report(2_000, set(22)).report(3_000, set(23)).until(10_000);
    expect(stuck.verdict).toBe('mismatch/clamped at 10000');
    const away = setpoint().report(2_000, set(21)).report(5_000, set(23)).report(8_000, set(22)).until(10_000);
    expect(away.verdict).toBe('mismatch/clamped at 10000');
  });

  it('do not count what is read in motion, and end on rest elsewhere even at the old value', () => {
    const moving = (on: boolean) => ({ moving: { position: on } });
    const blind = () =>
      new History(
        device([field('position', { min: 0, max: 100, step: 1 })], { settleMs: 1_500, deadlineMs: 60_000 }),
        { position: 100 },
        { position: 79 },
      ).sent();
    const stopped = blind().report(60, { position: 79 }, moving(true)).report(5_200, { position: 100 }, moving(false));
    expect(stopped.until(60_000).verdict).toBe('mismatch/settled_elsewhere at 6700');
    const running = blind().report(60, { position: 99 }, moving(true)).until(60_000);
    expect(running.verdict).toBe('still_moving/in_motion at 60000');
  });

  it('take a request that is still open for neither a failure nor a success', () => {
    const history = new History(device([temperature({ readback: POLLED })]), set(20), set(24));
    const fields = ['target_temperature'];
    history.event({ type: 'started', at: { mono: 0, wall: 0 }, before: set(20), offline: false, refusal: null });
    history.event({ type: 'send', at: { mono: 0, wall: 0 }, report: { type: 'sent', fields } });
    expect(history.read(2_000, set(20)).until(10_000).verdict).toBe('still_moving/request_open at 10000');
  });
});

describe('availability', () => {
  it('makes offline final once it has lasted settle, and a return cancels it', () => {
    expect(setpoint({ settleMs: 2_000 }).availability(1_000, false).until(10_000).verdict).toBe(
      'unreachable/offline at 3000',
    );
    const back = setpoint({ settleMs: 2_000 }).availability(1_000, false).availability(2_000, true);
    expect(back.report(4_000, set(24)).until(10_000).verdict).toBe('verified at 6000');
  });

  it('believes a live reading more than the word offline, and a retained word not at all', () => {
    const spoke = setpoint({ settleMs: 2_000 }).availability(1_000, false).report(2_500, set(24)).until(10_000);
    expect(spoke.verdict).toBe('verified at 4500');
    expect(setpoint().availability(1_000, false, true).report(5_000, set(24)).verdict).toBe('verified at 5000');
  });

  it('wants a second unanswered read before it calls a polled device gone', () => {
    const history = setpoint({}, { readback: POLLED }).availability(1_000, false).readFailed(1_000);
    expect(history.verdict).toBe('verifying');
    expect(history.readFailed(2_000).verdict).toBe('unreachable/offline at 2000');
  });
});

describe('answers to the command', () => {
  const fields = ['target_temperature'];
  const answered = (report: 'refused' | 'lost') => {
    const history = new History(device([temperature({ readback: POLLED })]), set(20), set(24));
    history.event({ type: 'started', at: { mono: 0, wall: 0 }, before: set(20), offline: false, refusal: null });
    history.event({ type: 'send', at: { mono: 0, wall: 0 }, report: { type: 'sent', fields } });
    const detail = 'HTTP 401';
    const body =
      report === 'lost'
        ? { type: report, fields, detail }
        : { type: report, fields, detail, reason: 'auth_failed' as const };
    return history.event({ type: 'send', at: { mono: 300, wall: 300 }, report: body });
  };

  it('end a refused command at once', () => {
    expect(answered('refused').verdict).toBe('rejected/auth_failed at 300');
  });

  it('let readings decide when the answer is lost, and never send again', () => {
    const obeyed = answered('lost').read(1_000, set(24));
    expect(obeyed.verdict).toBe('verified at 1000');
    const idle = answered('lost').read(1_000, set(20)).until(10_000);
    expect(idle.verdict).toBe('ignored/no_reaction at 10000');
    expect(idle.effects.filter((effect) => effect.type === 'send')).toHaveLength(1);
  });

  it('end with delivery_failed when the bridge says so', () => {
    const history = setpoint();
    const at = { mono: 2_000, wall: 2_000 };
    history.event({
      type: 'device',
      at,
      report: { type: 'delivery', at, reason: 'delivery_failed', detail: 'no route' },
    });
    expect(history.verdict).toBe('unreachable/delivery_failed at 2000');
  });

  it('say that nothing can be read back, as soon as the command was taken', () => {
    const blind = { readback: { readable: false, push: false, askable: false, ackable: false } };
    expect(setpoint({}, blind).verdict).toBe('unconfirmed/no_readback at 0');
  });

  it('take an acknowledgement where the profile asks for no more', () => {
    const history = setpoint({ level: 2, settleMs: 500 }).report(100, {}, { acks: set(24) });
    expect(history.until(600).verdict).toBe('verified at 600');
    const strict = setpoint({ level: 3 }).report(100, {}, { acks: set(24) });
    expect(strict.until(10_000).verdict).toBe('ignored/no_evidence at 10000');
  });
});

describe('resend', () => {
  it('sends once more at half the deadline while nothing has moved, and no more often than allowed', () => {
    const history = setpoint({ resend: 1 }, { readback: POLLED }).read(1_000, set(20)).until(5_000);
    expect(history.effects.filter((effect) => effect.type === 'send')).toHaveLength(2);
    history.event({
      type: 'send',
      at: { mono: 5_000, wall: 0 },
      report: { type: 'sent', fields: ['target_temperature'] },
    });
    history.event({
      type: 'send',
      at: { mono: 5_000, wall: 0 },
      report: { type: 'accepted', fields: ['target_temperature'] },
    });
    history.read(8_000, set(20)).until(10_000);
    expect(history.effects.filter((effect) => effect.type === 'send')).toHaveLength(2);
    expect(history.verdict).toBe('ignored/no_reaction at 10000');
  });

  it('does not send again once something moved', () => {
    const history = setpoint({ resend: 1 }).report(1_000, set(22)).until(9_000);
    expect(history.effects.filter((effect) => effect.type === 'send')).toHaveLength(1);
  });
});

describe('several fields and guards', () => {
  const two = (verify = {}, over = {}) =>
    new History(
      device([option('hvac_mode', MODES), temperature()], verify, over),
      { hvac_mode: 'cool', ...set(20) },
      { hvac_mode: 'heat', ...set(24) },
    ).sent();

  it('give one verdict each and the worst overall', () => {
    const history = two().report(500, { hvac_mode: 'heat' }).until(10_000);
    expect(history.verdict).toBe('ignored/no_evidence at 10000');
    expect(history.actuation.fields.map((track) => track.ruling?.verdict)).toEqual(['verified', 'ignored']);
  });

  it('hold a good field open until the command settles', () => {
    const history = two()
      .report(500, { hvac_mode: 'heat' })
      .report(3_000, { hvac_mode: 'cool' })
      .report(4_000, set(24));
    expect(history.until(10_000).verdict).toBe('mismatch/reverted at 10000');
  });

  it('let the last settle time that runs at the deadline finish, however long the others have been good', () => {
    const history = two({ settleMs: 2_000 }).report(500, { hvac_mode: 'heat' }).report(9_000, set(24));
    expect(history.until(20_000).verdict).toBe('verified at 11000');
  });

  it('make a guarded field that changed unasked a side effect at the deadline, unless it is exempt', () => {
    const guarded = (sideEffects = {}) =>
      new History(
        device([option('hvac_mode', MODES), temperature()], {}, { guard: ['hvac_mode'], sideEffects }),
        { hvac_mode: 'cool', ...set(20) },
        set(24),
      ).sent();
    const values = { ...set(24), hvac_mode: 'fan_only' };
    expect(guarded().report(500, values).until(10_000).verdict).toBe('mismatch/side_effect at 10000');
    expect(guarded({ target_temperature: ['hvac_mode'] }).report(500, values).verdict).toBe('verified at 500');
    const back = guarded().report(500, values).report(3_000, { hvac_mode: 'cool' });
    expect(back.verdict).toBe('verified at 3000');
  });
});

describe('not applicable', () => {
  it('is said when a reading shows an excluded mode and no value', () => {
    const history = setpoint().report(500, { target_temperature: null }, { excluded: ['target_temperature'] });
    expect(history.until(10_000).verdict).toBe('ignored/not_applicable_in_mode at 10000');
  });
});
