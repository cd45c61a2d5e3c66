import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** After this pause what was tapped together is one wish, in ms: three steps up are one command and not three. */
const PAUSE_MS = 900;

/** A value that is being put together and has not been asked for yet; null: none. */
export interface Draft {
  readonly value: Signal<number | null>;
  /** Changes it; it is asked for after a pause. */
  change(next: number): void;
  /** Changes it without a pause being counted, as while a slider is held. */
  hold(next: number): void;
}

/** @param ask hears the value once, when it is complete */
export function useDraft(ask: (value: number) => void): Draft {
  const value = useSignal<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const asked = useRef(ask);
  asked.current = ask;
  useEffect(() => () => clearTimeout(timer.current), []);
  const commit = () => {
    clearTimeout(timer.current);
    const complete = value.peek();
    value.value = null;
    if (complete !== null) asked.current(complete);
  };
  const hold = (next: number) => {
    clearTimeout(timer.current);
    value.value = next;
  };
  const change = (next: number) => {
    hold(next);
    timer.current = setTimeout(commit, PAUSE_MS);
  };
  return { value, change, hold };
}
