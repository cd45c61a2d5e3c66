import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from './button.tsx';

/** How long a success is told on the button, in ms. */
const TOLD_MS = 2_000;

/** Text to be taken elsewhere as it is. */
export function Copyable({ text, what }: { readonly text: string; readonly what: string }) {
  const words = useSignal('Copy');
  const block = useRef<HTMLPreElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      words.value = 'Copied';
    } catch {
      // Over plain HTTP browsers keep the clipboard closed, except on this machine.
      if (block.current) getSelection()?.selectAllChildren(block.current);
      words.value = 'Selected: now press Ctrl+C';
    }
    setTimeout(() => {
      words.value = 'Copy';
    }, TOLD_MS);
  };
  return (
    <div class="copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section aria-label={what} tabIndex={0}>
        <pre ref={block}>{text}</pre>
      </section>
      <Button icon="copy" onClick={copy}>
        {words.value}
      </Button>
    </div>
  );
}
