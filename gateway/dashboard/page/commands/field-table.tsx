import { EVIDENCE_MEANINGS, REASON_MEANINGS } from '../../../domain/meanings.ts';
import type { CommandFieldWire, CommandWire } from '../../wire.ts';
import { Badge, verdictStanding } from '../parts/verdict-badge.tsx';
import { label, show } from '../words.ts';

/** What was wanted of each field, what was there, and what was read. */
export function FieldTable({ command }: { readonly command: CommandWire }) {
  if (command.fields.length === 0) return null;
  return (
    // A table wider than a phone scrolls by itself; the page never does.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="table-frame" aria-label="Fields" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Wanted</th>
            <th scope="col">Before</th>
            <th scope="col">Read</th>
            <th scope="col">Verdict</th>
            <th scope="col">What stands behind it</th>
          </tr>
        </thead>
        <tbody>
          {command.fields.map((field) => (
            <FieldLine key={field.name} field={field} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function FieldLine({ field }: { readonly field: CommandFieldWire }) {
  const { requested, sent } = field;
  return (
    <tr>
      <th scope="row">{label(field.name)}</th>
      <td>
        <strong>{show(sent, field)}</strong>
        {String(requested) !== String(sent) && <span class="quiet"> (asked for {show(requested)})</span>}
      </td>
      <td>{show(field.before, field)}</td>
      <td>{show(field.observed, field)}</td>
      <td>{field.verdict ? <Badge standing={verdictStanding(field.verdict)} /> : '–'}</td>
      <td class="quiet">
        {[
          field.evidence === null ? null : EVIDENCE_MEANINGS[field.evidence],
          field.reason && REASON_MEANINGS[field.reason],
        ]
          .filter(Boolean)
          .join('; ') || '–'}
      </td>
    </tr>
  );
}
