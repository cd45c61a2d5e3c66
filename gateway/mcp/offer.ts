import type { McpRequestContext, McpServer, ServerEventBus, ServerOptions } from '@modelcontextprotocol/server';
import type { TaskSource } from './task.ts';
import type { Tool } from './tool.ts';

/** What an endpoint has to offer, whatever stands behind it; it is the same for every transport and protocol revision. */
export interface Offer {
  /** What a model is told once, on connecting. */
  readonly instructions: string;
  /** The tools as they are now. */
  readonly tools: () => readonly Tool[];
  readonly tasks: TaskSource;
  /** What changes in the lists, that of the tools too, and in the resources, for whoever listens. Absent: nothing is told. */
  readonly events?: ServerEventBus;
  /** Add what is neither tool nor task, such as resources, to a server that has just been made. */
  readonly features?: readonly Feature[];
  /** Checks the state that a client brings back with the answers to a question; a bad one never reaches a tool. */
  readonly requestState?: ServerOptions['requestState'];
}

/** Adds capabilities and handlers to a new server, for the protocol and the caller that it was made for. */
export type Feature = (server: McpServer, context: McpRequestContext, onError: (error: Error) => void) => void;

/** Makes an offer whose waits end when `stopping` aborts, because the gateway stops. */
export type MakeOffer = (stopping: AbortSignal) => Offer;
