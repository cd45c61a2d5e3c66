import type { DiscoveryRule } from '../../config/schema-discovery.ts';
import { covers } from '../../transports/mqtt-filter.ts';
import type { Announcement } from './announcement.ts';

/** What an announcement and its device are looked at for. */
export interface Candidate extends Pick<Announcement, 'about'> {
  /** Where the announcement was published. */
  readonly topic: string;
  /** Where the device would be commanded. */
  readonly publishes: readonly string[];
}

/** Whether the owner wants this device: one rule is enough, and a rule holds with all of its words. */
export function isAllowed(rules: readonly DiscoveryRule[], { topic, publishes, about }: Candidate): boolean {
  return rules.some((rule) => {
    if (rule.topic !== undefined && !covers(rule.topic, topic)) return false;
    if (rule.object_id !== undefined && !likes(rule.object_id, about.objectId)) return false;
    if (rule.origin !== undefined && !likes(rule.origin, about.origin)) return false;
    const { device, command_topic: commandTopic } = rule;
    if (device !== undefined && !about.identifiers.some((identifier) => likes(device, identifier))) return false;
    return commandTopic === undefined || publishes.every((each) => covers(commandTopic, each));
  });
}

/** Whether a word is like a pattern, in which `*` stands for anything; capitals make no difference. */
function likes(pattern: string, word: string): boolean {
  // Part by part, for an expression with many stars can take for ever.
  const parts = pattern.toLowerCase().split('*');
  const text = word.toLowerCase();
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  if (!text.startsWith(first)) return false;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}
