import { EVIDENCE_MEANINGS, REASON_MEANINGS } from '../../../domain/meanings.ts';
import type { CommandFieldWire } from '../../wire.ts';
import { Badge, verdictStanding } from '../parts/verdict-badge.tsx';
import { capital, label, show } from '../words.ts';
import { Plot } from './plot.tsx';
import type { PlotData } from './plot-data.ts';

/** One field of a command: what was wanted, what was there, what was read, and all of it over time. */
export function FieldPanel({ field, plot }: { readonly field: CommandFieldWire; readonly plot: PlotData | null }) {
  const { requested, sent, evidence, reason } = field;
  const behind = [evidence === null ? null : EVIDENCE_MEANINGS[evidence], reason && REASON_MEANINGS[reason]];
  return (
    <article class="field-panel" aria-label={label(field.name)}>
      <header class="field-panel-head">
        <h3>{label(field.name)}</h3>
        {field.verdict && <Badge standing={verdictStanding(field.verdict)} />}
      </header>
      <dl class="facts">
        <div>
          <dt>Wanted</dt>
          <dd>{show(sent, field)}</dd>
        </div>
        <div>
          <dt>Before</dt>
          <dd>{show(field.before, field)}</dd>
        </div>
        <div>
          <dt>Read</dt>
          <dd>{show(field.observed, field)}</dd>
        </div>
      </dl>
      <p class="quiet">
        {String(requested) !== String(sent) && `Asked for ${show(requested)}. `}
        {capital(behind.filter(Boolean).join('; '))}
      </p>
      <Plot data={plot} />
    </article>
  );
}
