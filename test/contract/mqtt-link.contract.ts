import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { createMqttLink, type MqttLinkOptions } from '../../gateway/transports/mqtt-broker-link.ts';
import type { MqttLink } from '../../gateway/transports/mqtt-link.ts';
import type { Login, TestBroker } from '../support/brokers.ts';
import { RecordingLog } from '../support/logs.ts';
import { Inbox, MqttPeer } from '../support/mqtt-peer.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const LOGIN: Login = { username: 'gateway', password: 'correct horse' };
const KIB = 1024;

/** What the link promises, whatever the broker. */
export function mqttLinkContract(name: string, make: (login: Login) => Promise<TestBroker>): void {
  describe(`the link over ${name}`, () => {
    let broker: TestBroker;
    let proxy: TcpProxy;
    let log: RecordingLog;
    let peer: MqttPeer;
    const links: MqttLink[] = [];
    const peers: MqttPeer[] = [];

    beforeEach(async () => {
      broker = await make(LOGIN);
      await broker.start();
      proxy = await new TcpProxy(broker.port).start();
      log = new RecordingLog();
      peer = await another();
    });

    afterEach(async () => {
      for (const link of links.splice(0)) await link.stop();
      for (const each of peers.splice(0)) await each.end();
      await proxy.stop();
      await broker.cleanUp();
    });

    async function another(options: object = {}): Promise<MqttPeer> {
      const made = await MqttPeer.connect(broker.port, LOGIN, options);
      peers.push(made);
      return made;
    }

    function link(options: Partial<MqttLinkOptions> = {}): MqttLink {
      const made = createMqttLink({
        address: { host: '127.0.0.1', port: proxy.port },
        ...LOGIN,
        statusTopic: 'readback/status',
        clock: systemClock(),
        log,
        ...options,
        timing: {
          firstPauseMs: 20,
          longestPauseMs: 200,
          ackTimeoutMs: 1_000,
          connectTimeoutMs: 2_000,
          ...options.timing,
        },
      });
      links.push(made);
      return made;
    }

    async function started(options: Partial<MqttLinkOptions> = {}): Promise<MqttLink> {
      const made = link(options);
      await made.start();
      expect(made.connected).toBe(true);
      return made;
    }

    /** Resolves when the connection is next made, or lost. */
    function change(made: MqttLink, connected: boolean): Promise<void> {
      return new Promise((resolve) => {
        const end = made.onConnection((now) => {
          if (now !== connected) return;
          end();
          resolve();
        });
      });
    }

    const publish = (made: MqttLink, topic: string, text: string, qos: 0 | 1 = 1) => {
      let dispatched = 0;
      const result = made.publish(topic, text, qos, () => {
        dispatched += 1;
      });
      return { result, dispatched: () => dispatched };
    };

    it.each([0, 1] as const)('publishes at QoS %d, once and never retained', async (qos) => {
      const made = await started();
      await peer.hear('cmd/#');
      const sent = publish(made, 'cmd/ac', 'cool', qos);
      expect(await sent.result).toEqual({ type: 'acknowledged' });
      expect(sent.dispatched()).toBe(1);
      await publish(made, 'cmd/end', 'end').result;
      await peer.inbox.text('end');
      expect(peer.inbox.texts('cmd/ac')).toEqual(['cool']);
      const late = await another();
      await late.hear('cmd/#');
      await peer.say('cmd/end', 'end');
      await late.inbox.text('end');
      expect(late.inbox.texts('cmd/ac')).toEqual([]);
    });

    it('keeps the order and loses nothing where many messages leave at once', async () => {
      const made = await started();
      await peer.hear('cmd/#');
      const texts = Array.from({ length: 500 }, (_, index) => `${index}`);
      const results = await Promise.all(texts.map((text) => publish(made, 'cmd/ac', text).result));
      expect(results.every((result) => result.type === 'acknowledged')).toBe(true);
      await peer.inbox.text('499');
      expect(peer.inbox.texts()).toEqual(texts);
    });

    it('tells what the broker had kept from what is news, also where the device publishes all of it retained', async () => {
      const made = await started();
      await peer.say('ac/state', 'old', { retain: true });
      const inbox = new Inbox();
      made.subscribe('ac/state', inbox.listener);
      await inbox.text('old');
      await peer.say('ac/state', 'new', { retain: true });
      await inbox.text('new');
      expect(inbox.heard).toEqual([
        { topic: 'ac/state', text: 'old', retained: true },
        { topic: 'ac/state', text: 'new', retained: false },
      ]);
    });

    it('dates a message by its own clock', async () => {
      const clock = systemClock();
      const made = await started({ clock });
      const at: number[] = [];
      const heard = new Promise<void>((resolve) =>
        made.subscribe('ac/state', (message) => {
          at.push(message.at.mono);
          resolve();
        }),
      );
      await made.subscribed();
      const before = clock.now().mono;
      await peer.say('ac/state', 'cool');
      await heard;
      expect(at[0]).toBeGreaterThan(before);
      expect(at[0]).toBeLessThanOrEqual(clock.now().mono);
    });

    it('gives every message to each listener once, however their filters overlap', async () => {
      const made = await started();
      const [exact, wide, both, partial] = [new Inbox(), new Inbox(), new Inbox(), new Inbox()];
      made.subscribe('home/ac/state', exact.listener);
      made.subscribe('home/#', wide.listener);
      made.subscribe('home/ac/state', both.listener);
      made.subscribe('home/+/state', both.listener);
      made.subscribe('+/ac/+', partial.listener);
      await made.subscribed();
      await peer.say('home/ac/state', 'a');
      await peer.say('home/ac/state', 'a');
      await peer.say('home/fan/state', 'b');
      await peer.say('home/ac/end', 'end');
      await Promise.all([wide.text('end'), partial.text('end')]);
      expect(exact.texts()).toEqual(['a', 'a']);
      expect(wide.texts()).toEqual(['a', 'a', 'b', 'end']);
      expect(both.texts()).toEqual(['a', 'a', 'b']);
      expect(partial.texts()).toEqual(['a', 'a', 'end']);
    });

    it('loses nothing and repeats nothing while filters come and go', async () => {
      const made = await started();
      const inbox = new Inbox();
      made.subscribe('home/ac/state', inbox.listener);
      await made.subscribed();
      const texts = Array.from({ length: 300 }, (_, index) => `${index}`);
      const speaking = (async () => {
        for (const text of texts) await peer.say('home/ac/state', text, { qos: 0 });
      })();
      for (let turn = 0; turn < 20; turn += 1) {
        const end = made.subscribe(turn % 2 === 0 ? 'home/#' : 'home/+/state', () => {});
        await made.subscribed();
        end();
        await made.subscribed();
      }
      await speaking;
      await inbox.text('299');
      expect(inbox.texts()).toEqual(texts);
    });

    it('lets a listener that comes later hear what is kept, and spares the others', async () => {
      const made = await started();
      await peer.say('bridge/state', 'online', { retain: true });
      const [first, second, wide] = [new Inbox(), new Inbox(), new Inbox()];
      made.subscribe('bridge/state', first.listener);
      await first.text('online');
      made.subscribe('bridge/state', second.listener);
      await second.text('online');
      made.subscribe('bridge/#', wide.listener);
      await wide.text('online');
      await peer.say('bridge/state', 'end');
      await Promise.all([first.text('end'), second.text('end'), wide.text('end')]);
      for (const inbox of [first, second, wide]) expect(inbox.texts()).toEqual(['online', 'end']);
    });

    it('ends a listener without harm to others of its filter', async () => {
      const made = await started();
      const [one, two] = [new Inbox(), new Inbox()];
      const end = made.subscribe('ac/state', one.listener);
      made.subscribe('ac/state', two.listener);
      await made.subscribed();
      await peer.say('ac/state', 'a');
      await Promise.all([one.text('a'), two.text('a')]);
      end();
      end();
      await made.subscribed();
      await peer.say('ac/state', 'b');
      await two.text('b');
      expect(one.texts()).toEqual(['a']);
    });

    it('does not hear itself, and hears others who say the same', async () => {
      const made = await started();
      const inbox = new Inbox();
      made.subscribe('lamp/#', inbox.listener);
      await made.subscribed();
      await publish(made, 'lamp/power', 'ON').result;
      await publish(made, 'lamp/power', 'OFF', 0).result;
      await publish(made, 'lamp/power', 'ON').result;
      await peer.say('lamp/power', 'ON');
      await peer.say('lamp/end', 'end');
      await inbox.text('end');
      expect(inbox.texts('lamp/power')).toEqual(['ON']);
    });

    it('survives a listener that throws', async () => {
      const made = await started();
      const inbox = new Inbox();
      made.subscribe('ac/state', () => {
        throw new Error('no idea what that is');
      });
      made.subscribe('ac/state', inbox.listener);
      await made.subscribed();
      await peer.say('ac/state', 'a');
      await peer.say('ac/state', 'b');
      await inbox.text('b');
      expect(inbox.texts()).toEqual(['a', 'b']);
      const line = await log.line(({ level }) => level === 'error');
      expect(line.details).toEqual({ topic: 'ac/state', error: 'no idea what that is' });
    });

    it('drops payloads above 256 KiB, and says so once a topic', async () => {
      const made = await started();
      const inbox = new Inbox();
      made.subscribe('cam/#', inbox.listener);
      await made.subscribed();
      await peer.say('cam/fits', Buffer.alloc(256 * KIB, 'x'));
      for (let count = 0; count < 3; count += 1) await peer.say('cam/large', Buffer.alloc(256 * KIB + 1, 'x'));
      await peer.say('cam/end', 'end');
      await inbox.text('end');
      expect(inbox.heard.map(({ topic }) => topic)).toEqual(['cam/fits', 'cam/end']);
      expect(log.lines.filter(({ message }) => message.includes('too large'))).toHaveLength(1);
    });

    it('hears nothing of the broker itself', async () => {
      const made = await started();
      const inbox = new Inbox();
      made.subscribe('#', inbox.listener);
      made.subscribe('$SYS/#', inbox.listener);
      await made.subscribed();
      const end = await another();
      await end.say('end', 'end');
      await inbox.text('end');
      expect(inbox.heard.filter(({ topic }) => topic.startsWith('$'))).toEqual([]);
    });

    it('takes no harm from filters and topics that are none', async () => {
      const made = await started();
      const inbox = new Inbox();
      for (const filter of ['', 'a/#/b', 'a+', '$share/x/a', 'x'.repeat(70_000)])
        made.subscribe(filter, inbox.listener);
      made.subscribe('ac/state', inbox.listener);
      await made.subscribed();
      const { connections } = proxy;
      for (const topic of ['', 'a/+', '#', '$SYS/x', 'a\0b']) {
        const sent = publish(made, topic, 'x');
        expect(await sent.result).toMatchObject({ type: 'undelivered' });
        expect(sent.dispatched()).toBe(0);
      }
      await peer.say('ac/state', 'a');
      await inbox.text('a');
      expect(made.connected).toBe(true);
      expect(proxy.connections).toBe(connections);
    });

    it('says that it is there, that it leaves, and lets the broker say that it is gone', async () => {
      await peer.hear('readback/status');
      const made = await started();
      await peer.inbox.text('online');
      proxy.cut();
      await peer.inbox.until(() => peer.inbox.texts().length === 3);
      await made.stop();
      await peer.inbox.until(() => peer.inbox.texts().length === 4);
      expect(peer.inbox.texts()).toEqual(['online', 'offline', 'online', 'offline']);
      const late = await another();
      await late.hear('readback/status');
      await late.inbox.text('offline');
      expect(late.inbox.heard[0]?.retained).toBe(true);
    });

    it('answers at once while the broker is down, and sends nothing of it when it is back', async () => {
      const made = await started();
      const inbox = new Inbox();
      made.subscribe('ac/state', inbox.listener);
      const lost = change(made, false);
      await broker.stop();
      await lost;
      const sent = [publish(made, 'cmd/ac', 'while-down'), publish(made, 'cmd/ac', 'while-down', 0)];
      for (const { result, dispatched } of sent) {
        expect(await result).toMatchObject({ type: 'undelivered', detail: expect.stringContaining('no connection') });
        expect(dispatched()).toBe(0);
      }
      const late = new Inbox();
      made.subscribe('fan/state', late.listener);
      const back = change(made, true);
      await broker.start();
      await back;
      await made.subscribed();
      expect(await publish(made, 'cmd/ac', 'when-back').result).toEqual({ type: 'acknowledged' });
      const device = await another();
      await device.say('ac/state', 'a');
      await device.say('fan/state', 'b');
      await Promise.all([inbox.text('a'), late.text('b')]);
      expect(proxy.times('while-down')).toBe(0);
      expect(proxy.times('when-back')).toBe(1);
    });

    it('gives up a command whose acknowledgement was lost, and never sends it again', async () => {
      const made = await started();
      await peer.hear('cmd/#');
      proxy.hold('down');
      const sent = publish(made, 'cmd/ac', 'only-once');
      await peer.inbox.text('only-once');
      const back = change(made, true);
      proxy.release();
      proxy.cut();
      expect(await sent.result).toMatchObject({ type: 'lost' });
      await back;
      expect(await publish(made, 'cmd/ac', 'next').result).toEqual({ type: 'acknowledged' });
      await peer.inbox.text('next');
      expect(peer.inbox.texts()).toEqual(['only-once', 'next']);
      expect(proxy.times('only-once')).toBe(1);
    });

    it('drops a connection on which nothing is acknowledged any more', async () => {
      const made = await started({ timing: { ackTimeoutMs: 150 } });
      const back = change(made, true);
      proxy.hold('up');
      const sent = publish(made, 'cmd/ac', 'into-the-void');
      expect(await sent.result).toEqual({
        type: 'lost',
        detail: 'the broker acknowledged nothing within 150 ms',
      });
      proxy.release();
      await back;
      await peer.hear('cmd/#');
      expect(await publish(made, 'cmd/ac', 'next').result).toEqual({ type: 'acknowledged' });
      await peer.inbox.text('next');
      expect(peer.inbox.texts()).toEqual(['next']);
    });

    it('hears again what is kept after a new connection', async () => {
      const made = await started();
      const inbox = new Inbox();
      await peer.say('ac/availability', 'online', { retain: true });
      made.subscribe('ac/availability', inbox.listener);
      await inbox.text('online');
      const back = change(made, true);
      proxy.cut();
      await back;
      await inbox.until(() => inbox.heard.length === 2);
      expect(inbox.heard.every(({ retained }) => retained)).toBe(true);
    });

    it('tries a refused login again, says so once, and is let in when it is right', async () => {
      const made = link({ password: 'wrong' });
      await made.start();
      expect(made.connected).toBe(false);
      await proxy.until(() => proxy.connections >= 6);
      const lines = log.lines.filter(({ level }) => level === 'warn');
      expect(lines.map(({ details }) => details)).toEqual([
        {
          broker: `mqtt://127.0.0.1:${proxy.port}`,
          trouble: 'the broker refuses the login',
          advice: 'check username and password under mqtt',
        },
      ]);
      expect(await publish(made, 'cmd/ac', 'cool').result).toEqual({
        type: 'undelivered',
        detail: 'there is no connection to the broker: the broker refuses the login',
      });
      await made.stop();
    });

    it('waits longer and longer where another client of the same name cuts it off', async () => {
      const made = await started({ clientId: 'twin', timing: { firstPauseMs: 40, longestPauseMs: 5_000 } });
      const times: number[] = [];
      for (let round = 0; round < 4; round += 1) {
        const lost = change(made, false);
        const twin = await another({ clientId: 'twin', reconnectPeriod: 0 });
        await lost;
        const began = performance.now();
        await change(made, true);
        times.push(performance.now() - began);
        await twin.end();
      }
      // Between half and all of 40, 80, 160 and 320 ms.
      expect(times[3]).toBeGreaterThanOrEqual(160);
      expect(times[0]).toBeLessThan(160);
    });

    it('lets go when it is stopped', async () => {
      const made = await started();
      proxy.hold('down');
      const waiting = publish(made, 'cmd/ac', 'cool');
      await proxy.until(() => proxy.times('cool') === 1);
      const began = performance.now();
      await made.stop();
      expect(performance.now() - began).toBeLessThan(3_000);
      expect(await waiting.result).toMatchObject({ type: 'lost' });
      const late = publish(made, 'cmd/ac', 'later');
      expect(await late.result).toMatchObject({ type: 'undelivered' });
      expect(proxy.times('later')).toBe(0);
      expect(made.connected).toBe(false);
    });

    it('can be stopped before it was started, while it connects, and twice', async () => {
      await link().stop();
      const connecting = link();
      const attempt = connecting.start();
      await connecting.stop();
      await attempt;
      await connecting.stop();
      expect(connecting.connected).toBe(false);
    });
  });
}
