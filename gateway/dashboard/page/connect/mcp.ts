const VERSION = '2026-07-28';

/** What a tool said, or why it could not be asked, as text for a person. */
export interface ToolAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly tookMs: number;
}

interface RpcAnswer {
  readonly result?: { readonly content?: readonly { readonly text?: string }[]; readonly isError?: boolean };
  readonly error?: { readonly message?: string } | string;
  readonly error_description?: string;
}

/**
 * Asks for the state of every device in the way in which a client asks: over MCP, and with the client's token alone.
 * @param token null where the gateway asks for none
 */
export async function getState(token: string | null): Promise<ToolAnswer> {
  const from = performance.now();
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'readback-page', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch('/mcp', {
    method: 'POST',
    // The page's own sign-in must not answer for the token.
    credentials: 'omit',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': 'get_state',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_state', arguments: {}, _meta },
    }),
  });
  const body = await response.text();
  return { ...readAnswer(response.status, body), tookMs: performance.now() - from };
}

function readAnswer(status: number, body: string): Omit<ToolAnswer, 'tookMs'> {
  let answer: RpcAnswer;
  try {
    answer = JSON.parse(body) as RpcAnswer;
  } catch {
    return { ok: false, text: `The gateway answered ${status}, and not in JSON.` };
  }
  const text = answer.result?.content?.map((part) => part.text ?? '').join('\n');
  if (text !== undefined) return { ok: answer.result?.isError !== true, text };
  const error = typeof answer.error === 'object' ? answer.error.message : (answer.error_description ?? answer.error);
  return { ok: false, text: error ?? `The gateway answered ${status}.` };
}
