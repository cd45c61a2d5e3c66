import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { Commands } from '../actuation/commands.ts';
import type { DeviceSpec } from '../domain/device.ts';
import { EVIDENCE_MEANINGS, REASON_MEANINGS, VERDICT_MEANINGS } from '../domain/meanings.ts';
import type { Clock } from '../domain/time.ts';
import { jsonContent, type ResourceParts } from './resources.ts';
import { stateData } from './state-view.ts';

/** Where the words of a result are explained. */
export const VERDICTS_URI = 'readback://verdicts';

/** The address of a device's state. */
export function deviceUri(deviceId: string): string {
  return `device://${deviceId}`;
}

/** A state that was read this recently is not asked for again, in ms. */
const FRESH_MS = 1_000;

/** The words change with the gateway's version only. */
const WORDS_TTL_MS = 3_600_000;

/** A home's resources: the state of each device, and the words of a result. */
export function homeResources(commands: Commands, clock: Clock): () => readonly ResourceParts[] {
  return () => [...commands.devices().map((spec) => deviceResource(spec, commands, clock)), VERDICTS];
}

function deviceResource(spec: DeviceSpec, commands: Commands, clock: Clock): ResourceParts {
  const uri = deviceUri(spec.id);
  const where = spec.area === undefined ? '' : ` in ${spec.area}`;
  return {
    definition: {
      uri,
      name: spec.id,
      title: spec.name,
      description: `State of the ${spec.kind} device${where}: values, how old they are, and whether it can be reached`,
      mimeType: 'application/json',
    },
    async read() {
      const [view] = await commands.look([spec.id], FRESH_MS);
      if (!view) throw new ResourceNotFoundError(uri);
      return jsonContent(uri, stateData(view, clock.now()));
    },
  };
}

const VERDICTS: ResourceParts = {
  definition: {
    uri: VERDICTS_URI,
    name: 'verdicts',
    title: 'What the verdicts mean',
    description: 'Every verdict that a command can end in, every reason for one, and the levels of evidence',
    mimeType: 'application/json',
  },
  async read() {
    const words = { verdicts: VERDICT_MEANINGS, reasons: REASON_MEANINGS, evidence: EVIDENCE_MEANINGS };
    return jsonContent(VERDICTS_URI, words, WORDS_TTL_MS);
  },
};
