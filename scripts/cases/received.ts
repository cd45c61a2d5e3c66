/** A command as the device received it. */
export interface Received {
  /** `POST /control`, or the topic. */
  readonly to: string;
  readonly payload: string;
}
