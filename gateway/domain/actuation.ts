import type { DeviceKind, VerifyRules } from './device.ts';
import type { Comparison, Readback } from './field.ts';
import type { ReadingSource } from './reading.ts';
import type { Instant } from './time.ts';
import type { Value } from './value.ts';
import type { Evidence, Reason, Ruling, Verdict } from './verdict.ts';

/** Where a command stands on its one path; see design.md, section 4. */
export const PHASES = ['awaiting_approval', 'queued', 'sending', 'verifying', 'settled'] as const;
export type Phase = (typeof PHASES)[number];

/** Equal readings in a row, told as one: enough for every rule, and bounded however chatty the device is. */
export interface Run {
  readonly value: Value;
  readonly from: Instant;
  readonly to: Instant;
  readonly count: number;
  readonly source: ReadingSource;
}

/** Why a reading was set aside, and did not count. */
export type WhySetAside = 'before_send' | 'retained' | 'echo' | 'null' | 'moving';

/** Equal readings in a row that were set aside for the same reason, told as one. */
export interface SetAside extends Omit<Run, 'value'> {
  readonly why: WhySetAside;
  /** null: the device said that it has no value. */
  readonly value: Value | null;
}

/** How far a field's own request has come. `unsent` includes one that is certain never to have left. */
export type SendState = 'unsent' | 'open' | 'accepted' | 'lost' | 'refused';

/** One commanded field: what was wanted, what was sent, and what was seen. */
export interface FieldTrack {
  readonly field: string;
  readonly unit: string | null;
  readonly step: number | null;
  /** As the caller said it. */
  readonly requested: Value;
  /** As it goes to the device, in our words: on the field's grid and in its spelling. */
  readonly sent: Value;
  readonly compare: Comparison;
  readonly readback: Readback;
  readonly send: SendState;
  readonly sentAt: Instant | null;
  /** The latest send, where the profile allows more than one: the echo window is counted from it. */
  readonly lastSentAt: Instant | null;
  /** When the transport last answered well. */
  readonly acceptedAt?: Instant;
  /** What was there before the command; null: not known. */
  readonly before: Value | null;
  /** `first_reading`: nobody knew, so the first counted reading stands in. */
  readonly beforeFrom: 'known' | 'first_reading' | null;
  /** Counted readings, oldest first; the first and the latest are kept when it grows long. */
  readonly runs: readonly Run[];
  /** The wanted value counted at least once. */
  readonly sawWanted: boolean;
  /** Changes to the value since the send that came nearer to the wanted one, and whether any went away. */
  readonly nearer: number;
  readonly wentAway: boolean;
  readonly moving: boolean;
  readonly wasMoving: boolean;
  /** When the field was first seen at rest after a motion. */
  readonly restAt: Instant | null;
  /** The field was acknowledged or echoed (evidence 2). */
  readonly acked: Instant | null;
  /** The device showed a state in which the field has no meaning. */
  readonly excluded: boolean;
  /** Readings that did not count, for people to follow; no rule looks at them. Absent where there were none. */
  readonly setAside?: readonly SetAside[];
  /**
   * A good report was contradicted inside the settle time and one direct read has been asked for: when. The
   * contradiction waits in `runs` as its latest entry.
   */
  readonly doubtAt: Instant | null;
  /** Set once, when nothing later can change it. */
  readonly ruling: Ruling | null;
  /** The device's own words on a refusal or failure. */
  readonly detail: string | null;
}

/** A guarded field: listed in a result only if it changed unasked. */
export interface GuardTrack {
  readonly field: string;
  readonly compare: Comparison;
  readonly before: Value | null;
  readonly observed: Value | null;
  readonly observedAt: Instant | null;
}

/** A question to a person, and its answer. */
export interface Approval {
  /** Device, field, old and new value, in one sentence. */
  readonly question: string;
  readonly askedAt: Instant;
  readonly ttlMs: number;
  readonly answer: {
    readonly approved: boolean;
    readonly by: string;
    readonly through: string;
    readonly at: Instant;
  } | null;
}

/** How it ended. */
export type Outcome =
  | { readonly type: 'verdict'; readonly verdict: Verdict; readonly reason: Reason | null; readonly at: Instant }
  /** The caller stopped waiting; `sent` says whether the device may have acted. */
  | { readonly type: 'cancelled'; readonly sent: boolean; readonly at: Instant }
  /** A fault of ours, or the ttl ran out. */
  | { readonly type: 'failed'; readonly fault: 'ttl' | 'internal'; readonly message: string; readonly at: Instant };

/**
 * Something that came between a command and its verdict: the device went or came back, the gateway started anew, or was
 * put back to a backup.
 */
export interface Incident {
  readonly type: 'offline' | 'online' | 'restarted' | 'restored';
  readonly at: Instant;
}

/** The durable record of one command. Plain data: it is what the store keeps, and all that the reducer knows. */
export interface Actuation {
  /** 128 random bits or more. */
  readonly taskId: string;
  /** Who may see it. */
  readonly principal: string;
  /** What was wished for, as a digest, where the caller gave a key by which the same wish is known again. */
  readonly wishDigest?: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly kind: DeviceKind;
  readonly rules: VerifyRules;
  readonly ttlMs: number;
  readonly phase: Phase;
  /** The boot whose monotonic clock every `mono` below was read on. */
  readonly boot: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly approval: Approval | null;
  readonly fields: readonly FieldTrack[];
  readonly guards: readonly GuardTrack[];
  /** Refusals of the plan, which end a command before anything is sent. */
  readonly refusal: Refusal | null;
  readonly sentAt: Instant | null;
  /** How often it was decided to send: the intent is recorded before a byte leaves. */
  readonly sends: number;
  /** On `mono`; null until it is sent. A restart in between may move it. */
  readonly deadline: number | null;
  /** A crash fell between the intent and the answer: nobody knows whether the device received it. Never sent again. */
  readonly sendUncertain: boolean;
  /** Last live message or answer of the device since the send. */
  readonly heardAt: Instant | null;
  /** Since when it is offline by its own or its bridge's word. */
  readonly offlineSince: Instant | null;
  /** The one question that silence allows has been asked. */
  readonly asked: boolean;
  /** Direct reads that ended since the send, answered or not. */
  readonly reads: number;
  /** Direct reads in a row that were not answered. */
  readonly failedReads: number;
  readonly restarts: number;
  /** For people to follow, oldest first; no rule looks at them. Absent where there were none. */
  readonly incidents?: readonly Incident[];
  /** The task that took over, where the verdict is `superseded`. */
  readonly supersededBy: string | null;
  readonly outcome: Outcome | null;
}

/** Why a plan cannot be carried out; nothing is sent. */
export interface Refusal {
  readonly field: string;
  readonly reason: Reason;
  /** Says what is allowed. */
  readonly message: string;
}

/** Strongest thing that is known of a field; null while nothing has been sent. */
export function evidenceOf(track: FieldTrack): Evidence | null {
  if (track.runs.length > 0) return 3;
  if (track.acked) return 2;
  if (track.send === 'accepted' || track.send === 'refused') return 1;
  return track.sentAt ? 0 : null;
}

/** The latest counted reading of a field. */
export function lastRun(track: FieldTrack): Run | undefined {
  return track.runs.at(-1);
}

export function isSettled(actuation: Actuation): actuation is Actuation & { readonly outcome: Outcome } {
  return actuation.outcome !== null;
}
