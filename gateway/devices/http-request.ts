import type { RequestConfig } from '../config/schema-request.ts';
import type { HttpRequest } from '../transports/http-connection.ts';
import { truth } from './condition.ts';
import { type DecodedPayload, decodePayload, type Payload } from './payload.ts';
import { compileJson, compileParameters } from './request-parts.ts';
import { compileTemplate, type TemplateVariables } from './template.ts';
import { compileText, type Part } from './text-part.ts';

/** A request of the configuration, compiled. */
export interface DeviceRequest {
  readonly name: string;
  /** The request that is read first; its decoded answer is `state`. */
  readonly before: string | undefined;
  /** The request with these variables, or which template of it fails. */
  build(
    variables: TemplateVariables,
  ): { readonly ok: true; readonly request: HttpRequest } | { readonly ok: false; readonly detail: string };
  decode(text: string): DecodedPayload;
  /** Whether the answer is a refusal in spite of its 2xx. */
  rejects(payload: Payload): boolean;
}

/**
 * @param where the request's place in the configuration: `devices.ac.requests.apply`
 * @throws StartError where a template cannot be read
 */
export function compileRequest(name: string, config: RequestConfig, where: string): DeviceRequest {
  const { decode, method } = config;
  const path = compileText(config.path, where);
  const query = compileParameters(config.query ?? {}, `${where}.query`);
  const headers = compileParameters(config.headers ?? {}, `${where}.headers`);
  const body = compileBody(config, where);
  const reject = config.reject === undefined ? undefined : compileTemplate(config.reject, `${where}.reject`);
  return {
    name,
    before: config.before,
    build(variables) {
      const parts = {
        path: path.render(variables),
        query: query(variables),
        headers: headers(variables),
        body: body.render(variables),
      };
      for (const part of Object.values(parts)) if (!part.ok) return part;
      const content = valueIn(parts.body);
      return {
        ok: true,
        request: {
          method,
          path: withQuery(valueIn(parts.path) ?? '/', valueIn(parts.query) ?? []),
          headers: {
            ...(content !== undefined && { 'content-type': body.contentType }),
            ...Object.fromEntries((valueIn(parts.headers) ?? []).map(([key, value]) => [key.toLowerCase(), value])),
          },
          ...(content !== undefined && { body: content }),
        },
      };
    },
    decode: (text) => decodePayload(decode, text),
    rejects: (payload) => reject !== undefined && truth(reject.evaluate({ ...payload })) === true,
  };
}

interface Body {
  readonly contentType: string;
  render(variables: TemplateVariables): Part<string>;
}

function compileBody(config: RequestConfig, where: string): Body {
  if (config.json !== undefined) {
    const json = compileJson(config.json, `${where}.json`);
    return {
      contentType: 'application/json',
      render(variables) {
        const part = json(variables);
        return part.ok ? { ok: true, value: JSON.stringify(part.value) } : part;
      },
    };
  }
  if (config.form !== undefined) {
    const form = compileParameters(config.form, `${where}.form`);
    return {
      contentType: 'application/x-www-form-urlencoded',
      render(variables) {
        const part = form(variables);
        return part.ok ? { ok: true, value: urlEncoded(part.value ?? []) } : part;
      },
    };
  }
  if (config.body !== undefined) return { contentType: 'text/plain', ...compileText(config.body, `${where}.body`) };
  return { contentType: '', render: () => ({ ok: true, value: undefined }) };
}

function withQuery(path: string, query: readonly (readonly [string, string])[]): string {
  if (query.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${urlEncoded(query)}`;
}

/** A space as %20: firmware that decodes `+` is rarer than firmware that does not. */
function urlEncoded(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('&');
}

function valueIn<T>(part: Part<T>): T | undefined {
  return part.ok ? part.value : undefined;
}
