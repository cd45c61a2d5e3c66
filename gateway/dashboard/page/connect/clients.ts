/** Where a gateway is, and the token that opens it; null: it asks for none. */
export interface Door {
  /** As `http://192.0.2.7:8730`. */
  readonly origin: string;
  readonly token: string | null;
}

/** How a client is told of the gateway. */
export interface ClientEntry {
  readonly name: string;
  /** What to do with the entry. */
  readonly how: string;
  readonly entry: (door: Door) => string;
  /** What else there is to know. */
  readonly note?: string;
}

/** The usual clients, each with what it wants to read. */
export const CLIENTS: readonly ClientEntry[] = [
  {
    name: 'Claude Code',
    how: 'Run this in a terminal',
    entry: ({ origin, token }) =>
      `claude mcp add --transport http readback ${origin}/mcp${token ? ` --header "Authorization: Bearer ${token}"` : ''}`,
  },
  {
    name: 'Claude Desktop',
    how: 'Put this into claude_desktop_config.json (Settings, Developer, Edit Config)',
    entry: (door) =>
      json({
        mcpServers: {
          readback: {
            command: 'readback',
            args: ['stdio', '--url', door.origin],
            ...(door.token && { env: { READBACK_TOKEN: door.token } }),
          },
        },
      }),
    note: 'It starts a program: Readback has to be installed on the machine on which Claude Desktop runs.',
  },
  {
    name: 'Cursor',
    how: 'Put this into ~/.cursor/mcp.json',
    entry: (door) => json({ mcpServers: { readback: { url: `${door.origin}/mcp`, ...headers(door) } } }),
  },
  {
    name: 'VS Code',
    how: 'Put this into .vscode/mcp.json',
    entry: (door) => json({ servers: { readback: { type: 'http', url: `${door.origin}/mcp`, ...headers(door) } } }),
  },
  {
    name: 'Windsurf',
    how: 'Put this into ~/.codeium/windsurf/mcp_config.json',
    entry: (door) => json({ mcpServers: { readback: { serverUrl: `${door.origin}/mcp`, ...headers(door) } } }),
  },
  {
    name: 'Codex',
    how: 'Put this into ~/.codex/config.toml',
    entry: ({ origin, token }) =>
      [
        '[mcp_servers.readback]',
        `url = "${origin}/mcp"`,
        ...(token ? [`http_headers = { Authorization = "Bearer ${token}" }`] : []),
      ].join('\n'),
  },
  {
    name: 'Gemini CLI',
    how: 'Put this into ~/.gemini/settings.json',
    entry: (door) => json({ mcpServers: { readback: { httpUrl: `${door.origin}/mcp`, ...headers(door) } } }),
  },
  {
    name: 'Any (stdio)',
    how: 'Have the client start this program',
    entry: ({ origin, token }) => `${token ? `READBACK_TOKEN=${token} ` : ''}readback stdio --url ${origin}`,
    note: 'Readback has to be installed on the machine on which the client runs.',
  },
  {
    name: 'Any (HTTP)',
    how: 'Give the client this address of a Streamable HTTP server, and the header where there is one',
    entry: ({ origin, token }) => [`${origin}/mcp`, ...(token ? [`Authorization: Bearer ${token}`] : [])].join('\n'),
  },
];

function headers({ token }: Door): { readonly headers?: { readonly Authorization: string } } {
  return token ? { headers: { Authorization: `Bearer ${token}` } } : {};
}

function json(entry: object): string {
  return JSON.stringify(entry, null, 2);
}
