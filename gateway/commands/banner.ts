import type { Actuation } from '../domain/actuation.ts';
import { result } from '../domain/result.ts';
import { sentence } from '../domain/sentence.ts';

/** What a person sees when the gateway has started. */
export function banner(facts: {
  version: string;
  mcpUrl: string;
  dataFolder: string;
  brokerUrl: string | null;
  simulatorUrl?: string;
}): string {
  const entry = { mcpServers: { readback: { type: 'http', url: facts.mcpUrl } } };
  const lines = [
    `Readback ${facts.version}: a home-automation gateway that tells the truth`,
    '',
    `  MCP address   ${facts.mcpUrl}`,
    ...(facts.brokerUrl ? [`  MQTT broker   ${facts.brokerUrl}`] : []),
    ...(facts.simulatorUrl
      ? [`  Simulator     ${facts.simulatorUrl}  (devices that do not exist, over HTTP and MQTT)`]
      : []),
    `  Data          ${facts.dataFolder}`,
    '',
    'Paste this into your MCP client:',
    '',
    `  ${JSON.stringify(entry)}`,
  ];
  const demo = [
    '',
    'Then try:',
    '',
    '  in the client       "Set the living-room AC to 26 degrees."',
    '  without a client    npm run replay',
    '  with a fault        npm run simulator -- fault ac ignore --once',
    '',
    'Every command that settles is told here:',
  ];
  return [...lines, ...(facts.simulatorUrl ? demo : []), ''].join('\n');
}

/** A settled command as one line of the terminal, or null while it is open. */
export function settledLine(actuation: Actuation): string | null {
  const { outcome } = actuation;
  if (!outcome) return null;
  const { elapsed_ms: elapsedMs, reads } = result(actuation);
  const time = new Date(outcome.at.wall).toTimeString().slice(0, 8);
  return `  ${time}  ${sentence(actuation)} [${(elapsedMs / 1000).toFixed(1)} s, ${reads} reads]`;
}
