import { useEffect, useRef } from 'preact/hooks';
import { theme } from '../state/theme.ts';
import type { PlotData } from './plot-data.ts';

/** What a field was told and what was read of it, over time. Its place is there before its data. */
export function Plot({ data }: { readonly data: PlotData | null }) {
  const frame = useRef<HTMLDivElement>(null);
  const key = JSON.stringify([data, theme.value]);

  // The key stands for the data, which is a new object each time.
  useEffect(() => {
    const element = frame.current;
    if (!element || !data) return;
    let end: (() => void) | undefined;
    let isWanted = true;
    // Drawn only where a command is looked at: the house itself comes without it.
    void import('./draw-plot.ts').then(({ drawPlot }) => {
      if (isWanted) end = drawPlot(element, data);
    });
    return () => {
      isWanted = false;
      end?.();
    };
  }, [key]);

  return (
    <figure class="plot">
      <div class="plot-frame" ref={frame} role="img" aria-label={data?.text ?? 'loading'} />
      <figcaption class="legend" aria-hidden="true">
        <span class="legend-wanted">wanted</span>
        <span class="legend-read">read</span>
        <span class="legend-aside">set aside</span>
      </figcaption>
    </figure>
  );
}
