import { describe, expect, it } from 'vitest';
import { compileRequest } from '../../gateway/devices/http-request.ts';
import { Decimal } from '../../gateway/devices/template.ts';
import { deviceConfig } from '../support/http-device.ts';

function request(written: Record<string, unknown>) {
  const config = deviceConfig({ http: { base: 'http://192.0.2.1' }, requests: { apply: written }, fields: {} });
  const apply = config.requests['apply'];
  if (!apply) throw new Error('the request is missing');
  return compileRequest('apply', apply, 'devices.ac.requests.apply');
}

function build(written: Record<string, unknown>, variables: Record<string, unknown>) {
  const built = request(written).build(variables);
  if (!built.ok) throw new Error(built.detail);
  return built.request;
}

describe('a JSON body', () => {
  const json = {
    power: '{{ want.power }}',
    temperature: '{{ want.target_temperature }}',
    text: '{{ want.target_temperature }} C',
    fixed: 7,
    list: ['{{ want.power }}', 'x'],
    deep: { tenths: '{{ (want.target_temperature * 10) | int }}' },
  };

  it('keeps the type of a single expression, and prints decimals in text', () => {
    const { body, headers } = build(
      { post: '/c', json },
      { want: { power: 'ON', target_temperature: new Decimal(22) } },
    );
    expect(JSON.parse(body ?? '')).toEqual({
      power: 'ON',
      temperature: 22,
      text: '22.0 C',
      fixed: 7,
      list: ['ON', 'x'],
      deep: { tenths: 220 },
    });
    expect(headers['content-type']).toBe('application/json');
  });

  it('leaves out what is not commanded, in filters too', () => {
    const { body } = build({ post: '/c', json: { ...json, text: 'x' } }, { want: { power: 'ON' } });
    expect(JSON.parse(body ?? '')).toEqual({ power: 'ON', text: 'x', fixed: 7, list: ['ON', 'x'], deep: {} });
  });

  it('takes a default for what is not commanded', () => {
    const { body } = build(
      { post: '/c', json: { mode: '{{ want.mode | default(state.mode) }}' } },
      { want: {}, state: { mode: 'cool' } },
    );
    expect(JSON.parse(body ?? '')).toEqual({ mode: 'cool' });
  });

  it('names the template that fails', () => {
    const built = request({ post: '/c', json: { a: { b: '{{ state.x.y }}' } } }).build({ want: {}, state: {} });
    expect(built).toMatchObject({
      ok: false,
      detail: expect.stringMatching(
        /^devices\.ac\.requests\.apply\.json\.a\.b: \{\{ state\.x\.y \}\} cannot be rendered/,
      ),
    });
  });
});

describe('other parts', () => {
  it('renders query, path and headers', () => {
    const made = build(
      {
        get: '/set/{{ want.mode }}?fixed=1',
        query: { stemp: '{{ want.t }}', mode: '{{ state.mode }}', shum: '0', gone: '{{ want.gone }}', cmd: 'Power On' },
        headers: { 'X-Key': '{{ want.mode }}' },
      },
      { want: { mode: 'cool', t: new Decimal(22) }, state: { mode: '3' } },
    );
    expect(made).toEqual({
      method: 'GET',
      path: '/set/cool?fixed=1&stemp=22.0&mode=3&shum=0&cmd=Power%20On',
      headers: { 'x-key': 'cool' },
    });
  });

  it('renders a form', () => {
    const made = build({ post: '/c', form: { a: '{{ want.a }}', b: true, c: '{{ want.c }}' } }, { want: { a: 'x&y' } });
    expect(made.body).toBe('a=x%26y&b=true');
    expect(made.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it('renders a text body, with its own content type', () => {
    const made = build(
      { put: '/c', body: '<t>{{ value }}</t>', headers: { 'Content-Type': 'application/xml' } },
      { want: {}, value: new Decimal(21.5) },
    );
    expect(made).toMatchObject({ method: 'PUT', body: '<t>21.5</t>', headers: { 'content-type': 'application/xml' } });
  });
});

describe('refusals', () => {
  it.each([
    [{ get: '/s', reject: "{{ 'ret=OK' not in value }}", decode: 'kv' }, 'ret=PARAM NG', true],
    [{ get: '/s', reject: "{{ 'ret=OK' not in value }}", decode: 'kv' }, 'ret=OK,adv=', false],
    [{ get: '/s', reject: '{{ value_json.error is defined }}' }, '{"error": 3}', true],
    [{ get: '/s', reject: '{{ value_json.error is defined }}' }, '{}', false],
    [{ get: '/s', reject: '{{ value_json.rsc != 2004 }}' }, '{"rsc": 2004}', false],
    // Whether a garbled answer is a refusal cannot be told, so it is none; readings decide.
    [{ get: '/s', reject: '{{ value_json.rsc != 2004 }}' }, '<html>', false],
    [{ get: '/s' }, 'anything', false],
  ])('%j of %j: %s', (written, text, expected) => {
    const compiled = request(written);
    expect(compiled.rejects(compiled.decode(text).payload)).toBe(expected);
  });

  it('names a template that cannot be read', () => {
    expect(() => request({ post: '/c', json: { a: ['{{ x'] } })).toThrow(/^devices\.ac\.requests\.apply\.json\.a\.0: /);
    expect(() => request({ get: '/c', query: { a: '{{ x' } })).toThrow(/^devices\.ac\.requests\.apply\.query\.a: /);
  });
});
